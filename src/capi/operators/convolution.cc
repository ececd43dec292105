// Checks the handles and options of convolutions, and calls their operators and their gradients.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution.h"

#include "capi/operators.h"
#include "capi/structs.h"

using namespace rondo;
using capi::check_tensor;
using capi::view_of;

namespace {

// The caller's options, checked as far as numbers of their own go; the operator knows the shapes.
Status read(const rondo_convolution_options* options, rondo_convolution_options* given,
            ops::ConvolutionOptions* chosen) {
  RONDO_TRY(capi::read_options("options", options, given));
  if (given->scale) RONDO_TRY(check_tensor(given->scale, "options->scale"));
  if (given->bias) RONDO_TRY(check_tensor(given->bias, "options->bias"));
  if (given->residual) RONDO_TRY(check_tensor(given->residual, "options->residual"));
  RONDO_TRY(capi::check_activation(given->activation));
  for (int d = 0; d < ops::kMaxSpatial; ++d) {
    chosen->stride[d] = given->stride[d];
    chosen->before[d] = given->padding[d];
    chosen->after[d] = given->padding_end[d] == -1 ? given->padding[d] : given->padding_end[d];
    chosen->dilation[d] = given->dilation[d];
    chosen->output_padding[d] = given->output_padding[d];
  }
  chosen->groups = given->groups;
  chosen->transposed = given->transposed != 0;
  chosen->activation = given->activation;
  chosen->allow_tf32 = given->allow_tf32 != 0;
  chosen->deterministic = given->deterministic != 0;
  return {};
}

}  // namespace

extern "C" {

rondo_status rondo_convolution(rondo_tensor* x, rondo_tensor* w, const rondo_convolution_options* options,
                               rondo_tensor** out) {
  constexpr const char* function = "rondo_convolution";
  return capi::guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(x, "x"));
    RONDO_TRY(check_tensor(w, "w"));
    RONDO_TRY(capi::check_out(out));
    rondo_convolution_options given = RONDO_CONVOLUTION_OPTIONS_INIT;
    ops::ConvolutionOptions chosen;
    RONDO_TRY(read(options, &given, &chosen));
    const ops::Casting casting;
    rondo_tensor *image = x, *filter = w;
    RONDO_TRY(
        capi::cast_operands(casting, function, {&image, &filter, &given.scale, &given.bias, &given.residual}, out));
    const ops::ConvolutionEpilogue epilogue{view_of(given.scale), view_of(given.bias), view_of(given.residual)};
    ops::Output output(out);
    return ops::convolution(image->view, filter->view, chosen, epilogue, output);
  });
}

rondo_status rondo_convolution_filter_grad(rondo_tensor* x, rondo_tensor* dy, int32_t n, const int64_t* kernel_shape,
                                           const rondo_convolution_options* options, rondo_tensor** out) {
  return capi::operator2("rondo_convolution_filter_grad", x, "x", dy, "dy", out, [&](ops::Output& output) -> Status {
    RONDO_NOT_NULL(kernel_shape);
    rondo_convolution_options given = RONDO_CONVOLUTION_OPTIONS_INIT;
    ops::ConvolutionOptions chosen;
    RONDO_TRY(read(options, &given, &chosen));
    if (given.scale || given.bias || given.residual || given.activation != RONDO_ACTIVATION_NONE)
      return error(RONDO_INVALID_ARGUMENT,
                   "options has a scale, bias, residual or activation, which have no part in the gradient of w; give "
                   "options without them, and the gradient of what they were applied to as dy");
    return ops::convolution_filter_grad(x->view, dy->view, n, kernel_shape, chosen, output);
  });
}

}  // extern "C"
