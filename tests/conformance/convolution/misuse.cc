// Convolutions that cannot be. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"

namespace conformance {
namespace {

class ConvolutionMisuse : public OnEngine {
 protected:
  // A refusal that names the argument and says these words, and leaves no tensor.
  void refused(rondo_tensor* x, rondo_tensor* w, const rondo_convolution_options* options, const char* argument,
               const std::vector<std::string>& words) const {
    rondo_tensor* out = nullptr;
    expect_refused(rondo_convolution(x, w, options, &out), RONDO_INVALID_ARGUMENT, "rondo_convolution", argument);
    said(words);
    EXPECT_EQ(out, nullptr);
  }
  void filter_refused(rondo_tensor* x, rondo_tensor* dy, const Shape& kernel, const rondo_convolution_options* options,
                      const char* argument, const std::vector<std::string>& words) const {
    rondo_tensor* out = nullptr;
    expect_refused(
        rondo_convolution_filter_grad(x, dy, static_cast<int32_t>(kernel.size()), kernel.data(), options, &out),
        RONDO_INVALID_ARGUMENT, "rondo_convolution_filter_grad", argument);
    said(words);
    EXPECT_EQ(out, nullptr);
  }
  static void said(const std::vector<std::string>& words) {
    const std::string message = rondo_last_error();
    for (const std::string& each : words) EXPECT_NE(message.find(each), std::string::npos) << message;
  }
  Tensor ones(const Shape& shape, rondo_dtype dtype = RONDO_F32) const { return up(full(dtype, shape, 1)); }
};
CONFORMANCE_ENGINE_SUITE(ConvolutionMisuse);

rondo_convolution_options with(const std::function<void(rondo_convolution_options&)>& change) {
  rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
  change(options);
  return options;
}

TEST_P(ConvolutionMisuse, Operands) {
  const Tensor x = ones({2, 4, 6, 6}), w = ones({3, 4, 3, 3});
  refused(ones({4, 6}), ones({4, 6}), nullptr, "x", {"[4, 6] has 2 dimensions", "3 to 5"});
  refused(ones({1, 1, 1, 1, 1, 1}), w, nullptr, "x", {"6 dimensions"});
  refused(x, ones({3, 4, 3}), nullptr, "w", {"[2, 4, 6, 6]", "[3, 4, 3]", "number of dimensions"});
  refused(x, ones({3, 4, 3, 3}, RONDO_F64), nullptr, "w", {"f32", "f64", "rondo_cast"});
  refused(ones({2, 4, 6, 6}, RONDO_I32), ones({3, 4, 3, 3}, RONDO_I32), nullptr, "x", {"i32", "float", "rondo_cast"});
  refused(x, ones({3, 5, 3, 3}), nullptr, "w", {"4 channels", "for 5 in each of 1 groups", "[k, c / groups, ...]"});
  refused(x, ones({3, 4, 7, 3}), nullptr, "kernel",
          {"larger than axis 2 of x", "size 7", "but 6 with padding 0 and 0"});
  refused(x, empty(RONDO_F32, {3, 4, 0, 3}), nullptr, "kernel", {"size 0 or less on axis 2"});
  const Tensor given = ones({2, 3, 4, 5});
  rondo_tensor* out = given;
  expect_refused(rondo_convolution(x, w, nullptr, &out), RONDO_INVALID_ARGUMENT, "rondo_convolution", "out");
  said({"[2, 3, 4, 5]", "[2, 3, 4, 4]"});
  // An output that shares memory with an operand.
  const Tensor one = ones({1, 1, 4, 4}), point = ones({1, 1, 1, 1});
  out = one;
  expect_refused(rondo_convolution(one, point, nullptr, &out), RONDO_INVALID_ARGUMENT, "rondo_convolution", "out");
}

TEST_P(ConvolutionMisuse, Options) {
  const Tensor x = ones({2, 4, 6, 6}), w = ones({4, 4, 3, 3});
  const auto refuse = [&](const char* argument, const std::vector<std::string>& words,
                          const std::function<void(rondo_convolution_options&)>& change) {
    const rondo_convolution_options options = with(change);
    refused(x, w, &options, argument, words);
  };
  refuse("stride", {"options->stride[1] is 0", "1 to"}, [](auto& options) { options.stride[1] = 0; });
  refuse("dilation", {"options->dilation[0] is -1"}, [](auto& options) { options.dilation[0] = -1; });
  refuse("padding", {"options->padding[0] is -1"}, [](auto& options) { options.padding[0] = -1; });
  refuse("padding_end", {"options->padding_end[1] is -2"}, [](auto& options) { options.padding_end[1] = -2; });
  refuse("padding", {"options->padding[0] is 9223372036854775807"},
         [](auto& options) { options.padding[0] = INT64_MAX; });
  refuse("output_padding", {"only a transposed"}, [](auto& options) { options.output_padding[0] = 1; });
  refuse("output_padding", {"less than the stride, 2"}, [](auto& options) {
    options.transposed = 1;
    options.stride[0] = 2;
    options.output_padding[0] = 2;
  });
  refuse("groups", {"options->groups is 0"}, [](auto& options) { options.groups = 0; });
  refuse("groups", {"in each of 3 groups"}, [](auto& options) { options.groups = 3; });
  refuse("activation", {"options->activation is 9"},
         [](auto& options) { options.activation = static_cast<rondo_activation>(9); });
  refuse("x", {"axis 2 of x", "below 0"}, [](auto& options) {
    options.transposed = 1;
    options.padding[0] = 20;
  });
  const Tensor five = ones({5}), flat = ones({2, 4, 4}), wide = ones({2, 4, 4, 4}, RONDO_F64);
  refuse("scale", {"f32 [5]", "f32 [4] is needed"}, [&](auto& options) { options.scale = five; });
  refuse("bias", {"f32 [2, 4, 4]", "f32 [4] is needed"}, [&](auto& options) { options.bias = flat; });
  refuse("residual", {"f64", "f32 [2, 4, 4, 4]"}, [&](auto& options) { options.residual = wide; });
  refuse("size", {"rondo_convolution_options"}, [](auto& options) { options.size = 8; });
  // What stands behind the last axis is nobody's.
  const rondo_convolution_options beyond = with([](auto& options) { options.stride[2] = options.dilation[2] = -7; });
  make(rondo_convolution, x, w, &beyond);
}

TEST_P(ConvolutionMisuse, FilterGradients) {
  const Tensor x = ones({2, 4, 6, 6}), dy = ones({2, 3, 4, 4});
  filter_refused(x, dy, {3}, nullptr, "n", {"n is 1", "2 spatial axes"});
  filter_refused(x, dy, {3, 2}, nullptr, "dy", {"dy is [2, 3, 4, 4]", "the result is [2, 3, 4, 5]"});
  filter_refused(x, ones({2, 3, 4}), {3, 3}, nullptr, "dy", {"number of dimensions"});
  filter_refused(x, dy, {3, -3}, nullptr, "kernel", {"size 0 or less"});
  const Tensor bias = ones({3});
  const rondo_convolution_options biased = with([&](auto& options) { options.bias = bias; });
  filter_refused(x, dy, {3, 3}, &biased, "options", {"bias"});
  const rondo_convolution_options grouped = with([&](auto& options) { options.groups = 2; });
  filter_refused(x, dy, {3, 3}, &grouped, "dy", {"no multiple of options->groups, 2"});
}

TEST_P(ConvolutionMisuse, Nulls) {
  const Tensor a = ones({1, 1, 3, 3});
  const int64_t kernel[] = {3, 3};
  rondo_tensor* out = nullptr;
  const auto null = [&](rondo_status status, const char* function, const char* argument) {
    expect_refused(status, RONDO_INVALID_ARGUMENT, function, argument);
    EXPECT_EQ(out, nullptr);
  };
  null(rondo_convolution(nullptr, a, nullptr, &out), "rondo_convolution", "x");
  null(rondo_convolution(a, nullptr, nullptr, &out), "rondo_convolution", "w");
  null(rondo_convolution(a, a, nullptr, nullptr), "rondo_convolution", "out");
  const char* grad = "rondo_convolution_filter_grad";
  null(rondo_convolution_filter_grad(nullptr, a, 2, kernel, nullptr, &out), grad, "x");
  null(rondo_convolution_filter_grad(a, nullptr, 2, kernel, nullptr, &out), grad, "dy");
  null(rondo_convolution_filter_grad(a, a, 2, nullptr, nullptr, &out), grad, "kernel_shape");
  null(rondo_convolution_filter_grad(a, a, 2, kernel, nullptr, nullptr), grad, "out");
}

}  // namespace
}  // namespace conformance
