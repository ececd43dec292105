// Normalisation of images: check handles, call ops. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include <rondo/normalisation.h>

#include <algorithm>

#include "capi/operators.h"
#include "capi/structs.h"
#include "ops/batch_norm/batch_norm.h"

using namespace rondo;
using capi::check_tensor;
using capi::guard;
using capi::operator1;

namespace {

Status read(const rondo_norm_options* given, ops::NormOptions* options) {
  rondo_norm_options known = RONDO_NORM_OPTIONS_INIT;
  RONDO_TRY(capi::read_options("options", given, &known));
  const auto take = [](rondo_tensor* tensor, const char* name, const View** view) -> Status {
    if (!tensor) return {};
    RONDO_TRY(check_tensor(tensor, name));
    RONDO_TRY(ops::Casting::also(&tensor));
    *view = &tensor->view;
    return {};
  };
  RONDO_TRY(take(known.weight, "options->weight", &options->weight));
  RONDO_TRY(take(known.bias, "options->bias", &options->bias));
  RONDO_TRY(take(known.residual, "options->residual", &options->residual));
  options->epsilon = known.epsilon;
  options->activation = known.activation;
  return {};
}

}  // namespace

extern "C" {

rondo_status rondo_batch_norm(rondo_tensor* a, rondo_tensor* mean, rondo_tensor* variance,
                              const rondo_norm_options* options, rondo_tensor** out) {
  return operator1("rondo_batch_norm", a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_tensor(mean, "mean"));
    RONDO_TRY(check_tensor(variance, "variance"));
    ops::NormOptions known;
    RONDO_TRY(read(options, &known));
    return ops::batch_norm(a->view, mean->view, variance->view, known, output);
  });
}

rondo_status rondo_batch_norm_training(rondo_tensor* a, rondo_tensor* running_mean, rondo_tensor* running_variance,
                                       double momentum, const rondo_norm_options* options, rondo_tensor** out,
                                       rondo_tensor** mean, rondo_tensor** inverse_deviation) {
  constexpr const char* function = "rondo_batch_norm_training";
  return operator1(function, a, "a", out, [&](ops::Output& output) -> Status {
    if (running_mean) RONDO_TRY(check_tensor(running_mean, "running_mean"));
    if (running_variance) RONDO_TRY(check_tensor(running_variance, "running_variance"));
    if (mean) RONDO_TRY(capi::check_out(mean, "mean"));
    if (inverse_deviation) RONDO_TRY(capi::check_out(inverse_deviation, "inverse_deviation"));
    for (rondo_tensor** const slot : {mean, inverse_deviation})
      if (slot && (slot == out || (slot == mean && slot == inverse_deviation)))
        return error(RONDO_INVALID_ARGUMENT, "out, mean and inverse_deviation are one pointer; each needs its own");
    ops::NormOptions known;
    RONDO_TRY(read(options, &known));
    ops::BatchNormTraining training;
    training.running_mean = running_mean ? &running_mean->view : nullptr;
    training.running_variance = running_variance ? &running_variance->view : nullptr;
    training.momentum = momentum;
    ops::Output means(mean, "mean"), inverses(inverse_deviation, "inverse_deviation");
    return ops::batch_norm_training(a->view, known, training, output, mean ? &means : nullptr,
                                    inverse_deviation ? &inverses : nullptr);
  });
}

rondo_status rondo_group_norm(rondo_tensor* a, int64_t groups, const rondo_norm_options* options, rondo_tensor** out) {
  return operator1("rondo_group_norm", a, "a", out, [&](ops::Output& output) -> Status {
    ops::NormOptions known;
    RONDO_TRY(read(options, &known));
    return ops::group_norm(a->view, groups, known, output);
  });
}

rondo_status rondo_instance_norm(rondo_tensor* a, const rondo_norm_options* options, rondo_tensor** out) {
  return operator1("rondo_instance_norm", a, "a", out, [&](ops::Output& output) -> Status {
    ops::NormOptions known;
    RONDO_TRY(read(options, &known));
    const Layout& shape = a->view.layout;
    return ops::group_norm(a->view, shape.ndim < 2 ? 1 : std::max<int64_t>(shape.shape[1], 1), known, output);
  });
}

}  // extern "C"
