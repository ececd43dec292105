// Makes communicators of groups whose ranks are processes, or that the program's own functions join.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/hooks.h>
#include <rondo/launch.h>

#include "capi/comm.h"
#include "capi/structs.h"
#include "comm/rendezvous/hook_session.h"
#include "comm/rendezvous/socket_session.h"

using namespace rondo;
using capi::check_engine;
using capi::guard_whole;

namespace {

// Reads them from the options if they are given there, and otherwise from the environment.
Status read_meeting(const rondo_comm_options& options, comm::Meeting* meeting) {
  if (options.ranks < 0) return error(RONDO_INVALID_ARGUMENT, "options->ranks is %d; 1 or more, or 0", options.ranks);
  if (options.ranks > 0 && (options.rank < 0 || options.rank >= options.ranks))
    return error(RONDO_INVALID_ARGUMENT, "options->rank is %d; of %d ranks it is 0 to %d", options.rank, options.ranks,
                 options.ranks - 1);
  if (options.ranks == 0 && options.rank != 0)
    return error(RONDO_INVALID_ARGUMENT,
                 "options->rank is %d, but options->ranks is 0, so that the environment says both", options.rank);
  if (options.ranks == 0) {
    RONDO_TRY(comm::meeting_from_environment(meeting));
  } else {
    comm::Meeting environment;
    // Its address and secret serve where none are given; what else is wrong there does not matter here.
    if (!options.address || !options.secret) (void)comm::meeting_from_environment(&environment).ok();
    meeting->rank = options.rank;
    meeting->size = options.ranks;
    meeting->address = environment.address;
    meeting->in_home = environment.in_home;
    meeting->ports = environment.ports;
    meeting->job = environment.job;
    meeting->secret = environment.secret;
    meeting->source = "options";
  }
  if (options.address) {
    meeting->address = options.address;
    meeting->in_home = false;
    meeting->ports = 1;
    meeting->job.clear();
  }
  if (options.secret) meeting->secret = options.secret;
  if (meeting->size > 1 && meeting->address.empty())
    return error(RONDO_INVALID_ARGUMENT,
                 "nobody says where the ranks meet: set options->address or RONDO_ADDRESS to host:port, where rank 0 "
                 "listens, or to file:path in a folder that all share");
  return {};
}

}  // namespace

extern "C" {

rondo_status rondo_ranks_query(rondo_ranks_info* info) {
  return guard_whole("rondo_ranks_query", [&]() -> Status {
    comm::Meeting meeting;
    RONDO_TRY(comm::meeting_from_environment(&meeting));
    rondo_ranks_info facts = RONDO_RANKS_INFO_INIT;
    facts.rank = meeting.rank;
    facts.ranks = meeting.size;
    comm::local_place(&facts.local_rank, &facts.local_ranks);
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_comm_create(rondo_engine* engine, rondo_device device, const rondo_comm_options* options,
                               rondo_comm** comm) {
  return guard_whole("rondo_comm_create", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(comm);
    rondo_comm_options known = RONDO_COMM_OPTIONS_INIT;
    comm::Options chosen;
    RONDO_TRY(capi::read_comm_options(options, &known, &chosen));
    comm::Meeting meeting;
    RONDO_TRY(read_meeting(known, &meeting));
    RONDO_TRY(engine->engine->usable());
    RONDO_TRY(comm::Communicator::refuse_here("making a communicator"));
    Device* found = nullptr;
    RONDO_TRY(get_device(device, &found));
    meeting.join_s = chosen.time_limit_ms < 0 ? 1e9 : static_cast<double>(chosen.time_limit_ms) * 1e-3;
    std::shared_ptr<comm::Session> session;
    RONDO_TRY(comm::join(meeting, chosen.time_limit_ms, &session));
    Ref<comm::Communicator> made;
    RONDO_TRY(comm::Communicator::create(*engine->engine, *found, std::move(session), chosen, &made));
    *comm = capi::make_comm(std::move(made));
    return {};
  });
}

rondo_status rondo_comm_create_with_hooks(rondo_engine* engine, rondo_device device, const rondo_comm_hooks* hooks,
                                          const rondo_comm_options* options, rondo_comm** comm) {
  std::shared_ptr<comm::Hooks> held;  // calls destroy
  return guard_whole("rondo_comm_create_with_hooks", [&]() -> Status {
    RONDO_NOT_NULL(hooks);
    rondo_comm_hooks known_hooks = RONDO_COMM_HOOKS_INIT;
    RONDO_TRY(capi::read_options("hooks", hooks, &known_hooks));
    held = std::make_shared<comm::Hooks>(known_hooks);
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(comm);
    if (!known_hooks.exchange) return error(RONDO_INVALID_ARGUMENT, "hooks->exchange is NULL; a function is needed");
    if (known_hooks.ranks < 1 || known_hooks.rank < 0 || known_hooks.rank >= known_hooks.ranks)
      return error(RONDO_INVALID_ARGUMENT, "hooks->rank is %d of hooks->ranks %d; it must be 0 to one less than them",
                   known_hooks.rank, known_hooks.ranks);
    rondo_comm_options known = RONDO_COMM_OPTIONS_INIT;
    comm::Options chosen;
    RONDO_TRY(capi::read_comm_options(options, &known, &chosen));
    if (known.rank || known.ranks || known.address || known.secret)
      return error(RONDO_INVALID_ARGUMENT, "options: rank, ranks, address and secret must not be set; hooks say them");
    RONDO_TRY(engine->engine->usable());
    RONDO_TRY(comm::Communicator::refuse_here("making a communicator"));
    Device* found = nullptr;
    RONDO_TRY(get_device(device, &found));
    std::shared_ptr<comm::Session> session = comm::make_hook_session(std::move(held), chosen.time_limit_ms);
    // All meet here, and whether the functions work at all shows: on cpu nothing else of making an end waits for the
    // others.
    std::vector<std::string> all;
    RONDO_TRY(session->all_gather("making a communicator", "", &all));
    Ref<comm::Communicator> made;
    RONDO_TRY(comm::Communicator::create(*engine->engine, *found, std::move(session), chosen, &made));
    *comm = capi::make_comm(std::move(made));
    return {};
  });
}

}  // extern "C"
