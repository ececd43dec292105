// Modules of CUDA C++: templates by name, arguments by declaration, order and capture like any other task, and every
// misuse. On a cpu: a status that says what to use instead. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

const char* const kText =
    "// line 1\n"
    "namespace own {\n"
    "template <class T, int times>\n"
    "__global__ void scale(const T* x, T* y, T a, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] * times;\n"
    "}\n"
    "}  // namespace own\n"
    "extern \"C\" __global__ void add_to(float* y, float a, long long n) {\n"
    "  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;\n"
    "  if (i < n) y[i] += a;\n"
    "}\n"
    "__global__ void reverse(const float* x, float* y) {\n"
    "  extern __shared__ float held[];\n"
    "  held[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
    "  __syncthreads();\n"
    "  y[blockIdx.x * blockDim.x + threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];\n"
    "}\n"
    "__global__ void column(const float* x, float* y, int rows, int stride, bool negative) {\n"
    "  for (int i = 0; i < rows; ++i) y[i] = negative ? -x[i * stride] : x[i * stride];\n"
    "}\n";
const char* const kKernels =
    "own::scale<float, 2>(const float* x, float* y, float a, int n);\n"
    "own::scale<int, 3>(const int* x, int* y, int a, int n);\n"
    "add_to(float* y, float a, long long n);\n"
    "void reverse(const float*, float*);\n"
    "column(const float* x, float* y, int rows, int stride, bool negative)";

rondo_argument tensor_argument(const char* name, rondo_tensor* tensor) {
  return RONDO_TENSOR(name, tensor);
}
rondo_argument scalar(const char* name, double value) {
  return RONDO_SCALAR(name, value);
}
rondo_argument integer(const char* name, int64_t value) {
  return RONDO_INTEGER(name, value);
}
rondo_launch_options shape(uint32_t grid, uint32_t block, uint32_t shared = 0, uint32_t flags = 0) {
  rondo_launch_options options = RONDO_LAUNCH_OPTIONS_INIT;
  options.grid_x = grid;
  options.block_x = block;
  options.shared_bytes = shared;
  options.flags = flags;
  return options;
}

class UserModule : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    if (IsSkipped() || HasFatalFailure() || !on_cuda()) return;
    rondo_module_options options = RONDO_MODULE_OPTIONS_INIT;
    options.name = "own.cu";
    must(rondo_module_create(engine(), device(), kText, kKernels, &options, &module_));
  }
  void TearDown() override {
    rondo_module_destroy(module_);
    OnEngine::TearDown();
  }
  rondo_status launch(const char* kernel, const std::vector<rondo_argument>& arguments,
                      const rondo_launch_options& options) const {
    return rondo_module_launch(module_, kernel, static_cast<int32_t>(arguments.size()), arguments.data(), &options);
  }
  Tensor values(int64_t n) const {
    Array array(RONDO_F32, {n});
    for (size_t i = 0; i < array.size(); ++i) array.set(i, Real(i % 17) - 5);
    return up(array);
  }

  rondo_module* module_ = nullptr;
};
CONFORMANCE_SUITE(UserModule);

TEST_P(UserModule, RunsBetweenOperators) {
  if (!on_cuda()) return;
  constexpr int64_t n = 300;
  const Tensor x = values(n);
  const auto body = [&](Results& results) {
    const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, x, 1.0);
    Tensor y = empty(RONDO_F32, {n});
    must(launch("own::scale<float, 2>",
                {tensor_argument("x", sum), tensor_argument("y", y), scalar("a", 0.5), integer("n", n)},
                shape(3, 128)));
    must(launch("add_to", {tensor_argument("y", y), scalar(nullptr, 3), integer("n", n)}, shape(2, 256)));
    Tensor turned = empty(RONDO_F32, {n});
    must(launch("reverse", {tensor_argument(nullptr, y), tensor_argument(nullptr, turned)},
                shape(3, 100, 100 * sizeof(float))));
    results.keep("product", make(rondo_binary_scalar, RONDO_MUL, turned, 2.0), [&] {
      Expected expected(RONDO_F32, {n});
      for (size_t i = 0; i < n; ++i) {
        const size_t from = i / 100 * 100 + 99 - i % 100;
        expected.values[i] = ((Real(from % 17) - 5 + 1) * 0.5L * 2 + 3) * 2;
      }
      return expected;
    });
  };
  run(body);
  // A node for each task, and one before each kernel of the user that may leave its new output unwritten, which zeroes
  // that: none is a copy or a wait.
  Results kept;
  const Graph graph = record(engine(), [&] { body(kept); });
  EXPECT_EQ(graph_info(graph.get()).nodes, 5 + 2) << graph_report(graph.get());
  EXPECT_NE(graph_report(graph.get()).size(), 0u);
}

TEST_P(UserModule, TakesIntegersAndViews) {
  if (!on_cuda()) return;
  Array whole(RONDO_I32, {5});
  for (size_t i = 0; i < 5; ++i) whole.set(i, Real(i));
  const Tensor x = up(whole), y = empty(RONDO_I32, {5});
  must(launch("own::scale<int, 3>", {tensor_argument("x", x), tensor_argument("y", y), scalar("a", 2), integer("n", 5)},
              shape(1, 32)));
  EXPECT_EQ(download(y)[4], 24);
  // A column of a matrix: the kernel is told the stride.
  const Tensor matrix = reshape(values(12), {3, 4}), column = slice(matrix, 1, 1, 2), out = empty(RONDO_F32, {3});
  const std::vector<rondo_argument> arguments = {tensor_argument("x", column), tensor_argument("y", out),
                                                 integer("rows", 3), integer("stride", 4), integer("negative", 1)};
  expect_refused(launch("column", arguments, shape(1, 1)), RONDO_INVALID_ARGUMENT, "rondo_module_launch", "contiguous");
  must(launch("column", arguments, shape(1, 1, 0, RONDO_LAUNCH_STRIDED)));
  EXPECT_EQ(download(out)[2], -download(matrix)[9]);
}

TEST_P(UserModule, PoisonGoesThroughIt) {
  if (!on_cuda() || naive() || GetParam().graph) return;
  const Tensor x = values(8), y = empty(RONDO_F32, {8});
  const rondo_task_options options = task_options("breaks", device());
  must(push_tensors(
      engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {x}, &options));
  must(launch("own::scale<float, 2>",
              {tensor_argument("x", x), tensor_argument("y", y), scalar("a", 1), integer("n", 8)}, shape(1, 8)));
  EXPECT_EQ(rondo_tensor_wait(y), RONDO_USER_ERROR);
  EXPECT_NE(std::string(rondo_last_error()).find("breaks"), std::string::npos);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

TEST_P(UserModule, TheSameTextIsTheSameModule) {
  if (!on_cuda() || GetParam().graph) return;
  const char* const counting = "__device__ int count;\n__global__ void next(int* seen) { seen[0] = ++count; }\n";
  rondo_module* modules[2] = {};
  int last = 0;
  for (rondo_module*& each : modules) {
    must(rondo_module_create(engine(), device(), counting, "next(int* seen)", nullptr, &each));
    const Tensor seen = empty(RONDO_I32, {1});
    const rondo_argument argument = tensor_argument("seen", seen);
    must(rondo_module_launch(each, "next", 1, &argument, nullptr));
    const int now = static_cast<int>(download(seen)[0]);
    EXPECT_TRUE(last == 0 || now == last + 1) << "a module made again goes on with its variables: " << now;
    last = now;
    rondo_module_destroy(each);  // with its work perhaps in flight
  }
}

TEST_P(UserModule, RefusesWhatDoesNotFit) {
  const char* const create = "rondo_module_create";
  rondo_module* made = nullptr;
  if (!on_cuda()) {
    expect_refused(rondo_module_create(engine(), device(), kText, kKernels, nullptr, &made), RONDO_UNSUPPORTED, create,
                   "device");
    return;
  }
  const auto refuse_create = [&](const char* text, const char* kernels, rondo_status status, const char* word) {
    expect_refused(rondo_module_create(engine(), device(), text, kernels, nullptr, &made), status, create, word);
    EXPECT_EQ(made, nullptr);
  };
  refuse_create(nullptr, "k()", RONDO_INVALID_ARGUMENT, "text");
  refuse_create(kText, nullptr, RONDO_INVALID_ARGUMENT, "kernels");
  refuse_create(kText, "add_to(float** y)", RONDO_INVALID_ARGUMENT, "pointer");
  expect_refused(rondo_module_create(nullptr, device(), kText, kKernels, nullptr, &made), RONDO_INVALID_ARGUMENT,
                 create, "engine");
  expect_refused(rondo_module_create(engine(), device(), kText, kKernels, nullptr, nullptr), RONDO_INVALID_ARGUMENT,
                 create, "module");
  // What does not compile is shown with the text's own lines, a wrong declaration as such.
  refuse_create("\n\n__global__ void k(float* y) { y[0] = undefined_thing; }\n", "k(float* y)", RONDO_COMPILE_FAILED,
                "undefined_thing");
  const std::string log = rondo_last_error();
  EXPECT_TRUE(log.find("module(3)") != std::string::npos || log.find("module:3") != std::string::npos) << log;
  refuse_create("__global__ void k(float* y) { y[0] = 1; }\n", "k(double* y)", RONDO_COMPILE_FAILED, "kernels");
  refuse_create("__global__ void k(float* y) { y[0] = 1; }\n", "other(float* y)", RONDO_COMPILE_FAILED, "other");
  rondo_module_options options = RONDO_MODULE_OPTIONS_INIT;
  options.options = "--no-such-option";
  expect_refused(rondo_module_create(engine(), device(), kText, kKernels, &options, &made), RONDO_COMPILE_FAILED,
                 create, nullptr);

  const Tensor x = values(8), y = empty(RONDO_F32, {8}), i = make(rondo_cast, x, RONDO_I32);
  const auto refuse = [&](const char* kernel, const std::vector<rondo_argument>& arguments,
                          const rondo_launch_options& with, const char* word) {
    expect_refused(launch(kernel, arguments, with), RONDO_INVALID_ARGUMENT, "rondo_module_launch", word);
  };
  const char* const scale = "own::scale<float, 2>";
  const std::vector<rondo_argument> good = {tensor_argument("x", x), tensor_argument("y", y), scalar("a", 1),
                                            integer("n", 8)};
  refuse("scale", good, shape(1, 8), "kernel");
  refuse("add_to", good, shape(1, 8), "n_arguments");
  refuse(scale, {tensor_argument("x", i), good[1], good[2], good[3]}, shape(1, 8), "dtype");
  refuse(scale, {scalar("x", 1), good[1], good[2], good[3]}, shape(1, 8), "number");
  refuse(scale, {good[0], good[1], tensor_argument("a", x), good[3]}, shape(1, 8), "tensor");
  refuse(scale, {good[0], good[1], good[2], scalar("n", 0.5)}, shape(1, 8), "n");
  refuse(scale, {good[1], good[0], good[2], good[3]}, shape(1, 8), "named");
  refuse(scale, {good[0], tensor_argument("y", broadcast(slice(y, 0, 0, 1), {8})), good[2], good[3]}, shape(1, 8), "y");
  refuse(scale, {good[0], tensor_argument("y", make(rondo_tensor_accumulator, y)), good[2], good[3]}, shape(1, 8),
         "accumulator");
  refuse(scale, {tensor_argument("x", nullptr), good[1], good[2], good[3]}, shape(1, 8), "tensor");
  refuse(scale, good, shape(1, 2048), "block_x");
  rondo_launch_options wide = shape(1, 1024);
  wide.block_y = 2;
  refuse(scale, good, wide, "block");
  refuse(scale, good, shape(1, 8, 1u << 30), "shared_bytes");
  refuse(scale, good, shape(1, 8, 0, 64), "flags");
  expect_refused(rondo_module_launch(nullptr, scale, 4, good.data(), nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_module_launch", "module");
  expect_refused(rondo_module_launch(module_, nullptr, 4, good.data(), nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_module_launch", "kernel");
  expect_refused(rondo_module_launch(module_, scale, 4, nullptr, nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_module_launch", "arguments");
  const Tensor there = upload(engine(), kCpu, Array(RONDO_F32, {8}));
  refuse(scale, {tensor_argument("x", there), good[1], good[2], good[3]}, shape(1, 8), "cpu");
}

}  // namespace
}  // namespace conformance
