// Texts of expressions: what they parse to, where messages point, what is computed once, and that no text at all does
// harm. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/expression_text.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <random>

#include "ops/text/expression_lexer.h"
#include "ops/text/expression_lower.h"
#include "ops/text/expression_numbers.h"

namespace rondo::ops {
namespace {

Ref<ExpressionText> parsed(const std::string& text) {
  Ref<ExpressionText> result;
  const Status status = ExpressionText::parse(text, "test", &result);
  EXPECT_TRUE(status.ok()) << text << ": " << status.message();
  return result;
}
std::string message(const std::string& text) {
  Ref<ExpressionText> result;
  const Status status = ExpressionText::parse(text, "test", &result);
  EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT) << text;
  return status.message();
}

// Every operand a tensor of one dtype.
Lowered lowered(const std::string& text, rondo_dtype dtype = RONDO_F32) {
  const Ref<ExpressionText> it = parsed(text);
  View view;
  view.dtype = dtype;
  const std::vector<Bound> bound(it->operands().size(), Bound{&view, {}});
  Lowered result;
  const Status status = lower(*it, bound, &result);
  EXPECT_TRUE(status.ok()) << text << ": " << status.message();
  return result;
}
std::string refused(const std::string& text, rondo_dtype dtype, rondo_status code = RONDO_INVALID_ARGUMENT) {
  const Ref<ExpressionText> it = parsed(text);
  View view;
  view.dtype = dtype;
  const std::vector<Bound> bound(it->operands().size(), Bound{&view, {}});
  Lowered result;
  const Status status = lower(*it, bound, &result);
  EXPECT_EQ(status.code(), code) << text;
  return status.message();
}

// The number that a text of numbers comes to: y = i64(...) or y = f64(...).
double number(const std::string& text) {
  const Lowered it = lowered("y = x + f64(" + text + ")", RONDO_F64);
  double value = 0;
  std::memcpy(&value, it.words.begin(), sizeof value);
  return value;
}

TEST(ExpressionText, OperandsAndResultsInOrderOfText) {
  const auto it = parsed("let t = b * a;\n y = t + y; // y is read before it is assigned\n z = y - c; y *= 2;");
  EXPECT_EQ(it->operands(), (std::vector<std::string>{"b", "a", "y", "c"}));
  ASSERT_EQ(it->results().size(), 2u);
  EXPECT_EQ(it->results()[0].name, "y");
  EXPECT_EQ(it->results()[1].name, "z");
}

TEST(ExpressionText, BindsAsC) {
  EXPECT_EQ(number("2 + 3 * 4"), 14);
  EXPECT_EQ(number("(2 + 3) * 4"), 20);
  EXPECT_EQ(number("7 - 2 - 1"), 4);
  EXPECT_EQ(number("2 ** 3 ** 2"), 512);
  EXPECT_EQ(number("-2 ** 2"), -4);
  EXPECT_EQ(number("2 ** -1"), 0.5);
  EXPECT_EQ(number("1 / 2"), 0.5) << "numbers among themselves";
  EXPECT_EQ(number("-7 % 3"), 2);
  EXPECT_EQ(number("1 + 2 << 3"), 24);
  EXPECT_EQ(number("6 & 3 == 3"), 0) << "as in C";
  EXPECT_EQ(number("1 | 2 ^ 3 & 6"), 1 | (2 ^ (3 & 6)));
  EXPECT_EQ(number("1 < 2 && 2 < 3 || 0"), 1);
  EXPECT_EQ(number("0 ? 1 : 2 ? 3 : 4"), 3);
  EXPECT_EQ(number("!0 + ~0"), 0);
  EXPECT_EQ(number("0x10 + 1e2 + .5 + 2."), 118.5);
  EXPECT_EQ(number("maximum(3, 4) + clip(9, 0, 5)"), 9);
  EXPECT_EQ(number("where(1 > 2, 3, 4)"), 4);
  EXPECT_EQ(number("9007199254740993 - 9007199254740992"), 1) << "integers are exact";
  EXPECT_NEAR(number("pi"), 3.14159265358979, 1e-14);
}

TEST(ExpressionText, CastsOfNumbersAreThoseOfTensors) {
  const auto first = [](uint64_t word, auto value) {
    std::memcpy(&value, &word, sizeof value);
    return value;
  };
  EXPECT_EQ(first(cast_word(Scalar::of(2.9), RONDO_I32), 0), 2);
  EXPECT_EQ(first(cast_word(Scalar::of(-1e30), RONDO_I32), 0), INT32_MIN);
  EXPECT_EQ(first(cast_word(Scalar::of(0.5), RONDO_BOOL), false), true);
  EXPECT_EQ(first(cast_word(Scalar::of_i64((int64_t{1} << 53) + 1), RONDO_I64), int64_t{0}), (int64_t{1} << 53) + 1);
  EXPECT_EQ(first(cast_word(Scalar::of(1.0001), RONDO_F16), 0.0f), 1.0f);
}

TEST(ExpressionText, MessagesPointAtThePlace) {
  EXPECT_EQ(message("y = a * ) x"), "1:9: expected a value, found ')'\n  y = a * ) x\n          ^");
  EXPECT_EQ(message("let t = 1;\ny = a +\n"), "3:1: expected a value, found the end\n  \n  ^");
  EXPECT_EQ(message("y = \t$"), "1:6: a character that has no meaning here\n  y = \t$\n      \t^");
  EXPECT_EQ(message("// größer\ny = /* ü */ a b").substr(0, 5), "2:15:") << "columns are characters";
  const std::pair<const char*, const char*> cases[] = {
      {"", "1:1: no result"},
      {"  ;; ", "1:6: no result"},
      {"a + b", "1:3: expected '='"},
      {"y = ", "1:5: expected a value"},
      {"y == a", "1:3: expected '='"},
      {"y = a < b < c", "1:11: comparisons do not chain"},
      {"y = sinus(a)", "1:5: 'sinus' is not a function"},
      {"y = exp(a, b)", "1:5: 'exp' takes 1 arguments, not 2"},
      {"y = clip(a)", "1:5: 'clip' takes 3 arguments, not 1"},
      {"y = softplus()", "1:5: 'softplus' takes 1 to 2 arguments, not 0"},
      {"y = fma(a, b, c, d)", "1:18: no function has more than 3"},
      {"y = fma(a, b,)", "1:14: expected an argument"},
      {"y = f32(a, b)", "1:5: 'f32' takes 1"},
      {"y = a ? b", "1:10: expected ':'"},
      {"y = 1.5f * a", "1:8: a number goes on"},
      {"y = 0x * a", "1:5: a hexadecimal number without digits"},
      {"y = 9223372036854775808 + a", "1:5: a whole number beyond 64 bits"},
      {"y = 1e999 * a", "1:5: a number beyond the range"},
      {"y = a /* b", "1:7: a comment that is not closed"},
      {"y = (a", "1:7: expected ')'"},
      {"pi = a", "1:1: 'pi' has a meaning"},
      {"y = let", "1:5: let begins a statement"},
      {"let t = a; t = b", "1:12: 't' is a value of let"},
      {"y = a; let y = b", "1:12: 'y' is a result already"},
      {"y = a; let a = b", "1:12: 'a' is an operand already"},
      {"let t += a", "1:7: let makes a new value"},
      {"let = a", "1:5: expected a name"},
      {"y = sum(a) + max(b)", "1:12: two of these meet here, a reduction and another reduction"},
      {"y = sum(sum(a))", "1:5: this is of what a reduction gives"},
      {"y = softmax(max(a))", "1:5: this is of what a reduction gives"},
      {"y = softmax(a) + softmin(a)", "1:16: two of these meet here, a softmax and another softmax"},
      {"y = sum(softmax(a))", "1:5: this is of what a softmax gives"},
      {"y = softmax(a, 1.5)", "1:16: expected an axis"},
      {"y = matmul(a, max(b))", "1:5: this is of what a reduction gives"},
      {"y = matmul(a, matmul(b, c))", "1:5: this is of what a product gives"},
      {"y = matmul(a, b) * matmul(a, b)", "1:20: a second product"},
      {"y = sum(matmul(a, b))", "1:5: this is of what a product gives"},
      {"y = softmax(a) * matmul(a, b)", "1:16: two of these meet here, a softmax and a product"},
      {"y = matmul(a, b, keep)", "1:18: expected transpose_a"},
      {"y = max(a, b)", "1:12: expected an axis (a small whole number) or keep; the larger"},
      {"y = sum(a, 1.5)", "1:12: expected an axis"},
  };
  for (const auto& [text, begin] : cases) EXPECT_EQ(message(text).rfind(begin, 0), 0u) << text << ": " << message(text);
}

TEST(ExpressionText, LongLinesAreShownInPart) {
  const std::string text = "y = " + std::string(500, 'a') + " $ " + std::string(500, 'b');
  const std::string said = message(text);
  EXPECT_LT(said.size(), 400u);
  const size_t shown = said.find('\n') + 1;
  const size_t caret = said.rfind('\n') + 1;
  EXPECT_EQ(said[shown + (said.find('^', caret) - caret)], '$') << said;
}

TEST(ExpressionText, LimitsAreToldAndKept) {
  EXPECT_NE(message("y = " + std::string(20000, ' ') + "a").find("at most 16384"), std::string::npos);
  for (const char* open : {"(", "-", "a ** ", "a ? b : ", "exp("}) {
    std::string text = "y = ";
    for (int i = 0; i < 1000; ++i) text += open;
    EXPECT_NE(message(text + "a").find("nested deeper than 100"), std::string::npos) << open;
  }
  // Whatever it is that goes around something, each counts once.
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"(", ")"}, {"-", ""}, {"a ** ", ""}, {"a ? a : ", ""}, {"exp(", ")"}, {"-(", ")"}}) {
    const auto nested = [&](int deep) {
      std::string text = "y = ", end;
      for (int i = 0; i < deep; ++i) text += open, end += close;
      return text + "a" + end;
    };
    const int each = open == "-(" ? 2 : 1;
    EXPECT_TRUE(parsed(nested(100 / each))) << open;
    EXPECT_NE(message(nested(100 / each + 1)).find("nested deeper than 100"), std::string::npos) << open;
  }
  std::string sum = "y = a";
  for (int i = 0; i < 1100; ++i) sum += " + a";
  EXPECT_NE(message(sum).find("more than 1024 operands"), std::string::npos);
  std::string many = "y = a0";
  for (int i = 1; i < 70; ++i) many += " + a" + std::to_string(i);
  EXPECT_NE(message(many).find("more than 64 operands"), std::string::npos);
  std::string seventeen = "y = a0";
  for (int i = 1; i < 17; ++i) seventeen += " + a" + std::to_string(i);
  EXPECT_NE(refused(seventeen, RONDO_F32, RONDO_UNSUPPORTED).find("16 tensors"), std::string::npos);
}

// A thread may have no more than that.
TEST(ExpressionText, DeepestTextNeedsUnder64KiBOfStack) {
  // The objects of a test may be those of a normal build, so that no macro of the compiler tells.
  for (const char* sanitizer : {"__asan_init", "__tsan_init"})
    if (dlsym(RTLD_DEFAULT, sanitizer)) GTEST_SKIP() << "a sanitizer's frames are several times as large";
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"(", ")"}, {"-", ""}, {"a ** ", ""}, {"a ? a : ", ""}, {"exp(", ")"}, {"a + (", ")"}}) {
    std::string text = "y = ", end;
    for (int i = 0; i < 100; ++i) text += open, end += close;
    text += "a" + end;
    pthread_attr_t small;
    pthread_attr_init(&small);
    ASSERT_EQ(pthread_attr_setstacksize(&small, 64 << 10), 0);
    struct Given {
      const std::string& text;
      Ref<ExpressionText> result;
      bool ok = false;
    } given{text, {}};
    const auto parse = [](void* arg) -> void* {
      auto& of = *static_cast<Given*>(arg);
      of.ok = ExpressionText::parse(of.text, "deep", &of.result).ok();
      return nullptr;
    };
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &small, parse, &given), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&small);
    EXPECT_TRUE(given.ok) << open;
  }
}

TEST(ExpressionText, ComputesNothingTwiceOrInVain) {
  const Lowered twice = lowered("y = (a + b) * (a + b) + exp(a + b); z = 2 * a + 2 * b - 2 * a");
  EXPECT_EQ(twice.expression.instructions(), 8);  // a+b, its square, exp, +; 2a, 2b, +, -
  EXPECT_EQ(twice.expression.scalars(), 1) << "equal literals are one scalar";
  Lowered vain = lowered("let unused = exp(b); y = a * a; y = a + a");
  vain.expression.output(vain.results[0].value, RONDO_F32, false);
  const Expression shortened = vain.expression.without_dead();
  EXPECT_EQ(shortened.instructions(), 1);
  EXPECT_EQ(shortened.used_inputs(), 2u) << "a is the second operand";
}

TEST(ExpressionText, TheExpressionDoesNotDependOnValues) {
  const auto it = parsed("y = where(s > 0, x * s, x - t) + s * 2");
  View view;
  view.dtype = RONDO_F32;
  uint8_t packed[2][Expression::kMaxPacked];
  int sizes[2];
  for (int i = 0; i < 2; ++i) {
    std::vector<Bound> bound(3);
    for (size_t k = 0; k < 3; ++k) {
      if (it->operands()[k] == "x") bound[k].view = &view;
      bound[k].number = Scalar::of(i == 0 ? 2.0 : -0.5 * static_cast<double>(k));
    }
    Lowered one;
    ASSERT_TRUE(lower(*it, bound, &one).ok());
    sizes[i] = one.expression.pack(packed[i]);
  }
  ASSERT_EQ(sizes[0], sizes[1]);
  EXPECT_EQ(std::memcmp(packed[0], packed[1], static_cast<size_t>(sizes[0])), 0);
}

TEST(ExpressionText, DtypesAreThoseOfOperators) {
  const auto result = [](const char* text, rondo_dtype dtype) { return lowered(text, dtype).results[0].dtype; };
  EXPECT_EQ(result("y = a + b", RONDO_F16), RONDO_F16);
  EXPECT_EQ(result("y = a + f32(b)", RONDO_F16), RONDO_F32);
  EXPECT_EQ(result("y = a + 2", RONDO_U8), RONDO_U8);
  EXPECT_EQ(result("y = exp(a)", RONDO_I32), RONDO_F32);
  EXPECT_EQ(result("y = a < b", RONDO_F64), RONDO_BOOL);
  EXPECT_EQ(result("y = a < b ? a : 0", RONDO_I64), RONDO_I64);
  EXPECT_EQ(result("y = a + i8(b)", RONDO_U8), RONDO_I32);
  EXPECT_EQ(refused("y = 1 + (a | b)", RONDO_F32).rfind("1:12: bit_or is for integers", 0), 0u);
  EXPECT_NE(refused("y = a + 0.5", RONDO_I32).find("1:9: "), std::string::npos);
  EXPECT_NE(refused("z = a;\ny = a > 0 ? 1 : 2", RONDO_F32).rfind("2:11: "), std::string::npos);
  EXPECT_NE(refused("z = a; y = 2", RONDO_F32).find("1:12: y is made of numbers only"), std::string::npos);
  EXPECT_NE(refused("y = a + (1.5 | 2)", RONDO_F32).find("not a whole number"), std::string::npos);
}

// Whatever the text: a status or a parse, and what parses can be lowered or is refused.
TEST(ExpressionText, AnyTextEndsWell) {
  static const char* const pieces[] = {
      "a",    "b",    "y",     "let ", "=",  "+",   "-",   "*",    "**",   "/",
      "(",    ")",    ",",     ";",    "?",  ":",   "<",   "<=",   "==",   "&&",
      "|",    "~",    "!",     "1",    "0x", "2.5", "1e9", "exp",  "clip", "sum(",
      "f16",  "i32",  "where", "//",   "\n", "/*",  "*/",  "keep", "$",    "\xc3",
      "\xbc", "\x01", " ",     "pow(", "%",  "<<",  "inf", "nan",  "+=",   "99999999999999999999"};
  static const char* const seeds[] = {"y = a * x + y", "let t = exp(-a * a); y = t / (1 + t); z = sum(t, 0, keep)",
                                      "let p = softmax(a * x, axis = 0); y = p * b",
                                      "let p = matmul(exp(a), b + 1, transpose_b); y = p * x + c",
                                      "y = where(a > 0 && b != 1, clip(a, -1, 1), f32(i32(b) << 2))"};
  std::mt19937_64 random(20261122);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  View view;
  int good = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (int i = 0; i < 40000 && std::chrono::steady_clock::now() < until; ++i) {
    std::string text;
    if (i % 2 == 0) {
      for (size_t k = below(25); k > 0; --k) text += pieces[below(std::size(pieces))];
    } else {
      text = seeds[below(std::size(seeds))];
      for (size_t k = 1 + below(4); k > 0; --k) {
        const size_t at = below(text.size() + 1);
        switch (below(3)) {
          case 0: text.insert(at, pieces[below(std::size(pieces))]); break;
          case 1: text.erase(at, 1 + below(3)); break;
          default:
            if (at < text.size()) text[at] = static_cast<char>(random());
            break;
        }
      }
    }
    Ref<ExpressionText> result;
    const Status status = ExpressionText::parse(text, "test", &result);
    if (!status.ok()) {
      ASSERT_EQ(status.code(), RONDO_INVALID_ARGUMENT) << text;
      ASSERT_NE(std::string(status.message()).find('^'), std::string::npos) << text;
      continue;
    }
    view.dtype = static_cast<rondo_dtype>(below(RONDO_U64 + 1));  // 8-bit floats are refused before
    std::vector<Bound> bound(result->operands().size());
    for (Bound& each : bound) {
      each.view = below(3) ? &view : nullptr;
      each.number =
          below(2) ? Scalar::of(static_cast<double>(below(100)) / 4) : Scalar::of_i64(static_cast<int64_t>(random()));
    }
    Lowered ignored;
    good += lower(*result, bound, &ignored).ok();
  }
  EXPECT_GT(good, 100) << "too few texts are right for this to say much";
}

}  // namespace
}  // namespace rondo::ops
