// Attributes as words: what equality and hashes of nodes are made of.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/bit_cast.h"
#include "ops/program/kinds.h"

namespace rondo::ops {

namespace {

void add(Words* words, uint64_t word) {
  words->push_back(word);
}

void add_bytes(Words* words, const uint8_t* bytes, size_t count) {
  add(words, count);
  for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + i, std::min(count - i, sizeof word));
    add(words, word);
  }
}

void add(Words* words, const Fused& fused) {
  uint8_t packed[Expression::kMaxPacked];
  add_bytes(words, packed, static_cast<size_t>(fused.expression.pack(packed)));
  for (int i = 0; i < fused.expression.scalars(); ++i) add(words, fused.words[i]);
}

// An image's shape; how it lies is the operands' affair.
void add(Words* words, const Layout& layout) {
  add(words, static_cast<uint64_t>(layout.ndim));
  for (int d = 0; d < layout.ndim; ++d) add(words, static_cast<uint64_t>(layout.shape[d]));
}

void add(Words* words, const UnstoredValue& value) {
  add(words, static_cast<uint64_t>(value.dtype));
  add(words, static_cast<uint64_t>(value.offset));
  add(words, value.layout);
  for (int d = 0; d < value.layout.ndim; ++d) add(words, static_cast<uint64_t>(value.layout.strides[d]));
}

void add(Words* words, const Windows& windows) {
  add(words, static_cast<uint64_t>(windows.first));
  add(words, static_cast<uint64_t>(windows.count));
  for (int a = 0; a < windows.count; ++a) {
    const WindowAxis& axis = windows.axis[a];
    for (const auto each : {axis.in, axis.out, axis.size, axis.stride, axis.padding, axis.padding_end, axis.dilation})
      add(words, static_cast<uint64_t>(each));
    for (const auto each : {static_cast<int>(axis.rule), static_cast<int>(axis.origin), axis.counts_padding})
      add(words, static_cast<uint64_t>(each));
  }
}

template <class Value>
void add_value(Words* words, const Value& value) {
  if constexpr (HasMembers<const Value>) {
    Value::each_member(value, [words](const char*, const auto& member) { add_value(words, member); });
  } else if constexpr (std::is_floating_point_v<Value>) {
    add(words, bit_cast<uint64_t>(value));
  } else if constexpr (std::is_pointer_v<Value>) {
    add(words, reinterpret_cast<uintptr_t>(value));  // a row of a table
  } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
    add(words, static_cast<uint64_t>(value));
  } else if constexpr (requires { value.get(); }) {
    add(words, value ? 1 : 0);
    if (value) add(words, *value);
  } else if constexpr (requires { value.valueless_by_exception(); }) {
    add(words, value.index());
    std::visit([words](const auto& one) { add_value(words, one); }, value);
  } else if constexpr (requires { value.begin(); }) {
    add(words, value.size());
    for (const auto& each : value) add_value(words, each);
  } else if constexpr (std::is_array_v<Value>) {
    for (const auto& each : value) add_value(words, each);
  } else {
    add(words, value);
  }
}

// Null: the kind has none.
template <class Variant>
auto* closure_in(Variant& of) {
  using Found = std::conditional_t<std::is_const_v<Variant>, const Closure, Closure>;
  return std::visit(
      [](auto& kind) -> Found* {
        if constexpr (std::is_base_of_v<Closure, std::decay_t<decltype(kind)>>)
          return &kind;
        else
          return nullptr;
      },
      of);
}

}  // namespace

OperatorTask* closure_of(const Call& call) {
  const Closure* const found = closure_in(call.of);
  return found ? found->task.get() : nullptr;
}

Ref<const Call> with_closure(Ref<const Call> call, const Ref<OperatorTask>& closure) {
  if (!call) return make_ref<const Call>(OpaqueCall{{closure}});
  if (!closure_in(call->of)) return call;
  Kinds::Variant own = call->of;
  closure_in(own)->task = closure;
  return Ref<const Call>::adopt(new Call(own, call->unwritten, call->left_out));
}

bool append_words(const Call& call, Words* words) {
  add(words, call.of.index());
  add(words, call.unwritten);
  return std::visit(
      [words](const auto& attributes) {
        using Attributes = std::decay_t<decltype(attributes)>;
        if constexpr (HasMembers<const Attributes>) {
          add_value(words, attributes);
          return true;
        }
        return false;
      },
      call.of);
}

bool same_attributes(const Call& a, const Call& b, uint32_t except) {
  Words mine, other;
  if (!append_words(a, &mine) || !append_words(b, &other) || mine.size() != other.size()) return false;
  mine[1] &= ~uint64_t{except}, other[1] &= ~uint64_t{except};  // the results that are not made
  return std::equal(mine.begin(), mine.end(), other.begin());
}

}  // namespace rondo::ops
