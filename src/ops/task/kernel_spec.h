// Specifies a kernel of a family: the constants and types that its text begins with, and the text after them. They are
// the signature as well, so that two texts never share one. Plain data, which a task keeps until its kernel is wanted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>

#include "base/dtype.h"
#include "ops/operators/expression.h"
#include "rtc/signature.h"

namespace rondo::ops {

class KernelSpec {
 public:
  // `number` counts the kernels of a family; `name` is for messages and for people who look into the disk cache.
  KernelSpec(rtc::Family family, int number, bool wide, const char* name)
      : name_(name), family_(family), number_(number) {
    type("Index", wide ? RONDO_I64 : RONDO_I32);
  }
  KernelSpec& constant(const char* name, int value) { return add({name, value, false}); }
  KernelSpec& type(const char* name, rondo_dtype dtype) { return add({name, dtype, true}); }
  // The text that follows the definitions and rtc/device/strided.h. Parts live as long as the process, and are the same
  // for the same definitions.
  KernelSpec& text(std::initializer_list<const char*> parts) {
    for (const char* part : parts) parts_[part_count_++] = part;
    return *this;
  }

  // An expression of one output, which stays where it is: its operands and its element (element_text) are defined in
  // front of the other text, in the namespace `scope`. Inputs with a bit in `repeats` are the same for neighbours that
  // are loaded at once; input `given` is not loaded.
  KernelSpec& computing(const char* scope, const Expression& expression, unsigned repeats, int given = -1) {
    computed_[computed_count_++] = {scope, &expression, repeats, given};
    return *this;
  }

  const char* name() const { return name_; }
  rtc::Signature signature() const;
  std::string source() const;

 private:
  struct Entry {
    const char* name;
    int value;
    bool is_type;
  };
  KernelSpec& add(const Entry& entry) {
    entries_[entry_count_++] = entry;
    return *this;
  }
  const char* name_;
  rtc::Family family_;
  int number_;
  struct Computed {
    const char* scope;
    const Expression* expression;
    unsigned repeats;
    int given;
  };
  int entry_count_ = 0, part_count_ = 0, computed_count_ = 0;
  Entry entries_[24];
  const char* parts_[12];
  Computed computed_[2];
};

}  // namespace rondo::ops
