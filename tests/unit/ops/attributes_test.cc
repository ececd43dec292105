// Attributes of operators: two calls that differ in anything that decides a result are not the same, and two equal
// calls are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>
#include <limits>

#include "../graph/program_fixture.h"
#include "ops/program/kinds.h"

namespace rondo {
namespace {

using ops::Call;

// Changes one leaf of attributes, by its number; counts how many there are.
class Changing {
 public:
  explicit Changing(size_t which) : which_(which) {}
  size_t leaves() const { return next_; }
  template <class Value>
  void visit(Value&& value) {
    using Plain = std::decay_t<Value>;
    if constexpr (HasMembers<Plain>) {
      Plain::each_member(value, [this](const char*, auto&& member) { visit(member); });
    } else if constexpr (std::is_same_v<Plain, std::shared_ptr<const ops::Fused>>) {
      if (next_++ == which_) {
        auto fused = std::make_shared<ops::Fused>();
        fused->expression.output(fused->expression.scalar(RONDO_F32), RONDO_F32, false);
        fused->words[0] = 7;
        value = std::move(fused);
      }
    } else if constexpr (std::is_same_v<Plain, std::vector<std::shared_ptr<const ops::Fused>>> ||
                         std::is_same_v<Plain, std::vector<int64_t>> || std::is_same_v<Plain, std::vector<bool>>) {
      if (next_++ == which_) value.push_back({});
    } else if constexpr (std::is_same_v<Plain, const ops::Operator*>) {
      if (next_++ == which_) value = &ops::operator_of(ops::Op::add);
    } else if constexpr (std::is_same_v<Plain, Layout>) {
      visit(value.ndim);
    } else if constexpr (std::is_same_v<Plain, ops::UnstoredValue>) {
      value.layout.ndim = 1;
      visit(value.dtype), visit(value.offset);
      visit(value.layout.ndim), visit(value.layout.shape[0]), visit(value.layout.strides[0]);
    } else if constexpr (requires { value.valueless_by_exception(); }) {
      std::visit([this](auto& one) { visit(one); }, value);
      if (next_++ == which_) value = ops::SoftmaxCall{};
    } else if constexpr (std::is_same_v<Plain, ops::Windows>) {
      value.count = 1;
      visit(value.first);
      ops::WindowAxis& axis = value.axis[0];
      for (auto* each :
           {&axis.in, &axis.out, &axis.size, &axis.stride, &axis.padding, &axis.padding_end, &axis.dilation})
        visit(*each);
      visit(axis.rule), visit(axis.origin), visit(axis.counts_padding);
    } else if constexpr (requires { value.begin(); } || std::is_array_v<std::remove_reference_t<Value>>) {
      for (auto& each : value) visit(each);
    } else if constexpr (std::is_same_v<Plain, bool>) {
      if (next_++ == which_) value = !value;
    } else if constexpr (std::is_floating_point_v<Plain>) {
      if (next_++ == which_) value = -0.0;
    } else {
      if (next_++ == which_) value = static_cast<Plain>(static_cast<int64_t>(value) + 1);
    }
  }

 private:
  const size_t which_;
  size_t next_ = 0;
};

template <class Attributes>
void expect_each_member_to_count(const char* kind) {
  if constexpr (HasMembers<Attributes>) {
    Changing none(SIZE_MAX);
    Attributes same{};
    none.visit(same);
    EXPECT_TRUE(same_attributes(Call(same), Call(same))) << kind;
    for (size_t i = 0; i < none.leaves(); ++i) {
      Attributes other = same;
      Changing one(i);
      one.visit(other);
      EXPECT_FALSE(same_attributes(Call(same), Call(other))) << kind << ", member " << i;
    }
  } else {
    EXPECT_FALSE(same_attributes(Call(Attributes{}), Call(Attributes{}))) << kind << " says nothing of its results";
  }
}

TEST(Attributes, EachMemberCounts) {
#define RONDO_KIND(Name, ...) expect_each_member_to_count<ops::Name##Call>(#Name);
#include "ops/program/kinds.def"
#undef RONDO_KIND
}

TEST(Attributes, WordsOfOtherOperatorsDoNotCount) {
  ops::ElementwiseCall one{}, two{};
  one.row = two.row = &ops::operator_of(ops::Op::relu);
  one.computed = two.computed = RONDO_F32;
  two.words[2] = 5;
  EXPECT_TRUE(same_attributes(Call(one), Call(two)));
}

TEST(Operands, HaveTheNamesOfTheirRow) {
  ops::AttentionCall call{};
  call.mask = true;
  call.numbers.dropped = 0.5;
  std::vector<std::string_view> names;
  ASSERT_TRUE(name_operands(Call(call), 4, 3, &names));
  EXPECT_EQ(names, (std::vector<std::string_view>{"q", "k", "v", "mask", "out", "lse", "draw"}));
  EXPECT_EQ(ops::input_of(call, "mask"), 3u);
  EXPECT_EQ(ops::input_of(call, "key_lengths"), std::nullopt);
  names.clear();
  EXPECT_FALSE(name_operands(Call(call), 3, 3, &names)) << "the mask is missing";
  EXPECT_FALSE(name_operands(Call(call), 4, 2, &names)) << "a result is missing";
  ops::EmbeddingBagCall bags{};
  bags.offsets = true;
  names.clear();
  ASSERT_TRUE(name_operands(Call(bags), 5, 1, &names));
  EXPECT_EQ(names, (std::vector<std::string_view>{"indices", "offsets", "tables", "tables", "tables", "out"}));
  EXPECT_EQ(ops::input_of(bags, "tables"), 2u);
  ops::OptimizerStepCall step{};
  step.tensors = 2;
  step.first = true;
  names.clear();
  ASSERT_TRUE(name_operands(Call(step), 7, 4, &names));
  EXPECT_EQ(names, (std::vector<std::string_view>{"weights", "weights", "gradients", "gradients", "first", "step",
                                                  "rate", "weights", "weights", "first", "step"}));
}

// What decides a result is an attribute: each row is an operator, called twice alike and once otherwise.
class Deciding : public OnPrograms {
 protected:
  using Submit = std::function<void()>;
  struct Row {
    const char* what;
    Submit one, other;
  };
  // The nodes of a recording that are kinds which tell what they do.
  using Calls = std::vector<Ref<const Call>>;
  Calls calls_of(const Submit& submit) {
    Calls calls;
    ops::Program program = recorded(submit);
    must(rondo_record_abort(engine_));
    for (const ops::ProgramNode& node : program.nodes) {
      ops::Words words;
      if (node.call && append_words(*node.call, &words)) calls.push_back(node.call);
    }
    return calls;
  }
  static bool same(const Calls& a, const Calls& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Ref<const Call>& x, const Ref<const Call>& y) { return same_attributes(*x, *y); });
  }
};

TEST_F(Deciding, ArgumentsAreAttributes) {
  Result a, b, places, mask;
  filled(16, a.slot());
  filled(16, b.slot());
  make(4, places.slot(), RONDO_I64);
  must(rondo_fill(places, 1));
  make(16, mask.slot(), RONDO_BOOL);
  must(rondo_fill(mask, 1));
  const rondo_device cpu = {RONDO_CPU, 0};
  const int64_t n = 16, square[] = {4, 4};
  const auto row = [](const char* what, auto call, auto one, auto other) {
    return Row{what, [=] { call(one); }, [=] { call(other); }};
  };
  const Row rows[] = {
      row(
          "the value of pad",
          [&](double value) {
            Result out;
            const int64_t widths[] = {1, 1};
            must(rondo_pad(a, RONDO_PAD_CONSTANT, 2, widths, value, out.slot()));
          },
          0.0, -0.0),
      row(
          "the widths of pad",
          [&](int64_t width) {
            Result out;
            const int64_t widths[] = {width, 1};
            must(rondo_pad(a, RONDO_PAD_CONSTANT, 2, widths, 0, out.slot()));
          },
          int64_t{1}, int64_t{2}),
      row(
          "the start of arange",
          [&](double start) {
            Result out;
            must(rondo_arange(engine_, cpu, RONDO_F32, start, start + 4, 1, out.slot()));
          },
          0.0, 1.0),
      row(
          "the whole start of arange",
          [&](int64_t start) {
            Result out;
            must(rondo_arange_i64(engine_, cpu, RONDO_I64, start, start + 4, 1, out.slot()));
          },
          int64_t{0}, int64_t{1}),
      row(
          "the end of linspace",
          [&](int32_t endpoint) {
            Result out;
            must(rondo_linspace(engine_, cpu, RONDO_F32, 0, 1, 5, endpoint, out.slot()));
          },
          0, 1),
      row(
          "the diagonal of eye",
          [&](int64_t diagonal) {
            Result out;
            must(rondo_eye(engine_, cpu, RONDO_F32, 4, 4, diagonal, out.slot()));
          },
          int64_t{0}, int64_t{1}),
      row(
          "the number of fill",
          [&](double value) {
            Result out;
            must(rondo_tensor_create(engine_, cpu, RONDO_F32, 1, &n, out.slot()));
            must(rondo_fill(out, value));
          },
          1.0, 2.0),
      row(
          "the range of random_uniform",
          [&](double high) {
            Result out;
            must(rondo_random_uniform(engine_, cpu, RONDO_F32, 1, &n, 0, high, out.slot()));
          },
          1.0, 2.0),
      row(
          "the deviation of random_normal",
          [&](double deviation) {
            Result out;
            must(rondo_random_normal(engine_, cpu, RONDO_F32, 1, &n, 0, deviation, out.slot()));
          },
          1.0, 2.0),
      row(
          "the probability of dropout",
          [&](double p) {
            Result out, kept;
            must(rondo_dropout(a, p, out.slot(), kept.slot()));
          },
          0.25, 0.5),
      row(
          "the depth of one_hot",
          [&](int64_t depth) {
            Result out;
            must(rondo_one_hot(places, depth, RONDO_F32, out.slot()));
          },
          int64_t{3}, int64_t{4}),
      row(
          "the limit of nonzero",
          [&](int64_t limit) {
            Result out, count;
            must(rondo_nonzero_limit(a, limit, -1, out.slot(), count.slot()));
          },
          int64_t{3}, int64_t{4}),
      row(
          "the fill of nonzero",
          [&](int64_t fill) {
            Result out, count;
            must(rondo_nonzero_limit(a, 4, fill, out.slot(), count.slot()));
          },
          int64_t{-1}, int64_t{0}),
      row(
          "the order of sort",
          [&](int32_t descending) {
            Result out;
            must(rondo_sort(a, 0, descending, out.slot()));
          },
          0, 1),
      row(
          "the shift of roll",
          [&](int64_t shift) {
            Result out;
            must(rondo_roll(a, 1, &shift, out.slot()));
          },
          int64_t{1}, int64_t{2}),
      row(
          "the count of tile",
          [&](int64_t count) {
            Result out;
            must(rondo_tile(a, 1, &count, out.slot()));
          },
          int64_t{1}, int64_t{2}),
      row(
          "the scalar of an operator",
          [&](double scalar) {
            Result out;
            must(rondo_binary_scalar(RONDO_MUL, a, scalar, out.slot()));
          },
          0.0, -0.0),
      row(
          "the text of an expression",
          [&](const char* text) {
            Result out;
            rondo_expression* expression = nullptr;
            must(rondo_expression_create(text, "e", &expression));
            const rondo_argument arguments[] = {RONDO_TENSOR("x", a)};
            rondo_tensor* slot = nullptr;
            must(rondo_expression_run(expression, 1, arguments, 1, &slot));
            rondo_tensor_destroy(slot);
            rondo_expression_destroy(expression);
          },
          "y = x + 1", "y = x + 2"),
      row(
          "the norm of clip_global_norm",
          [&](double norm) {
            Result out;
            rondo_tensor* tensors[] = {b};
            must(rondo_clip_global_norm(1, tensors, norm, out.slot()));
          },
          1.0, 2.0),
      row(
          "the axis of concat",
          [&](int32_t axis) {
            Result x, y, out;
            must(rondo_tensor_reshape(a, 2, square, x.slot()));
            must(rondo_tensor_reshape(b, 2, square, y.slot()));
            rondo_tensor* tensors[] = {x, y};
            must(rondo_concat(2, tensors, axis, out.slot()));
          },
          0, 1),
  };
  for (const Row& each : rows) {
    const Calls first = calls_of(each.one), again = calls_of(each.one), other = calls_of(each.other);
    ASSERT_FALSE(first.empty() || again.empty() || other.empty()) << each.what;
    EXPECT_TRUE(same(first, again)) << each.what;
    EXPECT_FALSE(same(first, other)) << each.what;
  }
}

// A call with options, once as they are and once with each change to them.
template <class Options>
using Changes = std::vector<std::pair<const char*, std::function<void(Options*)>>>;

TEST_F(Deciding, OptionsOfLayersAreAttributes) {
  Result image, filter, q, lengths, labels, a, places, running_mean, running_variance;
  const auto shaped = [&](std::vector<int64_t> shape, rondo_dtype dtype, rondo_tensor** tensor) {
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, dtype, static_cast<int32_t>(shape.size()), shape.data(), tensor));
    must(rondo_fill(*tensor, 1));
  };
  shaped({1, 4, 8, 8}, RONDO_F32, image.slot());
  shaped({4, 4, 3, 3}, RONDO_F32, filter.slot());
  shaped({1, 6, 2, 8}, RONDO_F32, q.slot());
  shaped({4, 4}, RONDO_F32, a.slot());
  shaped({4}, RONDO_I64, labels.slot());
  shaped({4}, RONDO_F32, running_mean.slot());
  shaped({4}, RONDO_F32, running_variance.slot());
  const auto expect = [&](const char* what, const Submit& one, const Submit& other) {
    const Calls first = calls_of(one), again = calls_of(one), changed = calls_of(other);
    ASSERT_FALSE(first.empty() || again.empty() || changed.empty()) << what;
    EXPECT_TRUE(same(first, again)) << what;
    EXPECT_FALSE(same(first, changed)) << what;
  };
  const auto expect_options = [&](const auto& init, const auto& changes, const auto& call) {
    for (const auto& [what, change] : changes) {
      auto changed = init;
      change(&changed);
      expect(
          what, [&] { call(&init); }, [&] { call(&changed); });
    }
  };
  const int64_t window[] = {2, 2}, kernel[] = {3, 3};
  const rondo_convolution_options convolution = RONDO_CONVOLUTION_OPTIONS_INIT;
  const Changes<rondo_convolution_options> of_convolution = {
      {"stride", [](auto* o) { o->stride[1] = 2; }},
      {"padding", [](auto* o) { o->padding[0] = 1; }},
      {"padding_end", [](auto* o) { o->padding_end[1] = 1; }},
      {"dilation", [](auto* o) { o->dilation[0] = 2; }},
      {"activation", [](auto* o) { o->activation = RONDO_ACTIVATION_RELU; }},
      {"allow_tf32", [](auto* o) { o->allow_tf32 = 1; }},
      {"deterministic", [](auto* o) { o->deterministic = 1; }},
      {"bias", [&](auto* o) { o->bias = running_mean; }},
      {"scale", [&](auto* o) { o->scale = running_mean; }},
  };
  expect_options(convolution, of_convolution, [&](const rondo_convolution_options* options) {
    Result out;
    must(rondo_convolution(image, filter, options, out.slot()));
  });
  const Changes<rondo_convolution_options> of_filter = {
      {"stride of the filter's gradient", [](auto* o) { o->dilation[1] = 2, o->padding[1] = 2; }},
      {"tf32 of the filter's gradient", [](auto* o) { o->allow_tf32 = 1; }},
  };
  expect_options(convolution, of_filter, [&](const rondo_convolution_options* options) {
    Result y, out;
    must(rondo_convolution(image, filter, options, y.slot()));
    must(rondo_convolution_filter_grad(image, y, 2, kernel, options, out.slot()));
  });
  const rondo_pool_options pool = RONDO_POOL_OPTIONS_INIT;
  const Changes<rondo_pool_options> of_pool = {
      {"stride of a pool", [](auto* o) { o->stride[0] = 1; }},
      {"padding of a pool", [](auto* o) { o->padding[0] = 1; }},
      {"padding_end of a pool", [](auto* o) { o->padding_end[0] = 1; }},
  };
  expect_options(pool, of_pool, [&](const rondo_pool_options* options) {
    Result out;
    must(rondo_avg_pool(image, 2, window, options, out.slot()));
  });
  Changes<rondo_pool_options> of_largest = of_pool;
  of_largest.push_back({"dilation of a pool", [](auto* o) { o->dilation[0] = 2; }});
  expect_options(pool, of_largest, [&](const rondo_pool_options* options) {
    Result out;
    must(rondo_max_pool(image, 2, window, options, out.slot()));
  });
  rondo_pool_options padded = RONDO_POOL_OPTIONS_INIT;
  padded.padding[0] = 1;
  const Changes<rondo_pool_options> of_padded = {{"count_include_pad", [](auto* o) { o->count_include_pad = 0; }}};
  expect_options(padded, of_padded, [&](const rondo_pool_options* options) {
    Result out;
    must(rondo_avg_pool(image, 2, window, options, out.slot()));
  });
  const rondo_attention_options attention = RONDO_ATTENTION_OPTIONS_INIT;
  const Changes<rondo_attention_options> of_attention = {
      {"scale of attention", [](auto* o) { o->scale = 0.5; }},
      {"soft_cap", [](auto* o) { o->soft_cap = 5; }},
      {"dropout of attention", [](auto* o) { o->dropout = 0.5; }},
      {"before", [](auto* o) { o->before = 1; }},
      {"after", [](auto* o) { o->after = 1; }},
      {"causal", [](auto* o) { o->causal = 1; }},
  };
  expect_options(attention, of_attention, [&](const rondo_attention_options* options) {
    Result out;
    must(rondo_attention(q, q, q, options, out.slot(), nullptr));
  });
  const rondo_rotary_options rotary = RONDO_ROTARY_OPTIONS_INIT;
  const Changes<rondo_rotary_options> of_rotary = {
      {"channels", [](auto* o) { o->channels = 4; }},   {"base", [](auto* o) { o->base = 100; }},
      {"axis of rotary", [](auto* o) { o->axis = 2; }}, {"interleaved", [](auto* o) { o->interleaved = 1; }},
      {"inverse", [](auto* o) { o->inverse = 1; }},
  };
  expect_options(rotary, of_rotary, [&](const rondo_rotary_options* options) {
    Result out;
    must(rondo_rotary(q, options, out.slot()));
  });
  const rondo_matmul_options matmul = RONDO_MATMUL_OPTIONS_INIT;
  const Changes<rondo_matmul_options> of_matmul = {
      {"transpose_a", [](auto* o) { o->transpose_a = 1; }},
      {"transpose_b", [](auto* o) { o->transpose_b = 1; }},
      {"bias of a product", [&](auto* o) { o->bias = running_mean; }},
      {"activation of a product", [](auto* o) { o->activation = RONDO_ACTIVATION_GELU; }},
      {"allow_tf32 of a product", [](auto* o) { o->allow_tf32 = 1; }},
  };
  expect_options(matmul, of_matmul, [&](const rondo_matmul_options* options) {
    Result out;
    must(rondo_matmul(a, a, options, out.slot()));
  });
  const auto momentum = [&](double value) {
    return [&, value] {
      Result out;
      must(rondo_batch_norm_training(image, running_mean, running_variance, value, nullptr, out.slot(), nullptr,
                                     nullptr));
    };
  };
  expect("the momentum of running statistics", momentum(0.1), momentum(0.2));
  const auto softmax = [&](rondo_softmax_op op, int32_t axis, double temperature) {
    return [&, op, axis, temperature] {
      Result out;
      must(rondo_softmax_with(op, a, axis, temperature, nullptr, out.slot()));
    };
  };
  expect("the softmax", softmax(RONDO_SOFTMAX, 0, 1), softmax(RONDO_LOG_SOFTMAX, 0, 1));
  expect("its axis", softmax(RONDO_SOFTMAX, 0, 1), softmax(RONDO_SOFTMAX, 1, 1));
  expect("its temperature", softmax(RONDO_SOFTMAX, 0, 1), softmax(RONDO_SOFTMAX, 0, 2));
  const auto norm = [&](int32_t axis, double epsilon, bool weight) {
    return [&, axis, epsilon, weight] {
      Result out;
      must(rondo_layer_norm(a, axis, weight ? running_mean.tensor : nullptr, nullptr, epsilon, out.slot()));
    };
  };
  expect("the axis of a norm", norm(0, 1e-5, false), norm(1, 1e-5, false));
  expect("its epsilon", norm(1, 1e-5, false), norm(1, 1e-6, false));
  expect("its weight", norm(1, 1e-5, false), norm(1, 1e-5, true));
  const auto reduced = [&](rondo_reduce_op op, int32_t axis, int32_t keep) {
    return [&, op, axis, keep] {
      Result out;
      must(rondo_reduce(op, a, 1, &axis, keep, out.slot()));
    };
  };
  expect("the reduction", reduced(RONDO_SUM, 0, 0), reduced(RONDO_MAX, 0, 0));
  expect("its axis", reduced(RONDO_SUM, 0, 0), reduced(RONDO_SUM, 1, 0));
  expect("keep_dims", reduced(RONDO_SUM, 0, 0), reduced(RONDO_SUM, 0, 1));
  const auto graded = [&](double scale) {
    return [&, scale] {
      Result out;
      must(rondo_cross_entropy_grad(a, labels, scale, out.slot()));
    };
  };
  expect("the scale of a loss", graded(1), graded(0.5));
  const auto resized = [&](rondo_resize_mode mode, rondo_resize_origin origin) {
    return [&, mode, origin] {
      const int64_t sizes[] = {12, 12};
      Result out;
      must(rondo_resize(image, 2, sizes, mode, origin, out.slot()));
    };
  };
  expect("the mode of resize", resized(RONDO_RESIZE_LINEAR, RONDO_RESIZE_HALF_PIXEL),
         resized(RONDO_RESIZE_NEAREST, RONDO_RESIZE_HALF_PIXEL));
  expect("its origin", resized(RONDO_RESIZE_LINEAR, RONDO_RESIZE_HALF_PIXEL),
         resized(RONDO_RESIZE_LINEAR, RONDO_RESIZE_ALIGN_CORNERS));
  const auto triangle = [&](bool upper, int64_t diagonal) {
    return [&, upper, diagonal] {
      Result out;
      must((upper ? rondo_triu : rondo_tril)(a, diagonal, out.slot()));
    };
  };
  expect("the triangle", triangle(true, 0), triangle(false, 0));
  expect("its diagonal", triangle(true, 0), triangle(true, 1));
  const auto pairs = [&](int32_t keep) {
    return [&, keep] {
      Result x, out;
      const int64_t shape[] = {2, 4, 2};
      must(rondo_tensor_reshape(a, 3, shape, x.slot()));
      must(rondo_dot_interaction(x, keep, out.slot()));
    };
  };
  expect("keep_first", pairs(0), pairs(1));
  const auto bags = [&](rondo_bag_mode mode) {
    return [&, mode] {
      Result indices, out;
      shaped({1, 2, 2}, RONDO_I64, indices.slot());
      rondo_tensor* const tables[] = {a};
      must(rondo_embedding_bag(1, tables, indices, nullptr, mode, out.slot()));
    };
  };
  expect("the mode of bags", bags(RONDO_BAG_SUM), bags(RONDO_BAG_MEAN));
}

TEST_F(Deciding, OptionsOfAnOptimizerAreAttributes) {
  Result weights, gradient;
  filled(8, weights.slot());
  filled(8, gradient.slot());
  rondo_tensor *const parameters[] = {weights}, *const gradients[] = {gradient};
  const auto call = [&](const std::function<void(rondo_optimizer_options*)>& change) {
    rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
    options.kind = RONDO_OPTIMIZER_ADAM;
    change(&options);
    rondo_optimizer* optimizer = nullptr;
    must(rondo_optimizer_create(1, parameters, &options, &optimizer));
    const Calls made = calls_of([&] { must(rondo_optimizer_step(optimizer, 1, gradients, nullptr, nullptr)); });
    rondo_optimizer_destroy(optimizer);
    return made;
  };
  const Calls plain = call([](rondo_optimizer_options*) {});
  EXPECT_TRUE(same(plain, call([](rondo_optimizer_options*) {})));
  const std::function<void(rondo_optimizer_options*)> changes[] = {
      [](rondo_optimizer_options* o) { o->kind = RONDO_OPTIMIZER_ADAMW; },
      [](rondo_optimizer_options* o) { o->beta1 = 0.5; },
      [](rondo_optimizer_options* o) { o->beta2 = 0.5; },
      [](rondo_optimizer_options* o) { o->epsilon = 0.5; },
      [](rondo_optimizer_options* o) { o->weight_decay = 0.5; },
      [](rondo_optimizer_options* o) { o->max_norm = 0.5; },
      [](rondo_optimizer_options* o) { o->warmup_steps = 5; },
      [](rondo_optimizer_options* o) { o->amsgrad = 1; },
      [](rondo_optimizer_options* o) { o->schedule = RONDO_RATE_COSINE, o->decay_steps = 5; },
  };
  for (size_t i = 0; i < std::size(changes); ++i) EXPECT_FALSE(same(plain, call(changes[i]))) << i;
}

TEST(Attributes, CallsLeaveOutNoResultBeyondTheFirst32) {
  const Ref<const ops::Call> call = make_ref<const ops::Call>(ops::CopyCall{}, 0x80000001U);
  for (size_t k = 0; k < 80; ++k) EXPECT_EQ(call->leaves_out(k), k == 0 || k == 31) << k;
}

}  // namespace
}  // namespace rondo
