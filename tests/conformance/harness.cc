// The harness of the conformance suite. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "flow.h"

namespace conformance {

namespace {

// Graphs have a branch for each task that may run beside others, however short: their tests say how many there are.
[[maybe_unused]] const bool all_branches = setenv("RONDO_GRAPH_BRANCHES", "all", 0) == 0;

}  // namespace

Setting::Setting(const char* name, const std::string& value) : name_(name) {
  if (const char* const given = std::getenv(name)) before_ = given;
  setenv(name, value.c_str(), 1);
}
Setting::~Setting() {
  if (before_)
    setenv(name_, before_->c_str(), 1);
  else
    unsetenv(name_);
}

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Which of three modes a program's first case takes; -1: every case takes all. By turns each case takes one under a
// share and, where what an operator computes matters and not which thread computes it, by the turn of the run.
int first_mode(bool flavoured) {
  if (environment("RONDO_TEST_MODES") != "by turns") return -1;
  // Values go by the share alone: a mode that did too would never see some of them.
  // Of five parts that are dealt by half of the share, each meets each mode, with either parity.
  if (share() >= 0) return share() + share() / 2 + share() / 6;
  const std::string turn = environment("RONDO_TEST_MODES_TURN");
  return flavoured && !turn.empty() ? static_cast<int>(std::hash<std::string>()(turn) % 3) : -1;
}

// GoogleTest asks once for each case, in the order that the program always has: the next case takes the next mode.
std::vector<rondo_engine_mode> modes_of_next_case(bool flavoured) {
  constexpr rondo_engine_mode kModes[] = {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED, RONDO_ENGINE_NAIVE};
  static int cases = 0;
  if (const int first = first_mode(flavoured); first >= 0) return {kModes[(first + cases++) % 3]};
  return {std::begin(kModes), std::end(kModes)};
}

}  // namespace

std::vector<Config> device_mode_flavour() {
  std::vector<Config> all;
  const std::vector<rondo_engine_mode> modes = modes_of_next_case(true);
  for (const rondo_device device : {kCpu, kCuda})
    for (const rondo_engine_mode mode : modes)
      for (const bool graph : {false, true}) all.push_back({device, mode, graph});
  return all;
}

std::vector<Config> device_mode() {
  std::vector<Config> all;
  const std::vector<rondo_engine_mode> modes = modes_of_next_case(false);
  for (const rondo_device device : {kCpu, kCuda})
    for (const rondo_engine_mode mode : modes) all.push_back({device, mode, false});
  return all;
}

std::string mode_name(const testing::TestParamInfo<Config>& info) {
  const char* const modes[] = {"default", "async", "threaded", "naive"};
  return std::string(info.param.device.kind == RONDO_CPU ? "cpu_" : "cuda_") + modes[info.param.mode];
}

std::string flavour_name(const testing::TestParamInfo<Config>& info) {
  return mode_name(info) + (info.param.graph ? "_graph" : "_eager");
}

bool thread_checked() {
#if defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

// The objects of a test may be those of a normal build, so that no macro of the compiler tells.
bool address_checked() {
  return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
}

bool collects() {
  return std::getenv("RONDO_TEST_KERNELS") != nullptr;
}

bool quick() {
  const char* value = std::getenv("RONDO_TEST_QUICK");
  return thread_checked() || (value && std::string(value) == "1");
}

int share() {
  const char* value = std::getenv("RONDO_TEST_SHARE");
  return value ? std::atoi(value) : -1;
}

bool needs_cuda() {
  const char* value = std::getenv("RONDO_TEST_NEEDS_CUDA");
  return value && std::string(value) == "1";
}

int32_t cuda_devices() {
  int32_t count = 0;
  must(rondo_device_count(RONDO_CUDA, &count));
  return count;
}

std::string cuda_reason() {
  int32_t available = 0;
  const char* reason = nullptr;
  must(rondo_feature("cuda", &available, &reason));
  return reason ? reason : "";
}

rondo_status no_such_cuda_device() {
  return cuda_devices() ? RONDO_NOT_FOUND : RONDO_LIBRARY_MISSING;
}

void must(rondo_status status) {
  if (status == RONDO_OK) return;
  throw std::runtime_error(std::string(rondo_status_name(status)) + ": " + rondo_last_error());
}

std::string written(const std::function<rondo_status(const char*)>& write) {
  char path[] = "/tmp/rondo-test-XXXXXX";
  close(mkstemp(path));
  const rondo_status status = write(path);
  std::ifstream stream(path);
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::remove(path);
  must(status);
  return text;
}

// --- transfers and views
// --------------------------------------------------------------------------------------------------
Tensor upload(rondo_engine* engine, rondo_device device, const Array& array) {
  // data() of an empty vector may be null, which the library may refuse.
  static const unsigned char nothing = 0;
  return make(rondo_tensor_from_host, engine, device, array.dtype, static_cast<int32_t>(array.shape.size()),
              array.shape.data(), array.bytes.empty() ? &nothing : array.bytes.data());
}

rondo_tensor_info query(rondo_tensor* tensor) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  must(rondo_tensor_query(tensor, &info));
  return info;
}

Array download(rondo_tensor* tensor) {
  const rondo_tensor_info info = query(tensor);
  Array array(info.dtype, Shape(info.shape, info.shape + info.ndim));
  unsigned char nothing = 0;
  const rondo_status status =
      rondo_tensor_read(tensor, array.bytes.empty() ? &nothing : array.bytes.data(), array.bytes.size());
  if (!collects()) must(status);  // where nothing is computed, what a task reads may be wrong
  return array;
}

Tensor reshape(rondo_tensor* tensor, const Shape& shape) {
  return make(rondo_tensor_reshape, tensor, static_cast<int32_t>(shape.size()), shape.data());
}
Tensor slice(rondo_tensor* tensor, int32_t axis, int64_t start, int64_t stop, int64_t step) {
  return make(rondo_tensor_slice, tensor, axis, start, stop, step);
}
Tensor transpose(rondo_tensor* tensor, const std::vector<int32_t>& axes) {
  return make(rondo_tensor_transpose, tensor, axes.empty() ? nullptr : axes.data());
}
Tensor broadcast(rondo_tensor* tensor, const Shape& shape) {
  return make(rondo_tensor_broadcast, tensor, static_cast<int32_t>(shape.size()), shape.data());
}
Tensor reduce(rondo_reduce_op op, rondo_tensor* tensor, const std::vector<int32_t>& axes, bool keep) {
  return make(rondo_reduce, op, tensor, static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), keep);
}

// --- tasks, graphs, engines
// -----------------------------------------------------------------------------------------------
namespace {
thread_local int32_t pushed = 0;  // tasks of the test's own, on this thread
}

rondo_status push(rondo_engine* engine, Task task, const std::vector<rondo_variable*>& reads,
                  const std::vector<rondo_variable*>& writes, const rondo_task_options* options) {
  ++pushed;
  return rondo_engine_push(
      engine, [](void* arg, rondo_task_context* context) { return (*static_cast<Task*>(arg))(context); },
      new Task(std::move(task)), [](void* arg) { delete static_cast<Task*>(arg); }, reads.data(), reads.size(),
      writes.data(), writes.size(), options);
}

rondo_status push_tensors(rondo_engine* engine, Task task, const std::vector<rondo_tensor*>& reads,
                          const std::vector<rondo_tensor*>& writes, const rondo_task_options* options) {
  ++pushed;
  return rondo_engine_push_tensors(
      engine, [](void* arg, rondo_task_context* context) { return (*static_cast<Task*>(arg))(context); },
      new Task(std::move(task)), [](void* arg) { delete static_cast<Task*>(arg); }, reads.data(), reads.size(),
      writes.data(), writes.size(), options);
}

rondo_task_options task_options(const char* name, rondo_device device) {
  rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
  options.name = name;
  options.device = device;
  return options;
}

rondo_variable* variable_of(rondo_tensor* tensor) {
  rondo_variable* variable = nullptr;
  must(rondo_tensor_variable(tensor, &variable));
  return variable;
}

Graph record(rondo_engine* engine, const std::function<void()>& body, const rondo_record_options* options) {
  const int32_t before = pushed;
  must(rondo_record_begin(engine, options));
  try {
    body();
  } catch (...) {
    rondo_record_abort(engine);
    throw;
  }
  rondo_graph* made = nullptr;
  must(rondo_record_end(engine, &made));
  Graph graph(made);
  constexpr int32_t kUsualBranches = 8;
  if (std::string(std::getenv("RONDO_GRAPH_BRANCHES")) != "all")
    return graph;  // the picture does not say what is short
  expect_captured_as_drawn(made, options && options->max_branches ? options->max_branches : kUsualBranches,
                           pushed - before);
  return graph;
}

rondo_graph_info graph_info(rondo_graph* graph) {
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  must(rondo_graph_query(graph, &info));
  return info;
}

std::string graph_report(rondo_graph* graph) {
  size_t length = 0;
  must(rondo_graph_report(graph, nullptr, 0, &length));
  std::string text(length + 1, '?');
  must(rondo_graph_report(graph, text.data(), text.size(), &length));
  text.resize(length);
  return text;
}

Engine create_engine(const rondo_engine_options& options) {
  rondo_engine* engine = nullptr;
  must(rondo_engine_create(&options, &engine));
  return Engine(engine);
}

// --- the fixture
// ----------------------------------------------------------------------------------------------------------
rondo_engine_options OnEngine::options() const {
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  options.mode = GetParam().mode;
  options.workers = 2;
  options.seed = 7;
  return options;
}

void OnEngine::SetUp() {
  if (on_cuda() && cuda_devices() == 0) {
    if (needs_cuda()) FAIL() << "no cuda device, and RONDO_TEST_NEEDS_CUDA is set: " << cuda_reason();
    GTEST_SKIP() << "no cuda device: " << cuda_reason();
  }
  engine_ = create_engine(options());
}

void OnEngine::restart(const rondo_engine_options& options) {
  engine_.reset();
  engine_ = create_engine(options);
}

void OnEngine::TearDown() {
  if (!engine_) return;
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OK) << rondo_last_error();
  for (const rondo_device where : {kCpu, device()}) {
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), where, &info));
    EXPECT_EQ(info.in_use, 0) << "after the test released everything and waited";
  }
}

Tensor OnEngine::empty(rondo_dtype dtype, const Shape& shape) const {
  return make(rondo_tensor_create, engine(), device(), dtype, static_cast<int32_t>(shape.size()), shape.data());
}

Task OnEngine::waiting(Gate& gate) const {
  return [&gate, naive = naive()](rondo_task_context*) {
    gate.entered = true;
    while (!gate.open && !naive) std::this_thread::sleep_for(std::chrono::microseconds(100));
    return RONDO_OK;
  };
}

rondo_dtype integer_of_share() {
  constexpr rondo_dtype kIntegers[] = {RONDO_I64, RONDO_U64, RONDO_I16, RONDO_U32,
                                       RONDO_I32, RONDO_U16, RONDO_U8,  RONDO_I8};
  return share() < 0 ? RONDO_I64 : kIntegers[static_cast<size_t>(share()) % std::size(kIntegers)];
}

std::vector<rondo_dtype> OnEngine::covering(std::vector<rondo_dtype> all, int turn) const {
  if (!sparing() || all.size() <= 2) {
    if (std::count_if(all.begin(), all.end(), is_integer) <= 4) return all;
    int number = turn;
    std::erase_if(all, [&](rondo_dtype each) { return is_integer(each) && number++ % 2 != 0; });
    return all;
  }
  const bool single = std::find(all.begin(), all.end(), RONDO_F32) != all.end();
  std::vector<rondo_dtype> chosen;
  if (single) chosen.push_back(RONDO_F32);
  std::erase(all, RONDO_F32);
  chosen.push_back(all[static_cast<size_t>(turn) % all.size()]);
  if (share() >= 0) return {chosen[static_cast<size_t>(share()) % chosen.size()]};
  return chosen;
}

void make_nans_alike(Array* array) {
  if (array->dtype != RONDO_F64 && array->dtype != RONDO_F32 && array->dtype != RONDO_F16 && array->dtype != RONDO_BF16)
    return;
  for (size_t i = 0; i < array->size(); ++i)
    if (std::isnan(static_cast<double>((*array)[i]))) array->set(i, NAN);
}

namespace {
// For about half of all tests, always the same ones.
bool by_chance() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test.test_suite_name()) + test.name();
  unsigned sum = 0;
  for (const char letter : name) sum = sum * 31 + static_cast<unsigned char>(letter);
  return (sum >> 3) % 2 == 0;
}
}  // namespace

void OnEngine::run(const Body& body, GraphShape shape) {
  Results eager;
  body(eager);
  if (!GetParam().graph) {
    for (const Results::Item& item : eager.items()) {
      if (item.expected && !collects()) {
        expect_as(download(item.tensor), item.expected(), item.label);
      } else {
        must(rondo_tensor_wait(item.tensor));
      }
    }
    return;
  }

  Results recorded;
  Graph graph = record(engine(), [&] { body(recorded); });
  const rondo_graph_info info = graph_info(graph.get());
  if (shape.nodes > 0) {
    EXPECT_EQ(info.segments, 1) << graph_report(graph.get());
    EXPECT_GE(info.tasks, 1);
    EXPECT_EQ(info.captured, on_cuda() ? 1 : 0) << graph_report(graph.get());
    if (on_cuda()) {
      EXPECT_GE(info.nodes, shape.nodes) << graph_report(graph.get());
    }
  }
  must(rondo_graph_launch(graph.get()));
  if (by_chance()) {
    // The second time as a part of another recording, made again of the same operators.
    const Graph around = record(engine(), [&] { must(rondo_graph_launch(graph.get())); });
    const rondo_graph_info same = graph_info(around.get());
    if (graph_report(around.get()).find("is a launch of another graph") == std::string::npos) {
      EXPECT_EQ(same.segments, info.segments) << graph_report(around.get());
      EXPECT_EQ(same.captured, info.captured) << graph_report(around.get());
    }
    EXPECT_LE(same.nodes, info.nodes) << graph_report(around.get());  // passes may find more in what they made
    must(rondo_graph_launch(around.get()));
  } else {
    must(rondo_graph_launch(graph.get()));
  }
  std::vector<Tensor> copies;  // right behind the launches: a host wait here would hide a missing order
  for (const Results::Item& item : recorded.items()) copies.push_back(make(rondo_copy, item.tensor));
  EXPECT_EQ(graph_info(graph.get()).launches, 2);
  graph.reset();
  ASSERT_EQ(eager.items().size(), recorded.items().size());
  for (size_t i = 0; i < copies.size(); ++i) {
    Array got = download(copies[i]), wanted = download(eager.items()[i].tensor);
    // What is fused may make another NaN on a GPU, whose compilers do not say which.
    if (on_cuda())
      for (Array* each : {&got, &wanted}) make_nans_alike(each);
    expect_same_bits(got, wanted, eager.items()[i].label);
  }
}

// --- checks
// -----------------------------------------------------------------------------------------------------------------
void expect_same_bits(const Array& actual, const Array& expected, const std::string& label) {
  EXPECT_EQ(actual.dtype, expected.dtype) << label;
  EXPECT_EQ(actual.shape, expected.shape) << label;
  if (actual.bytes == expected.bytes) return;
  if (actual.bytes.size() != expected.bytes.size()) {
    ADD_FAILURE() << label << ": " << actual.bytes.size() << " bytes, expected " << expected.bytes.size();
    return;
  }
  for (size_t i = 0, item = rondo_dtype_size(actual.dtype); i < actual.size(); ++i) {
    if (std::memcmp(&actual.bytes[i * item], &expected.bytes[i * item], item) == 0) continue;
    ADD_FAILURE() << label << ": the bits of element " << i << " differ: " << actual[i] << " and " << expected[i];
    return;
  }
}

void expect_as(const Array& actual, const Expected& expected, const std::string& label) {
  const std::string text = difference(actual, expected);
  EXPECT_TRUE(text.empty()) << label << ": " << text;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !inside(text[at - 1])) && (end == text.size() || !inside(text[end]))) return true;
  }
  return false;
}

void expect_refused(rondo_status actual, rondo_status expected, const char* function, const char* argument) {
  EXPECT_EQ(actual, expected) << function << ": " << argument << ": got " << rondo_status_name(actual);
  if (actual == RONDO_OK) return;
  const std::string message = rondo_last_error();
  EXPECT_TRUE(has_word(message, function)) << "'" << message << "' does not name the function " << function;
  EXPECT_EQ(message.find(std::string(function) + ": ", 1), std::string::npos) << "the function twice: " << message;
  if (argument) {
    EXPECT_TRUE(has_word(message, argument)) << "'" << message << "' does not name '" << argument << "'";
  }
}

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void* driver_entry(const char* name, std::string* missing) {
  static std::string path = "libcuda.so.1";
  static void* const library = [] {
    if (const char* set = std::getenv("RONDO_CUDA_DRIVER"); set && *set) {
      struct stat facts;
      path = set;
      if (stat(set, &facts) == 0 && S_ISDIR(facts.st_mode)) path += "/libcuda.so.1";
    }
    return dlopen(path.c_str(), RTLD_NOW);
  }();
  void* const found = library ? dlsym(library, name) : nullptr;
  if (!found) *missing += std::string(name) + " is not in " + path + ". ";
  return found;
}

const Driver& driver(std::string* missing) {
  static std::string why;
  static const Driver table = [] {
    Driver found;
    const auto take = [](auto& slot, const char* name) {
      slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(driver_entry(name, &why));
    };
    take(found.launch_host, "cuLaunchHostFunc");
    take(found.memset8, "cuMemsetD8Async");
    take(found.copy, "cuMemcpyDtoDAsync_v2");
    take(found.current_context, "cuCtxGetCurrent");
    take(found.synchronize, "cuStreamSynchronize");
    return found;
  }();
  *missing = why;
  return table;
}

}  // namespace conformance
