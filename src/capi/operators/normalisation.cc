// Checks the handles and options of the normalisations of images, and calls their operators.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/normalisation.h>

#include <algorithm>

#include "capi/operators.h"
#include "capi/structs.h"
#include "ops/batch_norm/batch_norm.h"

using namespace rondo;
using capi::check_tensor;
using capi::guard;
using capi::view_of;

namespace {

// The operands of a normalisation, as an autocast scope has cast them: the image, then those that may be null.
struct Operands {
  rondo_tensor *a, *mean = nullptr, *variance = nullptr;
  ops::NormOptions options;
};

// casting: lives as long as the operands.
Status read(const ops::Casting& casting, const char* function, const rondo_norm_options* given, rondo_tensor** out,
            Operands* operands) {
  rondo_norm_options known = RONDO_NORM_OPTIONS_INIT;
  RONDO_TRY(capi::read_options("options", given, &known));
  if (known.weight) RONDO_TRY(check_tensor(known.weight, "options->weight"));
  if (known.bias) RONDO_TRY(check_tensor(known.bias, "options->bias"));
  if (known.residual) RONDO_TRY(check_tensor(known.residual, "options->residual"));
  RONDO_TRY(capi::cast_operands(
      casting, function,
      {&operands->a, &known.residual, &known.weight, &known.bias, &operands->mean, &operands->variance}, out));
  operands->options.weight = view_of(known.weight);
  operands->options.bias = view_of(known.bias);
  operands->options.residual = view_of(known.residual);
  operands->options.epsilon = known.epsilon;
  operands->options.activation = known.activation;
  return {};
}

// Runs a normalisation that takes an image and options.
template <class Body>
rondo_status normalise(const char* function, rondo_tensor* a, const rondo_norm_options* options, rondo_tensor** out,
                       const Body& body) {
  return guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(a, "a"));
    RONDO_TRY(capi::check_out(out));
    const ops::Casting casting;
    Operands operands{a, nullptr, nullptr, {}};
    RONDO_TRY(read(casting, function, options, out, &operands));
    ops::Output output(out);
    return body(operands.a->view, operands.options, output);
  });
}

}  // namespace

extern "C" {

rondo_status rondo_batch_norm(rondo_tensor* a, rondo_tensor* mean, rondo_tensor* variance,
                              const rondo_norm_options* options, rondo_tensor** out) {
  constexpr const char* function = "rondo_batch_norm";
  return guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(a, "a"));
    RONDO_TRY(capi::check_out(out));
    RONDO_TRY(check_tensor(mean, "mean"));
    RONDO_TRY(check_tensor(variance, "variance"));
    const ops::Casting casting;
    Operands operands{a, mean, variance, {}};
    RONDO_TRY(read(casting, function, options, out, &operands));
    ops::Output output(out);
    return ops::batch_norm(operands.a->view, operands.mean->view, operands.variance->view, operands.options, output);
  });
}

rondo_status rondo_batch_norm_training(rondo_tensor* a, rondo_tensor* running_mean, rondo_tensor* running_variance,
                                       double momentum, const rondo_norm_options* options, rondo_tensor** out,
                                       rondo_tensor** mean, rondo_tensor** inverse_deviation) {
  constexpr const char* function = "rondo_batch_norm_training";
  return guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(a, "a"));
    RONDO_TRY(capi::check_out(out));
    if (running_mean) RONDO_TRY(check_tensor(running_mean, "running_mean"));
    if (running_variance) RONDO_TRY(check_tensor(running_variance, "running_variance"));
    if (mean) RONDO_TRY(capi::check_out(mean, "mean"));
    if (inverse_deviation) RONDO_TRY(capi::check_out(inverse_deviation, "inverse_deviation"));
    for (rondo_tensor** const slot : {mean, inverse_deviation})
      if (slot && (slot == out || (slot == mean && slot == inverse_deviation)))
        return error(RONDO_INVALID_ARGUMENT, "out, mean and inverse_deviation are one pointer; each needs its own");
    const ops::Casting casting;
    Operands operands{a, nullptr, nullptr, {}};
    RONDO_TRY(read(casting, function, options, out, &operands));
    ops::BatchNormTraining training;
    training.running_mean = view_of(running_mean);
    training.running_variance = view_of(running_variance);
    training.momentum = momentum;
    ops::Output output(out), means(mean, "mean"), inverses(inverse_deviation, "inverse_deviation");
    return ops::batch_norm_training(operands.a->view, operands.options, training, output, mean ? &means : nullptr,
                                    inverse_deviation ? &inverses : nullptr);
  });
}

rondo_status rondo_group_norm(rondo_tensor* a, int64_t groups, const rondo_norm_options* options, rondo_tensor** out) {
  return normalise("rondo_group_norm", a, options, out,
                   [groups](const View& image, const ops::NormOptions& known, ops::Output& output) {
                     return ops::group_norm(image, groups, known, output);
                   });
}

rondo_status rondo_instance_norm(rondo_tensor* a, const rondo_norm_options* options, rondo_tensor** out) {
  return normalise("rondo_instance_norm", a, options, out,
                   [](const View& image, const ops::NormOptions& known, ops::Output& output) {
                     const Layout& shape = image.layout;
                     return ops::group_norm(image, shape.ndim < 2 ? 1 : std::max<int64_t>(shape.shape[1], 1), known,
                                            output);
                   });
}

}  // extern "C"
