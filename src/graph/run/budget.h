// Limits what the graphs of one program take together: memory on devices, and steps of recurrent layers, each of which
// is a task of the host's memory.
//
// Each graph holds its share, which goes back when the graph is gone. Any thread.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/status.h"
#include "engine/tasks/making_limit.h"

namespace rondo {

class Budget {
 public:
  // bytes of all shares together; 0: any. measures: graphs are not made, only what they would take is found.
  // making: null, or what the caller allows for making something of the program.
  Budget(int64_t most_bytes, int64_t most_steps, std::shared_ptr<const MakingLimits> making = nullptr,
         bool measures = false)
      : most_bytes_(most_bytes), most_steps_(most_steps), making_(std::move(making)), measures_(measures) {}

  class Share {
   public:
    explicit Share(std::shared_ptr<Budget> of) : of_(std::move(of)) {}
    ~Share() { give_back(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    const Budget& budget() const { return *of_; }
    // False, and takes none, if all shares would have too many then.
    bool take_steps(int64_t more);
    // RONDO_OUT_OF_MEMORY with what is needed, for `what`; an error too where memory is only measured.
    Status take_bytes(int64_t more, const char* what);
    void give_back();
    int64_t bytes() const { return bytes_; }
    bool measured() const { return measured_; }

   private:
    const std::shared_ptr<Budget> of_;
    int64_t bytes_ = 0, steps_ = 0;
    bool measured_ = false;
  };

  // It notes if the budget refuses something to the calling thread while it is there: not what is refused to others.
  class Refusals {
   public:
    explicit Refusals(const Budget& of) : of_(of), before_(std::exchange(innermost_, this)) {}
    ~Refusals() { innermost_ = before_; }
    Refusals(const Refusals&) = delete;
    Refusals& operator=(const Refusals&) = delete;

    bool any() const { return any_; }

   private:
    friend class Budget;
    static constinit thread_local Refusals* innermost_;
    const Budget& of_;
    Refusals* const before_;
    bool any_ = false;
  };

  int64_t most_steps() const { return most_steps_; }
  bool measures() const { return measures_; }
  const MakingLimits* making() const { return making_.get(); }

 private:
  void note_refusal() const;

  const int64_t most_bytes_, most_steps_;
  const std::shared_ptr<const MakingLimits> making_;
  const bool measures_;
  std::mutex mutex_;
  int64_t bytes_ = 0, steps_ = 0;  // of all shares
};

}  // namespace rondo
