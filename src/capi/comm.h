// Declares what functions over communicators share: checks of live ones, the making of new ones, their options.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/comm.h>

#include "capi/capi.h"
#include "comm/communicator.h"

struct rondo_comm {
  uint32_t magic = 0;
  rondo::Ref<rondo::comm::Communicator> communicator;
};

namespace rondo::capi {

Status check_comm(const rondo_comm* comm);
rondo_comm* make_comm(Ref<comm::Communicator> communicator);
// *known: all of them, of which the caller judges how ranks meet; *options: the rest, checked.
Status read_comm_options(const rondo_comm_options* given, rondo_comm_options* known, comm::Options* options);

}  // namespace rondo::capi
