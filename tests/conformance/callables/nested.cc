// Graphs in graphs in graphs: what is launched and called in recordings, to any depth, has the values, gradients and
// random numbers of eager calls. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callables/callables.h"
#include "control/control.h"
#include "graphs/calls.h"

namespace conformance {
namespace {

class NestedGraphs : public OnCalls {
 protected:
  static constexpr int64_t kRows = 3, kColumns = 4;
  const Shape shape_ = {kRows, kColumns};
  enum class Level { launched, called };

  // What a level does around the next one. With temporaries of its own, of which some hold what gradients need.
  static Tensor before(rondo_tensor* x) {
    return make(rondo_softmax, make(rondo_softmax, make(rondo_binary_scalar, RONDO_MUL, x, 3.0), 1), 0);
  }
  static Tensor behind(rondo_tensor* x) { return make(rondo_unary, RONDO_TANH, make(rondo_unary, RONDO_EXP, x)); }
  static Tensor eager(rondo_tensor* x, size_t levels) {
    const Tensor in = before(x);
    return levels > 1 ? behind(eager(in, levels - 1)) : behind(in);
  }

  // A graph for each level, the innermost first. One that is launched works on tensors of its own.
  struct Nested {
    Level level;
    Callable graph;
    Tensor in, out;  // if it is launched
    // In the recording of the next one, or eagerly.
    Tensor run(rondo_tensor* x) const {
      if (level == Level::called) return call(graph, {x});
      into(in, rondo_copy, x);
      must(rondo_graph_launch(graph.get()));
      return make(rondo_copy, out);
    }
  };
  Tensor some(uint32_t seed) const { return up(random_array(RONDO_F32, shape_, seed, -1, 1)); }
  std::vector<Nested> nest(const std::vector<Level>& levels) const {
    std::vector<Nested> all;
    for (const Level level : levels) {
      const auto body = [&](rondo_tensor* x) {
        const Tensor in = before(x);
        return all.empty() ? behind(in) : behind(all.back().run(in));
      };
      Nested made{level, {}, {}, {}};
      if (level == Level::called) {
        made.graph =
            callable({{RONDO_F32, shape_}}, [&](const std::vector<Tensor>& given) { return list(body(given[0])); });
      } else {
        made.in = some(77), made.out = some(78);
        made.graph = record(engine(), [&] { into(made.out, rondo_copy, body(made.in)); });
      }
      all.push_back(std::move(made));
    }
    return all;
  }
  static std::string label(const std::vector<Level>& levels) {
    std::string text;
    for (const Level each : levels) text += each == Level::called ? 'c' : 'l';
    return text;
  }
  // All of so many levels; of the deepest some.
  static std::vector<std::vector<Level>> mixes(size_t deepest) {
    std::vector<std::vector<Level>> all;
    for (size_t depth = 1; depth <= deepest; ++depth)
      for (unsigned mask = 0; mask < 1u << depth; mask += depth < 4 ? 1 : 5) {
        std::vector<Level>& levels = all.emplace_back();
        for (size_t i = 0; i < depth; ++i) levels.push_back((mask >> i) & 1 ? Level::launched : Level::called);
      }
    return all;
  }
};
CONFORMANCE_ENGINE_SUITE(NestedGraphs);

TEST_P(NestedGraphs, OfAnyDepthHaveTheValuesOfEagerCalls) {
  for (const std::vector<Level>& levels : mixes(sparing() ? 3 : 5)) {
    const std::vector<Nested> graphs = nest(levels);
    for (uint32_t seed = 1; seed < 3; ++seed) {
      const Tensor x = some(seed), y = graphs.back().run(x);
      expect_same_bits(download(y), download(eager(x, levels.size())), label(levels));
    }
  }
}

// The inner graphs may go: what was recorded has its tasks.
TEST_P(NestedGraphs, OutliveTheInnerOnes) {
  std::vector<Nested> graphs = nest({Level::called, Level::launched, Level::called});
  const Tensor x = some(1);
  const Array expected = download(eager(x, 3));
  graphs[0].graph.reset(), graphs[1].graph.reset();
  for (int i = 0; i < 2; ++i) expect_same_bits(download(graphs[2].run(x)), expected, "outlived");
}

TEST_P(NestedGraphs, HaveEagerGradientsAtAnyDepth) {
  const Tensor x = some(1), dy = some(2);
  for (size_t depth = 1; depth <= 5; depth += sparing() ? 2 : 1) {
    const std::vector<Nested> graphs = nest(std::vector<Level>(depth, Level::called));
    std::vector<Array> expected;
    // Eagerly, called, and called in a recording under a tape.
    for (int turn = 0; turn < 4; ++turn) {
      std::vector<Tensor> got;
      const auto run = [&] {
        const Tape outer(engine());
        outer.watch(x);
        Tensor y, first;
        {
          const Tape inner(engine());
          inner.watch(x);
          y = turn ? graphs.back().run(x) : eager(x, depth);
          first = inner.gradient(y, x, dy);
        }
        Tensor second = outer.gradient(reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, first), {}), x);
        for (Tensor* each : {&y, &first, &second}) got.push_back(std::move(*each));
      };
      if (turn == 3) {
        const Graph step = record(engine(), run);
        must(rondo_graph_launch(step.get()));
      } else {
        run();
      }
      for (size_t i = 0; i < got.size(); ++i) {
        const Array bits = download(got[i]);
        if (turn == 0)
          expected.push_back(bits);
        else
          expect_same_bits(
              bits, expected[i],
              "depth " + std::to_string(depth) + ", turn " + std::to_string(turn) + ", order " + std::to_string(i));
      }
    }
  }
}

// A launch has no gradient, which is said of it alone: what goes past it has one.
TEST_P(NestedGraphs, LaunchesBesideWhatIsFollowedDoNoHarm) {
  const Tensor x = some(1), dy = some(2);
  const std::vector<Nested> launched = nest({Level::called, Level::launched});
  const Tensor side = some(3);
  const auto body = [&](rondo_tensor* in) {
    const Tensor factor = launched.back().run(side);
    return make(rondo_binary, RONDO_MUL, before(in), factor);
  };
  const Callable graph =
      callable({{RONDO_F32, shape_}}, [&](const std::vector<Tensor>& given) { return list(body(given[0])); });
  Array expected;
  for (const bool called : {false, true}) {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = called ? call(graph, {x}) : body(x);
    const Array gradient = download(tape.gradient(y, x, dy));
    if (called)
      expect_same_bits(gradient, expected, "gradient");
    else
      expected = gradient;
  }
}

// Of graphs whose inner ones draw what nobody reads, at each place among what is read.
class UnreadNumbers : public OnCalls {
 protected:
  static constexpr int64_t kSize = 5;
  Tensor draw() const { return make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &kSize, 0.0, 1.0); }
  // Two draws that are read and one that is not.
  std::vector<Tensor> program(int unread) const {
    std::vector<Tensor> read;
    for (int i = 0; i < 3; ++i) {
      Tensor each = draw();
      if (i != unread) read.push_back(make(rondo_binary_scalar, RONDO_ADD, each, 1.0));
    }
    return read;
  }
};
CONFORMANCE_ENGINE_SUITE(UnreadNumbers);

TEST_P(UnreadNumbers, CountInWhateverHoldsTheGraph) {
  enum Way { eager, launch, nested_launch, call_it, nested_call, callable_of, followed, ways };
  const char* const names[] = {"eager",    "launch",           "launch in a recording", "call", "call in a recording",
                               "callable", "call under a tape"};
  const Tensor x = ones(kSize);
  for (int unread = 0; unread < 3; ++unread) {
    std::vector<Array> expected;
    for (int way = eager; way < ways; ++way) {
      // What the graph reads of its draws, and one that comes behind it in the recording around.
      std::vector<Tensor> out;
      for (int i = 0; i < 3; ++i) out.push_back(ones(kSize));
      const auto keep = [&](const std::vector<Tensor>& read) {
        for (size_t i = 0; i < 2; ++i) into(out[i], rondo_copy, read[i]);
      };
      const auto last = [&] { into(out[2], rondo_copy, draw()); };
      const Callable called = callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& in) {
        std::vector<Tensor> read = program(unread);
        for (Tensor& each : read) each = make(rondo_binary, RONDO_MUL, each, in[0]);
        return read;
      });
      const Graph launched = record(engine(), [&] { keep(program(unread)); });
      const auto calls = [&] { keep(call_all(called, {x}, 2)); };
      const auto launches = [&] { must(rondo_graph_launch(launched.get())); };
      const Called by_signature(engine(), 2, [&](const auto&, std::vector<Tensor>* y) {
        *y = program(unread);
        return RONDO_OK;
      });
      Graph outer;
      if (way == nested_launch) outer = record(engine(), [&] { launches(), last(); });
      if (way == nested_call) outer = record(engine(), [&] { calls(), last(); });
      // A graph for calls that launches, which is recorded once more for the tape.
      const Callable around = callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& in) {
        launches();
        Tensor behind = draw();
        return list(make(rondo_binary, RONDO_MUL, behind, in[0]));
      });
      must(rondo_engine_seed(engine(), 5));
      std::vector<Array> got;
      for (int i = 0; i < 3; ++i) {
        if (way == eager) keep(program(unread)), last();
        if (way == launch) launches(), last();
        if (way == nested_launch || way == nested_call) must(rondo_graph_launch(outer.get()));
        if (way == call_it) calls(), last();
        if (way == callable_of) keep(by_signature.all({})), last();
        if (way == followed) {
          const Tape tape(engine());
          tape.watch(x);
          const Tensor y = call(around, {x});
          into(out[2], rondo_copy, y);
        }
        for (const Tensor& each : out) got.push_back(download(each));
      }
      for (size_t i = 0; i < got.size(); ++i)
        if (way != eager)
          expect_same_bits(
              got[i], expected[i],
              std::string(names[way]) + ", unread " + std::to_string(unread) + ", value " + std::to_string(i));
      if (way == eager) expected = std::move(got);
    }
  }
}

// A body draws from a sequence of its own, in which the graph that is launched there has the place that it has eagerly.
TEST_P(UnreadNumbers, CountInBodies) {
  const Tensor truth = up(full(RONDO_BOOL, {}, 1));
  for (int unread = 0; unread < 3; ++unread) {
    std::vector<Tensor> out;
    for (int i = 0; i < 3; ++i) out.push_back(ones(kSize));
    const Graph launched = record(engine(), [&] {
      const std::vector<Tensor> read = program(unread);
      for (size_t i = 0; i < 2; ++i) into(out[i], rondo_copy, read[i]);
    });
    Issue issue = [&] {
      must(rondo_graph_launch(launched.get()));
      into(out[2], rondo_copy, draw());
    };
    const auto choose = [&] { must(rondo_if(engine(), truth, call_issue, nullptr, &issue)); };
    const Graph graph = record(engine(), choose);
    std::vector<Array> expected;
    for (const bool recorded : {false, true}) {
      must(rondo_engine_seed(engine(), 5));
      for (int i = 0; i < 3; ++i) {
        if (recorded)
          must(rondo_graph_launch(graph.get()));
        else
          choose();
        for (size_t k = 0; k < 3; ++k) {
          const Array bits = download(out[k]);
          if (recorded)
            expect_same_bits(bits, expected[static_cast<size_t>(i) * 3 + k],
                             "unread " + std::to_string(unread) + ", value " + std::to_string(k));
          else
            expected.push_back(bits);
        }
      }
    }
  }
}

// Where nothing of a device is left in the graph around, its numbers are drawn all the same.
TEST_P(UnreadNumbers, CountWhereNothingElseIsLeft) {
  const Tensor x = ones(kSize);
  const Callable inner = callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& in) {
    const Tensor unread = draw();
    return list(make(rondo_unary, RONDO_NEG, in[0]));
  });
  const Graph outer = record(engine(), [&] { const Tensor unread = call(inner, {x}); });
  must(rondo_engine_seed(engine(), 5));
  (void)draw();
  const Array expected = download(draw());
  must(rondo_engine_seed(engine(), 5));
  must(rondo_graph_launch(outer.get()));
  expect_same_bits(download(draw()), expected, "behind the launch");
}

}  // namespace
}  // namespace conformance
