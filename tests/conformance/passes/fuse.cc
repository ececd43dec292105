// Elementwise operators that a recording makes one kernel of: results have the bits of eager calls, and there are as
// few kernels as there can be. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <random>

#include "passes/passes.h"

namespace conformance {
namespace {

class Fused : public OnProgramsByPasses {};
CONFORMANCE_ENGINE_SUITE(Fused);

Tensor gelu(rondo_tensor* x) {
  const Tensor cube = make(rondo_binary, RONDO_MUL, make(rondo_binary, RONDO_MUL, x, x), x);
  const Tensor inner = make(rondo_binary, RONDO_ADD, x, make(rondo_binary_scalar, RONDO_MUL, cube, 0.044715));
  const Tensor bent = make(rondo_unary, RONDO_TANH, make(rondo_binary_scalar, RONDO_MUL, inner, 0.7978845608028654));
  return make(rondo_binary, RONDO_MUL, x, make(rondo_binary_scalar, RONDO_ADD, bent, 1.0));
}

// Each result is rounded to its dtype on the way, as it would be in memory. On the host operators of 16-bit floats have
// faster loops by themselves.
TEST_P(Fused, EightOperatorsOfGeluAreOneKernel) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16}) {
    const Graph graph = compare(
        {random_array(dtype, {1000}, 3, -4, 4)}, [](const auto& x) { return list(gelu(x[0])); },
        rondo_dtype_name(dtype));
    if (is_half(dtype) && !on_cuda()) {
      expect_tasks(graph.get(), 8);
      continue;
    }
    expect_tasks(graph.get(), 1);
    const std::string report = graph_report(graph.get());
    EXPECT_TRUE(has_word(report, "pass fuse: 8 nodes before, 1 after")) << report;
    EXPECT_TRUE(has_word(report, "one of 0 'mul', 1 'mul', 2 'mul', 3 'add', 4 'mul', 5 'tanh', 6 'add', 7 'mul'"))
        << report;
    EXPECT_EQ(graph_info(graph.get()).temporary_bytes, 256) << "no intermediate result has memory\n" << report;
    const std::string dot = written([&](const char* path) { return rondo_graph_dot(graph.get(), path); });
    EXPECT_NE(dot.find("mul, mul, mul, add, mul, tanh, add, mul\""), std::string::npos) << dot;
  }
}

// A product and a sum of two operators are two roundings.
TEST_P(Fused, ProductsAndSumsAreRoundedEach) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {1000}, 4, -1, 1), random_array(RONDO_F32, {1000}, 5, -1, 1),
       random_array(RONDO_F32, {1000}, 6, -1e-7, 1e-7)},
      [](const auto& x) {
        const Tensor square = make(rondo_binary, RONDO_MUL, x[0], x[1]);
        return list(make(rondo_binary, RONDO_SUB, square, make(rondo_binary, RONDO_ADD, square, x[2])));
      },
      "rounded");
  expect_tasks(graph.get(), 1);
}

// Elements of 8 bits wrap and keep their sign between the operators of a kernel, wherever they lie in a pack.
TEST_P(Fused, EightBitsKeepTheirSignOnTheWay) {
  for (const rondo_dtype dtype : {RONDO_I8, RONDO_U8}) {
    const Graph graph = compare(
        {random_array(dtype, {1003}, 3, 0, 255), random_array(dtype, {1003}, 4, 0, 255)},
        [](const auto& x) {
          Tensor magnitude = make(rondo_unary, RONDO_RELU, make(rondo_unary, RONDO_ABS, x[0]));
          Tensor product =
              make(rondo_unary, RONDO_RELU, make(rondo_binary, RONDO_MUL, make(rondo_unary, RONDO_NEG, x[0]), x[1]));
          return list(std::move(magnitude), std::move(product));
        },
        rondo_dtype_name(dtype));
    EXPECT_LE(graph_info(graph.get()).tasks, 2) << graph_report(graph.get());
  }
}

// On the host the sum is a task of its own, which fails with its second operand too; the product after it is none.
TEST_P(Fused, ReadersThatAreRefusedFindTheirOperand) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {1000}, 4, -1, 1), random_array(RONDO_F32, {1000}, 5, -1, 1)},
      [](const auto& x) {
        const Tensor relu = make(rondo_unary, RONDO_RELU, make(rondo_unary, RONDO_NEG, x[0]));
        Tensor sum = make(rondo_binary, RONDO_ADD, relu, x[1]);
        Tensor twice = make(rondo_binary_scalar, RONDO_MUL, relu, 2);
        return list(std::move(sum), std::move(twice));
      },
      "refused reader");
  expect_tasks(graph.get(), on_cuda() ? 1 : 2);
}

// Writing where something is read still, or read again later.
TEST_P(Fused, HazardsKeepTheirOrder) {
  const std::vector<Array> arrays = {random_array(RONDO_F32, {4000}, 7, -1, 1),
                                     random_array(RONDO_F32, {4000}, 8, -1, 1)};
  struct Case {
    const char* label;
    int32_t tasks, on_host;  // where a task fails as a whole, results that fail otherwise have one each
    Program body;
  };
  const Case cases[] = {
      {"in place", 1, 1,
       [](const auto& x) {
         into(x[0], rondo_unary, RONDO_EXP, x[0]);
         into(x[0], rondo_binary, RONDO_MUL, x[0], x[1]);
         into(x[0], rondo_unary, RONDO_NEG, x[0]);
         return list();
       }},
      {"an input changes in the middle", 3, 3,
       [](const auto& x) {
         const Tensor before = make(rondo_unary, RONDO_EXP, x[0]);
         into(x[0], rondo_cumulative, RONDO_SUM, x[1], 0, 0);
         return list(make(rondo_binary, RONDO_MUL, before, x[0]));
       }},
      {"a value is kept and read later", 3, 3,
       [this](const auto& x) {
         Tensor kept = make(rondo_unary, RONDO_EXP, x[0]);
         const Tensor sum = make(rondo_cumulative, RONDO_SUM, kept, 0, 0);
         Tensor last = make(rondo_binary, RONDO_SUB, sum, kept);
         return list(std::move(kept), std::move(last));
       }},
      {"parts overlap", 2, 3,
       [](const auto& x) {
         const Tensor low = slice(x[0], 0, 0, 3999), high = slice(x[0], 0, 1, 4000), other = slice(x[1], 0, 0, 3999);
         into(low, rondo_unary, RONDO_EXP, other);
         const Tensor between = make(rondo_unary, RONDO_NEG, low);
         into(high, rondo_unary, RONDO_SQUARE, between);
         return list();
       }},
      {"what is written is read one element on", 2, 2,
       [](const auto& x) {
         const Tensor low = slice(x[0], 0, 0, 3999), high = slice(x[0], 0, 1, 4000), other = slice(x[1], 0, 0, 3999);
         const Tensor sum = make(rondo_binary, RONDO_ADD, make(rondo_unary, RONDO_EXP, other), high);
         into(low, rondo_unary, RONDO_NEG, sum);
         return list();
       }},
      {"what is written is read one element back", 2, 2,
       [](const auto& x) {
         const Tensor low = slice(x[0], 0, 0, 3999), high = slice(x[0], 0, 1, 4000), other = slice(x[1], 0, 0, 3999);
         const Tensor sum = make(rondo_binary, RONDO_ADD, make(rondo_unary, RONDO_EXP, other), low);
         into(high, rondo_unary, RONDO_NEG, sum);
         return list();
       }},
      {"a part is read backwards", 2, 2,
       [](const auto& x) {
         into(x[0], rondo_unary, RONDO_EXP, x[1]);
         return list(make(rondo_unary, RONDO_NEG, slice(x[0], 0, 0, 20)));
       }},
      {"added twice", 2, 2,
       [](const auto& x) {
         const Tensor adds = make(rondo_tensor_accumulator, x[0]);
         into(adds, rondo_unary, RONDO_EXP, make(rondo_unary, RONDO_NEG, x[1]));
         into(adds, rondo_unary, RONDO_NEG, x[1]);
         return list();
       }},
  };
  for (const Case& each : cases) {
    const Graph graph = compare(arrays, each.body, each.label);
    EXPECT_EQ(graph_info(graph.get()).tasks, on_cuda() ? each.tasks : each.on_host) << each.label << "\n"
                                                                                    << graph_report(graph.get());
  }
}

// What is stored on the way, and what is read as it lies: transposed, broadcast, every other element.
TEST_P(Fused, SeveralResultsAndLayouts) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {40, 66}, 9, -1, 1), random_array(RONDO_F32, {33, 40}, 10, -1, 1),
       random_array(RONDO_F16, {33}, 11, -1, 1)},
      [](const auto& x) {
        Tensor sum = make(rondo_binary, RONDO_ADD, transpose(x[1], {1, 0}), slice(x[0], 1, 0, 66, 2));
        const Tensor scaled = make(rondo_binary, RONDO_MUL, sum, x[2]);
        const Tensor positive = make(rondo_binary_scalar, RONDO_GT, scaled, 0.0);
        Tensor chosen = make(rondo_where, positive, scaled, sum);
        Tensor half = make(rondo_cast, chosen, RONDO_F16);
        return list(std::move(chosen), std::move(half));
      },
      "layouts");
  EXPECT_EQ(graph_info(graph.get()).tasks, 1) << graph_report(graph.get());
}

// On the host what fails is what read a failure, as in eager calls.
TEST_P(Fused, OneFailureLeavesOtherResultsAlone) {
  if (on_cuda()) GTEST_SKIP() << "a launch fails as a whole";
  const Tensor x = ones(10), y = ones(10);
  Tensor first, second;
  const Graph graph = record(engine(), [&] {
    first = make(rondo_unary, RONDO_NEG, x);
    second = make(rondo_binary, RONDO_ADD, first, y);
  });
  (void)push(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(y)});
  (void)rondo_graph_launch(graph.get());
  EXPECT_EQ(this->first(first), -1);
  EXPECT_EQ(rondo_tensor_wait(second), RONDO_USER_ERROR);
  (void)rondo_engine_wait_all(engine());
}

// Programs by chance: operators of several dtypes over tensors, parts of them and turned ones; in place, added, kept or
// forgotten.
class Chance {
 public:
  Chance(uint32_t seed, const std::vector<rondo_dtype>& dtypes) : seed_(seed), dtypes_(dtypes) {}

  std::vector<Array> arrays() {
    bits_.seed(seed_);
    const Shape shapes[] = {{60}, {6, 10}, {3, 4, 5}, {12, 34}};
    shape_ = shapes[next(4)];
    std::vector<Array> all;
    for (int i = 0; i < 4; ++i) {
      Array array =
          random_array(dtype(), i < 3 ? shape_ : Shape{shape_.back()}, seed_ + static_cast<uint32_t>(i), -3, 3);
      const double unusual[] = {-0.0, 0, INFINITY, -INFINITY, NAN};
      if (array.dtype == RONDO_F32 || array.dtype == RONDO_F16 || array.dtype == RONDO_BF16)
        for (size_t k = 0; k < 5; ++k) array.set(next(static_cast<uint32_t>(array.size())), unusual[k]);
      all.push_back(std::move(array));
    }
    after_arrays_ = bits_;
    return all;
  }
  // Where an operator refuses its operands, there is one less; each time the same.
  std::vector<Tensor> run(const std::vector<Tensor>& given) {
    bits_ = after_arrays_;
    pool_.clear();
    for (const Tensor& each : given) {
      const rondo_tensor_info info = query(each);
      pool_.push_back(reshape(each, Shape(info.shape, info.shape + info.ndim)));
    }
    const uint32_t count = 5 + next(25);
    for (uint32_t i = 0; i < count; ++i) step();
    std::vector<Tensor> kept;
    for (Tensor& each : pool_)
      if (next(3) == 0) kept.push_back(std::move(each));
    pool_.clear();
    return kept;
  }

 private:
  uint32_t next(uint32_t n) { return static_cast<uint32_t>(bits_() % n); }
  rondo_dtype dtype() { return dtypes_[next(static_cast<uint32_t>(dtypes_.size()))]; }
  rondo_tensor* any() {
    // Mostly what was made last.
    const auto size = static_cast<uint32_t>(pool_.size());
    return next(3) ? pool_[size - 1 - next(std::min(size, 3u))] : pool_[next(size)];
  }
  void add(rondo_status status, Tensor made) {
    if (status == RONDO_OK && made) pool_.push_back(std::move(made));
  }
  void step() {
    static const rondo_unary_op unary[] = {RONDO_NEG, RONDO_ABS, RONDO_RELU, RONDO_TANH, RONDO_SQUARE, RONDO_ISNAN};
    static const rondo_binary_op binary[] = {RONDO_ADD, RONDO_SUB, RONDO_MUL, RONDO_DIV, RONDO_MAXIMUM, RONDO_GT};
    Tensor made;
    rondo_tensor* const a = any();
    rondo_tensor* const b = any();
    switch (next(17)) {
      case 0:
      case 1: return add(rondo_unary(unary[next(6)], a, made.slot()), std::move(made));
      case 2:
      case 3:
      case 4: return add(rondo_binary(binary[next(6)], a, b, made.slot()), std::move(made));
      case 5: return add(rondo_binary_scalar(binary[next(6)], a, next(5), made.slot()), std::move(made));
      case 6: return add(rondo_cast(a, dtype(), made.slot()), std::move(made));
      case 7: return add(rondo_copy(a, made.slot()), std::move(made));
      case 8: {
        Tensor condition;
        if (rondo_binary(RONDO_LT, a, b, condition.slot()) != RONDO_OK) return;
        return add(rondo_where(condition, a, b, made.slot()), std::move(made));
      }
      case 9: {  // in place, which may be over what another view shows
        rondo_tensor* slot = a;
        (void)rondo_unary(unary[next(5)], b, &slot);
        return;
      }
      case 10: {
        Tensor adds;
        if (rondo_tensor_accumulator(a, adds.slot()) != RONDO_OK) return;
        rondo_tensor* slot = adds;
        (void)rondo_binary(RONDO_MUL, b, b, &slot);
        return;
      }
      case 11: {  // a part
        const int64_t first = next(2), n = query(a).shape[0];
        if (n < 4) return;
        return add(rondo_tensor_slice(a, 0, first, n - 1 + first, 1, made.slot()), std::move(made));
      }
      case 12: return add(rondo_cumulative(RONDO_MAX, a, 0, 0, made.slot()), std::move(made));
      case 13:
      case 14: {  // which the others broadcast
        static const rondo_reduce_op reduce[] = {RONDO_SUM, RONDO_MEAN, RONDO_MAX, RONDO_L2_NORM};
        const auto axis = static_cast<int32_t>(next(static_cast<uint32_t>(query(a).ndim)));
        return add(rondo_reduce(reduce[next(4)], a, 1, &axis, 1, made.slot()), std::move(made));
      }
      case 15: return add(rondo_softmax(a, static_cast<int32_t>(query(a).ndim) - 1, made.slot()), std::move(made));
      default:  // forgotten
        if (pool_.size() > 4) pool_.erase(pool_.begin() + next(static_cast<uint32_t>(pool_.size())));
    }
  }

  const uint32_t seed_;
  const std::vector<rondo_dtype> dtypes_;
  std::mt19937 bits_, after_arrays_;
  Shape shape_;
  std::vector<Tensor> pool_;
};

TEST_P(Fused, ProgramsByChanceHaveTheBitsOfEagerCalls) {
  rondo_record_options as_written = RONDO_RECORD_OPTIONS_INIT;
  as_written.flags = RONDO_RECORD_AS_WRITTEN;
  const std::vector<std::vector<rondo_dtype>> dtypes = {
      {RONDO_F32}, {RONDO_F16}, {RONDO_F32, RONDO_BF16}, {RONDO_I32, RONDO_U8}, {RONDO_F16, RONDO_I8, RONDO_BOOL}};
  // Of several shares each has programs of its own.
  const char* const asked = std::getenv("RONDO_TEST_PROGRAMS");
  const auto count = static_cast<uint32_t>(asked ? std::atoi(asked) : sparing() ? 5 : quick() ? 100 : 300);
  const uint32_t first = (asked || sparing()) && share() > 0 ? 100000 * static_cast<uint32_t>(share()) : 0;
  int32_t fused = 0, written = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance(seed, dtypes[seed % dtypes.size()]);
    const std::vector<Array> arrays = chance.arrays();
    const auto body = [&](const std::vector<Tensor>& given) { return chance.run(given); };
    const Graph whole = compare(arrays, body, "as written", &as_written);
    const Graph graph = compare(arrays, body, "fused");
    written += graph_info(whole.get()).tasks;
    fused += graph_info(graph.get()).tasks;
    if (HasFailure()) {
      ADD_FAILURE() << graph_report(graph.get());
      return;
    }
  }
  EXPECT_LT(fused, written * 3 / 4);
}

}  // namespace
}  // namespace conformance
