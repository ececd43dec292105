// Declares the autocast scopes of a thread: in which precision the operators that it calls compute. The C interface
// asks before it runs an operator, so the steps of operators, and the operators that a tape runs on its way back, are
// not cast again.
//
// A cast is an operator as others are: recorded, noted by tapes, fused by graphs. A tensor that was cast is not cast
// again while no task has written it, until the outermost scope ends or something else begins or ends on the thread: a
// tape, a recording, its bodies and sections, in which the cast would not be what it was (ThreadState::changes).
//
// Scopes belong to their thread, which alone uses them. Tasks have none.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/mixed_precision.h>

#include <atomic>
#include <span>
#include <string>

#include "engine/tensor.h"
#include "ops/autocast/precisions.h"

namespace rondo::ops {

Status begin_autocast(Engine& engine, rondo_dtype dtype);
// is_text: it is the name of a text of the user's, as opposed to an operator's.
Status set_autocast(Engine& engine, const char* operation, bool is_text, rondo_precision precision);
Status end_autocast(Engine& engine);
// Ends the thread's scopes of an engine that is going.
void abandon_autocast(Engine& engine);

// Describes how the thread's scope casts operators of the engine, such as "f16, exp 2" with an operator that is
// overridden. Empty where it casts nothing; scopes of one text cast alike.
std::string autocast_text(const Engine& engine);

// The number of scopes open in all threads, so that without any no thread looks further.
extern constinit std::atomic<int> autocast_scopes;

// Casts the operands of one operator as the thread's scope says, while this lives.
class Casting {
 public:
  Casting() : on_(autocast_scopes.load(std::memory_order_relaxed) != 0) {}
  ~Casting() {
    if (on_) [[unlikely]]
      release();
  }
  Casting(const Casting&) = delete;
  Casting& operator=(const Casting&) = delete;

  bool on() const { return on_; }
  // By what a precision is found and set: the row of an operator that is one of several ("exp"), else null, and the
  // function of the C interface without rondo_, or a text of the user's, of which a scope knows nothing but what was
  // set for its name. A precision that was set for the row takes precedence over one that was set for the function.
  struct Name {
    const char* function;
    const char* row = nullptr;
    bool is_text = false;
    Precision usual() const;
  };
  // The special operands of operators whose precision is `image`: statistics, from there on, are of f32 with every
  // image of 16 bits.
  static constexpr size_t kImage = 0, kResidual = 1, kStatistics = 4;
  // Puts casts of the operands in their place, as the precision says for all of them together. Null operands are left
  // out. Not for an operator whose output is given, which says itself what is wanted.
  RONDO_COLD static Status operands(const Name& name, std::span<rondo_tensor** const> operands);

 private:
  RONDO_COLD static void release();
  const bool on_;
};

}  // namespace rondo::ops
