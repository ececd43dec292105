// Describes an operator for observers of the tasks that a thread submits (engine/tasks/observer.h): its kind, a row of
// kinds.def, and its attributes (attributes.h). The operands are the task's (list_operands), inputs before outputs; the
// row names them.
//
// A task that does not say what it is (no call with submit) is opaque: a tape knows what it reads and writes, and that
// it has no gradient; a graph runs it whatever becomes of what it writes. So nothing is differentiated, or left out, by
// accident.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/small_vector.h"
#include "engine/tasks/observer.h"
#include "ops/program/attributes.h"

namespace rondo::ops {

enum class KindGradient { none, rule };

// kinds.def as types and tables.
template <class... Kinds>
struct KindList {
  using Variant = std::variant<Kinds...>;
};
struct Nothing {};  // the end of the list, which no call is
using Kinds = KindList<
#define RONDO_KIND(Name, ...) Name##Call,
#include "ops/program/kinds.def"
#undef RONDO_KIND
    Nothing>;

// Stays where it is made: an observer that keeps it shares it.
struct Call : OpInfo {
  template <class OneKind>
  Call(const OneKind& kind, uint32_t unwritten_results = 0, std::vector<UnstoredValue> their_views = {})
      : of(kind), unwritten(unwritten_results), left_out(std::move(their_views)) {}
  bool leaves_out(size_t result) const { return result < 32 && ((unwritten >> result) & 1) != 0; }
  const Kinds::Variant of;
  const uint32_t unwritten;  // of the first 32 results of the kind, those that are not made, a bit each
  const std::vector<UnstoredValue> left_out;  // these, in order
};

template <class Kind, class... Kinds>
inline constexpr bool kIsOneOf = (std::is_same_v<Kind, Kinds> || ...);

struct KindRow {
  const char* name;
  bool gradient;  // the tape has a rule for it
  Effects effects;
  const char* since;     // the version of the library that has it first
  const char* operands;  // their names, as kinds.def says
};
inline constexpr KindRow kKinds[] = {
#define RONDO_KIND(Name, gradient, precision, effects, infer, since, operands, ...) \
  {#Name, KindGradient::gradient == KindGradient::rule, Effects::effects, since, operands},
#include "ops/program/kinds.def"
#undef RONDO_KIND
};
inline const KindRow& row_of(const Call& call) {
  return kKinds[call.of.index()];
}

template <class OneKind>
inline constexpr const KindRow* kRowOf = nullptr;
enum class KindNumber {
#define RONDO_KIND(Name, ...) Name,
#include "ops/program/kinds.def"
#undef RONDO_KIND
};
#define RONDO_KIND(Name, ...) \
  template <>                 \
  inline constexpr const KindRow* kRowOf<Name##Call> = &kKinds[static_cast<size_t>(KindNumber::Name)];
#include "ops/program/kinds.def"
#undef RONDO_KIND
// Not asked of kRowOf: under -fsanitize=undefined GCC takes no comparison of an address with null for a constant.
template <class OneKind>
inline constexpr bool kHasRule = false;
#define RONDO_KIND(Name, gradient, ...) \
  template <>                           \
  inline constexpr bool kHasRule<Name##Call> = KindGradient::gradient == KindGradient::rule;
#include "ops/program/kinds.def"
#undef RONDO_KIND

// call null: opaque.
inline Effects effects_of(const Call* call) {
  if (!call) return Effects::opaque;
  const auto* control = std::get_if<ControlCall>(&call->of);
  return control ? control->effects : row_of(*call).effects;
}

// All attributes of a call, and its kind, as words: two calls with equal words do the same with equal operands. False
// where the kind does not say what decides its results.
using Words = SmallVector<uint64_t, 48>;
bool append_words(const Call& call, Words* words);
// except: results that only one of them may leave out.
bool same_attributes(const Call& a, const Call& b, uint32_t except = 0);

// The closure of a call; null: its kind has none, or it only says what a task is.
OperatorTask* closure_of(const Call& call);
// The same kind with this closure, if it is one that has one; else the call itself. call null: Opaque.
Ref<const Call> with_closure(Ref<const Call> call, const Ref<OperatorTask>& closure);

// The names of a call's operands, which are so many; false if it cannot have as many. Those of a list share its name.
bool name_operands(const Call& call, size_t inputs, size_t outputs, std::vector<std::string_view>* names);

// The integer, truth or enumerator that an attribute is, by its name, of nested attributes too. An attribute of another
// type counts as whether it is not 0.
template <class Attributes>
std::optional<int64_t> find_attribute(const Attributes& attributes, std::string_view name) {
  std::optional<int64_t> found;
  if constexpr (HasMembers<const Attributes>)
    Attributes::each_member(attributes, [&](std::string_view member, const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (HasMembers<const Value>) {
        if (const auto inside = find_attribute(value, name)) found = inside;
      } else if constexpr (std::is_floating_point_v<Value>) {
        if (member == name) found = value != 0;
      } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
        if (member == name) found = static_cast<int64_t>(value);
      }
    });
  return found;
}
// Answers for attributes of some type.
struct Attribute {
  const void* attributes;
  std::optional<int64_t> (*find)(const void* attributes, std::string_view name);
};
// The place of an input among those of a call, by its name in the row; nothing where it is not there.
std::optional<size_t> find_input(const char* operands, const Attribute& attribute, std::string_view name);
template <class OneKind>
std::optional<size_t> input_of(const OneKind& call, std::string_view name) {
  const Attribute attribute = {&call, [](const void* attributes, std::string_view each) {
                                 return find_attribute(*static_cast<const OneKind*>(attributes), each);
                               }};
  return find_input(kRowOf<OneKind>->operands, attribute, name);
}

// words: of the expression's scalars.
RONDO_COLD FusedCall fused_of(const Expression& expression, const uint64_t* words);
RONDO_COLD Call fused_call(const Expression& expression, const uint64_t* words);

}  // namespace rondo::ops
