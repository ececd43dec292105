// Autocast scopes of a thread: in which precision the operators that it calls compute. The C interface asks before it
// runs an operator, so what operators are made of, and what a tape runs on its way back, is not cast again.
//
// A cast is an operator as others are: recorded, noted by tapes, fused by graphs. What was cast once is not cast again
// while nobody has written it, until the outermost scope ends or something else begins or ends on the thread: a tape, a
// recording, its bodies and sections, in which the cast would not be what it was (ThreadState::changes).
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
// is_text: it is the name of a text of the user's, beside those of operators.
Status set_autocast(Engine& engine, const char* operation, bool is_text, rondo_precision precision);
Status end_autocast(Engine& engine);
// Ends the thread's scopes of an engine that is going.
void abandon_autocast(Engine& engine);

// What the thread's scope does with operators of the engine, such as "f16, exp 2" with an operator that is overridden.
// Empty where it casts nothing; scopes of one text cast alike.
std::string autocast_text(const Engine& engine);

// Open in all threads, so that where there are none nobody looks further.
extern constinit std::atomic<int> autocast_scopes;

// What the thread's scope does for one operator, while this lives.
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
  // set for its name. What was set for the row counts before what was set for the function.
  struct Name {
    const char* function;
    const char* row = nullptr;
    bool is_text = false;
    Precision usual() const;
  };
  // Of operators whose precision is `image`, which operands are special: statistics, from there on, are of f32 beside
  // every image of 16 bits.
  static constexpr size_t kImage = 0, kResidual = 1, kStatistics = 4;
  // Puts casts of the operands in their place, as the precision says for all of them together. Null operands are left
  // out. Not for an operator whose output is given, which says itself what is wanted.
  RONDO_COLD static Status operands(const Name& name, std::span<rondo_tensor** const> operands);

 private:
  RONDO_COLD static void release();
  const bool on_;
};

}  // namespace rondo::ops
