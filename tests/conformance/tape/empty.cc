// Gradients where operands have no elements: of each function whose kind has a rule, each axis of its operands empty by
// itself. They are what finite differences say, zeros mostly, and never an error: a part of a batch may be empty. A
// function that has no case here fails a test. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <set>
#include <sstream>

#include "tape/tape.h"

namespace conformance::empty {
namespace {

using Inputs = std::vector<Tensor>;

// operands: of each its axes, letters, which are of one size in all of them, or sizes; behind it, if it is not f64, i:
// indices or labels, zeros; n: lengths, ones; m: a mask, ones; b: the same of bool. full: axes that the function wants
// elements of.
struct Case {
  const char* function;
  std::vector<std::string> operands;
  const char* full;
  Function f;
};

int64_t size_of(char axis, char empty) {
  if (std::isdigit(axis)) return axis - '0';
  return axis == empty ? 0 : axis == 'g' ? 8 : axis == 't' ? 3 : 2;
}

Array operand_of(const std::string& text, char empty, uint32_t seed) {
  const size_t colon = text.find(':');
  Shape shape;
  for (const char axis : text.substr(0, colon)) shape.push_back(size_of(axis, empty));
  switch (colon == std::string::npos ? ' ' : text[colon + 1]) {
    case 'i': return full(RONDO_I64, shape, 0);
    case 'n': return full(RONDO_I32, shape, 1);
    case 'm': return full(RONDO_U8, shape, 1);
    case 'b': return full(RONDO_BOOL, shape, 1);
    default: return random_array(RONDO_F64, shape, seed, 0.5, 2);
  }
}

template <class Make>
Case in_place(const char* function, std::vector<std::string> operands, const Make& put) {
  return {function, std::move(operands), "", [=](const Inputs& in) {
            Tensor sum = make(rondo_unary, RONDO_SQUARE, in[0]);
            const Tensor adds = make(rondo_tensor_accumulator, sum);
            put(adds, in);
            return sum;
          }};
}

rondo_norm_options weighted(const Inputs& in, size_t weight) {
  rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
  options.weight = in[weight];
  options.bias = in[weight + 1];
  return options;
}

rondo_recurrent_options with_states(const Inputs& in) {
  rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
  options.first_h = in[3];
  return options;
}

std::vector<Case> elements() {
  return {
      {"unary", {"ab"}, "", [](const Inputs& in) { return make(rondo_unary, RONDO_EXP, in[0]); }},
      {"unary_with",
       {"ab"},
       "",
       [](const Inputs& in) {
         const double limits[] = {-8, 8};
         return make(rondo_unary_with, RONDO_CLIP, in[0], 2, limits);
       }},
      {"binary", {"abc", "bc"}, "", [](const Inputs& in) { return make(rondo_binary, RONDO_MUL, in[0], in[1]); }},
      {"binary_with",
       {"ab", "ab"},
       "",
       [](const Inputs& in) {
         const double beta = 0.5;
         return make(rondo_binary_with, RONDO_SMOOTH_L1, in[0], in[1], 1, &beta);
       }},
      {"binary_scalar", {"ab"}, "", [](const Inputs& in) { return make(rondo_binary_scalar, RONDO_POW, in[0], 3.0); }},
      {"binary_scalar_i64",
       {"a"},
       "",
       [](const Inputs& in) { return make(rondo_binary_scalar_i64, RONDO_MUL, in[0], 3); }},
      {"scalar_binary", {"ab"}, "", [](const Inputs& in) { return make(rondo_scalar_binary, RONDO_DIV, 3.0, in[0]); }},
      {"scalar_binary_i64",
       {"a"},
       "",
       [](const Inputs& in) { return make(rondo_scalar_binary_i64, RONDO_SUB, 3, in[0]); }},
      {"ternary",
       {"ab", "b", "a1"},
       "",
       [](const Inputs& in) { return make(rondo_ternary, RONDO_LERP, in[0], in[1], in[2]); }},
      {"add_n",
       {"ab", "b", "ab"},
       "",
       [](const Inputs& in) {
         rondo_tensor* const terms[] = {in[0], in[1], in[2]};
         return make(rondo_add_n, 3, static_cast<rondo_tensor* const*>(terms));
       }},
      {"where", {"ab", "b", "ab:b"}, "", [](const Inputs& in) { return make(rondo_where, in[2], in[0], in[1]); }},
      {"gated", {"ab", "ab"}, "", [](const Inputs& in) { return make(rondo_gated, RONDO_SILU, in[0], in[1]); }},
      {"copy", {"ab"}, "", [](const Inputs& in) { return make(rondo_copy, in[0]); }},
      {"copy_to",
       {"ab"},
       "",
       [](const Inputs& in) { return make(rondo_copy_to, make(rondo_copy_to, in[0], kCpu), query(in[0]).device); }},
      {"cast",
       {"ab"},
       "",
       [](const Inputs& in) { return make(rondo_cast, make(rondo_cast, in[0], RONDO_F64), RONDO_F64); }},
      {"dropout",
       {"ab"},
       "",
       [](const Inputs& in) {
         Tensor y, mask;
         must(rondo_dropout(in[0], 0.0, y.slot(), mask.slot()));
         return y;
       }},
      {"dropout_grad",
       {"ab", "ab:m"},
       "",
       [](const Inputs& in) { return make(rondo_dropout_grad, in[0], in[1], 0.25); }},
  };
}

std::vector<Case> products() {
  const auto bag = [](rondo_bag_mode mode) {
    return [=](const Inputs& in) {
      rondo_tensor* const tables[] = {in[0], in[1]};
      return make(rondo_embedding_bag, 2, static_cast<rondo_tensor* const*>(tables), in[2], nullptr, mode);
    };
  };
  const auto gates = [](auto function, auto... last) {
    return [=](const Inputs& in) {
      const rondo_recurrent_options options = with_states(in);
      rondo_tensor* const weights[] = {in[1], in[2]};
      Tensor out;
      must(function(in[0], 2, weights, &options, out.slot(), last...));
      return out;
    };
  };
  rondo_tensor** const none = nullptr;
  return {
      {"matmul", {"bmk", "kn"}, "", [](const Inputs& in) { return make(rondo_matmul, in[0], in[1], nullptr); }},
      {"matmul",
       {"mk", "kn", "n"},
       "",
       [](const Inputs& in) {
         rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
         options.bias = in[2];
         options.activation = RONDO_ACTIVATION_GELU;
         return make(rondo_matmul, in[0], in[1], &options);
       }},
      {"convolution",
       {"nc22", "kc11"},
       "",
       [](const Inputs& in) { return make(rondo_convolution, in[0], in[1], nullptr); }},
      {"convolution",
       {"nc22", "ck11", "k", "nk22"},
       "",
       [](const Inputs& in) {
         rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
         options.transposed = 1;
         options.bias = in[2];
         options.residual = in[3];
         return make(rondo_convolution, in[0], in[1], &options);
       }},
      {"convolution_filter_grad",
       {"nc22", "nk11"},
       "",
       [](const Inputs& in) {
         const int64_t kernel[] = {2, 2};
         return make(rondo_convolution_filter_grad, in[0], in[1], 2, kernel, nullptr);
       }},
      {"attention",
       {"bqhd", "bkhd", "bkhd"},
       "hd",
       [](const Inputs& in) {
         Tensor out;
         must(rondo_attention(in[0], in[1], in[2], nullptr, out.slot(), nullptr));
         return out;
       }},
      {"rotary", {"bshd"}, "d", [](const Inputs& in) { return make(rondo_rotary, in[0], nullptr); }},
      {"lstm", {"tbi", "gi", "gh", "1bh"}, "tgh", gates(rondo_lstm, none, none)},
      {"gru", {"tbi", "6i", "6h", "1bh"}, "th", gates(rondo_gru, none)},
      {"rnn", {"tbi", "hi", "hh", "1bh"}, "th", gates(rondo_rnn, none)},
      {"embedding_bag", {"rw", "2w", "2bl:i"}, "r", bag(RONDO_BAG_SUM)},
      {"embedding_bag", {"rw", "2w", "2bl:i"}, "r", bag(RONDO_BAG_MEAN)},
      {"dot_interaction", {"bvw"}, "v", [](const Inputs& in) { return make(rondo_dot_interaction, in[0], 1); }},
  };
}

std::vector<Case> rows() {
  return {
      {"reduce", {"abc"}, "", [](const Inputs& in) { return reduce(RONDO_SUM, in[0], {1}); }},
      {"reduce", {"ab"}, "b", [](const Inputs& in) { return reduce(RONDO_MAX, in[0], {1}); }},
      {"reduce", {"ab"}, "", [](const Inputs& in) { return reduce(RONDO_PROD, in[0], {1}, true); }},
      {"reduce_with",
       {"ab"},
       "",
       [](const Inputs& in) {
         const int32_t axis = 0;
         const double power = 3;
         return make(rondo_reduce_with, RONDO_LP_NORM, in[0], 1, &axis, 0, 1, &power);
       }},
      {"cumulative", {"ab"}, "", [](const Inputs& in) { return make(rondo_cumulative, RONDO_SUM, in[0], 1, 0); }},
      {"cumulative", {"ab"}, "", [](const Inputs& in) { return make(rondo_cumulative, RONDO_PROD, in[0], 0, 1); }},
      {"softmax", {"ab"}, "", [](const Inputs& in) { return make(rondo_softmax, in[0], 1); }},
      {"log_softmax", {"ab"}, "", [](const Inputs& in) { return make(rondo_log_softmax, in[0], 0); }},
      {"softmax_with",
       {"ab", "a:n"},
       "",
       [](const Inputs& in) { return make(rondo_softmax_with, RONDO_SOFTMAX, in[0], 1, 0.5, in[1]); }},
      {"softmax_grad", {"ab", "ab"}, "", [](const Inputs& in) { return make(rondo_softmax_grad, in[0], in[1], 1); }},
      {"softmax_grad_with",
       {"ab", "ab", "a:n"},
       "",
       [](const Inputs& in) { return make(rondo_softmax_grad_with, RONDO_SOFTMAX, in[0], in[1], 1, 0.5, in[2]); }},
      {"cross_entropy", {"nc", "n:i"}, "c", [](const Inputs& in) { return make(rondo_cross_entropy, in[0], in[1]); }},
      {"cross_entropy_grad",
       {"nc", "n:i"},
       "c",
       [](const Inputs& in) { return make(rondo_cross_entropy_grad, in[0], in[1], 0.5); }},
      {"layer_norm",
       {"ab", "b", "b"},
       "",
       [](const Inputs& in) { return make(rondo_layer_norm, in[0], -1, in[1], in[2], 1e-2); }},
      {"rms_norm", {"ab", "b"}, "", [](const Inputs& in) { return make(rondo_rms_norm, in[0], -1, in[1], 1e-2); }},
      {"batch_norm",
       {"nc2", "c", "c", "c", "c"},
       "",
       [](const Inputs& in) {
         const rondo_norm_options options = weighted(in, 1);
         return make(rondo_batch_norm, in[0], in[3], in[4], &options);
       }},
      {"batch_norm_training",
       {"nc2", "c", "c"},
       "n",
       [](const Inputs& in) {
         const rondo_norm_options options = weighted(in, 1);
         Tensor out;
         must(rondo_batch_norm_training(in[0], nullptr, nullptr, 0, &options, out.slot(), nullptr, nullptr));
         return out;
       }},
      {"group_norm",
       {"nc2", "c", "c"},
       "",
       [](const Inputs& in) {
         const rondo_norm_options options = weighted(in, 1);
         return make(rondo_group_norm, in[0], 2, &options);
       }},
      {"instance_norm",
       {"nct", "c", "c"},
       "",
       [](const Inputs& in) {
         const rondo_norm_options options = weighted(in, 1);
         return make(rondo_instance_norm, in[0], &options);
       }},
  };
}

std::vector<Case> moved() {
  static const int64_t two[] = {2, 2}, three[] = {3, 3}, ones[] = {1, 1, 1, 1};
  return {
      {"concat",
       {"ab", "cb", "ab"},
       "",
       [](const Inputs& in) {
         rondo_tensor* const all[] = {in[0], in[1], in[2]};
         return make(rondo_concat, 3, static_cast<rondo_tensor* const*>(all), 0);
       }},
      {"stack",
       {"ab", "ab"},
       "",
       [](const Inputs& in) {
         rondo_tensor* const all[] = {in[0], in[1]};
         return make(rondo_stack, 2, static_cast<rondo_tensor* const*>(all), 1);
       }},
      {"pad", {"ab"}, "", [](const Inputs& in) { return make(rondo_pad, in[0], RONDO_PAD_CONSTANT, 4, ones, 1.5); }},
      {"tile", {"ab"}, "", [](const Inputs& in) { return make(rondo_tile, in[0], 2, two); }},
      {"repeat", {"ab"}, "", [](const Inputs& in) { return make(rondo_repeat, in[0], 3, 0); }},
      {"roll", {"ab"}, "", [](const Inputs& in) { return make(rondo_roll, in[0], 2, ones); }},
      {"tril", {"ab"}, "", [](const Inputs& in) { return make(rondo_tril, in[0], 0); }},
      {"triu", {"ab"}, "", [](const Inputs& in) { return make(rondo_triu, in[0], 0); }},
      {"take", {"ab", "i:i"}, "b", [](const Inputs& in) { return make(rondo_take, in[0], in[1], 1); }},
      {"gather_rows", {"ab", "i:i"}, "a", [](const Inputs& in) { return make(rondo_gather_rows, in[0], in[1]); }},
      {"take_along_axis",
       {"ab", "ai:i"},
       "b",
       [](const Inputs& in) { return make(rondo_take_along_axis, in[0], in[1], 1); }},
      in_place("put", {"ab", "ib", "i:i"},
               [](const Tensor& to, const Inputs& in) { must(rondo_put(to, in[2], in[1], 0)); }),
      in_place("put_along_axis", {"ab", "ai", "ai:i"},
               [](const Tensor& to, const Inputs& in) { must(rondo_put_along_axis(to, in[2], in[1], 1)); }),
      {"sort", {"ab"}, "", [](const Inputs& in) { return make(rondo_sort, in[0], 1, 0); }},
      {"topk",
       {"ab"},
       "b",
       [](const Inputs& in) {
         Tensor values, places;
         must(rondo_topk(in[0], 1, 1, 1, values.slot(), places.slot()));
         return values;
       }},
      {"topk",
       {"ab"},
       "b",
       [](const Inputs& in) {
         Tensor values, places;
         must(rondo_topk(in[0], 0, 1, 1, values.slot(), places.slot()));
         return values;
       }},
      {"max_pool", {"nc33"}, "", [](const Inputs& in) { return make(rondo_max_pool, in[0], 2, two, nullptr); }},
      {"avg_pool", {"nc33"}, "", [](const Inputs& in) { return make(rondo_avg_pool, in[0], 2, two, nullptr); }},
      {"adaptive_max_pool",
       {"nc33"},
       "",
       [](const Inputs& in) { return make(rondo_adaptive_max_pool, in[0], 2, two); }},
      {"adaptive_avg_pool",
       {"nc33"},
       "",
       [](const Inputs& in) { return make(rondo_adaptive_avg_pool, in[0], 2, two); }},
      {"local_response_norm",
       {"nc2"},
       "",
       [](const Inputs& in) { return make(rondo_local_response_norm, in[0], 2, 0.5, 0.75, 1.0); }},
      {"resize",
       {"nc22"},
       "",
       [](const Inputs& in) {
         return make(rondo_resize, in[0], 2, three, RONDO_RESIZE_LINEAR, RONDO_RESIZE_HALF_PIXEL);
       }},
  };
}

class EmptyParts : public OnTape {
 protected:
  // With each axis empty by itself.
  void check(const std::vector<Case>& cases) {
    run([&](Results& results) {
      size_t number = 0;
      for (const Case& each : cases) {
        std::set<char> axes;
        for (const std::string& operand : each.operands)
          for (const char axis : operand.substr(0, operand.find(':')))
            if (std::isalpha(axis) && !std::strchr(each.full, axis)) axes.insert(axis);
        for (const char empty : axes) {
          std::vector<Array> inputs;
          for (const std::string& operand : each.operands)
            inputs.push_back(operand_of(operand, empty, static_cast<uint32_t>(inputs.size() + 1)));
          if (sparing() && number++ % 3 != 0) continue;
          const std::string name = each.function;
          keep_gradients(results, name + " with " + empty + " empty", inputs, each.f);
        }
      }
    });
  }
};
CONFORMANCE_SUITE(EmptyParts);

TEST_P(EmptyParts, GradientsOfElements) {
  check(elements());
}
TEST_P(EmptyParts, GradientsOfProducts) {
  check(products());
}
TEST_P(EmptyParts, GradientsOfRows) {
  check(rows());
}
TEST_P(EmptyParts, GradientsOfWhatMoves) {
  check(moved());
}

// What truly does not depend stays an error.
TEST_P(EmptyParts, ConstantsStayRefused) {
  const Tensor x = up(full(RONDO_F64, {0, 3}, 1)), other = up(full(RONDO_F64, {0, 3}, 1));
  const Tape tape(engine());
  tape.watch(x);
  const auto refused = [&](const Tensor& y) {
    rondo_tensor *output = y, *source = x, *gradient = nullptr;
    EXPECT_EQ(rondo_tape_gradients(tape, 1, &output, nullptr, 1, &source, &gradient), RONDO_INVALID_ARGUMENT);
  };
  refused(reduce(RONDO_SUM, other, {}));
  refused(reduce(RONDO_SUM, make(rondo_unary, RONDO_FLOOR, x), {}));
  refused(reduce(RONDO_SUM, make(rondo_matmul, other, transpose(other, {}), nullptr), {}));
  must(rondo_tape_pause());
  const Tensor paused = reduce(RONDO_SUM, make(rondo_cumulative, RONDO_SUM, x, 0, 0), {});
  must(rondo_tape_resume());
  refused(paused);
}

// A penalty on a gradient that is zeros, because nothing of the batch was there, has a gradient too; of what the output
// does not depend on it has none.
TEST_P(EmptyParts, ZerosDependOnWhatTheyAreGradientsOf) {
  const Tensor x = up(full(RONDO_F64, {0, 3}, 1)), w = up(full(RONDO_F64, {3, 2}, 1)),
               other = up(full(RONDO_F64, {3, 2}, 1));
  const Tape outer(engine(), RONDO_TAPE_KEEP);
  outer.watch(w);
  outer.watch(other);
  std::vector<Tensor> inner_gradients;
  {
    const Tape inner(engine());
    inner.watch(w);
    inner.watch(other);
    const Tensor y = reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, make(rondo_matmul, x, w, nullptr)), {});
    inner_gradients = inner.gradients(y, {w, other});
  }
  const auto penalty = [](const Tensor& g) { return reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, g), {}); };
  const Tensor of_w = penalty(inner_gradients[0]), of_other = penalty(inner_gradients[1]);
  expect_same_bits(download(outer.gradient(of_w, w)), full(RONDO_F64, {3, 2}, 0), "zeros");
  rondo_tensor *output = of_other, *source = w, *gradient = nullptr;
  EXPECT_EQ(rondo_tape_gradients(outer, 1, &output, nullptr, 1, &source, &gradient), RONDO_INVALID_ARGUMENT);
}

// The rows of the table of kinds, of which each function with a rule has a case above. Those left out give whole
// numbers, or are made of one that has a case.
TEST(EmptyCases, EachFunctionWithARuleHasOne) {
  const std::set<std::string> others = {"argsort",          "random_permutation", "loss_scaler_scale",
                                        "loss_scaler_step", "loss_scaler_finite", "loss_scaler_update"};
  std::set<std::string> cases = others;
  for (const std::vector<Case>& each : {elements(), products(), rows(), moved()})
    for (const Case& one : each) cases.insert(one.function);
  const struct {
    const char *name, *gradient, *functions;
  } kinds[] = {
#define RONDO_KIND(Name, gradient, precision, effects, infer, since, operands, text, functions) \
  {#Name, #gradient, functions},
#include RONDO_KINDS
#undef RONDO_KIND
  };
  for (const auto& kind : kinds) {
    std::istringstream functions(kind.functions);
    for (std::string word; kind.gradient == std::string("rule") && functions >> word;)
      EXPECT_EQ(cases.count(word.substr(0, word.find('='))), 1u)
          << "rondo_" << word << ", of " << kind.name << ", has no case in tape/empty.cc";
  }
}

}  // namespace
}  // namespace conformance::empty
