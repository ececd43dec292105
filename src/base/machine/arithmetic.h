// Reads and sets the mode that the calling thread computes floating-point numbers in: how it rounds, whether it takes
// subnormal numbers for zeros, which exceptions trap. A program sets it for a thread, a thread inherits it from the one
// that starts it, and results must not depend on it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <cstdint>

#include "base/path.h"

namespace rondo {

#if defined(__x86_64__)

// The control registers of SSE and of the x87, without the flags of what has happened.
class ArithmeticMode {
 public:
  static ArithmeticMode of_thread() {
    ArithmeticMode mode;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mode.sse_), "=m"(mode.x87_));
    return mode;
  }
  bool operator==(const ArithmeticMode& other) const {
    return (((sse_ ^ other.sse_) & ~kFlags) | ((x87_ ^ other.x87_) & kControl)) == 0;
  }
  bool is_default() const { return *this == ArithmeticMode(); }
  // SSE keeps the flags of exceptions that have occurred. The x87 would trap when an exception that it has noted is
  // unmasked, so it forgets what it has.
  RONDO_COLD void enter() const {
    const ArithmeticMode now = of_thread();
    const uint32_t sse = (sse_ & ~kFlags) | (now.sse_ & kFlags);
    if ((now.x87_ ^ x87_) & kControl) __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87_));
    __asm__ volatile("ldmxcsr %0" : : "m"(sse) : "memory");
  }

 private:
  static constexpr uint32_t kFlags = 0x3f;
  static constexpr uint16_t kControl = 0x0f3f;
  uint32_t sse_ = 0x1f80;
  uint16_t x87_ = 0x037f;
};

#elif defined(__aarch64__)

class ArithmeticMode {
 public:
  static ArithmeticMode of_thread() {
    ArithmeticMode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode.control_));
    return mode;
  }
  bool operator==(const ArithmeticMode& other) const { return control_ == other.control_; }
  bool is_default() const { return control_ == 0; }
  RONDO_COLD void enter() const { __asm__ volatile("msr fpcr, %0" : : "r"(control_) : "memory"); }

 private:
  uint64_t control_ = 0;
};

#else

// Uses C's <cfenv>, which knows nothing about subnormal numbers.
class ArithmeticMode {
 public:
  static ArithmeticMode of_thread() {
    ArithmeticMode mode;
    mode.rounding_ = std::fegetround();
    return mode;
  }
  bool operator==(const ArithmeticMode& other) const { return rounding_ == other.rounding_; }
  bool is_default() const { return *this == ArithmeticMode(); }
  RONDO_COLD void enter() const { std::fesetround(rounding_); }

 private:
  int rounding_ = FE_TONEAREST;
};

#endif

// Before the library computes something where a function of the user's may have run: the thread has the default mode.
inline void set_default_arithmetic() {
  if (!ArithmeticMode::of_thread().is_default()) [[unlikely]]
    ArithmeticMode().enter();
}

// While in scope the thread has the default mode, and afterwards the one that it had before, whatever was set
// meanwhile.
class DefaultArithmetic {
 public:
  DefaultArithmetic() : own_(ArithmeticMode::of_thread()) {
    if (!own_.is_default()) [[unlikely]]
      ArithmeticMode().enter();
  }
  ~DefaultArithmetic() {
    if (!(ArithmeticMode::of_thread() == own_)) [[unlikely]]
      own_.enter();
  }
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

 private:
  const ArithmeticMode own_;
};

// Around a function of the user's: what the function sets is undone when it returns.
class KeptArithmetic {
 public:
  KeptArithmetic() : before_(ArithmeticMode::of_thread()) {}
  ~KeptArithmetic() {
    if (!(ArithmeticMode::of_thread() == before_)) [[unlikely]]
      before_.enter();
  }
  KeptArithmetic(const KeptArithmetic&) = delete;
  KeptArithmetic& operator=(const KeptArithmetic&) = delete;

 private:
  const ArithmeticMode before_;
};

}  // namespace rondo
