// Checks the handles of buckets of gradients, and makes, reduces and describes the buckets.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/buckets.h"

#include "capi/comm.h"
#include "capi/structs.h"
#include "capi/tape.h"
#include "engine/handle.h"

struct rondo_buckets {
  uint32_t magic = 0;
  std::unique_ptr<rondo::comm::Buckets> buckets;
};

using namespace rondo;
using capi::guard_whole;

namespace {

using AllBuckets = HandleSlab<rondo_buckets, HandleKind::buckets>;

Status check_buckets(const rondo_buckets* buckets) {
  if (!AllBuckets::alive(buckets)) return capi::dead_handle("buckets", "set of buckets", buckets);
  return capi::check_present(buckets->buckets->engine());
}

}  // namespace

void capi::list_live_buckets(const Engine& engine, std::vector<std::string>* objects) {
  AllBuckets::for_each([&](const rondo_buckets& each) {
    if (&each.buckets->engine() == &engine) objects->emplace_back("buckets of gradients");
  });
}

extern "C" {

rondo_status rondo_buckets_create(rondo_comm* comm, int32_t n_parameters, rondo_tensor* const* parameters,
                                  const rondo_buckets_options* options, rondo_buckets** buckets) {
  return guard_whole("rondo_buckets_create", [&]() -> Status {
    RONDO_TRY(capi::check_comm(comm));
    RONDO_TRY(capi::check_count("n_parameters", n_parameters, 1 << 20));
    RONDO_TRY(capi::check_list("parameters", parameters, n_parameters));
    RONDO_NOT_NULL(buckets);
    rondo_buckets_options known = RONDO_BUCKETS_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &known));
    RONDO_TRY(comm->communicator->engine().usable());
    std::unique_ptr<comm::Buckets> made;
    RONDO_TRY(comm::Buckets::create(*comm->communicator, capi::views_of(parameters, n_parameters), known, &made));
    *buckets = AllBuckets::create([&made](rondo_buckets& handle) { handle.buckets = std::move(made); });
    return {};
  });
}

void rondo_buckets_destroy(rondo_buckets* buckets) {
  if (!buckets) return;
  guard_whole("rondo_buckets_destroy", [&]() -> Status {
    std::unique_ptr<comm::Buckets> last;
    return capi::destroy<AllBuckets>(buckets, "buckets", "set of buckets",
                                     [&last](rondo_buckets& each) { last = std::move(each.buckets); });
  });
}

rondo_status rondo_buckets_reduce(rondo_buckets* buckets, rondo_tape* tape, int32_t n_outputs,
                                  rondo_tensor* const* outputs, rondo_tensor* const* output_gradients) {
  return guard_whole("rondo_buckets_reduce", [&]() -> Status {
    RONDO_TRY(check_buckets(buckets));
    RONDO_TRY(capi::check_tape(tape));
    std::vector<const View*> given;
    RONDO_TRY(capi::read_outputs(n_outputs, outputs, output_gradients, &given));
    return buckets->buckets->reduce(capi::tape_of(tape), capi::views_of(outputs, n_outputs), given, {}, {});
  });
}

rondo_status rondo_buckets_reduce_with(rondo_buckets* buckets, rondo_tape* tape, int32_t n_outputs,
                                       rondo_tensor* const* outputs, rondo_tensor* const* output_gradients,
                                       int32_t n_sources, rondo_tensor* const* sources, rondo_tensor** gradients) {
  return guard_whole("rondo_buckets_reduce_with", [&]() -> Status {
    RONDO_TRY(check_buckets(buckets));
    RONDO_TRY(capi::check_tape(tape));
    std::vector<const View*> given;
    RONDO_TRY(capi::read_outputs(n_outputs, outputs, output_gradients, &given));
    RONDO_TRY(capi::check_sources(n_sources, sources, gradients));
    return buckets->buckets->reduce(capi::tape_of(tape), capi::views_of(outputs, n_outputs), given,
                                    capi::views_of(sources, n_sources),
                                    std::span(gradients, static_cast<size_t>(n_sources)));
  });
}

rondo_status rondo_buckets_gradient(rondo_buckets* buckets, int32_t index, rondo_tensor** gradient) {
  return guard_whole("rondo_buckets_gradient", [&]() -> Status {
    RONDO_TRY(check_buckets(buckets));
    RONDO_NOT_NULL(gradient);
    const auto count = static_cast<int32_t>(buckets->buckets->parameters());
    if (index < 0 || index >= count)
      return error(RONDO_INVALID_ARGUMENT, "index is %d; there are %d parameters", index, count);
    RONDO_TRY(buckets->buckets->engine().usable());
    *gradient = buckets->buckets->gradient(static_cast<size_t>(index));
    return {};
  });
}

rondo_status rondo_buckets_query(rondo_buckets* buckets, rondo_buckets_info* info) {
  return guard_whole("rondo_buckets_query", [&]() -> Status {
    RONDO_TRY(check_buckets(buckets));
    rondo_buckets_info facts = RONDO_BUCKETS_INFO_INIT;
    buckets->buckets->describe(&facts);
    return capi::write_info("info", info, facts);
  });
}

}  // extern "C"
