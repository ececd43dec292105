// Makes a session over functions of the user's, which move data between ranks that found each other by other means: an
// MPI.
//
// No thread listens here for unexpected messages: texts that are told do not arrive, and the code that brought the
// functions finds out whether a rank is lost.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/hooks.h>

#include <mutex>

#include "comm/rendezvous/session.h"

namespace rondo::comm {

// The user's functions; their destroy is called with the last session.
class Hooks {
 public:
  explicit Hooks(const rondo_comm_hooks& given) : given_(given) {}
  ~Hooks() {
    if (given_.destroy) given_.destroy(given_.arg);
  }
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;
  const rondo_comm_hooks& given() const { return given_; }

 private:
  const rondo_comm_hooks given_;
};

std::shared_ptr<Session> make_hook_session(std::shared_ptr<Hooks> hooks, int64_t time_limit_ms);

}  // namespace rondo::comm
