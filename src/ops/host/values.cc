// Converts elements of any dtype in memory to values of a few types, and back, a block at a time.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/host/values.h"

namespace rondo::ops {

namespace {

// Null if there is nothing to convert.
Loop conversion(const Loops& table, rondo_dtype from, rondo_dtype to) {
  return compute_dtype(from) == to ? nullptr : table.find({Op::cast, static_cast<uint8_t>(to), 0, 0, 0}, from);
}

}  // namespace

ValueReader::ValueReader(rondo_dtype memory, rondo_dtype values, Instructions which)
    : load_(loops(which).moves(memory, false).load),
      convert_(conversion(loops(which), memory, values)),
      plain_(memory != RONDO_BOOL && compute_dtype(memory) == memory) {}

const void* ValueReader::bring(const char* from, int64_t stride, int64_t n, ValueBlock* room) const {
  if (!convert_) {
    load_(room->bytes, from, stride, n);
    return room->bytes;
  }
  ValueBlock registers;
  const void* loaded = from;
  if (!plain_ || stride != 1) {
    load_(registers.bytes, from, stride, n);
    loaded = registers.bytes;
  }
  convert_(room->bytes, loaded, nullptr, nullptr, n);
  return room->bytes;
}

ValueWriter::ValueWriter(rondo_dtype values, rondo_dtype memory, bool accumulate, Instructions which)
    : store_(loops(which).moves(memory, accumulate).store) {
  // To the dtype in memory, not to its register type: what becomes a 16-bit float is rounded once.
  if (compute_dtype(memory) != values) convert_ = conversion(loops(which), values, memory);
}

void ValueWriter::write(char* to, int64_t stride, const void* values, int64_t n) const {
  if (!convert_) return store_(to, stride, values, n);
  ValueBlock registers;
  convert_(registers.bytes, values, nullptr, nullptr, n);
  store_(to, stride, registers.bytes, n);
}

}  // namespace rondo::ops
