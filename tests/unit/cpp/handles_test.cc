// Handles in C++: adopted, borrowed, shared and given away; lists of tensors of any length. Public headers only.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <list>
#include <rondo/rondo.hpp>

namespace {

using rondo::Tensor;
using Floats = std::vector<float>;
constexpr rondo_device kCpu = {RONDO_CPU, 0};

rondo_tensor* made_in_c(const rondo::Engine& engine, float value) {
  rondo_tensor* handle = nullptr;
  const int64_t shape[] = {1};
  rondo::throw_on_failure(rondo_tensor_from_host(engine.get(), kCpu, RONDO_F32, 1, shape, &value, &handle));
  return handle;
}
bool alive(rondo_tensor* handle) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  return rondo_tensor_query(handle, &info) == RONDO_OK;
}

TEST(CppHandles, AdoptedTensorEndsWithItsLastCopy) {
  const rondo::Engine engine;
  rondo_tensor* handle = made_in_c(engine, 3);
  {
    const Tensor first(handle);
    Tensor second = first;
    EXPECT_EQ(first.get(), second.get());
    second = second + 1.0;
    EXPECT_EQ(second.read<float>(), Floats{4});
    EXPECT_EQ(first.read<float>(), Floats{3});
  }
  EXPECT_FALSE(alive(handle));
}

TEST(CppHandles, BorrowedTensorStaysItsOwners) {
  const rondo::Engine engine;
  rondo_tensor* handle = made_in_c(engine, 3);
  {
    const Tensor lent(handle, rondo::borrowed);
    const Tensor copy = lent;
    EXPECT_EQ((copy * 2.0).read<float>(), Floats{6});
  }
  ASSERT_TRUE(alive(handle));
  rondo_tensor_destroy(handle);
}

TEST(CppHandles, ReleaseGivesAHandleThatTheCallerOwns) {
  const rondo::Engine engine;
  rondo_tensor* handle = made_in_c(engine, 3);
  Tensor only(handle);
  EXPECT_EQ(only.release(), handle);
  EXPECT_FALSE(only);
  EXPECT_EQ(only.release(), nullptr);

  Tensor shared(handle), kept = shared;
  rondo_tensor* other = shared.release();
  EXPECT_NE(other, handle);
  kept.fill(5);
  Tensor lent(other, rondo::borrowed);
  EXPECT_EQ(lent.read<float>(), Floats{5}) << "the same memory";
  rondo_tensor* third = lent.release();
  EXPECT_NE(third, other);
  rondo_tensor_destroy(third);
  ASSERT_TRUE(alive(other));
  rondo_tensor_destroy(other);
}

TEST(CppHandles, ReleasedViewsKeepTheirShape) {
  const rondo::Engine engine;
  Tensor scalar = engine.from_host(kCpu, Floats{1, 2, 3, 4}).reshape({2, 2}).t(), same = scalar;
  const Tensor back(scalar.release());
  EXPECT_EQ(back.read<float>(), (Floats{1, 3, 2, 4}));
  Tensor none = engine.from_host<float>(kCpu, 7), twice = none;
  EXPECT_EQ(Tensor(none.release()).item<float>(), 7);
}

TEST(CppHandles, EveryHandleMayBeAdoptedOrBorrowed) {
  rondo_engine* raw = nullptr;
  ASSERT_EQ(rondo_engine_create(nullptr, &raw), RONDO_OK);
  {
    const rondo::Engine lent(raw, rondo::borrowed);
    EXPECT_EQ(lent.zeros(kCpu, RONDO_F32, {1}).read<float>(), Floats{0});
  }
  rondo::Engine engine(raw);  // adopts
  rondo_variable* variable = nullptr;
  ASSERT_EQ(rondo_variable_create(raw, &variable), RONDO_OK);
  rondo::Variable(variable, rondo::borrowed).wait();
  rondo::Variable(variable).wait();
  EXPECT_EQ(rondo_variable_wait(variable), RONDO_INVALID_ARGUMENT) << "destroyed with its owner";

  rondo_tape* tape = nullptr;
  ASSERT_EQ(rondo_tape_begin(raw, 0, &tape), RONDO_OK);
  const rondo::Tape noting(tape);
  EXPECT_EQ(noting.info().open, 1);
  rondo_expression* text = nullptr;
  ASSERT_EQ(rondo_expression_create("y = x + x", nullptr, &text), RONDO_OK);
  const Tensor x = engine.from_host<float>(kCpu, {1, 2});
  EXPECT_EQ(rondo::Expression(text, rondo::borrowed)({{"x", x}}).read<float>(), (Floats{2, 4}));
  EXPECT_EQ(rondo::Expression(text)({{"x", x}}).read<float>(), (Floats{2, 4}));
  const rondo::Callable twice = engine.callable(1, [](const std::vector<Tensor>& in) { return in[0] * 2; });
  const rondo::Callable lent(twice.get(), rondo::borrowed, 1);
  EXPECT_EQ(lent(x).read<float>(), (Floats{2, 4}));

  rondo::Engine moved = std::move(engine);
  EXPECT_FALSE(engine);
  EXPECT_EQ(moved.release(), raw);
  rondo_engine_destroy(raw);
}

TEST(CppHandles, ListsOfTensorsMayBeAnyRange) {
  const rondo::Engine engine;
  const Tensor a = engine.from_host<float>(kCpu, {1}), b = engine.from_host<float>(kCpu, {2});
  const Floats both{1, 2};
  std::vector<Tensor> vector{a, b};
  EXPECT_EQ(rondo::concat(vector, 0).read<float>(), both);
  EXPECT_EQ(rondo::concat({a, b}, 0).read<float>(), both);
  EXPECT_EQ(rondo::concat({a * 1.0, b + 0.0}, 0).read<float>(), both) << "of temporaries";
  EXPECT_EQ(rondo::concat(std::array<Tensor, 2>{a, b}, 0).read<float>(), both);
  EXPECT_EQ(rondo::concat(std::list<Tensor>{a, b}, 0).read<float>(), both);
  const std::vector<std::reference_wrapper<const Tensor>> references{a, b};
  EXPECT_EQ(rondo::concat(references, 0).read<float>(), both);
  EXPECT_EQ(rondo::concat(rondo::Span<Tensor>(vector.data(), vector.size()), 0).read<float>(), both);
  EXPECT_EQ(rondo::add_n(vector).read<float>(), Floats{3});
  EXPECT_THROW(rondo::concat(std::vector<Tensor>(), 0), rondo::Error);
  EXPECT_THROW(rondo::concat({a, Tensor()}, 0), rondo::Error);
}

// What has more elements than the C interface counts.
struct Endless {
  const Tensor* begin() const { return nullptr; }
  const Tensor* end() const { return nullptr; }
  size_t size() const { return size_t{1} << 31; }
};

TEST(CppHandles, ListTooLongForTheCountIsRefused) {
  try {
    rondo::concat(Endless(), 0);
    FAIL() << "the list is too long";
  } catch (const std::length_error& error) {
    EXPECT_STREQ(error.what(), "rondo::Tensors: the tensors of a list are 2147483648; at most 2147483647 can be given");
  }
  EXPECT_EQ(rondo::detail::count((size_t{1} << 31) - 1, "they"), INT32_MAX);
}

TEST(CppHandles, ConstObjectsDoAllThatLeavesTheHandle) {
  const rondo::Engine engine;
  engine.seed(3);
  const Tensor a = engine.zeros(kCpu, RONDO_F32, {2});
  a.fill(2);
  a.add_(1).mul_(a);
  EXPECT_EQ(a.read<float>(), (Floats{9, 9}));
  const rondo::Tape tape(engine, {a});
  EXPECT_EQ(tape.gradient(rondo::sum(a * a), a).read<float>(), (Floats{18, 18}));
}

}  // namespace
