// Tries plans out: on memory of the trial's own, eagerly and captured, and times them as a graph runs them, one after
// the other without the host in between. The operands of a family of problems, and their right results, are known to
// its own kind of trial.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/cudnn/plan.h"
#include "ops/trial/trial_memory.h"

namespace rondo::ops::dnn {

// Numbers of trials: at element i of memory that begins with number `first`, the number first + i. They are positive,
// so that no sum hides that a term is missing, differ, so that none hides that it has another, are exact in every
// dtype, and begin again after kNumbers elements, which is no multiple of any stride.
constexpr int64_t kNumbers = 4093;
double trial_number(int64_t i);

// A float of any dtype, read and written.
double number_at(int32_t dtype, const void* bytes);
void put_number(int32_t dtype, double number, void* bytes);

constexpr unsigned char kNan = 0xff;  // a byte of NaN in every dtype

// Scratch memory of a problem, and a stream; gives them back at the end.
class Trial : public TrialMemory {
 public:
  explicit Trial(cuda::CudaDevice& device) : TrialMemory(device) {}

  // RONDO_OUT_OF_MEMORY if there is none.
  Status take();

  // Runs the plan once and waits. An error that is not RONDO_DEVICE_LOST is the plan's.
  Status run(const Plan& plan);
  // Looks at what the plan makes of numbers that give themselves away. *flaw says what is wrong with it; null: nothing.
  // A status of success proves none of that: libraries were seen to answer so and compute otherwise.
  virtual Status examine(const Plan& plan, const char** flaw) = 0;
  using TrialMemory::time;
  // Sets *microseconds to those of one run, from `copies` of them in a graph, if a capture of it holds.
  Status time(const Plan& plan, int copies, float* microseconds);

  const Pointers& pointers() const { return pointers_; }

 protected:
  // Takes and fills what the problem is made of, and adds it to pointers_.
  virtual Status take_operands() = 0;
  // Memory that holds NaN, with a margin of it on both sides: an engine that reads or writes outside its operand is
  // found out.
  Status take_memory(size_t bytes, size_t margin, void** address) { return take_filled(kNan, bytes, margin, address); }
  // Fills it with the numbers of a trial, times a power of two.
  Status fill_numbers(int32_t dtype, int64_t first, void* address, size_t bytes, double factor = 1);

  Pointers pointers_;
};

}  // namespace rondo::ops::dnn
