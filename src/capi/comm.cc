// Makes, splits and destroys communicators, and submits collectives, after checking handles and options.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/comm.h"

#include "capi/operators.h"
#include "capi/structs.h"
#include "capi/tape.h"
#include "engine/handle.h"

using namespace rondo;
using capi::check_comm;
using capi::check_engine;
using capi::check_out;
using capi::check_tensor;
using capi::guard_whole;
using comm::Communicator;

namespace {

using Communicators = HandleSlab<rondo_comm, HandleKind::communicator>;

// Live ends of one engine, and of groups that are used together.
Status check_ends(rondo_comm* const* comms, int32_t n, std::vector<Communicator*>* ends) {
  if (n < 1 || n > 1024) return error(RONDO_INVALID_ARGUMENT, "n is %d; it must be 1 to 1024", n);
  RONDO_NOT_NULL(comms);
  for (int32_t i = 0; i < n; ++i) {
    if (!Communicators::alive(comms[i]))
      return error(RONDO_INVALID_ARGUMENT, "comms[%d] is %s; a live communicator is needed", i,
                   comms[i] ? "not a live communicator" : "NULL");
    RONDO_TRY(capi::check_present(comms[i]->communicator->engine()));
    ends->push_back(comms[i]->communicator.get());
    for (int32_t j = 0; j < i; ++j)
      if (comms[j] == comms[i]) return error(RONDO_INVALID_ARGUMENT, "comms[%d] is comms[%d]; each comes once", i, j);
  }
  return {};
}

void hand_out(std::vector<Ref<Communicator>>& made, rondo_comm** comms) {
  for (size_t i = 0; i < made.size(); ++i) comms[i] = made[i] ? capi::make_comm(std::move(made[i])) : nullptr;
}

// A collective: the handle checked, and what goes wrong in a group noted there.
template <class Body>
rondo_status collective(const char* function, rondo_comm* comm, Body&& body) {
  return guard_whole(function, [&]() -> Status {
    RONDO_TRY(check_comm(comm));
    Communicator& communicator = *comm->communicator;
    return communicator.grouped(body(communicator));
  });
}

template <class Body>
rondo_status collective(const char* function, rondo_comm* comm, rondo_tensor* input, rondo_tensor** out, Body&& body) {
  return collective(function, comm, [&](Communicator& communicator) -> Status {
    RONDO_TRY(check_tensor(input, "input"));
    RONDO_TRY(check_out(out));
    ops::Output output(out);
    return body(communicator, output);
  });
}

template <class Body>
rondo_status collective(const char* function, rondo_comm* comm, rondo_tensor* tensor, Body&& body) {
  return collective(function, comm, [&](Communicator& communicator) -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    return body(communicator);
  });
}

}  // namespace

Status capi::check_comm(const rondo_comm* comm) {
  if (!Communicators::alive(comm)) return dead_handle("comm", "communicator", comm);
  return check_present(comm->communicator->engine());
}

rondo_comm* capi::make_comm(Ref<Communicator> communicator) {
  return Communicators::create([&communicator](rondo_comm& handle) { handle.communicator = std::move(communicator); });
}

Status capi::read_comm_options(const rondo_comm_options* given, rondo_comm_options* known, comm::Options* options) {
  RONDO_TRY(read_options("options", given, known));
  if (known->time_limit_ms < -1)
    return error(RONDO_INVALID_ARGUMENT, "options->time_limit_ms is %lld; use milliseconds, 0 for 600000, -1 for none",
                 static_cast<long long>(known->time_limit_ms));
  if (known->max_blocks < 0 || known->max_blocks > 64)
    return error(RONDO_INVALID_ARGUMENT,
                 "options->max_blocks is %lld; 1 to 64 are possible, 0 leaves it to the library",
                 static_cast<long long>(known->max_blocks));
  if (known->time_limit_ms) options->time_limit_ms = known->time_limit_ms;
  if (known->name) options->name = known->name;
  options->max_blocks = static_cast<int>(known->max_blocks);
  return {};
}

void capi::list_live_communicators(const Engine& engine, std::vector<std::string>* objects) {
  Communicators::for_each([&](const rondo_comm& each) {
    if (&each.communicator->engine() == &engine)
      objects->push_back(std::string("communicator '") + each.communicator->name() + "'");
  });
}

extern "C" {

rondo_status rondo_comm_create_all(rondo_engine* engine, const rondo_device* devices, int32_t n,
                                   const rondo_comm_options* options, rondo_comm** comms) {
  return guard_whole("rondo_comm_create_all", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(devices);
    RONDO_NOT_NULL(comms);
    if (n < 1 || n > 64) return error(RONDO_INVALID_ARGUMENT, "n is %d; it must be 1 to 64", n);
    rondo_comm_options given = RONDO_COMM_OPTIONS_INIT;
    comm::Options known;
    RONDO_TRY(capi::read_comm_options(options, &given, &known));
    if (given.rank || given.ranks || given.address || given.secret)
      return error(RONDO_INVALID_ARGUMENT,
                   "options: rank, ranks, address and secret must not be set; the ends are all made by this call");
    RONDO_TRY(engine->engine->usable());
    std::vector<Device*> found(static_cast<size_t>(n));
    for (int32_t i = 0; i < n; ++i) {
      RONDO_TRY(get_device(devices[i], &found[static_cast<size_t>(i)]));
      if (devices[i].kind != devices[0].kind)
        return error(RONDO_INVALID_ARGUMENT, "devices[%d] is %s and devices[0] %s; all must be of one kind", i,
                     device_name(devices[i]).c_str(), device_name(devices[0]).c_str());
      for (int32_t j = 0; j < i && devices[i].kind != RONDO_CPU; ++j)
        if (devices[j].index == devices[i].index)
          return error(RONDO_INVALID_ARGUMENT, "devices[%d] and devices[%d] are both %s; each rank needs its own", j, i,
                       device_name(devices[i]).c_str());
    }
    std::vector<Ref<Communicator>> made;
    RONDO_TRY(Communicator::create_all(*engine->engine, found, known, &made));
    hand_out(made, comms);
    return {};
  });
}

void rondo_comm_destroy(rondo_comm* comm) {
  if (!comm) return;
  guard_whole("rondo_comm_destroy", [&]() -> Status {
    Ref<Communicator> inner;
    return capi::destroy<Communicators>(comm, "comm", "communicator",
                                        [&inner](rondo_comm& each) { inner = std::move(each.communicator); });
  });
}

rondo_status rondo_comm_split(rondo_comm* const* comms, int32_t n, const int32_t* colours, const int32_t* keys,
                              rondo_comm** made) {
  return guard_whole("rondo_comm_split", [&]() -> Status {
    std::vector<Communicator*> ends;
    RONDO_TRY(check_ends(comms, n, &ends));
    RONDO_NOT_NULL(colours);
    RONDO_NOT_NULL(made);
    std::vector<Ref<Communicator>> parts;
    RONDO_TRY(Communicator::split(ends, colours, keys, &parts));
    hand_out(parts, made);
    return {};
  });
}

rondo_status rondo_comm_reform(rondo_comm* const* comms, int32_t n, rondo_comm** made) {
  return guard_whole("rondo_comm_reform", [&]() -> Status {
    std::vector<Communicator*> ends;
    RONDO_TRY(check_ends(comms, n, &ends));
    RONDO_NOT_NULL(made);
    std::vector<Ref<Communicator>> parts;
    RONDO_TRY(Communicator::reform(ends, &parts));
    hand_out(parts, made);
    return {};
  });
}

rondo_status rondo_comm_abort(rondo_comm* comm, const char* reason) {
  return guard_whole("rondo_comm_abort", [&]() -> Status {
    RONDO_TRY(check_comm(comm));
    comm->communicator->abort(reason ? reason : "aborted");
    return {};
  });
}

rondo_status rondo_comm_query(rondo_comm* comm, rondo_comm_info* info) {
  return guard_whole("rondo_comm_query", [&]() -> Status {
    RONDO_TRY(check_comm(comm));
    const Communicator& inner = *comm->communicator;
    rondo_comm_info facts = RONDO_COMM_INFO_INIT;
    facts.rank = inner.rank();
    facts.ranks = inner.size();
    facts.device = inner.device().id();
    facts.state = inner.check().ok() ? RONDO_COMM_WORKING : RONDO_COMM_FAILED;
    facts.version = inner.transport().version();
    facts.submitted = inner.submitted();
    facts.transport = inner.transport().name();
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_comm_check(rondo_comm* comm) {
  return guard_whole("rondo_comm_check", [&]() -> Status {
    RONDO_TRY(check_comm(comm));
    return comm->communicator->check();
  });
}

rondo_status rondo_comm_wait(rondo_comm* comm) {
  return guard_whole("rondo_comm_wait", [&]() -> Status {
    RONDO_TRY(check_comm(comm));
    const Ref<Communicator> inner = comm->communicator;
    return inner->wait();
  });
}

rondo_status rondo_comm_all_reduce(rondo_comm* comm, rondo_tensor* input, rondo_reduce_op reduction,
                                   rondo_tensor** out) {
  return collective("rondo_comm_all_reduce", comm, input, out, [&](Communicator& inner, ops::Output& output) {
    return inner.all_reduce(input->view, reduction, output);
  });
}

rondo_status rondo_comm_all_gather(rondo_comm* comm, rondo_tensor* input, rondo_tensor** out) {
  return collective("rondo_comm_all_gather", comm, input, out,
                    [&](Communicator& inner, ops::Output& output) { return inner.all_gather(input->view, output); });
}

rondo_status rondo_comm_reduce_scatter(rondo_comm* comm, rondo_tensor* input, rondo_reduce_op reduction,
                                       rondo_tensor** out) {
  return collective("rondo_comm_reduce_scatter", comm, input, out, [&](Communicator& inner, ops::Output& output) {
    return inner.reduce_scatter(input->view, reduction, output);
  });
}

rondo_status rondo_comm_broadcast(rondo_comm* comm, rondo_tensor* tensor, int32_t root) {
  return collective("rondo_comm_broadcast", comm, tensor,
                    [&](Communicator& inner) { return inner.broadcast(tensor->view, root); });
}

rondo_status rondo_comm_reduce(rondo_comm* comm, rondo_tensor* input, rondo_reduce_op reduction, int32_t root,
                               rondo_tensor** out) {
  return collective("rondo_comm_reduce", comm, [&](Communicator& inner) -> Status {
    RONDO_TRY(check_tensor(input, "input"));
    if (root != inner.rank()) return inner.reduce(input->view, reduction, root, nullptr);
    RONDO_TRY(check_out(out));
    ops::Output output(out);
    return inner.reduce(input->view, reduction, root, &output);
  });
}

rondo_status rondo_comm_all_to_all(rondo_comm* comm, rondo_tensor* input, rondo_tensor** out) {
  return collective("rondo_comm_all_to_all", comm, input, out,
                    [&](Communicator& inner, ops::Output& output) { return inner.all_to_all(input->view, output); });
}

rondo_status rondo_comm_send(rondo_comm* comm, rondo_tensor* tensor, int32_t peer) {
  return collective("rondo_comm_send", comm, tensor,
                    [&](Communicator& inner) { return inner.send(tensor->view, peer); });
}

rondo_status rondo_comm_receive(rondo_comm* comm, rondo_tensor* tensor, int32_t peer) {
  return collective("rondo_comm_receive", comm, tensor,
                    [&](Communicator& inner) { return inner.receive(tensor->view, peer); });
}

rondo_status rondo_comm_barrier(rondo_comm* comm) {
  return collective("rondo_comm_barrier", comm, [](Communicator& inner) { return inner.barrier(); });
}

rondo_status rondo_comm_group_begin(rondo_comm* comm) {
  return guard_whole("rondo_comm_group_begin", [&]() -> Status {
    RONDO_TRY(check_comm(comm));
    return comm->communicator->group_begin();
  });
}

rondo_status rondo_comm_group_end(rondo_comm* comm) {
  return guard_whole("rondo_comm_group_end", [&]() -> Status {
    RONDO_TRY(check_comm(comm));
    return comm->communicator->group_end();
  });
}

}  // extern "C"
