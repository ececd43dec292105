// The blocks that networks are made of, asked and trained ten times each: as a graph, with passes and as written, they
// leave the bits of eager calls, in outputs, gradients, weights and running statistics. docs/testing-graphs.md has the
// list that they are. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graphs/recording.h"
#include "tape/tape.h"

namespace conformance {
namespace {

using Tensors = std::vector<Tensor>;

struct Block {
  Shape x;
  std::vector<Shape> weights;  // that are trained
  std::vector<Shape> running;  // statistics, which training writes and asking reads
  std::function<Tensor(rondo_tensor* x, const Tensors& weights, const Tensors& running, bool training)> forward;
};

class GraphedBlocks : public OnRecording {
 protected:
  struct State {
    Tensor x;
    Tensors weights, running;
  };
  State state_of(const Block& block) const {
    State state{up(full(RONDO_F32, block.x, 0)), {}, {}};
    uint32_t seed = 1;
    for (const Shape& each : block.weights) state.weights.push_back(up(random_array(RONDO_F32, each, seed++, -1, 1)));
    for (const Shape& each : block.running) state.running.push_back(up(full(RONDO_F32, each, 1)));
    return state;
  }
  // The output; and in training the gradients of the input and of each weight, which then takes a step.
  Tensors step(const Block& block, const State& state, bool training) const {
    Tensors made;
    if (!training) {
      made.push_back(block.forward(state.x, state.weights, state.running, false));
      return made;
    }
    const Tape tape(engine());
    std::vector<rondo_tensor*> sources = {state.x};
    for (const Tensor& each : state.weights) sources.push_back(each);
    for (rondo_tensor* each : sources) tape.watch(each);
    Tensor y = block.forward(state.x, state.weights, state.running, true);
    const rondo_tensor_info info = query(y);
    const Tensor dy = up(random_array(RONDO_F32, Shape(info.shape, info.shape + info.ndim), 99, -1, 1));
    Tensors gradients = tape.gradients(y, sources, dy);
    made.push_back(std::move(y));
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (i > 0) into(sources[i], rondo_binary, RONDO_SUB, sources[i], scaled(gradients[i]));
      made.push_back(std::move(gradients[i]));
    }
    return made;
  }
  void expect_bits_of_eager_calls(const Block& block) {
    constexpr size_t kTimes = 10;
    Tensors batches;
    for (uint32_t i = 0; i < kTimes; ++i) batches.push_back(up(random_array(RONDO_F32, block.x, 10 + i, -1, 1)));
    for (const bool training : {false, true}) {
      must(rondo_engine_seed(engine(), 5));
      std::vector<Tensors> eager;
      const State plain = state_of(block);
      for (const Tensor& batch : batches) {
        into(plain.x, rondo_copy, batch);
        eager.push_back(step(block, plain, training));
        keep_state(plain, &eager.back());
      }
      for (const uint32_t flags : {RONDO_RECORD_DEFAULT, RONDO_RECORD_AS_WRITTEN}) {
        SCOPED_TRACE(std::string(training ? "trained" : "asked") + (flags ? ", as written" : ", with all passes"));
        must(rondo_engine_seed(engine(), 5));
        rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
        options.flags = flags;
        const State replayed = state_of(block);
        Tensors made;
        const Graph graph = record(
            engine(), [&] { made = step(block, replayed, training); }, &options);
        expect_captured(graph.get());
        if (on_cuda()) {
          EXPECT_GE(graph_info(graph.get()).nodes, 1) << graph_report(graph.get());
        }
        std::vector<Tensors> launched;
        for (const Tensor& batch : batches) {
          into(replayed.x, rondo_copy, batch);
          must(rondo_graph_launch(graph.get()));
          Tensors copies;
          for (const Tensor& each : made) copies.push_back(make(rondo_copy, each));
          keep_state(replayed, &copies);
          launched.push_back(std::move(copies));
        }
        for (size_t i = 0; i < kTimes; ++i) {
          EXPECT_EQ(launched[i].size(), eager[i].size());
          for (size_t k = 0; k < launched[i].size() && k < eager[i].size(); ++k)
            expect_same_bits(download(launched[i][k]), download(eager[i][k]),
                             "time " + std::to_string(i) + ", value " + std::to_string(k));
        }
      }
    }
  }
  // A block without weights.
  void expect_bits_of_eager_calls(const Shape& x, const std::function<Tensor(rondo_tensor*)>& forward) {
    expect_bits_of_eager_calls(
        {x, {}, {}, [&](rondo_tensor* in, const Tensors&, const Tensors&, bool) { return forward(in); }});
  }

 private:
  static Tensor scaled(rondo_tensor* gradient) { return make(rondo_binary_scalar, RONDO_MUL, gradient, 0.125); }
  static void keep_state(const State& state, Tensors* kept) {
    for (const Tensors* list : {&state.weights, &state.running})
      for (const Tensor& each : *list) kept->push_back(make(rondo_copy, each));
  }
};
CONFORMANCE_ENGINE_SUITE(GraphedBlocks);

const Shape kImage = {2, 3, 7, 6}, kRows = {5, 8};
const int64_t kWindow[] = {2, 3}, kOne[] = {1, 1};

TEST_P(GraphedBlocks, Addition) {
  expect_bits_of_eager_calls({kRows, {kRows}, {}, [](rondo_tensor* x, const Tensors& w, const Tensors&, bool) {
                                return make(rondo_binary, RONDO_ADD, x, w[0]);
                              }});
}

TEST_P(GraphedBlocks, AdditionOfANumber) {
  expect_bits_of_eager_calls(kRows, [](rondo_tensor* x) { return make(rondo_binary_scalar, RONDO_ADD, x, 3.0); });
}

TEST_P(GraphedBlocks, Convolution) {
  expect_bits_of_eager_calls(
      {kImage, {{4, 3, 3, 3}, {4}}, {}, [](rondo_tensor* x, const Tensors& w, const Tensors&, bool) {
         rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
         options.padding[0] = options.padding[1] = 1;
         options.bias = w[1];
         return make(rondo_convolution, x, w[0], &options);
       }});
}

TEST_P(GraphedBlocks, TransposedConvolution) {
  expect_bits_of_eager_calls(
      {kImage, {{3, 4, 3, 3}, {4}}, {}, [](rondo_tensor* x, const Tensors& w, const Tensors&, bool) {
         rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
         options.transposed = 1;
         options.stride[0] = options.stride[1] = 2;
         options.bias = w[1];
         return make(rondo_convolution, x, w[0], &options);
       }});
}

TEST_P(GraphedBlocks, Dense) {
  expect_bits_of_eager_calls({kRows, {{4, 8}, {4}}, {}, [](rondo_tensor* x, const Tensors& w, const Tensors&, bool) {
                                rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
                                options.transpose_b = 1;
                                options.bias = w[1];
                                return make(rondo_matmul, x, w[0], &options);
                              }});
}

TEST_P(GraphedBlocks, Tanh) {
  expect_bits_of_eager_calls(kRows, [](rondo_tensor* x) { return make(rondo_unary, RONDO_TANH, x); });
}

// Asked, it leaves its input as it is.
TEST_P(GraphedBlocks, Dropout) {
  expect_bits_of_eager_calls({kRows, {}, {}, [](rondo_tensor* x, const Tensors&, const Tensors&, bool training) {
                                if (!training) return make(rondo_copy, x);
                                Tensor y, mask;
                                must(rondo_dropout(x, 0.5, y.slot(), mask.slot()));
                                return y;
                              }});
}

// A view; the block leaves a tensor of its own.
TEST_P(GraphedBlocks, Flatten) {
  expect_bits_of_eager_calls(kImage, [](rondo_tensor* x) { return make(rondo_copy, reshape(x, {2, 3 * 7 * 6})); });
}

TEST_P(GraphedBlocks, MaxPooling) {
  expect_bits_of_eager_calls(kImage, [](rondo_tensor* x) { return make(rondo_max_pool, x, 2, kWindow, nullptr); });
}

TEST_P(GraphedBlocks, MeanPooling) {
  expect_bits_of_eager_calls(kImage, [](rondo_tensor* x) { return make(rondo_avg_pool, x, 2, kWindow, nullptr); });
}

TEST_P(GraphedBlocks, GlobalMaxPooling) {
  expect_bits_of_eager_calls(kImage, [](rondo_tensor* x) { return make(rondo_adaptive_max_pool, x, 2, kOne); });
}

TEST_P(GraphedBlocks, GlobalMeanPooling) {
  expect_bits_of_eager_calls(kImage, [](rondo_tensor* x) { return make(rondo_adaptive_avg_pool, x, 2, kOne); });
}

TEST_P(GraphedBlocks, ReflectionPadding) {
  expect_bits_of_eager_calls(kImage, [](rondo_tensor* x) {
    const int64_t widths[] = {0, 0, 0, 0, 3, 2, 1, 4};
    return make(rondo_pad, x, RONDO_PAD_REFLECT, 8, widths, 0.0);
  });
}

TEST_P(GraphedBlocks, BatchNormalisation) {
  expect_bits_of_eager_calls(
      {kImage, {{3}, {3}}, {{3}, {3}}, [](rondo_tensor* x, const Tensors& w, const Tensors& running, bool training) {
         rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
         options.weight = w[0];
         options.bias = w[1];
         if (!training) return make(rondo_batch_norm, x, running[0], running[1], &options);
         Tensor y;
         must(rondo_batch_norm_training(x, running[0], running[1], 0.25, &options, y.slot(), nullptr, nullptr));
         return y;
       }});
}

TEST_P(GraphedBlocks, InstanceNormalisation) {
  expect_bits_of_eager_calls({kImage, {{3}, {3}}, {}, [](rondo_tensor* x, const Tensors& w, const Tensors&, bool) {
                                rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
                                options.weight = w[0];
                                options.bias = w[1];
                                return make(rondo_instance_norm, x, &options);
                              }});
}

TEST_P(GraphedBlocks, LayerNormalisation) {
  expect_bits_of_eager_calls({kRows, {{8}, {8}}, {}, [](rondo_tensor* x, const Tensors& w, const Tensors&, bool) {
                                return make(rondo_layer_norm, x, -1, w[0], w[1], 1e-5);
                              }});
}

TEST_P(GraphedBlocks, LeakyRelu) {
  expect_bits_of_eager_calls(kRows, [](rondo_tensor* x) {
    const double slope = 0.25;
    return make(rondo_unary_with, RONDO_LEAKY_RELU, x, 1, &slope);
  });
}

TEST_P(GraphedBlocks, Prelu) {
  expect_bits_of_eager_calls({kRows, {{8}}, {}, [](rondo_tensor* x, const Tensors& w, const Tensors&, bool) {
                                return make(rondo_binary, RONDO_PRELU, x, w[0]);
                              }});
}

TEST_P(GraphedBlocks, Elu) {
  expect_bits_of_eager_calls(kRows, [](rondo_tensor* x) { return make(rondo_unary, RONDO_ELU, x); });
}

TEST_P(GraphedBlocks, Selu) {
  expect_bits_of_eager_calls(kRows, [](rondo_tensor* x) { return make(rondo_unary, RONDO_SELU, x); });
}

TEST_P(GraphedBlocks, Swish) {
  expect_bits_of_eager_calls(kRows, [](rondo_tensor* x) { return make(rondo_unary, RONDO_SILU, x); });
}

}  // namespace
}  // namespace conformance
