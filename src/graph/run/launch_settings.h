// A graph has settings that can change between its launches: the values of its parameters, and which of its sections
// are on. There is a word for each; a launch runs with those that there are when it is submitted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/small_vector.h"
#include "base/status.h"
#include "engine/engine.h"
#include "graph/run/facts.h"
#include "ops/operators/scalar.h"

namespace rondo {

class LaunchSettings {
 public:
  enum class Kind { parameter, section };
  using Words = SmallVector<uint64_t, 4>;

  // --- while it is recorded, by one thread
  // A number for a new one.
  uint32_t add(Kind kind, const char* name, rondo_dtype dtype, uint64_t word);
  // The number of the one of that name; false: there is none.
  bool find(Kind kind, const char* name, uint32_t* number) const;

  // --- from any thread
  bool empty() const { return list_.empty(); }
  Words words() const;
  uint64_t word(uint32_t number) const;
  Status set_parameter(const char* graph, const char* name, ops::Scalar value);
  Status set_section(const char* graph, const char* name, bool on);

  std::string report() const;
  uint32_t size() const { return static_cast<uint32_t>(list_.size()); }
  const char* name(uint32_t number) const { return list_[number].name.c_str(); }
  Kind kind(uint32_t number) const { return list_[number].kind; }
  rondo_dtype dtype(uint32_t number) const { return list_[number].dtype; }
  // The name of the section that a step is in, or null.
  const char* section_of(const Step& step) const { return step.is_switched() ? name(step.section) : nullptr; }

 private:
  struct Setting {
    Kind kind;
    std::string name;
    rondo_dtype dtype;
  };
  Status find_or_tell(Kind kind, const char* graph, const char* name, uint32_t* number) const;

  std::vector<Setting> list_;
  std::unordered_map<std::string, uint32_t> parameters_, sections_;  // numbers, by name
  mutable std::mutex mutex_;
  Words words_;  // guarded by mutex_
};

}  // namespace rondo
