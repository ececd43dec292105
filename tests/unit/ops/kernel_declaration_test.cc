// Declarations of kernels: what they say of each parameter, where messages point, what an argument may be.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/kernel_declaration.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/dtype.h"

namespace rondo::ops {
namespace {

std::vector<KernelDeclaration> declarations_of(const std::string& text) {
  std::vector<KernelDeclaration> result;
  const Status status = parse_declarations(text, &result);
  EXPECT_TRUE(status.ok()) << text << ": " << status.message();
  return result;
}
std::string refused(const std::string& text) {
  std::vector<KernelDeclaration> result;
  const Status status = parse_declarations(text, &result);
  EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT) << text;
  EXPECT_TRUE(result.empty());
  return status.message();
}
KernelParameter parameter(const std::string& text) {
  const auto declarations = declarations_of("k(" + text + ")");
  return declarations.size() == 1 && declarations[0].parameters.size() == 1 ? declarations[0].parameters[0]
                                                                            : KernelParameter();
}

TEST(KernelDeclaration, NamesAreExpressions) {
  const auto two = declarations_of(
      "  ns::scale<float, (4)>(const float* __restrict__ x, float *y, float a, int n);\n"
      "extern \"C\" __global__ void fill(float*, size_t)\n;");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].name, "ns::scale<float, (4)>");
  ASSERT_EQ(two[0].parameters.size(), 4u);
  EXPECT_EQ(two[0].parameters[0].name, "x");
  EXPECT_TRUE(two[0].parameters[0].pointer);
  EXPECT_FALSE(two[0].parameters[0].written);
  EXPECT_TRUE(two[0].parameters[1].written);
  EXPECT_EQ(two[0].parameters[2].kind, KernelParameter::floating);
  EXPECT_EQ(two[0].parameters[3].name, "n");
  EXPECT_EQ(two[1].name, "fill");
  EXPECT_EQ(two[1].parameters[0].name, "");
  EXPECT_EQ(two[1].parameters[1].size, 8);
  EXPECT_TRUE(declarations_of("k()")[0].parameters.empty());
  EXPECT_TRUE(declarations_of("void_kernel(void)")[0].parameters.empty());
  EXPECT_EQ(declarations_of("void_kernel(void)")[0].name, "void_kernel");
}

TEST(KernelDeclaration, TypesAreThoseOfC) {
  const struct {
    const char* text;
    KernelParameter::Kind kind;
    int size;
    bool pointer, written;
    const char* name;
  } cases[] = {
      {"unsigned long long n", KernelParameter::natural, 8, false, false, "n"},
      {"long", KernelParameter::integer, 8, false, false, ""},
      {"unsigned", KernelParameter::natural, 4, false, false, ""},
      {"short int s", KernelParameter::integer, 2, false, false, "s"},
      {"const int n", KernelParameter::integer, 4, false, false, "n"},
      {"unsigned char c", KernelParameter::natural, 1, false, false, "c"},
      {"bool on", KernelParameter::truth, 1, false, false, "on"},
      {"double const * x", KernelParameter::floating, 8, true, false, "x"},
      {"double * const x", KernelParameter::floating, 8, true, true, "x"},
      {"my::Half<2, 3>* h", KernelParameter::other, 0, true, true, "h"},
      {"const void* v", KernelParameter::other, 0, true, false, "v"},
  };
  for (const auto& each : cases) {
    const KernelParameter found = parameter(each.text);
    EXPECT_EQ(found.kind, each.kind) << each.text;
    EXPECT_EQ(found.size, each.size) << each.text;
    EXPECT_EQ(found.pointer, each.pointer) << each.text;
    EXPECT_EQ(found.written, each.written) << each.text;
    EXPECT_EQ(found.name, each.name) << each.text;
  }
}

TEST(KernelDeclaration, MessagesPointAtThePlace) {
  EXPECT_EQ(refused("a(float x);\nb(float** y)"),
            "kernels 2:9: a pointer to a pointer is not a tensor\n  b(float** y)\n          ^");
  EXPECT_NE(refused(" ; ").find("no kernel is declared"), std::string::npos);
  EXPECT_NE(refused("axpy").find("1:4: a declaration ends"), std::string::npos);
  EXPECT_NE(refused("axpy)").find("is not opened"), std::string::npos);
  EXPECT_NE(refused("(int n)").find("begins with the kernel's name"), std::string::npos);
  EXPECT_NE(refused("a(int n); a(float x)").find("1:11: 'a' is declared already"), std::string::npos);
  EXPECT_NE(refused("a(int n,)").find("a parameter is missing"), std::string::npos);
  EXPECT_NE(refused("a(float& x)").find("1:8: a parameter is a number"), std::string::npos);
  EXPECT_NE(refused("a(Options options)").find("'Options' is not a number"), std::string::npos);
  EXPECT_NE(refused("a(*x)").find("begins with its type"), std::string::npos);
  EXPECT_NE(refused("a(int n m)").find("one name"), std::string::npos);
}

TEST(KernelDeclaration, PointersTakeTheirDtypes) {
  const struct {
    const char* text;
    std::vector<rondo_dtype> dtypes;
  } cases[] = {{"float* x", {RONDO_F32}},
               {"const double* x", {RONDO_F64}},
               {"int* x", {RONDO_I32, RONDO_U32}},
               {"long long* x", {RONDO_I64, RONDO_U64}},
               {"unsigned char* x", {RONDO_BOOL, RONDO_U8, RONDO_I8, RONDO_F8_E4M3, RONDO_F8_E5M2}},
               {"bool* x", {RONDO_BOOL, RONDO_U8, RONDO_I8}},
               {"unsigned short* x", {RONDO_F16, RONDO_BF16, RONDO_I16, RONDO_U16}},
               {"int16_t* x", {RONDO_I16, RONDO_U16}}};
  for (const auto& each : cases)
    for (const rondo_dtype dtype :
         {RONDO_BOOL, RONDO_U8, RONDO_I8, RONDO_I32, RONDO_I64, RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64, RONDO_I16,
          RONDO_U16, RONDO_U32, RONDO_U64, RONDO_F8_E4M3, RONDO_F8_E5M2}) {
      const bool wanted = std::find(each.dtypes.begin(), each.dtypes.end(), dtype) != each.dtypes.end();
      EXPECT_EQ(accepts(parameter(each.text), dtype), wanted) << each.text << " " << dtype_name(dtype);
    }
  EXPECT_TRUE(accepts(parameter("__half* x"), RONDO_F16));
}

TEST(KernelDeclaration, NumbersMustFit) {
  uint64_t word = 0;
  EXPECT_TRUE(argument_word(parameter("int n"), Scalar::of(-3), &word));
  EXPECT_EQ(static_cast<int32_t>(word), -3);
  EXPECT_FALSE(argument_word(parameter("int n"), Scalar::of(0.5), &word));
  EXPECT_FALSE(argument_word(parameter("int n"), Scalar::of_i64(int64_t{1} << 31), &word));
  EXPECT_FALSE(argument_word(parameter("unsigned n"), Scalar::of(-1), &word));
  EXPECT_FALSE(argument_word(parameter("size_t n"), Scalar::of_i64(-1), &word));
  EXPECT_TRUE(argument_word(parameter("int64_t n"), Scalar::of_i64(INT64_MIN), &word));
  EXPECT_EQ(static_cast<int64_t>(word), INT64_MIN);
  EXPECT_TRUE(argument_word(parameter("bool on"), Scalar::of(0.25), &word));
  EXPECT_EQ(word, 1u);
  EXPECT_TRUE(argument_word(parameter("float a"), Scalar::of(0.1), &word));
  float single = 0;
  std::memcpy(&single, &word, sizeof single);
  EXPECT_EQ(single, 0.1f);
}

TEST(KernelDeclaration, AnyTextEndsWell) {
  static const char* const pieces[] = {"a", "k(",   ")",        "float", "*",    "const",     ",", ";",
                                       "<", ">",    "::",       " ",     "int",  "&",         "[", "(",
                                       "x", "void", "unsigned", "\n",    "\xff", "__global__"};
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (unsigned k = random() % 20; k > 0; --k) text += pieces[random() % std::size(pieces)];
    std::vector<KernelDeclaration> result;
    const Status status = parse_declarations(text, &result);
    ASSERT_TRUE(status.ok() || status.code() == RONDO_INVALID_ARGUMENT) << text;
  }
}

}  // namespace
}  // namespace rondo::ops
