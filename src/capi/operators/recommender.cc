// Checks the handles of the operators that recommenders use, bags and dot interactions, and calls them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/recommender.h>

#include "capi/operators.h"
#include "capi/structs.h"
#include "capi/tape.h"
#include "ops/recommender/bags.h"
#include "ops/recommender/interaction.h"

using namespace rondo;
using capi::check_tensor;

namespace {

constexpr int32_t kMostTables = 1 << 20;

Status check_bags(int32_t n_tables, rondo_tensor* const* tables, rondo_tensor* indices, rondo_tensor* offsets) {
  RONDO_TRY(capi::check_count("n_tables", n_tables, kMostTables));
  RONDO_TRY(capi::check_list("tables", tables, n_tables));
  RONDO_TRY(check_tensor(indices, "indices"));
  return offsets ? check_tensor(offsets, "offsets") : Status();
}

}  // namespace

extern "C" {

rondo_status rondo_embedding_bag(int32_t n_tables, rondo_tensor* const* tables, rondo_tensor* indices,
                                 rondo_tensor* offsets, rondo_bag_mode mode, rondo_tensor** out) {
  constexpr const char* kFunction = "rondo_embedding_bag";
  return capi::guard(kFunction, [&]() -> Status {
    RONDO_TRY(check_bags(n_tables, tables, indices, offsets));
    RONDO_TRY(capi::check_out(out));
    capi::CastList cast(std::span(tables, static_cast<size_t>(n_tables)));
    RONDO_TRY(cast.apply(kFunction, out));
    const std::vector<View> views = capi::views_of(cast.tensors().data(), n_tables);
    ops::Output output(out);
    return ops::embedding_bag({views, &indices->view, offsets ? &offsets->view : nullptr, mode}, output);
  });
}

rondo_status rondo_embedding_bag_descend(int32_t n_tables, rondo_tensor* const* tables, rondo_tensor* indices,
                                         rondo_tensor* offsets, rondo_bag_mode mode, rondo_tensor* gradient,
                                         rondo_tensor* rate, const rondo_descend_options* options) {
  return capi::guard("rondo_embedding_bag_descend", [&]() -> Status {
    RONDO_TRY(check_bags(n_tables, tables, indices, offsets));
    RONDO_TRY(check_tensor(gradient, "gradient"));
    RONDO_TRY(check_tensor(rate, "rate"));
    rondo_descend_options known = RONDO_DESCEND_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &known));
    rondo_tensor *const finite = known.finite, *const scale = known.scale;
    if (finite) RONDO_TRY(check_tensor(finite, "options->finite"));
    if (scale) RONDO_TRY(check_tensor(scale, "options->scale"));
    const std::vector<View> views = capi::views_of(tables, n_tables);
    return ops::embedding_bag_descend({views, &indices->view, offsets ? &offsets->view : nullptr, mode}, gradient->view,
                                      {&rate->view, finite ? &finite->view : nullptr, scale ? &scale->view : nullptr});
  });
}

rondo_status rondo_dot_interaction(rondo_tensor* x, int32_t keep_first, rondo_tensor** out) {
  return capi::operator1("rondo_dot_interaction", x, "x", out,
                         [&](ops::Output& output) { return ops::dot_interaction(x->view, keep_first != 0, output); });
}

}  // extern "C"
