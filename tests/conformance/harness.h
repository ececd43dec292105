// What every conformance test shares: the matrix device x engine mode x (eager, graph), an engine per test, owning
// handles, transfers, and run(), which executes a body eagerly or records it, replays it and compares the bits.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference.h"

namespace conformance {

// --- the matrix
// -------------------------------------------------------------------------------------------------------------
struct Config {
  rondo_device device;
  rondo_engine_mode mode;
  bool graph;
};

// With RONDO_TEST_MODES=by turns a case takes one of the engine modes, the next case the next: under a share, and in
// suites with flavours where RONDO_TEST_MODES_TURN says whose turn it is.
std::vector<Config> device_mode_flavour();  // 2 x 3 x 2
std::vector<Config> device_mode();          // 2 x 3, for suites where eager and graph make no difference
std::string flavour_name(const testing::TestParamInfo<Config>& info);  // "cuda_threaded_graph"
std::string mode_name(const testing::TestParamInfo<Config>& info);     // "cuda_threaded"

#define CONFORMANCE_SUITE(Suite) \
  INSTANTIATE_TEST_SUITE_P(Conformance, Suite, testing::ValuesIn(device_mode_flavour()), flavour_name)
#define CONFORMANCE_ENGINE_SUITE(Suite) \
  INSTANTIATE_TEST_SUITE_P(Conformance, Suite, testing::ValuesIn(device_mode()), mode_name)

// A setting as long as this lives; then what it was before.
class Setting {
 public:
  Setting(const char* name, const std::string& value);
  ~Setting();
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

// RONDO_TEST_KERNELS: kernels are collected (tests/toolkits), of which none computes anything. Nothing is compared.
bool collects();
bool quick();  // RONDO_TEST_QUICK=1, or a build with the thread sanitizer
// RONDO_TEST_SHARE=k, k = 0, 1, ...: a run under one of many orders of the simulated driver takes a part of the values,
// another one for each k; -1 without: all.
int share();
// An integer dtype, another one for each share; i64 without.
rondo_dtype integer_of_share();
bool thread_checked();   // this is a build with the thread sanitizer
bool address_checked();  // the address sanitizer is in the process, whose allocator ends it where memory is refused
bool needs_cuda();       // RONDO_TEST_NEEDS_CUDA=1: without a cuda device its cases fail; otherwise they are skipped
int32_t cuda_devices();
std::string cuda_reason();  // why there are none
// What naming a cuda device that does not exist gives: without a driver, the message about the driver.
rondo_status no_such_cuda_device();
inline constexpr rondo_device kCpu = {RONDO_CPU, 0};
inline constexpr rondo_device kCuda = {RONDO_CUDA, 0};

// --- calls that must succeed
// ------------------------------------------------------------------------------------------------ Throws with the
// status and the library's message, which fails the test.
void must(rondo_status status);
// What a call that is given a path writes there.
std::string written(const std::function<rondo_status(const char*)>& write);

// Owns a handle.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(rondo_tensor* handle) : handle_(handle) {}
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { rondo_tensor_destroy(handle_); }
  operator rondo_tensor*() const { return handle_; }
  rondo_tensor** slot() { return &handle_; }
  void reset() { rondo_tensor_destroy(std::exchange(handle_, nullptr)); }
  rondo_tensor* release() { return std::exchange(handle_, nullptr); }

 private:
  rondo_tensor* handle_ = nullptr;
};

// The new tensor of an operator or view: make(rondo_binary, RONDO_ADD, a, b).
template <class... P, class... A>
Tensor make(rondo_status (*function)(P...), A&&... arguments) {
  Tensor out;
  must(function(arguments..., out.slot()));
  if (!out) throw std::runtime_error("success, but no tensor");
  return out;
}
// The same into an existing tensor.
template <class... P, class... A>
void into(rondo_tensor* out, rondo_status (*function)(P...), A&&... arguments) {
  rondo_tensor* slot = out;
  must(function(arguments..., &slot));
  if (slot != out) throw std::runtime_error("a given output was replaced");
}

Tensor upload(rondo_engine* engine, rondo_device device, const Array& array);
Array download(rondo_tensor* tensor);
// Of floats, every NaN the same one.
void make_nans_alike(Array* array);
rondo_tensor_info query(rondo_tensor* tensor);
Tensor reshape(rondo_tensor* tensor, const Shape& shape);
Tensor slice(rondo_tensor* tensor, int32_t axis, int64_t start, int64_t stop, int64_t step = 1);
Tensor transpose(rondo_tensor* tensor, const std::vector<int32_t>& axes);
Tensor broadcast(rondo_tensor* tensor, const Shape& shape);
Tensor reduce(rondo_reduce_op op, rondo_tensor* tensor, const std::vector<int32_t>& axes, bool keep = false);

using Task = std::function<rondo_status(rondo_task_context*)>;
// Submits a C++ callable; returns the call's status.
rondo_status push(rondo_engine* engine, Task task, const std::vector<rondo_variable*>& reads,
                  const std::vector<rondo_variable*>& writes, const rondo_task_options* options = nullptr);
// The same with tensors as operands.
rondo_status push_tensors(rondo_engine* engine, Task task, const std::vector<rondo_tensor*>& reads,
                          const std::vector<rondo_tensor*>& writes, const rondo_task_options* options = nullptr);
rondo_task_options task_options(const char* name, rondo_device device = kCpu);
rondo_variable* variable_of(rondo_tensor* tensor);

class Variable {
 public:
  explicit Variable(rondo_engine* engine) { must(rondo_variable_create(engine, &handle_)); }
  Variable(Variable&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Variable() { rondo_variable_destroy(handle_); }
  operator rondo_variable*() const { return handle_; }

 private:
  rondo_variable* handle_ = nullptr;
};

struct GraphDeleter {
  void operator()(rondo_graph* graph) const { rondo_graph_destroy(graph); }
};
using Graph = std::unique_ptr<rondo_graph, GraphDeleter>;
// Records body on this thread. If body or the end fails, the recording is closed and the failure thrown on. The graph
// must be captured as its data flow says (flow.h).
Graph record(rondo_engine* engine, const std::function<void()>& body, const rondo_record_options* options = nullptr);
rondo_graph_info graph_info(rondo_graph* graph);
std::string graph_report(rondo_graph* graph);

struct EngineDeleter {
  void operator()(rondo_engine* engine) const { rondo_engine_destroy(engine); }
};
using Engine = std::unique_ptr<rondo_engine, EngineDeleter>;
Engine create_engine(const rondo_engine_options& options);

// --- bodies
// -----------------------------------------------------------------------------------------------------------------
// Collects what a body made, with the reference of each result.
class Results {
 public:
  void keep(std::string label, Tensor tensor, std::function<Expected()> expected = nullptr) {
    items_.push_back({std::move(label), std::move(tensor), std::move(expected)});
  }
  struct Item {
    std::string label;
    Tensor tensor;
    std::function<Expected()> expected;
  };
  const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
};
using Body = std::function<void(Results&)>;

// What the graph of a body must look like, beyond what follows from its tasks (flow.h).
struct GraphShape {
  int32_t nodes = 1;  // at least, on cuda; 0: nothing to run, nothing is asserted about capture
};

// One engine per test. Leaves a test only when the engine's pool is empty again: a leak anywhere fails the test.
class OnEngine : public testing::TestWithParam<Config> {
 protected:
  void SetUp() override;
  void TearDown() override;

  rondo_device device() const { return GetParam().device; }
  bool on_cuda() const { return GetParam().device.kind == RONDO_CUDA; }
  bool naive() const { return GetParam().mode == RONDO_ENGINE_NAIVE; }
  // Whether kernels are dear: each distinct one costs a compile.
  bool sparing() const { return on_cuda() && quick(); }
  rondo_engine* engine() const { return engine_.get(); }
  rondo_engine_options options() const;
  // Replaces the engine of the test; all its objects must be gone.
  void restart(const rondo_engine_options& options);

  Tensor up(const Array& array) const { return upload(engine(), device(), array); }
  Tensor empty(rondo_dtype dtype, const Shape& shape) const;
  // Eager: every result is compared with its reference. Graph: the body, which must be idempotent, runs eagerly, is
  // recorded, and the graph is launched twice with no wait in between; results are copied on the device and must equal
  // the eager bits.
  void run(const Body& body, GraphShape shape = {});
  // A task that keeps its worker busy until released. In naive mode it would keep the caller, so it does nothing.
  struct Gate {
    std::atomic<bool> open{false};
    std::atomic<bool> entered{false};
  };
  Task waiting(Gate& gate) const;
  // The dtypes of `all` to test on this device: all of them, but of many integers half, those that are next to each
  // other alternating by `turn`; on cuda in a quick run fewer, which `turn` rotates.
  std::vector<rondo_dtype> covering(std::vector<rondo_dtype> all, int turn) const;
  // Of a list of sizes or problems what this run takes: all of it, or on cuda its share, which is never empty.
  template <class T>
  std::vector<T> dealt(const std::vector<T>& all) const {
    if (!on_cuda() || share() < 0 || all.empty()) return all;
    constexpr size_t kParts = 5;
    std::vector<T> mine;
    // The lowest bit of the share chooses among dtypes.
    for (size_t i = static_cast<size_t>(share() / 2) % std::min(kParts, all.size()); i < all.size(); i += kParts)
      mine.push_back(all[i]);
    return mine;
  }

 private:
  Engine engine_;
};

void expect_same_bits(const Array& actual, const Array& expected, const std::string& label);
void expect_as(const Array& actual, const Expected& expected, const std::string& label);

// A status with a message that names the function and, as a whole word, the argument.
void expect_refused(rondo_status actual, rondo_status expected, const char* function, const char* argument);
// Whether `word` stands in `text` with no letter, digit or underscore beside it.
bool has_word(const std::string& text, const std::string& word);

// Waits, at most a minute (processors may be busy with other tests), for something that other threads bring about.
bool eventually(const std::function<bool()>& condition);

// The few driver calls that tests make on the native stream of a device task, from the library that Rondo uses.
struct Driver {
  int (*launch_host)(void* stream, void (*fn)(void*), void* arg) = nullptr;
  int (*memset8)(unsigned long long address, unsigned char value, size_t bytes, void* stream) = nullptr;
  int (*copy)(unsigned long long to, unsigned long long from, size_t bytes, void* stream) = nullptr;
  int (*current_context)(void** context) = nullptr;
  int (*synchronize)(void* stream) = nullptr;
};
// Null members, with `missing` telling what, if they cannot be found.
const Driver& driver(std::string* missing);
// Any other function of that library, for a test whose subject is the driver; null, and `missing` says so.
void* driver_entry(const char* name, std::string* missing);

}  // namespace conformance
