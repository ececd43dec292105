// Writes the lines of kernel text that compute an expression, and the functions around them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/element_text.h"

#include <utility>

namespace rondo::ops {

std::string ExpressionLines::call(const Expression::Instruction& each) const {
  const auto dtype = static_cast<rondo_dtype>(each.dtype);
  const std::string a = value(each.a);
  switch (each.op) {
    // On the way to any float narrower than f32 the same: rounding from there on gives what rounding once would.
    case Op::cast: return format("convert_to<%s>(%s)", memory_type(is_f8(dtype) ? RONDO_BF16 : dtype), a.c_str());
    case Op::where: return format("op_where(%s, %s, %s)", a.c_str(), value(each.b).c_str(), value(each.c).c_str());
    case Op::from_bits: return format("from_memory(%s{%s})", memory_type(dtype), a.c_str());
    case Op::to_bits: return format("to_memory<%s>(%s).bits", memory_type(dtype), a.c_str());
    case Op::round_to: return format("round_%s(%s)", memory_type(dtype), a.c_str());
    case Op::uniform: return format("uniform<%s>(g%d, e)", register_type(dtype), each.a);
    case Op::normal: return format("normal<%s>(g%d, e)", register_type(dtype), each.a);
    default: break;
  }
  std::string text = format("op_%s(%s", operator_of(each.op).name, a.c_str());
  const int arity = Expression::arity(each);
  if (arity > 1) text += ", " + value(each.b);
  if (arity > 2) text += ", " + value(each.c);
  return text + ")";
}

void ExpressionLines::scalar_fields() {
  for (int k = 0; k < e_.scalars(); ++k) line("  alignas(8) %s s%d;", register_type(e_.scalar_dtype(k)), k);
}

void ExpressionLines::instructions(const char* indentation) {
  for (int k = 0; k < e_.instructions(); ++k) {
    const Expression::Instruction& each = e_.instruction(k);
    const rondo_dtype dtype = Expression::result_dtype(each);
    const bool narrow = dtype == RONDO_I8 || dtype == RONDO_U8;
    line(narrow ? "%sconst %s r%d = settled(%s);" : "%sconst %s r%d = %s;", indentation, register_type(dtype), k,
         call(each).c_str());
  }
}

namespace {

class ElementWriter : public ExpressionLines {
 public:
  ElementWriter(const Expression& expression, unsigned repeats, int given)
      : ExpressionLines(expression), repeats_(repeats), given_(given) {}

  std::string text(const char* scope) {
    line("namespace %s {", scope);
    line("using Element = %s;", type(e_.inputs()));
    line("struct Operands {");
    for (int k = 0; k < e_.inputs(); ++k)
      if (k != given_) line("  const %s* p%d;", type(k), k);
    scalar_fields();
    line("};");
    line("template <int N>");
    line("struct Loaded {");
    for (int k = 0; k < e_.inputs(); ++k) line(repeats(k) ? "  %s x%d;" : "  Pack<%s, N> x%d;", type(k), k);
    line("};");
    line("template <int N, class Index>");
    line("RONDO_INLINE Loaded<N> load(const Operands& a, const Index* o) {");
    line("  (void)a, (void)o;");
    line("  Loaded<N> l;");
    for (int k = 0; k < e_.inputs(); ++k) {
      if (k == given_) continue;
      if (repeats(k))
        line("  l.x%d = a.p%d[o[%d]];", k, k, k);
      else
        line("  l.x%d = load_pack<%s, N>(a.p%d + o[%d]);", k, type(k), k, k);
    }
    line("  return l;");
    line("}");
    line("template <int N>");
    line("RONDO_INLINE Element element(const Operands& a, const Loaded<N>& l, int v) {");
    line("  (void)a, (void)v;");
    for (int k = 0; k < e_.inputs(); ++k)
      line(repeats(k) ? "  [[maybe_unused]] const %s in%d = from_memory(l.x%d);"
                      : "  [[maybe_unused]] const %s in%d = from_memory(l.x%d.v[v]);",
           register_type(e_.input_dtype(k)), k, k);
    instructions("  ");
    line("  return to_memory<Element>(%s);", value(e_.output(0).value).c_str());
    line("}");
    if (given_ >= 0) {
      line("template <int N>");
      line("RONDO_INLINE void give(Loaded<N>& l, int v, %s value) {", register_type(e_.input_dtype(given_)));
      line("  l.x%d.v[v] = to_memory<%s>(value);", given_, type(given_));
      line("}");
    }
    line("}");
    return std::move(text_);
  }

 private:
  bool repeats(int input) const { return (repeats_ >> input & 1) != 0; }
  const unsigned repeats_;
  const int given_;
};

}  // namespace

std::string element_text(const Expression& expression, unsigned repeats, const char* scope, int given) {
  return ElementWriter(expression, repeats, given).text(scope);
}

}  // namespace rondo::ops
