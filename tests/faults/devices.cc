// Devices that disappear and streams that stall: between two launches, under a waiting thread, under queued tasks, with
// another device beside. Copies between two devices, which the program of one device does not have. Other contexts.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "checks.h"

namespace faults {
namespace {

constexpr rondo_device kCpu = {RONDO_CPU, 0};
constexpr rondo_device kCuda = {RONDO_CUDA, 0};
constexpr rondo_device kOther = {RONDO_CUDA, 1};
constexpr int kLost = 214;  // what lose-device has every call answer
constexpr int64_t kElements = 64;
const Environment kTwoDevices = {{"SIMCUDA_DEVICES", "2"}};

void must(rondo_status status) {
  if (status != RONDO_OK) throw std::runtime_error(rondo_last_error());
}

rondo_tensor* upload(rondo_engine* engine, rondo_device device, float value) {
  const std::vector<float> data(kElements, value);
  rondo_tensor* made = nullptr;
  must(rondo_tensor_from_host(engine, device, RONDO_F32, 1, &kElements, data.data(), &made));
  return made;
}

// The first element, or the failure as an exception.
float first_of(rondo_tensor* tensor) {
  std::vector<float> data(kElements);
  must(rondo_tensor_read(tensor, data.data(), data.size() * sizeof(float)));
  return data[0];
}

void expect_lost(Child& child, rondo_status status, const std::string& what) {
  child.expect(status == RONDO_DEVICE_LOST, what + " gives " + rondo_status_name(status));
  const std::string text = rondo_last_error();
  child.expect(has(text, "cuda:0") && has(text, " 214 "), what + " does not tell device and code: " + text);
}

class Modes : public testing::TestWithParam<rondo_engine_mode> {
 protected:
  // Runs the body in a child that has used the device before, and expects the driver to hold what it held then.
  void run(const std::function<void(Child&)>& body, const Environment& settings = {}) {
    expect_well(in_child(
        [&](Child& child) {
          run_without_faults(child, GetParam());
          child.in(mode_name(GetParam()));
          body(child);
          check_left(child, only_modules(live().modules));
        },
        settings));
  }
};
// Naive mode queues nothing, and has nothing in flight when a call returns.
class QueuingModes : public Modes {};
INSTANTIATE_TEST_SUITE_P(Faults, QueuingModes, testing::Values(RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED),
                         [](const auto& info) { return mode_name(info.param); });
INSTANTIATE_TEST_SUITE_P(Faults, Modes, testing::ValuesIn(kModes),
                         [](const auto& info) { return mode_name(info.param); });

TEST_P(Modes, TheDeviceDisappearsBetweenTwoLaunches) {
  run([&](Child& child) {
    rondo_engine* engine = create(GetParam());
    {
      Program program(engine, [&](const std::string& step) { child.at(step); });
      program.run();
      child.expect(program.failures().empty() && program.graph(), "the program fails without a fault");
      must(rondo_graph_launch(program.graph()));
      control("lose-device", "0");
      child.at("launch after the loss");
      const rondo_status launched = rondo_graph_launch(program.graph());
      if (launched != RONDO_OK) expect_lost(child, launched, "the launch");
      expect_lost(child, rondo_engine_wait_all(engine), "wait_all");
      expect_lost(child, rondo_graph_launch(program.graph()), "another launch");
      check_lost(child, engine, program, kLost);
    }
    child.at("engine_destroy");
    rondo_engine_destroy(engine);
  });
}

TEST_P(Modes, TheDeviceDisappearsDuringAWait) {
  run([&](Child& child) {
    rondo_engine* engine = create(GetParam());
    rondo_tensor* a = upload(engine, kCuda, 1);
    child.expect(first_of(a) == 1, "the upload fails without a fault");
    control("stall");
    std::atomic<bool> submitted{GetParam() == RONDO_ENGINE_NAIVE};  // which cannot tell: it waits in the call
    auto waiter = std::async(std::launch::async, [&] {
      rondo_tensor* sum = nullptr;
      rondo_status status = rondo_binary(RONDO_ADD, a, a, &sum);
      submitted = true;
      if (status == RONDO_OK) status = rondo_tensor_wait(sum);
      const std::string text = rondo_last_error();
      rondo_tensor_destroy(sum);
      return std::make_pair(status, text);
    });
    while (!submitted) std::this_thread::yield();
    child.expect(waiter.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout,
                 "the wait is over though nothing can have run");
    control("lose-device", "0");
    child.at("the wait after the loss");
    const auto [status, text] = waiter.get();
    child.expect(status == RONDO_DEVICE_LOST, std::string("the wait gives ") + rondo_status_name(status));
    child.expect(has(text, "cuda:0") && has(text, " 214 ") && has(text, "add"),
                 "the wait does not tell device, code and the tasks: " + text);
    expect_lost(child, rondo_tensor_wait(a), "a wait for another tensor");
    control("resume");
    rondo_tensor_destroy(a);
    child.at("engine_destroy");
    rondo_engine_destroy(engine);
  });
}

// Device tasks and host tasks in turn behind a host function that does not end: all are still queued when the device
// goes. Each is let go of exactly once, and nothing waits for ever.
TEST_P(QueuingModes, TheDeviceDisappearsUnderQueuedTasks) {
  for (const bool waited : {true, false})
    run([&](Child& child) {
      static std::atomic<bool> open;
      static std::atomic<int> ran, released;
      open = false;
      ran = released = 0;
      rondo_engine* engine = create(GetParam());
      rondo_tensor* a = upload(engine, kCuda, 1);
      rondo_variable* variable = nullptr;
      must(rondo_tensor_variable(a, &variable));
      const auto push = [&](rondo_device device, rondo_task_fn fn) {
        rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
        options.device = device;
        options.name = "queued";
        must(rondo_engine_push(
            engine, fn, nullptr, [](void*) { ++released; }, &variable, 1, &variable, 1, &options));
      };
      push(kCpu, [](void*, rondo_task_context*) {
        while (!open) std::this_thread::yield();
        return RONDO_OK;
      });
      constexpr int kQueued = 10;
      for (int i = 0; i < kQueued; ++i)
        push(i % 2 ? kCpu : kCuda, [](void*, rondo_task_context*) {
          ++ran;
          return RONDO_OK;
        });
      rondo_tensor* sum = nullptr;
      must(rondo_binary(RONDO_ADD, a, a, &sum));
      control("lose-device", "0");
      std::thread opener([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        open = true;
      });
      if (waited) {
        child.at("wait_all after the loss");
        expect_lost(child, rondo_engine_wait_all(engine), "wait_all");
        expect_lost(child, rondo_tensor_wait(sum), "the wait for the last");
      }
      rondo_tensor_destroy(a);
      rondo_tensor_destroy(sum);
      child.at("engine_destroy");
      rondo_engine_destroy(engine);
      opener.join();
      child.expect(released == kQueued + 1, std::to_string(released) + " arguments were released");
      // Functions that call no driver may run on a device that nobody yet knows to be lost, but not behind one that
      // failed.
      child.expect(ran < kQueued, "all ran on a lost device");
    });
}

TEST_P(Modes, AStalledStreamOnlyDelays) {
  run([&](Child& child) {
    rondo_engine* engine = create(GetParam());
    rondo_tensor* a = upload(engine, kCuda, 3);
    child.expect(first_of(a) == 3, "the upload fails without a fault");
    control("stall");
    std::atomic<bool> submitted{false};
    auto reader = std::async(std::launch::async, [&] {
      rondo_tensor* sum = nullptr;
      must(rondo_binary(RONDO_ADD, a, a, &sum));
      submitted = true;
      const float value = first_of(sum);
      rondo_tensor_destroy(sum);
      return value;
    });
    while (!submitted && GetParam() != RONDO_ENGINE_NAIVE) std::this_thread::yield();
    child.expect(reader.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout,
                 "the read is over though nothing can have run");
    child.expect(submitted == (GetParam() != RONDO_ENGINE_NAIVE), "only naive mode waits in the call of the operator");
    control("resume");
    child.at("the read after the stall");
    child.expect(reader.get() == 6, "a wrong value after the stall");
    rondo_tensor_destroy(a);
    rondo_engine_destroy(engine);
  });
}

// --- copies in several steps ---

// A write goes in parts of 32 MiB. One that fails behind the first leaves no tensor that is half new and says nothing.
TEST_P(QueuingModes, ALargeWriteFailsInTheMiddle) {
  run([&](Child& child) {
    rondo_engine* engine = create(GetParam());
    const int64_t elements = int64_t{9} << 20;
    std::vector<float> data(static_cast<size_t>(elements), 1), back(data);
    const size_t bytes = data.size() * sizeof(float);
    rondo_tensor* large = nullptr;
    must(rondo_tensor_create(engine, kCuda, RONDO_F32, 1, &elements, &large));
    control("stall");  // the first part stays in flight
    const Fault fault = parse("cuMemHostAlloc:2:1");
    arm(fault.entry->name, fault.call, fault.code);
    auto writer = std::async(std::launch::async, [&] {
      const rondo_status status = rondo_tensor_write(large, data.data(), bytes);
      return Failure{"write", status, rondo_last_error()};
    });
    writer.wait_for(std::chrono::milliseconds(20));
    control("resume");
    check_attribution(child, fault, writer.get());
    const rondo_status status = rondo_tensor_read(large, back.data(), bytes);
    check_attribution(child, fault, {"read", status, rondo_last_error()});
    clear_faults();
    must(rondo_tensor_write(large, data.data(), bytes));
    must(rondo_tensor_read(large, back.data(), bytes));
    child.expect(back == data, "a wrong value after the fault");
    rondo_tensor_destroy(large);
    rondo_engine_destroy(engine);
  });
}

// A copy over the host is two tasks. Where the first fails, what was in the target is not what was asked for.
TEST_P(Modes, ACopyOverTheHostPoisonsItsTarget) {
  run([&](Child& child) {
    rondo_engine* engine = create(GetParam());
    rondo_tensor *a = upload(engine, kCuda, 1), *target = upload(engine, kCpu, 2);
    const Fault fault = parse("cuMemcpyDtoHAsync_v2:1:1");
    child.in(fault.text());
    arm(fault.entry->name, fault.call, fault.code);
    rondo_tensor* out = target;
    rondo_status status = rondo_copy(a, &out);
    child.expect((status == RONDO_OK) == (GetParam() != RONDO_ENGINE_NAIVE), "naive mode tells at the call");
    status = rondo_tensor_wait(target);
    check_attribution(child, fault, {"wait", status, rondo_last_error()});
    clear_faults();
    must(rondo_copy(a, &out));
    child.expect(first_of(target) == 1, "a wrong value after the fault");
    (void)rondo_engine_wait_all(engine);
    rondo_tensor_destroy(a);
    rondo_tensor_destroy(target);
    rondo_engine_destroy(engine);
  });
}

// --- two devices ---

TEST_P(Modes, AnotherDeviceGoesOn) {
  run(
      [&](Child& child) {
        rondo_engine *lost = create(GetParam()), *well = create(GetParam()), *both = create(GetParam());
        rondo_tensor *on_lost = upload(lost, kCuda, 1), *on_well = upload(well, kOther, 2);
        rondo_tensor *both0 = upload(both, kCuda, 3), *both1 = upload(both, kOther, 4);
        child.expect(first_of(on_lost) + first_of(on_well) + first_of(both0) + first_of(both1) == 10, "wrong values");
        control("lose-device", "0");
        rondo_tensor* sum = nullptr;
        rondo_status status = rondo_binary(RONDO_ADD, on_lost, on_lost, &sum);
        if (status == RONDO_OK) status = rondo_tensor_wait(sum);
        expect_lost(child, status, "the engine on the lost device");
        rondo_tensor_destroy(std::exchange(sum, nullptr));
        // Another engine on another device does not notice.
        for (int turn = 0; turn < 3; ++turn) {
          must(rondo_binary(RONDO_ADD, on_well, on_well, &sum));
          child.expect(first_of(sum) == 4, "the other device computes a wrong value");
        }
        must(rondo_engine_wait_all(well));
        // An engine on both is lost as a whole, once it has met the loss.
        std::vector<float> data(kElements);
        expect_lost(child, rondo_tensor_read(both0, data.data(), data.size() * sizeof(float)), "both, lost device");
        expect_lost(child, rondo_tensor_read(both1, data.data(), data.size() * sizeof(float)), "both, well device");
        rondo_tensor* made = nullptr;
        expect_lost(child, rondo_tensor_create(lost, kCuda, RONDO_F32, 1, &kElements, &made), "a new tensor");
        for (rondo_tensor* tensor : {on_lost, on_well, both0, both1, sum}) rondo_tensor_destroy(tensor);
        child.at("engine_destroy");
        for (rondo_engine* engine : {lost, well, both}) rondo_engine_destroy(engine);
        // And a new engine on it goes on as well.
        rondo_engine* later = create(GetParam());
        rondo_tensor* value = upload(later, kOther, 5);
        child.expect(first_of(value) == 5, "a new engine on the other device fails");
        rondo_tensor_destroy(value);
        rondo_engine_destroy(later);
      },
      kTwoDevices);
}

TEST_P(Modes, ACopyBetweenDevicesFails) {
  run(
      [&](Child& child) {
        for (const int code : passing_codes("cuMemcpyPeerAsync")) {
          const Fault fault{parse("cuMemcpyPeerAsync:1:1").entry, 1, code};
          child.in(fault.text());
          rondo_engine* engine = create(GetParam());
          rondo_tensor *a = upload(engine, kCuda, 7), *copy = nullptr;
          arm(fault.entry->name, fault.call, fault.code);
          rondo_status status = rondo_copy_to(a, kOther, &copy);
          child.expect((status == RONDO_OK) == (GetParam() != RONDO_ENGINE_NAIVE), "naive mode tells at the call");
          if (status == RONDO_OK) status = rondo_tensor_wait(copy);
          const std::string text = rondo_last_error();
          child.expect(status == fault.status(), std::string("the copy gives ") + rondo_status_name(status));
          child.expect(has(text, "'copy' on cuda:1") && has(text, "cuMemcpyPeerAsync") &&
                           has(text, " " + std::to_string(code) + " "),
                       "the copy does not tell operator, device, entry point and code: " + text);
          rondo_tensor_destroy(std::exchange(copy, nullptr));
          clear_faults();
          must(rondo_copy_to(a, kOther, &copy));
          child.expect(first_of(copy) == 7 && first_of(a) == 7, "a wrong value after the fault");
          rondo_tensor_destroy(copy);
          rondo_tensor_destroy(a);
          rondo_engine_destroy(engine);
        }
      },
      kTwoDevices);
}

// The other device's context, as a program that uses that device by itself has it.
class ForeignContext {
 public:
  ForeignContext() { call<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context_, 1); }
  bool made() const { return context_ != nullptr; }
  void set_current() const { call<int(void*)>("cuCtxSetCurrent")(context_); }
  bool is_current() const {
    void* now = nullptr;
    return call<int(void**)>("cuCtxGetCurrent")(&now) == 0 && now == context_;
  }

 private:
  template <class Signature>
  Signature* call(const char* name) const {
    return reinterpret_cast<Signature*>(dlsym(driver_, name));
  }
  void* const driver_ = dlopen(std::getenv("RONDO_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  void* context_ = nullptr;
};

// A thread may have the context of another device, or another library's, current: it still has it after a call that
// fails, and no call went to that device.
TEST_P(Modes, AForeignContextStaysCurrent) {
  run(
      [&](Child& child) {
        const ForeignContext foreign;
        child.expect(foreign.made(), "no context of the other device");
        rondo_engine* engine = create(GetParam());
        rondo_tensor* a = upload(engine, kCuda, 1);
        child.expect(first_of(a) == 1, "the upload fails without a fault");
        for (const char* entry : {"cuCtxGetCurrent", "cuCtxSetCurrent", "cuLaunchKernel"})
          for (const int code : {1, 2}) {
            child.in(std::string(entry) + " fails with " + std::to_string(code));
            foreign.set_current();
            arm(entry, 1, code);
            rondo_tensor* sum = nullptr;
            rondo_status status = rondo_binary(RONDO_ADD, a, a, &sum);
            if (status == RONDO_OK) status = rondo_tensor_wait(sum);
            const std::string text = status == RONDO_OK ? "" : rondo_last_error();
            clear_faults();
            child.expect(foreign.is_current(), "another context is current after the call");
            child.expect(status == (code == 2 ? RONDO_OUT_OF_MEMORY : RONDO_DEVICE_ERROR),
                         std::string("the call gives ") + rondo_status_name(status));
            child.expect(has(text, entry) && has(text, "cuda:0"), "the text does not tell: " + text);
            rondo_tensor_destroy(sum);
          }
        (void)rondo_engine_wait_all(engine);
        child.expect(first_of(a) == 1, "the engine does not go on");
        rondo_tensor_destroy(a);
        rondo_engine_destroy(engine);
      },
      kTwoDevices);
}

// A graph is launched whatever context the thread has current. A driver that minds gets a second call, with the
// graph's.
TEST_P(Modes, AGraphLaunchThatWantsItsContextCurrent) {
  run(
      [&](Child& child) {
        const ForeignContext foreign;
        child.expect(foreign.made(), "no context of the other device");
        rondo_engine* engine = create(GetParam());
        rondo_tensor* a = upload(engine, kCuda, 0);
        rondo_graph* graph = nullptr;
        must(rondo_record_begin(engine, nullptr));
        must(rondo_binary_scalar(RONDO_ADD, a, 1, &a));
        must(rondo_record_end(engine, &graph));
        float launches = 0;
        const auto launch = [&] {
          foreign.set_current();
          const rondo_status status = rondo_graph_launch(graph);
          const rondo_status waited = rondo_tensor_wait(a);
          clear_faults();
          child.expect(foreign.is_current(), "another context is current after the call");
          return status == RONDO_OK ? waited : status;
        };
        child.in("no fault");
        child.expect(launch() == RONDO_OK && first_of(a) == ++launches, "the graph does not run");
        for (const int code : {201, 400}) {
          child.in("cuGraphLaunch fails with " + std::to_string(code) + ", once");
          arm("cuGraphLaunch", 1, code);
          child.expect(launch() == RONDO_OK, rondo_last_error());
          child.expect(first_of(a) == ++launches, "the graph does not run once");
          child.in("cuGraphLaunch fails with " + std::to_string(code) + ", twice");
          arm("cuGraphLaunch", 1, code);
          arm("cuGraphLaunch", 2, code);
          child.expect(launch() == RONDO_DEVICE_ERROR, "the failure is not told");
          const std::string text = rondo_last_error();
          child.expect(has(text, "cuGraphLaunch") && has(text, " " + std::to_string(code) + " "), "told: " + text);
          must(rondo_fill(a, launches));
        }
        if (GetParam() != RONDO_ENGINE_THREADED) {  // there the thread that issues has the right context
          child.in("the switch of the context fails");
          arm("cuGraphLaunch", 1, 201);
          arm("cuCtxSetCurrent", 2, 1);  // the first is the test's own
          child.expect(launch() == RONDO_DEVICE_ERROR, "the failure is not told");
          child.expect(has(rondo_last_error(), "cuCtxSetCurrent"), rondo_last_error());
        }
        (void)rondo_engine_wait_all(engine);
        rondo_graph_destroy(graph);
        rondo_tensor_destroy(a);
        rondo_engine_destroy(engine);
      },
      kTwoDevices);
}

}  // namespace
}  // namespace faults
