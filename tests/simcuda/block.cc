// Fibers, barriers and warp exchanges of one simulated block.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace simcuda {
namespace {

class Runner;

// Lives at the top of its own stack; `lane` is its last member, so that a kernel finds it from the stack pointer.
struct Fiber {
  Runner* runner;
  std::size_t index;  // of the lane it runs, in the block
  bool exited_loop;
#if defined(__x86_64__)
  void* stack_pointer;
#else
  ucontext_t context;
#endif
  SimcudaLane lane;
};
static_assert(offsetof(Fiber, lane) + sizeof(SimcudaLane) == sizeof(Fiber));

Fiber* fiber_of(SimcudaLane* lane) {
  return reinterpret_cast<Fiber*>(reinterpret_cast<char*>(lane) + sizeof(SimcudaLane) - sizeof(Fiber));
}

#if defined(__x86_64__)
// Saves the callee-saved registers and the stack pointer of the running side, and resumes the other.
extern "C" void simcuda_switch(void** save, void* resume);
asm(R"(
.text
.globl simcuda_switch
.hidden simcuda_switch
.type simcuda_switch,@function
simcuda_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size simcuda_switch,.-simcuda_switch
)");
#endif

// Stacks are kept: a block of 1024 waiting lanes needs 1024 of them, again and again. A thread keeps a few, all others
// are there for every thread, and none is unmapped: a process has some 65,000 mappings at most, of which the thread
// sanitizer needs six for each that was ever made.
class Stacks {
 public:
  ~Stacks() { leave(0); }
  Fiber* take() {
    if (free_.empty()) fetch();
    char* stack = free_.back();
    free_.pop_back();
    return reinterpret_cast<Fiber*>(stack + SIMCUDA_STACK_BYTES - sizeof(Fiber));
  }
  void give(Fiber* fiber) { free_.push_back(reinterpret_cast<char*>(fiber) + sizeof(Fiber) - SIMCUDA_STACK_BYTES); }
  // A block has ended.
  void settle() {
    if (free_.size() > kFew) leave(kFew);
  }

 private:
  static constexpr std::size_t kFew = 32;  // a warp

  // What every thread may take. It is there before the first thread, and never destroyed, for threads may outlive that.
  struct Common {
    std::mutex mutex;
    std::vector<char*> free;
  };
  union Kept {
    constexpr Kept() : common() {}
    ~Kept() {}
    Common common;
  };
  static Common& common() {
    static constinit Kept kept;
    return kept.common;
  }

  void leave(std::size_t kept) {
    const std::lock_guard lock(common().mutex);
    common().free.insert(common().free.end(), free_.begin() + static_cast<std::ptrdiff_t>(kept), free_.end());
    free_.resize(kept);
  }
  void fetch() {
    {
      const std::lock_guard lock(common().mutex);
      std::vector<char*>& free = common().free;
      const std::size_t kept = free.size() - std::min(free.size(), kFew);
      free_.assign(free.begin() + static_cast<std::ptrdiff_t>(kept), free.end());
      free.resize(kept);
    }
    if (!free_.empty()) return;
    constexpr std::size_t bytes = SIMCUDA_STACK_BYTES;
    void* const raw =
        mmap(nullptr, (kFew + 1) * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) std::abort();
    char* stack = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(raw) + bytes - 1) / bytes * bytes);
    for (std::size_t i = 0; i < kFew; ++i, stack += bytes) {
      mprotect(stack, 4096, PROT_NONE);  // an overflow stops here, not in the neighbour
      free_.push_back(stack);
    }
  }

  std::vector<char*> free_;
};

Stacks& stacks() {
  alignas(64) static thread_local Stacks stacks;  // device/module.h says why it is aligned
  return stacks;
}

// One warp-wide exchange under way.
struct Meeting {
  unsigned mask, arrived = 0, left = 0;
  bool complete = false;
  unsigned long long values[32] = {};
  std::vector<Fiber*> waiting;
};
struct Warp {
  unsigned present = 0;  // lanes that exist and have not returned
  std::list<Meeting> meetings;
};

class Runner {
 public:
  Runner(const BlockLaunch& launch, const BlockCallbacks& callbacks) : launch_(launch), callbacks_(callbacks) {
    const SimcudaUint3& d = launch.lane.block_dim;
    total_ = std::size_t{d.x} * d.y * d.z;
    alive_ = total_;
    warps_.resize((total_ + 31) / 32);
    for (std::size_t i = 0; i < total_; ++i) warps_[i / 32].present |= 1u << (i % 32);
    // i -> (i * stride + offset) mod total visits every lane once when the stride has no factor in common with the
    // total.
    if (launch.order != 0) {
      // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a block of no lanes is refused when it is launched
      offset_ = static_cast<std::size_t>(launch.order >> 20) % total_;
      stride_ = static_cast<std::size_t>(launch.order) % total_ | 1;
      while (std::gcd(stride_, total_) != 1) ++stride_;
    }
  }

  BlockResult run() {
    while (result_.error == 0) {
      Fiber* fiber = nullptr;
      if (!runnable_.empty()) {
        fiber = runnable_.front();
        runnable_.pop_front();
      } else if (begun_ < total_) {
        fiber = start();
      } else if (!at_grid_wait_.empty()) {
        callbacks_.grid_wait(launch_);
        runnable_.insert(runnable_.end(), at_grid_wait_.begin(), at_grid_wait_.end());
        at_grid_wait_.clear();
        continue;
      } else if (alive_ > 0) {
        result_.error = 719;
        result_.text = "deadlock: " + std::to_string(alive_) +
                       " threads wait at a barrier or warp operation that the others never reach";
        break;
      } else {
        break;
      }
      enter(fiber);
      if (fiber->exited_loop) {
        stacks().give(fiber);
        std::erase(live_, fiber);
      }
    }
    for (Fiber* fiber : live_) stacks().give(fiber);
    stacks().settle();
    return std::move(result_);
  }

  // --- called on a fiber ---
  int barrier(Fiber* fiber, int predicate, int* all) {
    passed_ += predicate != 0;
    at_barrier_.push_back(fiber);
    if (at_barrier_.size() == alive_) release_barrier();
    leave(fiber);
    *all = barrier_all_;
    return barrier_count_;
  }

  // The first block of a gated launch goes as far as it can before the kernels before it have begun.
  void grid_wait(Fiber* fiber) {
    result_.waited = true;
    if (launch_.gated) {
      at_grid_wait_.push_back(fiber);
      leave(fiber);
    }
    fiber->lane.heap_bytes = launch_.heap_bytes_after_wait;
  }

  unsigned exchange(Fiber* fiber, unsigned mask, unsigned long long mine, unsigned long long* all) {
    Warp& warp = warps_[fiber->index / 32];
    unsigned bit = 1u << (fiber->index % 32);
    auto meeting = warp.meetings.begin();
    while (meeting != warp.meetings.end() &&
           (meeting->mask != mask || meeting->complete || (meeting->arrived & bit) != 0))
      ++meeting;
    if (meeting == warp.meetings.end()) {
      warp.meetings.push_back({});
      meeting = std::prev(warp.meetings.end());
      meeting->mask = mask;
      // What a lane that takes no part would hand over is undefined; make that visible.
      for (auto& value : meeting->values) value = 0xfff8deadfff8deadull;
    }
    meeting->arrived |= bit;
    meeting->values[fiber->index % 32] = mine;
    if ((mask & bit) == 0) {
      fail(fiber, 719, "a warp operation whose mask does not name the calling thread");
      return 0;
    }
    complete(warp, *meeting);
    if (!meeting->complete) {
      meeting->waiting.push_back(fiber);
      leave(fiber);
    }
    std::memcpy(all, meeting->values, sizeof meeting->values);
    unsigned arrived = meeting->arrived;
    meeting->left |= bit;
    if (meeting->left == arrived) warp.meetings.erase(meeting);
    return arrived;
  }

  void fail(Fiber* fiber, int error, std::string text) {
    if (result_.error == 0) {
      result_.error = error;
      result_.text = std::move(text);
    }
    for (;;) leave(fiber);  // never resumed
  }

  const BlockLaunch& launch() const { return launch_; }
  const BlockCallbacks& callbacks() const { return callbacks_; }

  void loop(Fiber* fiber) {
    while (begun_ < total_) {
      fiber->index = (begun_++ * stride_ + offset_) % total_;
      const SimcudaUint3& d = fiber->lane.block_dim;
      fiber->lane.heap_bytes = launch_.lane.heap_bytes;
      auto i = static_cast<unsigned>(fiber->index);
      fiber->lane.thread = {i % d.x, i / d.x % d.y, i / (d.x * d.y)};
      launch_.kernel->launch(launch_.arguments);
      --alive_;
      Warp& warp = warps_[fiber->index / 32];
      warp.present &= ~(1u << (fiber->index % 32));
      for (Meeting& meeting : warp.meetings) complete(warp, meeting);
      if (!at_barrier_.empty() && at_barrier_.size() == alive_) release_barrier();
    }
    fiber->exited_loop = true;
    for (;;) leave(fiber);
  }

 private:
  Fiber* start();

  void enter(Fiber* fiber) {
#if defined(__x86_64__)
    simcuda_switch(&stack_pointer_, fiber->stack_pointer);
#else
    swapcontext(&context_, &fiber->context);
#endif
  }
  void leave(Fiber* fiber) {
#if defined(__x86_64__)
    simcuda_switch(&fiber->stack_pointer, stack_pointer_);
#else
    swapcontext(&fiber->context, &context_);
#endif
  }

  void release_barrier() {
    barrier_count_ = static_cast<int>(passed_);
    barrier_all_ = passed_ == at_barrier_.size();
    passed_ = 0;
    for (Fiber* fiber : at_barrier_) runnable_.push_back(fiber);
    at_barrier_.clear();
  }

  void complete(Warp& warp, Meeting& meeting) {
    if (meeting.complete || (meeting.mask & warp.present & ~meeting.arrived) != 0) return;
    meeting.complete = true;
    for (Fiber* fiber : meeting.waiting) runnable_.push_back(fiber);
    meeting.waiting.clear();
  }

  const BlockLaunch& launch_;
  const BlockCallbacks& callbacks_;
  std::size_t total_ = 0, begun_ = 0, alive_ = 0, stride_ = 1, offset_ = 0;
  std::vector<Fiber*> live_, at_barrier_, at_grid_wait_;
  std::deque<Fiber*> runnable_;
  std::vector<Warp> warps_;
  std::size_t passed_ = 0;
  int barrier_count_ = 0, barrier_all_ = 0;
  BlockResult result_;
#if defined(__x86_64__)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_;
#endif
};

Runner* runner_of(SimcudaLane* lane) {
  return fiber_of(lane)->runner;
}

void on_access(SimcudaLane* lane, unsigned long long address, unsigned long long bytes, int kind) {
  Runner* runner = runner_of(lane);
  std::string text;
  int error = runner->callbacks().access(runner->launch(), *lane, address, bytes, kind, &text);
  if (error != 0) runner->fail(fiber_of(lane), error, std::move(text));
}
int on_barrier(SimcudaLane* lane, int predicate, int* all) {
  return runner_of(lane)->barrier(fiber_of(lane), predicate, all);
}
unsigned on_exchange(SimcudaLane* lane, unsigned mask, unsigned long long mine, unsigned long long* all) {
  return runner_of(lane)->exchange(fiber_of(lane), mask, mine, all);
}
void on_trap(SimcudaLane* lane, int code, const char* text) {
  runner_of(lane)->fail(fiber_of(lane), code, text);
}
void on_set_conditional(SimcudaLane* lane, unsigned long long handle, unsigned value) {
  runner_of(lane)->callbacks().set_conditional(runner_of(lane)->launch(), handle, value);
}
void on_grid_wait(SimcudaLane* lane) {
  runner_of(lane)->grid_wait(fiber_of(lane));
}
void on_grid_launch(SimcudaLane*) {}

const SimcudaRuntime kRuntime = {on_access,          on_barrier,   on_exchange,   on_trap,
                                 on_set_conditional, on_grid_wait, on_grid_launch};

#if defined(__x86_64__)
// The first resume of a fiber "returns" into this; its Fiber is found as a kernel finds its lane.
void fiber_main() {
  auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  auto* fiber = reinterpret_cast<Fiber*>((here | (SIMCUDA_STACK_BYTES - 1)) + 1 - sizeof(Fiber));
  fiber->runner->loop(fiber);
}
#else
void fiber_main(unsigned high, unsigned low) {
  auto* fiber = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
  fiber->runner->loop(fiber);
}
#endif

Fiber* Runner::start() {
  Fiber* fiber = stacks().take();
  fiber->runner = this;
  fiber->exited_loop = false;
  fiber->lane = launch_.lane;
  fiber->lane.runtime = kRuntime;
  live_.push_back(fiber);
#if defined(__x86_64__)
  // As if fiber_main had been called: after the pops and the ret, the stack pointer is 8 past a multiple of 16.
  auto top = reinterpret_cast<std::uintptr_t>(fiber) & ~std::uintptr_t{15};
  auto* stack = reinterpret_cast<void**>(top) - 2;
  stack[0] = reinterpret_cast<void*>(&fiber_main);
  stack[1] = nullptr;
  fiber->stack_pointer = stack - 6;
#else
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = reinterpret_cast<char*>(fiber) + sizeof(Fiber) - SIMCUDA_STACK_BYTES;
  fiber->context.uc_stack.ss_size = SIMCUDA_STACK_BYTES - sizeof(Fiber);
  fiber->context.uc_link = nullptr;
  auto self = reinterpret_cast<std::uintptr_t>(fiber);
  makecontext(&fiber->context, reinterpret_cast<void (*)()>(&fiber_main), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
#endif
  return fiber;
}

}  // namespace

BlockResult run_block(const BlockLaunch& launch, const BlockCallbacks& callbacks) {
  return Runner(launch, callbacks).run();
}

}  // namespace simcuda
