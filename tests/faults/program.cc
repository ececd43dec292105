// The steps of the program. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <thread>

namespace faults {

namespace {

constexpr rondo_device kProgramCpu = {RONDO_CPU, 0};
constexpr rondo_device kProgramCuda = {RONDO_CUDA, 0};
constexpr int64_t kRows = 8;
constexpr int64_t kColumns = 16;

// A device task as users write them: its own call of the driver, on the stream it is given.
rondo_status fill_with_ones(void* address, rondo_task_context* context) {
  using Memset = int (*)(unsigned long long, unsigned char, size_t, void*);
  static const auto memset8 = reinterpret_cast<Memset>(
      dlsym(dlopen(std::getenv("RONDO_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL), "cuMemsetD8Async"));
  const size_t bytes = kRows * kColumns * sizeof(float);
  const int code = memset8(reinterpret_cast<uintptr_t>(address), 1, bytes, rondo_task_auxiliary_stream(context, 1));
  if (code == 0) return RONDO_OK;
  rondo_task_fail(context, ("cuMemsetD8Async failed with " + std::to_string(code)).c_str());
  return RONDO_USER_ERROR;
}

rondo_status nothing(void*, rondo_task_context*) {
  return RONDO_OK;
}

// Bodies of control flow: what the one or the other makes of a tensor.
struct Choice {
  rondo_tensor *from, *to;
};
rondo_status one_more(void* argument) {
  auto* choice = static_cast<Choice*>(argument);
  return rondo_binary_scalar(RONDO_ADD, choice->from, 1.0, &choice->to);
}
rondo_status one_less(void* argument) {
  auto* choice = static_cast<Choice*>(argument);
  return rondo_binary_scalar(RONDO_SUB, choice->from, 1.0, &choice->to);
}

// What is recorded once and called.
rondo_status squared(void*, int32_t, rondo_tensor* const* inputs, int32_t, rondo_tensor** outputs) {
  return rondo_binary(RONDO_MUL, inputs[0], inputs[0], &outputs[0]);
}

}  // namespace

Program::Program(rondo_engine* engine, std::function<void(const std::string&)> at)
    : engine_(engine), at_(std::move(at)) {}

Program::~Program() {
  rondo_graph_destroy(graph_);
  rondo_graph_destroy(choosing_);
  rondo_callable_destroy(callable_);
  for (const auto& [name, tensor] : tensors_) rondo_tensor_destroy(tensor);
}

rondo_tensor* Program::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

bool Program::call(rondo_status status) {
  if (status != RONDO_OK) failures_.push_back({step_, status, rondo_last_error()});
  return status == RONDO_OK;
}

void Program::step(const std::string& name) {
  step_ = name;
  if (at_) at_(name);
}

rondo_tensor* Program::from_host(const std::string& name, rondo_device device, std::vector<int64_t> shape,
                                 const std::function<float(int64_t)>& value) {
  step(name);
  int64_t elements = 1;
  for (const int64_t size : shape) elements *= size;
  std::vector<float> data(static_cast<size_t>(elements));
  for (size_t i = 0; i < data.size(); ++i) data[i] = value(static_cast<int64_t>(i));
  rondo_tensor* made = nullptr;
  if (call(rondo_tensor_from_host(engine_, device, RONDO_F32, static_cast<int32_t>(shape.size()), shape.data(),
                                  data.data(), &made)))
    tensors_[name] = made;
  return made;
}

void Program::make(const std::string& name, const std::vector<rondo_tensor*>& inputs,
                   const std::function<rondo_status(rondo_tensor**)>& make) {
  step(name);
  for (rondo_tensor* input : inputs)
    if (!input) return;
  rondo_tensor* out = nullptr;
  if (call(make(&out))) tensors_[name] = out;
}

void Program::push(const char* name, rondo_device device, int32_t stream, const std::vector<rondo_tensor*>& reads,
                   rondo_tensor* write, rondo_task_fn fn, void* address) {
  step(name);
  std::vector<rondo_variable*> variables(reads.size() + 1);
  for (size_t i = 0; i <= reads.size(); ++i) {
    rondo_tensor* tensor = i < reads.size() ? reads[i] : write;
    if (!tensor || !call(rondo_tensor_variable(tensor, &variables[i]))) return;
  }
  rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
  options.name = name;
  options.device = device;
  options.stream = stream;
  options.auxiliary_streams = fn == fill_with_ones ? 2 : 0;
  call(
      rondo_engine_push(engine_, fn, address, nullptr, variables.data(), reads.size(), &variables.back(), 1, &options));
}

void Program::read(const std::string& name) {
  rondo_tensor* from = tensor(name);
  if (!from) return;
  step("read " + name);
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  if (!call(rondo_tensor_query(from, &info))) return;
  std::string bytes(static_cast<size_t>(info.bytes), '\0');
  if (call(rondo_tensor_read(from, bytes.data(), bytes.size()))) values_[name] = bytes;
}

void Program::read_again() {
  for (const auto& [name, tensor] : tensors_) read(name);
}

void Program::drop(const std::string& name) {
  rondo_tensor_destroy(tensor(name));
  tensors_.erase(name);
}

void Program::upload() {
  from_host("a", kProgramCuda, {kRows, kColumns}, [](int64_t i) { return static_cast<float>(i % 7) - 3; });
  from_host("b", kProgramCuda, {kRows, kColumns}, [](int64_t i) { return static_cast<float>(i % 5); });
  if (rondo_tensor* b = tensor("b")) {
    step("write b");
    std::vector<float> data(kRows * kColumns);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 3) + 1;
    if (!call(rondo_tensor_write(b, data.data(), data.size() * sizeof(float)))) drop("b");  // it is what it was
  }
  read("a");
}

void Program::operators() {
  rondo_tensor *a = tensor("a"), *b = tensor("b");
  make("sum", {a, b}, [&](rondo_tensor** out) { return rondo_binary(RONDO_ADD, a, b, out); });
  const int32_t axis = 1;
  make("rows", {tensor("sum")},
       [&](rondo_tensor** out) { return rondo_reduce(RONDO_SUM, tensor("sum"), 1, &axis, 0, out); });
  read("rows");
  make("product", {a, b}, [&](rondo_tensor** out) {
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.transpose_b = 1;
    return rondo_matmul(a, b, &options, out);
  });
  make("softmax", {a}, [&](rondo_tensor** out) { return rondo_softmax(a, -1, out); });
  step("seed");
  call(rondo_engine_seed(engine_, 5));
  const int64_t shape[] = {kRows, kColumns};
  make("random", {},
       [&](rondo_tensor** out) { return rondo_random_uniform(engine_, kProgramCuda, RONDO_F32, 2, shape, 0, 1, out); });
  make("copy", {a}, [&](rondo_tensor** out) { return rondo_copy(a, out); });
  make("moved", {tensor("sum")}, [&](rondo_tensor** out) { return rondo_copy_to(tensor("sum"), kProgramCpu, out); });
  make("on_cpu", {tensor("moved")},
       [&](rondo_tensor** out) { return rondo_binary_scalar(RONDO_MUL, tensor("moved"), 2, out); });
  make("back", {tensor("on_cpu")},
       [&](rondo_tensor** out) { return rondo_copy_to(tensor("on_cpu"), kProgramCuda, out); });
  read("softmax");
}

// A chain that changes its stream at each link, and copies large enough for streams of their own.
void Program::streams() {
  from_host("chain", kProgramCuda, {kRows, kColumns}, [](int64_t) { return 0.0f; });
  for (int32_t link = 0; link < 4; ++link) {
    rondo_tensor* chain = tensor("chain");
    if (!chain) break;
    push(("link" + std::to_string(link)).c_str(), kProgramCuda, link % 2, {chain}, chain, nothing, nullptr);
  }
  read("chain");
  // Large enough for a segment of the pool's own as well, which the trim gives back.
  from_host("large", kProgramCuda, {(1 << 18) + 64}, [](int64_t i) { return static_cast<float>(i & 255); });
  read("large");
  drop("large");
  step("trim");
  call(rondo_memory_trim(engine_, kProgramCuda));
}

void Program::tasks() {
  rondo_tensor* a = tensor("a");
  from_host("filled", kProgramCuda, {kRows, kColumns}, [](int64_t) { return 9.0f; });
  if (rondo_tensor* filled = tensor("filled")) {
    step("data");
    void* address = nullptr;
    if (call(rondo_tensor_data(filled, &address)))
      push("fill_with_ones", kProgramCuda, -1, {}, filled, fill_with_ones, address);
    else
      drop("filled");  // it is what it was
  }
  // A host function behind device work.
  from_host("host", kProgramCpu, {kRows}, [](int64_t i) { return static_cast<float>(i); });
  push("host_function", kProgramCpu, -1, {a, tensor("sum")}, tensor("host"), nothing, nullptr);
  if (rondo_tensor* host = tensor("host")) {
    step("wait host");
    call(rondo_tensor_wait(host));
  }
  step("wait_all");
  call(rondo_engine_wait_all(engine_));
}

// Two branches that join, random numbers, a way over the host, and a part behind it.
void Program::record() {
  step("record_begin");
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.name = "step";
  if (!call(rondo_record_begin(engine_, &options))) return;
  rondo_tensor *a = tensor("a"), *b = tensor("b");
  make("left", {a, b}, [&](rondo_tensor** out) { return rondo_binary(RONDO_ADD, a, b, out); });
  const int64_t shape[] = {kRows, kColumns};
  make("drawn", {},
       [&](rondo_tensor** out) { return rondo_random_uniform(engine_, kProgramCuda, RONDO_F32, 2, shape, 0, 1, out); });
  make("joined", {tensor("left"), tensor("drawn")},
       [&](rondo_tensor** out) { return rondo_binary(RONDO_ADD, tensor("left"), tensor("drawn"), out); });
  make("over_host", {tensor("joined")},
       [&](rondo_tensor** out) { return rondo_copy_to(tensor("joined"), kProgramCpu, out); });
  make("behind", {tensor("joined")}, [&](rondo_tensor** out) { return rondo_copy(tensor("joined"), out); });
  drop("left");
  step("record_end");
  call(rondo_record_end(engine_, &graph_));
}

// Each launch draws other numbers, so that what an earlier one left behind is told from what this one made.
void Program::launch() {
  if (!graph_) return;
  step("seed the launches");
  call(rondo_engine_seed(engine_, 6));
  for (int turn = 1; turn <= 4; ++turn) {
    const std::string number = std::to_string(turn);
    step("launch" + number);
    call(rondo_graph_launch(graph_));
    for (const char* output : {"joined", "over_host", "behind"})
      make(output + number, {tensor(output)}, [&](rondo_tensor** out) { return rondo_copy(tensor(output), out); });
  }
  step("wait the launches");
  call(rondo_engine_wait_all(engine_));
}

// One of two bodies, by a number on the device.
void Program::control() {
  rondo_tensor* a = tensor("a");
  if (!a) return;
  step("control record_begin");
  if (!call(rondo_record_begin(engine_, nullptr))) return;
  const int64_t shape[] = {kRows, kColumns};
  make("chosen", {a},
       [&](rondo_tensor** out) { return rondo_tensor_create(engine_, kProgramCuda, RONDO_F32, 2, shape, out); });
  make("control sum", {a}, [&](rondo_tensor** out) { return rondo_reduce(RONDO_SUM, a, 0, nullptr, 0, out); });
  make("positive", {tensor("control sum")},
       [&](rondo_tensor** out) { return rondo_binary_scalar(RONDO_GT, tensor("control sum"), 0.0, out); });
  step("if");
  Choice choice = {a, tensor("chosen")};
  if (choice.to && tensor("positive")) call(rondo_if(engine_, tensor("positive"), one_more, one_less, &choice));
  drop("control sum");
  drop("positive");
  step("control record_end");
  if (!call(rondo_record_end(engine_, &choosing_))) return;
  step("control launch");
  call(rondo_graph_launch(choosing_));
  step("wait the control");
  call(rondo_engine_wait_all(engine_));
}

// A graph for a signature, and one for its gradient.
void Program::callables() {
  rondo_tensor* a = tensor("a");
  if (!a) return;
  step("callable_create");
  if (!call(rondo_callable_create(engine_, 1, nullptr, squared, nullptr, nullptr, &callable_))) return;
  const auto called = [&](rondo_tensor** out) { return rondo_callable_call(callable_, 1, &a, 1, out); };
  make("called", {a}, called);
  step("callable tape");
  rondo_tape* tape = nullptr;
  if (!call(rondo_tape_begin(engine_, RONDO_TAPE_DEFAULT, &tape))) return;
  if (call(rondo_tape_watch(tape, a))) {
    make("followed", {a}, called);
    if (rondo_tensor* y = tensor("followed"))
      make("called gradient", {a, y},
           [&](rondo_tensor** out) { return rondo_tape_gradients(tape, 1, &y, &y, 1, &a, out); });
  }
  rondo_tape_destroy(tape);
  step("wait the callable");
  call(rondo_engine_wait_all(engine_));
}

void Program::trace() {
  step("trace_begin");
  if (!call(rondo_trace_begin(engine_))) return;
  rondo_tensor *a = tensor("a"), *b = tensor("b");
  for (const char* name : {"traced1", "traced2"})
    make(name, {a, b}, [&](rondo_tensor** out) { return rondo_binary(RONDO_ADD, a, b, out); });
  step("trace_end");
  call(rondo_trace_end(engine_, "/dev/null"));
}

void Program::device() {
  step("device_query");
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  call(rondo_device_query(kProgramCuda, &info));
  step("memory_query");
  rondo_memory_info memory = RONDO_MEMORY_INFO_INIT;
  call(rondo_memory_query(engine_, kProgramCuda, &memory));
}

void Program::run() {
  upload();
  operators();
  std::thread([this] { streams(); }).join();  // a thread on which no context is current
  tasks();
  record();
  launch();
  control();
  callables();
  trace();
  device();
  read_again();
}

std::string expected(const std::string& name) {
  std::vector<float> values;
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    const float a = static_cast<float>(i % 7) - 3, b = static_cast<float>(i % 3) + 1;
    if (name == "a" || name == "copy")
      values.push_back(a);
    else if (name == "b")
      values.push_back(b);
    else if (name == "sum" || name == "traced1" || name == "traced2" || name == "moved")
      values.push_back(a + b);
    else if (name == "back" || name == "on_cpu")
      values.push_back(2 * (a + b));
    else if (name == "chain")
      values.push_back(0);
  }
  if (name == "filled") return std::string(kRows * kColumns * sizeof(float), '\1');
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

}  // namespace faults
