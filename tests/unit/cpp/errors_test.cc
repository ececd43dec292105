// Errors in C++: which exception comes out of which call, and what it says. Public headers only.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <rondo/rondo.hpp>
#include <stdexcept>
#include <string>

namespace {

using rondo::Tensor;
using Floats = std::vector<float>;
constexpr rondo_device kCpu = {RONDO_CPU, 0};

template <class Exception>
std::string said_by(const std::function<void()>& body) {
  try {
    body();
  } catch (const Exception& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
  }
  return "nothing was thrown";
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CppErrors, ErrorOfOkIsAnError) {
  const rondo::Error error(RONDO_OK);
  EXPECT_EQ(error.status(), RONDO_USER_ERROR);
  EXPECT_STREQ(error.what(), "RONDO_USER_ERROR: rondo::Error was made of RONDO_OK, which is no error");
  EXPECT_EQ(rondo::Error(RONDO_OK, "done").status(), RONDO_USER_ERROR);
  EXPECT_NO_THROW(rondo::throw_on_failure(RONDO_OK));
  const rondo::Engine engine;
  const Tensor b = engine.zeros(kCpu, RONDO_F32, {1});
  engine.task("odd").writes(b).submit([](rondo::TaskContext&) { throw rondo::Error(RONDO_OK); });
  const std::string said = said_by<rondo::Error>([&] { b.wait(); });
  EXPECT_TRUE(has(said, "task 'odd' on cpu:0: rondo::Error was made of RONDO_OK")) << said;
}

TEST(CppErrors, ProgramsOwnErrorKeepsItsMessage) {
  const rondo::Engine engine;
  EXPECT_THROW(engine.zeros(kCpu, RONDO_F32, {-1}), rondo::Error);  // leaves a message on this thread
  const rondo::Error error(RONDO_IO_ERROR, "the disk is gone");
  EXPECT_STREQ(error.what(), "RONDO_IO_ERROR: the disk is gone");
  EXPECT_STREQ(error.message(), "the disk is gone");
  EXPECT_EQ(error.task(), nullptr);
  const Tensor b = engine.zeros(kCpu, RONDO_F32, {1});
  engine.task("save").writes(b).submit([&](rondo::TaskContext&) { throw error; });
  const std::string said = said_by<rondo::Error>([&] { b.wait(); });
  EXPECT_TRUE(has(said, "RONDO_IO_ERROR: rondo_tensor_wait: task 'save' on cpu:0: the disk is gone")) << said;
}

TEST(CppErrors, ExceptionOfACustomGradientLeaves) {
  const rondo::Engine engine;
  const Tensor b = engine.from_host<float>(kCpu, {1, 2});
  const auto gradient_with = [&](auto function) {
    const rondo::Tape tape(engine, {b});
    const Tensor y = b * 2.0;
    rondo::Tape::custom("mine", {b}, {y}, function);
    return tape.gradient(rondo::sum(y), b);
  };
  EXPECT_EQ(said_by<std::runtime_error>([&] {
              gradient_with(
                  [](const std::vector<Tensor>&) -> std::vector<Tensor> { throw std::runtime_error("cannot invert"); });
            }),
            "cannot invert");
  const std::string said = said_by<rondo::Error>(
      [&] { gradient_with([&](const std::vector<rondo_tensor*>&) -> std::vector<Tensor> { return {b.view({5})}; }); });
  EXPECT_TRUE(has(said, "rondo_tensor_reshape")) << said;
  EXPECT_TRUE(has(said_by<std::length_error>([&] {
                    gradient_with([](const std::vector<Tensor>& dy) { return std::vector<Tensor>{dy[0], dy[0]}; });
                  }),
                  "2 gradients for 1 inputs"));
  const auto triple = [](const std::vector<Tensor>& dy) { return std::vector<Tensor>{dy[0] * 3.0}; };
  EXPECT_EQ(gradient_with(triple).read<float>(), (Floats{3, 3}));
  const auto same = [](const std::vector<Tensor>& dy) { return dy; };
  EXPECT_EQ(gradient_with(same).read<float>(), (Floats{1, 1})) << "borrowed handles are given back as views";
}

TEST(CppErrors, ExceptionOfARepeatedAttemptIsDropped) {
  const rondo::Engine engine;
  const Tensor b = engine.from_host<float>(kCpu, {1, 2});
  rondo_callable_options options = RONDO_CALLABLE_OPTIONS_INIT;
  options.flags = RONDO_CALLABLE_FALL_BACK;
  int calls = 0;
  const auto throws_once = [&](auto then) {
    calls = 0;
    return engine.callable(
        1,
        [&calls, then](const std::vector<Tensor>& in) {
          if (calls++ == 0) throw std::runtime_error("while recording");
          return then(in);
        },
        &options);
  };
  const rondo::Callable empty = throws_once([](const std::vector<Tensor>&) { return Tensor(); });
  const std::string said = said_by<rondo::Error>([&] { empty(b); });
  EXPECT_TRUE(has(said, "outputs[0] is NULL")) << said;
  EXPECT_EQ(calls, 2);
  const rondo::Callable twice = throws_once([](const std::vector<Tensor>& in) { return in[0] + in[0]; });
  EXPECT_EQ(twice(b).read<float>(), (Floats{2, 4}));
  EXPECT_EQ(calls, 2);
  const std::string later = said_by<rondo::Error>([&] { twice(Tensor()); });
  EXPECT_FALSE(has(later, "while recording")) << later;
}

TEST(CppErrors, ExceptionLeavesEachNestedCall) {
  const rondo::Engine engine;
  const Tensor b = engine.from_host<float>(kCpu, {1, 2});
  const rondo::Callable inner =
      engine.callable(1, [](const std::vector<Tensor>&) -> Tensor { throw std::domain_error("inner"); });
  const rondo::Callable outer = engine.callable(1, [&](const std::vector<Tensor>& in) { return inner(in[0]); });
  EXPECT_EQ(said_by<std::domain_error>([&] { outer(b); }), "inner");
  const rondo::Callable mends = engine.callable(1, [&](const std::vector<Tensor>& in) {
    EXPECT_THROW(inner(in[0]), std::domain_error);
    return in[0] * 2;
  });
  EXPECT_EQ(mends(b).read<float>(), (Floats{2, 4}));
  const Tensor yes = b.gt(0).all();
  EXPECT_EQ(said_by<std::domain_error>([&] { rondo::if_else(engine, yes, [&] { inner(b); }); }), "inner");
}

TEST(CppErrors, IntegersBeyondInt64AreRefused) {
  const rondo::Engine engine;
  const Tensor a = engine.from_host<uint64_t>(kCpu, {1, 2});
  const std::string said = said_by<std::out_of_range>([&] { a + UINT64_MAX; });
  EXPECT_EQ(said,
            "rondo::Number: a whole number beside a tensor is 18446744073709551615; it must be from "
            "-9223372036854775808 to 9223372036854775807");
  EXPECT_THROW(a.fill(UINT64_MAX), std::out_of_range);
  EXPECT_THROW(rondo::Expression("y = x + n")({{"x", a}, {"n", UINT64_MAX}}), std::out_of_range);
  EXPECT_EQ((a + (uint64_t{1} << 62)).read<uint64_t>()[0], (uint64_t{1} << 62) + 1);
  EXPECT_EQ((a + engine.from_host<uint64_t>(kCpu, {UINT64_MAX})).read<uint64_t>()[1], 1u) << "as the message says";
  EXPECT_THROW(engine.from_host<uint8_t>(kCpu, {1, 300}), std::out_of_range);
  EXPECT_THROW(engine.from_host<uint8_t>(kCpu, {1, -1}), std::out_of_range);
  EXPECT_THROW(a.sum(int64_t{1} << 32), std::out_of_range);
}

TEST(CppErrors, RefusalSaysWhatWouldBeRight) {
  const rondo::Engine engine;
  const Tensor a = engine.from_host<float>(kCpu, {{1, 2}, {3, 4}});
  const auto refused = [&](auto body) { return said_by<std::logic_error>(body); };
  EXPECT_EQ(refused([&] { a.item<float>(); }), "rondo::Tensor::item: the tensor has 4 elements; it must have one");
  EXPECT_EQ(refused([&] { a[2]; }), "rondo::Tensor::index: a place of an axis is 2; it must be from -2 to 1");
  EXPECT_TRUE(has(refused([&] { a.index({0, 0, 0}); }), "names 3 axes"));
  EXPECT_EQ(refused([&] { a.size(2); }), "rondo::Tensor::size: the axis is 2; it must be from -2 to 1");
  EXPECT_EQ(refused([&] {
              engine.from_host<float>(kCpu, {{1, 2}, {3}});
            }),
            "rondo::Engine::from_host: the inner lists of values have different lengths");
  EXPECT_TRUE(has(refused([&] { a.unsqueeze(0).t(); }), "the tensor has 3 axes"));
  EXPECT_TRUE(has(refused([&] { a.transpose({0}); }), "axes are 1; the tensor has 2"));
  const Tensor unknown(Tensor(a).release());
  EXPECT_TRUE(has(refused([&] { rondo::zeros_like(unknown); }), "rondo::Tensor(handle, engine)"));
  EXPECT_EQ(rondo::zeros_like(Tensor(Tensor(a).release(), engine.get())).sum().item<float>(), 0);
  engine.task("typed").reads(a).submit([&](rondo::TaskContext& context) { context.values<double>(0); });
  EXPECT_TRUE(has(said_by<rondo::Error>([&] { engine.wait_all(); }), "operand 0 is f32, asked for as f64"));
}

}  // namespace
