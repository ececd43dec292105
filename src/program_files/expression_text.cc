// Writes expressions as their inputs, scalars, steps and outputs, and reads them step by step, each checked.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/expression_text.h"

#include <utility>

#include "base/text.h"
#include "program_files/attributes.h"
#include "program_files/version.h"
#include "program_files/words.h"

namespace rondo::program_files {

using models::JsonReader;
using ops::Expression;
using ops::Fused;

namespace {

const char* op_name(ops::Op op) {
  constexpr const char* others[] = {"cast", "where", "round_to", "uniform", "normal"};
  const int number = static_cast<int>(op);
  return number < ops::kOperators ? ops::operator_of(op).name : others[number - ops::kOperators];
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
    int64_t number = 0;
    RONDO_TRY(json_.integer(&number));
    *value = static_cast<ops::Value>(number);
    if (*value != number) return json_.wrong("a number is out of its range");
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

}  // namespace

Status unknown(const JsonReader& json, const char* what, const std::string& word) {
  return json.wrong(format("%s '%s' is not known to this version of Rondo (%s)", what, models::excerpt(word).c_str(),
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

void write_expression(std::string* json, const Fused& fused) {
  const Expression& e = fused.expression;
  const auto dtype = [json](rondo_dtype of) { *json += format("\"%s\"", Words<rondo_dtype>::words[of]); };
  *json += "{\"inputs\":";
  write_list(json, static_cast<size_t>(e.inputs()), [&](size_t i) { dtype(e.input_dtype(static_cast<int>(i))); });
  *json += ",\"scalars\":";
  write_list(json, static_cast<size_t>(e.scalars()), [&](size_t i) {
    *json += '[';
    dtype(e.scalar_dtype(static_cast<int>(i)));
    *json += "," + bits_text(fused.words[i]) + "]";
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

Status read_expression(JsonReader* json, std::shared_ptr<const Fused>* made) {
  auto fused = std::make_shared<Fused>();
  RONDO_TRY(ExpressionReader(json, fused.get()).read());
  *made = std::move(fused);
  return {};
}

}  // namespace rondo::program_files
