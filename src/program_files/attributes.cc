// Writes and reads the attributes of every kind by the members that their structs name.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/attributes.h"

#include <charconv>
#include <limits>
#include <type_traits>

#include "base/json_text.h"
#include "base/machine/decimal.h"
#include "base/text.h"
#include "program_files/version.h"
#include "program_files/words.h"

namespace rondo::program_files {

using models::JsonReader;
using ops::Expression;
using ops::Fused;

namespace {

constexpr uint64_t kNan = 0x7ff8000000000000;

template <class Enumeration>
concept HasWords = requires {
  Words<Enumeration>::words;
};

const char* op_name(ops::Op op) {
  constexpr const char* others[] = {"cast", "where", "round_to", "uniform", "normal"};
  const int number = static_cast<int>(op);
  return number < ops::kOperators ? ops::operator_of(op).name : others[number - ops::kOperators];
}

Status unknown(const JsonReader& json, const char* what, const std::string& word) {
  return json.wrong(format("%s '%s' is not known to this version of Rondo (%s)", what, models::shown(word).c_str(),
                           RONDO_VERSION_STRING));
}

Status read_op(JsonReader* json, ops::Op* op) {
  std::string word;
  RONDO_TRY(json->text(&word));
  for (int i = 0; i <= static_cast<int>(ops::Op::normal); ++i)
    if (word == op_name(static_cast<ops::Op>(i))) {
      *op = static_cast<ops::Op>(i);
      return {};
    }
  return unknown(*json, "operator", word);
}

template <class Integer>
Status read_integer(JsonReader* json, Integer* value) {
  int64_t number = 0;
  RONDO_TRY(json->integer(&number));
  if (number < static_cast<int64_t>(std::numeric_limits<Integer>::min()) ||
      (sizeof(Integer) < sizeof number && number > static_cast<int64_t>(std::numeric_limits<Integer>::max())))
    return json->wrong("a number is out of its range");
  *value = static_cast<Integer>(number);
  return {};
}

template <class Item>
void write_list(std::string* json, size_t count, const Item& item) {
  *json += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) *json += ',';
    item(i);
  }
  *json += ']';
}

// --- writing

void write(std::string* json, const Expression& e, const uint64_t* words) {
  const auto dtype = [json](rondo_dtype of) { *json += format("\"%s\"", Words<rondo_dtype>::words[of]); };
  *json += "{\"inputs\":";
  write_list(json, static_cast<size_t>(e.inputs()), [&](size_t i) { dtype(e.input_dtype(static_cast<int>(i))); });
  *json += ",\"scalars\":";
  write_list(json, static_cast<size_t>(e.scalars()), [&](size_t i) {
    *json += '[';
    dtype(e.scalar_dtype(static_cast<int>(i)));
    *json += "," + bits_text(words[i]) + "]";
  });
  *json += ",\"steps\":";
  write_list(json, static_cast<size_t>(e.instructions()), [&](size_t i) {
    const Expression::Instruction& each = e.instruction(static_cast<int>(i));
    *json += format("[\"%s\",", op_name(each.op));
    dtype(static_cast<rondo_dtype>(each.dtype));
    for (int k = 0; k < Expression::arity(each); ++k)
      *json += format(",%d", k == 0 ? each.a : k == 1 ? each.b : each.c);
    *json += ']';
  });
  *json += ",\"outputs\":";
  write_list(json, static_cast<size_t>(e.outputs()), [&](size_t i) {
    const Expression::Output& each = e.output(static_cast<int>(i));
    *json += format("[%d,", each.value);
    dtype(static_cast<rondo_dtype>(each.dtype));
    *json += each.accumulate ? ",true]" : "]";
  });
  *json += '}';
}

template <class Value>
bool is_nothing(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>) {
    return bit_cast<uint64_t>(static_cast<double>(value)) == 0;
  } else if constexpr (std::is_integral_v<Value>) {
    return value == 0;
  } else if constexpr (std::is_array_v<Value>) {
    return std::all_of(std::begin(value), std::end(value), [](const auto& each) { return is_nothing(each); });
  } else if constexpr (std::is_pointer_v<Value>) {
    return !value;
  } else if constexpr (requires { value.begin(); }) {
    return value.size() == 0;
  } else {
    return false;
  }
}

template <class Value>
void write(std::string* json, const Value& value);
void write(std::string* json, const Layout& layout);
void write(std::string* json, const ops::Windows& windows);

template <class Members>
void write_members(std::string* json, const Members& members) {
  *json += '{';
  bool first = true;
  Members::each_member(members, [&](const char* name, const auto& member) {
    if (is_nothing(member)) return;
    *json += format("%s\"%s\":", first ? "" : ",", name);
    first = false;
    write(json, member);
  });
  *json += '}';
}

// Shapes alone: how something lies is not written.
void write(std::string* json, const Layout& layout) {
  write_list(json, static_cast<size_t>(layout.ndim),
             [&](size_t d) { *json += format("%lld", printable(layout.shape[d])); });
}

void write(std::string* json, const ops::Windows& windows) {
  *json += format("{\"first\":%d,\"axes\":", windows.first);
  write_list(json, static_cast<size_t>(windows.count), [&](size_t a) {
    const ops::WindowAxis& axis = windows.axis[a];
    write_list(json, 10, [&](size_t i) {
      const int64_t numbers[] = {axis.in,      axis.out,         axis.size,     axis.stride,
                                 axis.padding, axis.padding_end, axis.dilation, axis.counts_padding};
      *json += i < 8 ? format("%lld", printable(numbers[i]))
                     : format("\"%s\"", i == 8 ? Words<ops::WindowRule>::words[static_cast<int>(axis.rule)]
                                               : Words<device::WindowOrigin>::words[static_cast<int>(axis.origin)]);
    });
  });
  *json += '}';
}

template <class Value>
void write(std::string* json, const Value& value) {
  if constexpr (HasMembers<const Value>) {
    write_members(json, value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    *json += value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<Value>) {
    *json += real_text(value);
  } else if constexpr (std::is_same_v<Value, uint64_t>) {
    *json += bits_text(value);
  } else if constexpr (std::is_integral_v<Value>) {
    *json += format("%lld", printable(static_cast<int64_t>(value)));
  } else if constexpr (HasWords<Value>) {
    *json += format("\"%s\"", Words<Value>::words[static_cast<size_t>(value)]);
  } else if constexpr (std::is_same_v<Value, const ops::Operator*>) {
    *json += json_text(value->name);
  } else if constexpr (std::is_same_v<Value, std::shared_ptr<const Fused>>) {
    write(json, value->expression, value->words);
  } else if constexpr (std::is_array_v<Value>) {
    size_t count = std::size(value);
    while (is_nothing(value[count - 1])) --count;  // some is there
    write_list(json, count, [&](size_t i) { write(json, value[i]); });
  } else if constexpr (std::is_same_v<Value, std::vector<bool>>) {
    write_list(json, value.size(), [&](size_t i) { write(json, static_cast<bool>(value[i])); });
  } else {
    write_list(json, value.size(), [&](size_t i) { write(json, value[i]); });
  }
}

// --- reading

template <class Value>
Status read(JsonReader* json, Value* value);
Status read(JsonReader* json, Layout* layout);
Status read(JsonReader* json, ops::Windows* windows);

// A member that comes twice is an error.
template <class Members>
Status read_members(JsonReader* json, Members* members) {
  uint32_t seen = 0;
  return json->object([&](const std::string& key) -> Status {
    Status status;
    bool known = false;
    uint32_t bit = 1;
    Members::each_member(*members, [&](const char* name, auto&& member) {
      if (key == name) {
        known = true;
        status = (seen & bit) ? json->wrong("'" + key + "' comes twice") : read(json, &member);
        seen |= bit;
      }
      bit <<= 1;
    });
    return known ? status : unknown(*json, "attribute", key);
  });
}

Status read(JsonReader* json, Layout* layout) {
  int64_t shape[kMaxDims] = {};
  int ndim = 0;
  RONDO_TRY(json->array([&]() -> Status {
    if (ndim == kMaxDims) return json->wrong(format("a shape has more than %d dimensions", kMaxDims));
    RONDO_TRY(json->integer(&shape[ndim]));
    return shape[ndim++] < 0 ? json->wrong("a size below 0") : Status();
  }));
  *layout = Layout::row_major(ndim, shape);
  return {};
}

template <class Value>
Status read_word(JsonReader* json, const char* what, Value* value) {
  std::string word;
  RONDO_TRY(json->text(&word));
  for (size_t i = 0; i < std::size(Words<Value>::words); ++i)
    if (word == Words<Value>::words[i]) {
      *value = static_cast<Value>(i);
      return {};
    }
  return unknown(*json, what, word);
}

Status read(JsonReader* json, ops::Windows* windows) {
  bool seen[2] = {};
  return json->object([&](const std::string& key) -> Status {
    const int which = key == "first" ? 0 : key == "axes" ? 1 : -1;
    if (which < 0) return unknown(*json, "attribute", key);
    if (std::exchange(seen[which], true)) return json->wrong("'" + key + "' comes twice");
    if (which == 0) return read_integer(json, &windows->first);
    return json->array([&]() -> Status {
      if (windows->count == ops::kMostSpatial) return json->wrong("windows over more axes than there are");
      ops::WindowAxis& axis = windows->axis[windows->count++];
      device::i64* const numbers[] = {&axis.in,      &axis.out,         &axis.size,    &axis.stride,
                                      &axis.padding, &axis.padding_end, &axis.dilation};
      size_t i = 0;
      RONDO_TRY(json->array([&]() -> Status {
        const size_t at = i++;
        if (at < 7) return read_integer(json, numbers[at]);
        if (at == 7) return read_integer(json, &axis.counts_padding);
        if (at == 8) return read_word(json, "rule", &axis.rule);
        return at == 9 ? read_word(json, "origin", &axis.origin) : json->wrong("a window has more than 10 members");
      }));
      return i == 10 ? Status() : json->wrong("a window has fewer than 10 members");
    });
  });
}

// Reads the parts of an expression in their order, and builds it as its maker did.
class ExpressionReader {
 public:
  ExpressionReader(JsonReader* json, Fused* fused) : json_(*json), e_(fused->expression), words_(fused->words) {}

  Status read() {
    static constexpr const char* parts[] = {"inputs", "scalars", "steps", "outputs"};
    size_t part = 0;
    RONDO_TRY(json_.object([&](const std::string& key) -> Status {
      if (part == std::size(parts) || key != parts[part])
        return json_.wrong("an expression has inputs, scalars, steps and outputs, in this order");
      ++part;
      return json_.array([&] { return read_item(part); });
    }));
    if (part != std::size(parts)) return json_.wrong("an expression has no '" + std::string(parts[part]) + "'");
    return e_.overflow() ? json_.wrong("an expression has more parts than one can have") : Status();
  }

 private:
  Status read_item(size_t part) {
    if (part == 1) {
      rondo_dtype dtype;
      RONDO_TRY(read_dtype(&json_, &dtype));
      e_.input(dtype);
      return {};
    }
    at_ = 0;
    if (part == 3) step_ = {};
    RONDO_TRY(json_.array([&] { return part == 2 ? read_scalar() : part == 3 ? read_step() : read_output(); }));
    if (e_.overflow()) return json_.wrong("an expression has more parts than one can have");
    if (part == 3) return add_step();
    if (at_ < 2) return json_.wrong("a part of an expression has fewer members than it needs");
    if (part == 4) e_.output(step_.a, dtype_, accumulate_);
    accumulate_ = false;
    return {};
  }
  Status read_scalar() {
    const int at = at_++;
    if (at == 0) {
      RONDO_TRY(read_dtype(&json_, &dtype_));
      if (compute_dtype(dtype_) != dtype_) return json_.wrong("a scalar of an expression is in no register's dtype");
      e_.scalar(dtype_);
      return {};
    }
    if (at > 1) return json_.wrong("a scalar of an expression has more than two members");
    if (e_.overflow()) return json_.wrong("an expression has more scalars than it may have");
    return read_bits(&json_, &words_[e_.scalars() - 1]);
  }
  Status read_step() {
    const int at = at_++;
    if (at == 0) return read_op(&json_, &step_.op);
    if (at == 1) {
      RONDO_TRY(read_dtype(&json_, &dtype_));
      step_.dtype = static_cast<uint8_t>(dtype_);
      return {};
    }
    if (at > 4) return json_.wrong("a step of an expression has more than three operands");
    return read_value(at == 2 ? &step_.a : at == 3 ? &step_.b : &step_.c);
  }
  Status read_output() {
    const int at = at_++;
    if (at == 0) return read_value(&step_.a);
    if (at == 1) return read_dtype(&json_, &dtype_);
    if (at > 2) return json_.wrong("an output of an expression has more than three members");
    return json_.boolean(&accumulate_);
  }
  Status read_value(ops::Value* value) {
    RONDO_TRY(read_integer(&json_, value));
    const bool there = Expression::is_input(*value)    ? *value < e_.inputs()
                       : Expression::is_scalar(*value) ? Expression::scalar_index(*value) < e_.scalars()
                                                       : Expression::result_index(*value) < e_.instructions();
    return there ? Status() : json_.wrong("a step of an expression uses a value that is not there");
  }
  // An operator's operands have one register dtype, which the step tells.
  Status add_step() {
    if (at_ != 2 + Expression::arity(step_))
      return json_.wrong("a step has another number of operands than its operator");
    const rondo_dtype first = at_ > 2 ? e_.dtype_of(step_.a) : dtype_;
    ops::Value made = 0;
    switch (step_.op) {
      case ops::Op::cast: made = e_.cast(step_.a, dtype_); break;
      case ops::Op::round_to:
        if (!is_half(dtype_) && !is_f8(dtype_)) return json_.wrong("a step rounds to a dtype that is no narrow float");
        if (first != RONDO_F32) return json_.wrong("a step rounds what is not f32");
        made = e_.round(step_.a, dtype_);
        break;
      case ops::Op::where:
        if (first != RONDO_BOOL || e_.dtype_of(step_.b) != dtype_ || e_.dtype_of(step_.c) != dtype_)
          return json_.wrong("the operands of a step are not of its dtype");
        made = e_.where(step_.a, step_.b, step_.c);
        break;
      case ops::Op::uniform:
      case ops::Op::normal: return json_.wrong("an expression of the user's draws no random numbers");
      default:
        for (int k = 0; k < Expression::arity(step_); ++k)
          if (e_.dtype_of(k == 0 ? step_.a : k == 1 ? step_.b : step_.c) != dtype_)
            return json_.wrong("the operands of a step are not of its dtype");
        if (ops::operator_of(step_.op).computed(dtype_) != dtype_ ||
            (ops::operator_of(step_.op).domain == ops::Domain::whole && is_float(dtype_)))
          return json_.wrong("a step computes in a dtype that its operator does not have");
        made = e_.apply(step_.op, step_.a, step_.b, step_.c);
    }
    const bool fresh = !Expression::is_input(made) && !Expression::is_scalar(made) &&
                       Expression::result_index(made) == e_.instructions() - 1 && !e_.overflow();
    return fresh ? Status() : json_.wrong("a step computes what is there already");
  }

  JsonReader& json_;
  Expression& e_;
  uint64_t* words_;
  int at_ = 0;
  rondo_dtype dtype_ = RONDO_F32;
  bool accumulate_ = false;
  Expression::Instruction step_ = {};
};

template <class List, class Item>
Status read_list(JsonReader* json, List* list) {
  constexpr size_t kMost = 1u << 16;
  return json->array([&]() -> Status {
    if (list->size() == kMost) return json->wrong("a list of more than 65536 members");
    Item item = {};
    RONDO_TRY(read(json, &item));
    list->push_back(std::move(item));
    return {};
  });
}

template <class Value>
Status read(JsonReader* json, Value* value) {
  if constexpr (HasMembers<const Value>) {
    return read_members(json, value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    return json->boolean(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return read_real(json, value);
  } else if constexpr (std::is_same_v<Value, uint64_t>) {
    return read_bits(json, value);
  } else if constexpr (std::is_integral_v<Value>) {
    return read_integer(json, value);
  } else if constexpr (HasWords<Value>) {
    return read_word(json, "word", value);
  } else if constexpr (std::is_same_v<Value, const ops::Operator*>) {
    ops::Op op;
    RONDO_TRY(read_op(json, &op));
    if (static_cast<int>(op) >= ops::kOperators) return json->wrong("an operator that is in no table");
    *value = &ops::operator_of(op);
    return {};
  } else if constexpr (std::is_same_v<Value, std::shared_ptr<const Fused>>) {
    auto fused = std::make_shared<Fused>();
    RONDO_TRY(ExpressionReader(json, fused.get()).read());
    *value = std::move(fused);
    return {};
  } else if constexpr (std::is_array_v<Value>) {
    size_t count = 0;
    return json->array([&]() -> Status {
      if (count == std::size(*value)) return json->wrong(format("a list of more than %zu members", count));
      return read(json, &(*value)[count++]);
    });
  } else if constexpr (requires { value->push_back({}); }) {
    return read_list<Value, typename Value::value_type>(json, value);
  } else {  // a span: as many as what is known of the operator says
    size_t count = 0;
    return json->array([&]() -> Status {
      if (count == value->size()) return json->wrong("more words than the operator has numbers");
      return read(json, &(*value)[count++]);
    });
  }
}

template <class OneKind>
Status read_kind(JsonReader* json, [[maybe_unused]] const std::string& kind, Ref<const ops::Call>* call) {
  if constexpr (HasMembers<const OneKind>) {
    OneKind of = {};
    RONDO_TRY(read_members(json, &of));
    RONDO_TRY(json->end());
    *call = make_ref<const ops::Call>(of);
    return {};
  } else {
    return error(RONDO_UNSUPPORTED, "a node of the kind %s cannot be in a file", kind.c_str());
  }
}

}  // namespace

std::string real_text(double value) {
  const uint64_t bits = bit_cast<uint64_t>(value);
  if (value == value || bits == kNan) return format("\"%a\"", value);
  return format("\"nan:%llx\"", static_cast<unsigned long long>(bits));
}

std::string bits_text(uint64_t bits) {
  return format("\"0x%llx\"", static_cast<unsigned long long>(bits));
}

Status read_bits(JsonReader* json, uint64_t* bits) {
  std::string text;
  RONDO_TRY(json->text(&text));
  const char *const begin = text.c_str(), *const end = begin + text.size();
  if (text.size() > 2 && text.compare(0, 2, "0x") == 0)
    if (const auto [at, failed] = std::from_chars(begin + 2, end, *bits, 16); at == end && failed == std::errc())
      return {};
  return json->wrong("a hexadecimal number such as \"0x3f\" is expected");
}

Status read_real(JsonReader* json, double* value) {
  std::string text;
  RONDO_TRY(json->text(&text));
  uint64_t bits = kNan;
  const bool nan = text.compare(0, 3, "nan") == 0;
  if (nan && text.size() > 4) {
    const auto [at, failed] = std::from_chars(text.c_str() + 4, text.c_str() + text.size(), bits, 16);
    if (failed != std::errc()) bits = kNan;
  }
  *value = nan ? bit_cast<double>(bits) : read_decimal(text.c_str());
  if ("\"" + text + "\"" == real_text(*value)) return {};
  return json->wrong("a real number in hexadecimal notation, such as \"0x1.8p-3\", is expected");
}

Status read_dtype(JsonReader* json, rondo_dtype* dtype) {
  return read_word(json, "dtype", dtype);
}

bool write_attributes(const ops::Call& call, std::string* json) {
  return std::visit(
      [&](const auto& attributes) {
        if constexpr (HasMembers<const std::decay_t<decltype(attributes)>>) {
          write_members(json, attributes);
          return true;
        }
        return false;
      },
      call.of);
}

Status read_attributes(const std::string& kind, std::string_view text, Ref<const ops::Call>* call) {
  JsonReader json(text, "its attributes");
#define RONDO_KIND(Name, ...) \
  if (kind == #Name) return read_kind<ops::Name##Call>(&json, kind, call);
#include "ops/program/kinds.def"
#undef RONDO_KIND
  return unknown(json, "kind", kind);
}

}  // namespace rondo::program_files
