// Makes chains of a product and times them as graphs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_trial.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/log.h"
#include "base/settings.h"
#include "engine/tasks/making_limit.h"
#include "engine/tasks/storage.h"
#include "ops/task/early_reads.h"
#include "ops/task/kernel_spec.h"
#include "ops/trial/choice_table.h"
#include "ops/trial/trial_memory.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

constexpr int kChain = 12;  // products of a chain
constexpr int kAtOnce = 2;  // launches of a chain that are timed together
constexpr int kMostRounds = 15, kLeastRounds = 3;
constexpr float kSlow = 3;          // so many times the best one's time is not worth a chain
constexpr long long kWarming = 10;  // part of the time in which nothing is measured: a device that was idle runs slower
constexpr int64_t kMostWeights = int64_t{128} << 20;  // bytes beyond the operands; as many do not stay in a cache
constexpr int64_t kAligned = Product::kAligned;

// The kernel between products: it reads what one has made, and makes the next one's rows, numbers between 1/8 and 1/4.
constexpr char kNumbersText[] = R"(
struct Arguments {
  const u32* from;
  u32* to;
  i64 read, written;
  u32 base, digits;
};
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= args.written) return;
  u32 bits = static_cast<u32>(i) * 2654435761u + (args.from[i % args.read] & 1);
  bits ^= bits >> 15;
  args.to[i] = args.base | (bits * 2246822519u & args.digits);
}
)";
struct NumbersArguments {
  const void* from;
  void* to;
  int64_t read, written;
  uint32_t base, digits;
};

// Memory of one operand, in words.
struct Room {
  void* address = nullptr;
  int64_t words = 0;
};

class ProductTrial {
 public:
  ProductTrial(cuda::CudaDevice& device, const Product& product, const std::vector<ProductKernel>& kernels,
               long long budget_us)
      : device_(device), memory_(device), product_(product), kernels_(kernels), budget_us_(budget_us) {}
  ~ProductTrial() {
    (void)memory_.synchronize();
    for (Chain& each : chains_) device_.graph_destroy(&each.graph);
  }
  ProductTrial(const ProductTrial&) = delete;
  ProductTrial& operator=(const ProductTrial&) = delete;

  Status run(std::vector<ProductTime>* times) {
    RONDO_TRY(take_operands());
    RONDO_TRY(make_chains());
    RONDO_TRY(time_chains());
    for (Chain& each : chains_) {
      std::vector<float>& of = each.times;
      if (of.empty()) {
        times->push_back({each.kernel, each.once, false});
        continue;
      }
      std::nth_element(of.begin(), of.begin() + static_cast<int64_t>(of.size() / 2), of.end());
      times->push_back({each.kernel, of[of.size() / 2] / static_cast<float>(kAtOnce * length_), true});
    }
    return {};
  }

 private:
  struct Chain {
    ProductKernel kernel;
    std::vector<Ref<OperatorTask>> tasks;                 // one for each of the weights
    float once = std::numeric_limits<float>::infinity();  // of one product alone
    NativeGraph graph;                                    // null: it is too slow for a chain
    std::vector<float> times;
  };

  // Memory for a view, or for up to so many of it as do not stay in a cache, which are moved there, aligned as it was.
  // An error if it reaches much further than its elements: a part of a large tensor.
  Status take(const View& view, int64_t most, std::vector<View>* views, Room* room) {
    int64_t low = 0, high = 0;
    view.layout.extent(&low, &high);
    const auto size = static_cast<int64_t>(dtype_size(view.dtype));
    const auto address = reinterpret_cast<uintptr_t>(view.storage->address()) + static_cast<uint64_t>(view.offset);
    const auto residue = static_cast<int64_t>(address % static_cast<uint64_t>(kAligned));
    const int64_t first = (-low * size + kAligned - 1) / kAligned * kAligned + residue;
    const int64_t bytes = (first + high * size + kAligned - 1) / kAligned * kAligned;
    const int64_t count = std::clamp<int64_t>(spare_ / std::max<int64_t>(bytes, 1), 1, most);
    spare_ -= count * bytes - std::min(bytes, static_cast<int64_t>(view.bytes()));
    if (spare_ < 0)
      return error(RONDO_UNSUPPORTED, "its operands reach over too much memory, one of them over %lld bytes",
                   static_cast<long long>(bytes));
    RONDO_TRY(memory_.take_filled(0, static_cast<size_t>(count * bytes), 0, &room->address));
    room->words = count * bytes / 4;
    for (int64_t i = 0; i < count; ++i) {
      storages_.push_back(make_ref<Storage>(view.engine(), device_, static_cast<size_t>(bytes)));
      storages_.back()->place(static_cast<char*>(room->address) + i * bytes);
      views->push_back(view);
      views->back().storage = storages_.back().get();
      views->back().offset = first;
    }
    return {};
  }
  Status take(View* view, Room* room) {
    std::vector<View> moved;
    RONDO_TRY(take(*view, 1, &moved, room));
    *view = moved[0];
    return {};
  }

  Status take_operands() {
    const StreamDevice::Relaxed relaxed(device_);
    RONDO_TRY(memory_.open());
    RONDO_TRY(find_trial_kernel(device_, &numbers_));
    RONDO_TRY(take(&product_.a, &rows_));
    RONDO_TRY(take(&product_.out, &results_));
    Room other;
    if (product_.has_bias()) {
      RONDO_TRY(take(&product_.bias, &other));
      RONDO_TRY(make_numbers(results_, other, nullptr, memory_.stream()));
    }
    if (product_.after) {
      auto after = std::make_shared<RowSide>(*product_.after);
      for (View& each : after->inputs) {
        RONDO_TRY(take(&each, &other));
        RONDO_TRY(make_numbers(results_, other, nullptr, memory_.stream()));
      }
      product_.after = std::move(after);
    }
    RONDO_TRY(take(product_.b, kChain, &weights_, &other));
    RONDO_TRY(make_numbers(results_, other, nullptr, memory_.stream()));
    RONDO_TRY(make_numbers(results_, rows_, nullptr, memory_.stream()));
    return memory_.synchronize();
  }

  // kernels: of a capture; null: eager.
  Status make_numbers(const Room& from, const Room& to, KernelNodes* kernels, void* stream) {
    const bool bf16 = product_.dtype() == RONDO_BF16, f16 = product_.dtype() == RONDO_F16;
    NumbersArguments arguments = {from.address,
                                  to.address,
                                  from.words,
                                  to.words,
                                  f16    ? 0x30003000u
                                  : bf16 ? 0x3e003e00u
                                         : 0x3e000000u,
                                  f16    ? 0x03ff03ffu
                                  : bf16 ? 0x007f007fu
                                         : 0x007fffffu};
    cuda::CudaDevice::Launch shape;
    shape.grid[0] = blocks_for(to.words, 256);
    shape.block[0] = 256;
    shape.waits = numbers_->waits;
    TaskContext context;
    context.device = &device_;
    context.stream = stream;
    context.kernels = kernels;
    void* parameters[] = {&arguments};
    return kernels ? launch_as_node(context, numbers_->function, shape, parameters)
                   : device_.launch_with(numbers_->function, shape, stream, parameters);
  }

  // Those that work, once each, so that their code is loaded. The first decides how long the chains are.
  Status make_chains() {
    chains_.reserve(kernels_.size());
    for (const ProductKernel kernel : kernels_) {
      RONDO_TRY(MakingLimit::check());
      Chain chain;
      chain.kernel = kernel;
      const Status made = make_chain(&chain);
      if (ends_trial(made) || (!made.ok() && kernel == kernels_[0])) return made;
      if (made.ok())
        chains_.push_back(std::move(chain));
      else
        log(RONDO_LOG_DEBUG, "rondo_matmul: %s is passed over: %s", text_of(kernel), made.message());
    }
    return {};
  }

  Status make_chain(Chain* chain) {
    TaskContext context;
    context.device = &device_;
    context.stream = memory_.stream();
    {
      const StreamDevice::Relaxed relaxed(device_);
      for (const View& each : weights_) {
        Product product = product_;
        product.b = each;
        chain->tasks.push_back(make_cuda_matmul_by(product, chain->kernel));
        RONDO_TRY(chain->tasks.back()->prepare());
      }
      RONDO_TRY(memory_.take_workspace(chain->tasks[0]->workspace_bytes()));
      context.workspace = memory_.workspace();
      RONDO_TRY(chain->tasks[0]->run(context));
      RONDO_TRY(memory_.synchronize());
    }
    // The better of two: something may have come between.
    for (int i = 0; i < 2; ++i) {
      float once = 0;
      RONDO_TRY(memory_.time_graph([&](void* stream) { return enqueue(*chain, 1, stream); }, &once));
      chain->once = std::min(chain->once, once);
    }
    best_once_ = std::min(best_once_, chain->once);
    if (chain->once > kSlow * best_once_) return {};
    if (chains_.empty()) {
      // A round takes as long for each of the chains; a part of the time goes into making them.
      const float part =
          static_cast<float>(budget_us_) / static_cast<float>(2 * kLeastRounds * kAtOnce * kernels_.size());
      length_ = std::clamp(static_cast<int>(part / std::max(chain->once, 1.0F)), 1, kChain);
    }
    return memory_.capture([&](void* stream) { return enqueue(*chain, length_, stream); }, &chain->graph);
  }

  // As the capture of a graph does it, which is one chain.
  Status enqueue(Chain& chain, int length, void* stream) {
    const bool early = device_.programmatic_edges() && setting_choice(Setting::graph_programmatic) != 1;
    EarlyReads reads(early);
    for (const View* each : {&product_.a, &product_.out}) reads.add_written(each->storage);
    bool chained = false;
    KernelNodes kernels;
    kernels.noted = false;
    kernels.chained = early ? &chained : nullptr;
    TaskContext context;
    context.device = &device_;
    context.stream = stream;
    context.workspace = memory_.workspace();
    context.capturing = true;
    for (int i = 0; i < length; ++i) {
      OperatorTask& task = *chain.tasks[static_cast<size_t>(i) % chain.tasks.size()];
      const bool own = task.own_kernels() > 0;
      chained = chained && own;
      context.kernels = own ? &kernels : nullptr;
      RONDO_TRY(task.run(context));
      RONDO_TRY(make_numbers(results_, rows_, &kernels, stream));
    }
    return {};
  }

  // In turn, so that whatever slows a device down slows all of them.
  Status time_chains() {
    const auto start = std::chrono::steady_clock::now();
    const auto spent = [&] {
      return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
    };
    for (int measured = 0; measured < kMostRounds && (measured < kLeastRounds || spent() < budget_us_);) {
      RONDO_TRY(MakingLimit::check());
      const bool warm = spent() > budget_us_ / kWarming;
      for (Chain& each : chains_) {
        float microseconds = 0;
        if (!each.graph.exec) continue;
        RONDO_TRY(memory_.time(each.graph, kAtOnce, &microseconds));
        if (warm) each.times.push_back(microseconds);
      }
      measured += warm ? 1 : 0;
    }
    return {};
  }

  cuda::CudaDevice& device_;
  TrialMemory memory_;
  Product product_;  // on that memory
  const std::vector<ProductKernel>& kernels_;
  const long long budget_us_;
  std::vector<Ref<Storage>> storages_;
  std::vector<View> weights_;
  Room rows_, results_;
  int64_t spare_ = kMostWeights;
  const rtc::Kernel* numbers_ = nullptr;
  int length_ = 1;
  float best_once_ = std::numeric_limits<float>::infinity();
  std::vector<Chain> chains_;
};

}  // namespace

Status find_trial_kernel(cuda::CudaDevice& device, const rtc::Kernel** kernel) {
  KernelSpec spec(rtc::kProductTrial, 0, false, "product_trial");
  spec.text({kNumbersText});
  return rtc::find_kernel(
      device, spec.signature(), spec.name(), [&spec] { return spec.source(); }, kernel);
}

Status time_products(cuda::CudaDevice& device, const Product& product, const std::vector<ProductKernel>& kernels,
                     long long budget_us, std::vector<ProductTime>* times) {
  return ProductTrial(device, product, kernels, budget_us).run(times);
}

}  // namespace rondo::ops
