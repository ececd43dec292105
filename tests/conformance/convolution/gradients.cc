// Gradients of convolutions by a tape, compared with finite differences; theirs too.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"
#include "tape/tape.h"

namespace conformance {
namespace {

class ConvolutionGradients : public OnTape {};
CONFORMANCE_SUITE(ConvolutionGradients);

Array numbers(const Shape& shape, uint32_t seed) {
  return random_array(RONDO_F64, shape, seed, -1, 1);
}

TEST_P(ConvolutionGradients, OfBothOperands) {
  const std::vector<Convolution> problems = dealt<Convolution>({
      {{2, 2, 6}, {3, 2, 3}, {2}, {1}, {1}, {1}},
      {{1, 2, 5, 4}, {3, 2, 2, 3}, {2, 1}, {1, 0}, {0, 2}, {1, 1}},
      {{1, 4, 4, 5}, {4, 2, 2, 2}, {1, 2}, {1, 1}, {1, 1}, {2, 1}, 2},
      {{2, 3, 4, 4}, {3, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 3},
      {{1, 2, 3, 4, 3}, {2, 2, 2, 2, 2}, {1, 2, 1}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}},
  });
  run([&](Results& results) {
    for (const Convolution& problem : problems) {
      const rondo_convolution_options options = problem.options(), back = problem.transposed_options();
      const auto n = static_cast<int32_t>(problem.spatial());
      keep_gradients(results, problem.name(), {numbers(problem.image, 1), numbers(problem.filter, 2)},
                     [options](const auto& in) { return make(rondo_convolution, in[0], in[1], &options); });
      keep_gradients(results, "transposed " + problem.name(),
                     {numbers(problem.result(), 1), numbers(problem.filter, 2)},
                     [back](const auto& in) { return make(rondo_convolution, in[0], in[1], &back); });
      keep_gradients(results, "filter gradient " + problem.name(),
                     {numbers(problem.image, 1), numbers(problem.result(), 2)}, [problem, options, n](const auto& in) {
                       return make(rondo_convolution_filter_grad, in[0], in[1], n, problem.filter.data() + 2, &options);
                     });
    }
  });
}

TEST_P(ConvolutionGradients, OfWhatFollowsTheSum) {
  const Convolution problem{{2, 2, 4, 4}, {3, 2, 2, 2}, {1, 2}, {1, 0}, {0, 1}, {1, 1}};
  const Shape made = problem.result();
  std::vector<int> combinations = {1,  2,  4,  7,  10, 15,
                                   18, 23, 26, 31, 34, 39};  // bits of scale, bias, residual; eights: activations
  run([&](Results& results) {
    for (const int each : dealt(combinations)) {
      keep_gradients(results, "combination " + std::to_string(each),
                     {numbers(problem.image, 1), numbers(problem.filter, 2), numbers({3}, 3),
                      random_array(RONDO_F64, {3}, 4, -8, 8), numbers(made, 5)},
                     [problem, each](const auto& in) {
                       rondo_convolution_options options = problem.options();
                       options.activation = static_cast<rondo_activation>(each / 8);
                       if (each & 1) options.scale = in[2];
                       if (each & 2) options.bias = in[3];
                       if (each & 4) options.residual = in[4];
                       return make(rondo_convolution, in[0], in[1], &options);
                     });
    }
  });
}

// A residual that is the operand, a filter that is the image, what is added to a tensor.
TEST_P(ConvolutionGradients, OfOperandsUsedTwice) {
  run([&](Results& results) {
    keep_gradients(results, "residual", {numbers({1, 2, 4, 4}, 1), numbers({2, 2, 3, 3}, 2)}, [](const auto& in) {
      rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
      options.padding[0] = options.padding[1] = 1;
      options.residual = in[0];
      options.activation = RONDO_ACTIVATION_RELU;
      return make(rondo_convolution, in[0], in[1], &options);
    });
    keep_gradients(results, "itself", {numbers({2, 2, 3, 3}, 1)},
                   [](const auto& in) { return make(rondo_convolution, in[0], in[0], nullptr); });
    for (const auto activation : {RONDO_ACTIVATION_RELU, RONDO_ACTIVATION_RELU6, RONDO_ACTIVATION_SILU,
                                  RONDO_ACTIVATION_HARD_SWISH, RONDO_ACTIVATION_GELU_ERF})
      keep_gradients(results, "added, activation " + std::to_string(activation),
                     {numbers({1, 2, 4, 4}, 1), random_array(RONDO_F64, {3, 2, 2, 2}, 2, -6, 6)},
                     [activation](const auto& in) {
                       rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
                       options.activation = activation;
                       Tensor sum = make(rondo_convolution, in[0], in[1], nullptr);
                       into(make(rondo_tensor_accumulator, sum), rondo_convolution, in[0], in[1], &options);
                       return sum;
                     });
  });
}

// The gradients of each gradient, of a plain convolution and of a transposed one: by an inner tape each of the operands
// of the convolution, and of its filter gradient as an operator, with everything that goes in as a variable.
TEST_P(ConvolutionGradients, OfGradients) {
  const std::vector<Convolution> problems = dealt<Convolution>({
      {{1, 1, 2}, {1, 1, 1}, {1}, {0}, {0}, {1}},
      {{2, 2, 5}, {3, 2, 2}, {2}, {1}, {0}, {1}},
      {{1, 2, 4, 3}, {2, 2, 2, 2}, {2, 1}, {1, 0}, {1, 0}, {1, 1}},
      {{1, 4, 4, 3}, {2, 2, 2, 1}, {3, 1}, {0, 1}, {1, 0}, {1, 2}, 2},
      {{2, 2, 3, 3}, {4, 1, 2, 2}, {1, 2}, {1, 1}, {0, 1}, {2, 1}, 2},
      {{1, 1, 3, 2, 3}, {2, 1, 2, 2, 1}, {2, 1, 2}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}},
  });
  run([&](Results& results) {
    for (const Convolution& problem : problems)
      for (const bool transposed : {false, true}) {
        const rondo_convolution_options options = transposed ? problem.transposed_options() : problem.options();
        const auto n = static_cast<int32_t>(problem.spatial());
        const Array x = numbers(transposed ? problem.result() : problem.image, 1), w = numbers(problem.filter, 2),
                    dy = numbers(transposed ? problem.image : problem.result(), 3);
        const std::string name = (transposed ? "transposed " : "") + problem.name();
        const auto forward = [options](const auto& in) { return make(rondo_convolution, in[0], in[1], &options); };
        const auto filter = [options, n, problem](const auto& in) {
          return make(rondo_convolution_filter_grad, in[0], in[1], n, problem.filter.data() + 2, &options);
        };
        // The inner gradient of in[of], where in[2] is that of the result.
        const auto inner = [this](const auto& f, size_t of) {
          return [this, f, of](const auto& in) {
            const Tape tape(engine());
            tape.watch(in[0]);
            tape.watch(in[1]);
            return tape.gradient(f(in), in[of], in[2]);
          };
        };
        keep_gradients(results, "gradient of x, " + name, {x, w, dy}, inner(forward, 0));
        keep_gradients(results, "gradient of w, " + name, {x, w, dy}, inner(forward, 1));
        keep_gradients(results, "filter gradient's of x, " + name, {x, dy, w}, inner(filter, 0));
        keep_gradients(results, "filter gradient's of dy, " + name, {x, dy, w}, inner(filter, 1));
      }
  });
}

}  // namespace
}  // namespace conformance
