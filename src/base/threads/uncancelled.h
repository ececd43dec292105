// Protects a call from pthread_cancel(): an end in the middle of a call would run through functions that let no
// exception out, and leave locks and queues as they were.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace rondo {

// While in scope the calling thread is not cancelled; a request made meanwhile waits until the thread reaches a
// cancellation point afterwards.
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace rondo
