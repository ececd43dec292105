// Concatenations in a graph whose parts are made in their places: the same bits and failures as eager calls, by fewer
// tasks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "passes/passes.h"

namespace conformance {
namespace {

class ConcatInPlace : public OnProgramsByPasses {
 protected:
  static Tensor running(rondo_tensor* x, int32_t reverse = 0) {
    return make(rondo_cumulative, RONDO_SUM, x, 0, reverse);
  }
  static Tensor joined(std::vector<rondo_tensor*> parts, int32_t axis = 0) {
    return make(rondo_concat, static_cast<int32_t>(parts.size()), parts.data(), axis);
  }
  // Rows of 256 bytes, so that each can begin memory on any device.
  Array rows(int64_t count, uint32_t seed) const { return random_array(RONDO_F32, {count, 64}, seed, -2, 2); }
  bool has_pass(rondo_graph* graph) const { return has_word(graph_report(graph), "pass concat_in_place"); }
  using X = const std::vector<Tensor>&;
};
CONFORMANCE_ENGINE_SUITE(ConcatInPlace);

TEST_P(ConcatInPlace, PartsAreMadeWhereTheyLie) {
  struct Case {
    const char* label;
    int32_t tasks;
    Program body;
  };
  const Case cases[] = {
      {"two parts", 3,
       [](X x) {
         return list(running(joined({running(x[0]), running(x[1])})));
       }},
      {"an order of their own", 3,
       [](X x) {
         const Tensor late = running(x[0]), early = running(x[1]);
         return list(running(joined({early, late})));
       }},
      {"one after the other", 4,
       [](X x) {
         const Tensor one = running(x[0]), two = joined({one, running(one, 1)});
         return list(running(joined({two, running(two, 1)})));
       }},
      {"one part of two", 3,
       [](X x) {
         return list(running(joined({running(x[0]), x[1]})));
       }},
      {"stacked", 3,
       [](X x) {
         const Tensor one = running(x[0]), two = running(x[0], 1);
         rondo_tensor* parts[] = {one, two};
         return list(running(make(rondo_stack, 2, parts, 0)));
       }},
      {"another axis of one", 3,
       [](X x) {
         const Tensor one = reshape(running(x[0]), {1, 5, 64}), two = reshape(running(x[1]), {1, 3, 64});
         return list(make(rondo_cumulative, RONDO_SUM, joined({one, two}, 1), 2, 0));
       }},
      {"changed in place", 5,
       [](X x) {
         const Tensor one = running(x[0]);
         into(one, rondo_binary_scalar, RONDO_MUL, one, 0.5);
         return list(running(joined({one, running(x[1])})), running(x[1]));
       }},
  };
  for (const Case& each : cases) {
    const Graph graph = compare({rows(5, 1), rows(3, 2)}, each.body, each.label);
    EXPECT_TRUE(has_pass(graph.get())) << each.label;
    EXPECT_LE(graph_info(graph.get()).tasks, each.tasks) << each.label << "\n" << graph_report(graph.get());
  }
}

TEST_P(ConcatInPlace, WhatMayNotMoveIsCopied) {
  const Program cases[] = {
      [](X x) {  // an output among the operands
        Tensor one = running(x[0]), all = running(joined({one, one}));
        return list(std::move(one), std::move(all));
      },
      [](X x) {
        return list(joined({running(x[0]), running(x[1])}));
      },         // into an output
      [](X x) {  // columns
        return list(running(joined({running(x[0]), running(x[0], 1)}, 1)));
      },
      [](X x) {  // a part of a tensor
        return list(running(joined({slice(running(x[0]), 0, 0, 2), slice(running(x[0], 1), 0, 1, 3)})));
      },
      [](X x) {  // turned
        return list(running(joined({transpose(running(x[0]), {1, 0}), transpose(running(x[1]), {1, 0})}, 1)));
      },
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    const Graph graph = compare({rows(5, 1), rows(3, 2)}, cases[i], "case " + std::to_string(i));
    EXPECT_FALSE(has_pass(graph.get())) << i << "\n" << graph_report(graph.get());
  }
}

// Parts that are made early and joined late would keep whole results for as long.
TEST_P(ConcatInPlace, EarlyPartsDoNotTakeMoreMemory) {
  constexpr int kLayers = 12;
  const auto body = [](X x) {
    std::vector<Tensor> early;
    for (int i = 0; i < kLayers; ++i) early.push_back(running(x[1], i % 2));
    Tensor at = running(x[0]);
    for (const Tensor& each : early) at = slice(running(joined({each, running(at)})), 0, 3, 203);
    return list(running(at));
  };
  const Graph graph = compare({rows(200, 8), rows(3, 9)}, body, "layers");
  EXPECT_LE(graph_info(graph.get()).arena_bytes, 5 * 203 * 256) << graph_report(graph.get());
}

// What is read or written once more, before or after.
TEST_P(ConcatInPlace, PartsInUseKeepWhatTheyHold) {
  const Program cases[] = {
      [](X x) {  // the result is written while an operand is still read
        const Tensor one = running(x[0]), all = joined({one, running(x[1])}), sum = running(all);
        into(all, rondo_cumulative, RONDO_MAX, sum, 0, 0);
        return list(running(joined({all, one})));
      },
      [](X x) {  // an operand is written while the result is still read
        const Tensor one = running(x[0]), all = joined({one, running(x[1])});
        into(one, rondo_cumulative, RONDO_MAX, x[0], 0, 1);
        return list(running(joined({all, one})));
      },
      [this](X x) {  // the result had something in it
        const Tensor all = empty(RONDO_F32, {8, 64});
        must(rondo_fill(all, 3));
        const Tensor one = running(x[0]), before = running(all);
        rondo_tensor* parts[] = {one, x[1]};
        rondo_tensor* slot = all;
        must(rondo_concat(2, parts, 0, &slot));
        return list(running(joined({all, before})));
      },
      [](X x) {  // an operand is read when its part is something else
        const Tensor one = running(x[0]), all = joined({one, running(x[1])});
        into(slice(all, 0, 0, 4), rondo_cumulative, RONDO_MAX, slice(x[0], 0, 0, 4), 0, 0);
        into(slice(all, 0, 5, 7), rondo_cumulative, RONDO_SUM, slice(one, 0, 0, 2), 0, 0);
        return list(running(all));
      },
      [this](X x) {  // something else is written in the part before, and more than that
        const Tensor one = running(x[0]), wide = empty(RONDO_F32, {9, 64}), all = slice(wide, 0, 0, 8);
        must(rondo_fill(wide, 3));
        rondo_tensor* parts[] = {one, x[1]};
        rondo_tensor* slot = all;
        must(rondo_concat(2, parts, 0, &slot));
        return list(running(wide));
      },
      [](X x) {  // repeated
        const Tensor one = running(x[0]);
        return list(running(joined({one, one, one})));
      },
      [](X x) {  // in two results
        const Tensor one = running(x[0]), two = running(x[1]);
        return list(running(joined({running(joined({one, two})), running(joined({two, one}), 1)})));
      },
  };
  for (size_t i = 0; i < std::size(cases); ++i)
    compare({rows(5, 3), rows(3, 4)}, cases[i], "case " + std::to_string(i));
}

TEST_P(ConcatInPlace, RandomProgramsAreThoseOfEagerCalls) {
  bool some = false;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::vector<Array> arrays;
    for (uint32_t i = 0; i < 3; ++i) arrays.push_back(rows(1 + (seed + i) % 4, seed * 3 + i));
    const Graph graph = compare(
        arrays,
        [&](X x) {
          std::mt19937 random(seed);
          const auto below = [&](size_t count) { return random() % count; };
          std::vector<Tensor> made, kept;
          const auto any = [&]() -> rondo_tensor* {
            const size_t all = made.size() + x.size(), at = below(all);
            return at < x.size() ? x[at] : made[at - x.size()];
          };
          for (int step = 0; step < 14; ++step) {
            rondo_tensor* const from = any();
            switch (below(7)) {
              case 0: made.push_back(running(from)); break;
              case 1: made.push_back(make(rondo_unary, RONDO_TANH, from)); break;
              case 2: made.push_back(slice(from, 0, 0, 1)); break;
              case 3: {
                if (made.empty()) break;
                rondo_tensor* const to = made[below(made.size())];
                into(to, rondo_binary_scalar, RONDO_MUL, to, 0.5);
                break;
              }
              default: {
                std::vector<rondo_tensor*> parts = {from};
                while (parts.size() < 2 + below(2)) parts.push_back(any());
                made.push_back(joined(parts));
              }
            }
            if (below(8) == 0) kept.push_back(running(any()));
            if (made.size() > 5) made.erase(made.begin() + static_cast<std::ptrdiff_t>(below(3)));
          }
          kept.push_back(running(any()));
          if (below(3) == 0 && !made.empty()) kept.push_back(std::move(made.back()));
          return kept;
        },
        "seed " + std::to_string(seed));
    some |= has_pass(graph.get());
    if (HasFailure()) return;
  }
  EXPECT_TRUE(some);
}

TEST_P(ConcatInPlace, FailuresReachAsFarAsInEagerCalls) {
  if (on_cuda()) GTEST_SKIP() << "only a host's task can fail by itself in a graph";
  if (GetParam().mode == RONDO_ENGINE_NAIVE) GTEST_SKIP() << "naive mode reports at the call";
  const auto fail = [](void*, rondo_task_context* context) {
    rondo_task_fail(context, "it fails");
    return RONDO_USER_ERROR;
  };
  const auto bad = [&](X x) -> rondo_tensor* {
    rondo_tensor* const reads[] = {x[0]};
    rondo_tensor* const target = x[1];
    rondo_task_options options = task_options("fails", device());
    must(rondo_engine_push_tensors(engine(), fail, nullptr, nullptr, reads, 1, &target, 1, &options));
    return target;
  };
  const Program bodies[] = {
      [&](X x) {
        const Tensor part = running(bad(x)), good = running(x[0]), all = joined({part, good});
        return list(running(good), running(all));
      },
      [&](X x) {  // a part that is written anew
        const Tensor good = running(x[0]), part = running(bad(x));
        into(part, rondo_cumulative, RONDO_MAX, slice(x[0], 0, 0, 3), 0, 1);
        return list(running(good), running(joined({part, good})));
      },
      [&](X x) {  // a result that is written anew
        const Tensor good = running(x[0]), all = empty(RONDO_F32, {8, 64});
        into(slice(all, 0, 5, 8), rondo_cumulative, RONDO_SUM, bad(x), 0, 0);
        const Tensor before = running(slice(all, 0, 5, 8)), other = running(slice(x[0], 0, 0, 3));
        rondo_tensor* parts[] = {good, other};
        rondo_tensor* slot = all;
        must(rondo_concat(2, parts, 0, &slot));
        return list(running(good), running(all), running(before));
      },
  };
  for (const Program& body : bodies) {
    const std::vector<Tensor> there = copies({rows(5, 5), rows(3, 6)}), here = copies({rows(5, 5), rows(3, 6)});
    const std::vector<Tensor> eager = body(there);
    std::vector<Tensor> recorded;
    const Graph graph = record(engine(), [&] { recorded = body(here); });
    (void)rondo_graph_launch(graph.get());
    for (size_t i = 0; i < eager.size(); ++i)
      EXPECT_EQ(rondo_tensor_wait(recorded[i]), rondo_tensor_wait(eager[i])) << i << "\n" << graph_report(graph.get());
    EXPECT_EQ(rondo_tensor_wait(eager[0]), RONDO_OK);
    EXPECT_NE(rondo_engine_wait_all(engine()), RONDO_OK);
  }
}

// Nothing is zeroed before parts that are read before all of them are there.
TEST_P(ConcatInPlace, PartsAreReadBeforeTheRestIsThere) {
  const Graph graph = compare(
      {rows(4, 7)},
      [](X x) {
        const Tensor one = running(x[0]), two = joined({one, running(one, 1)});
        return list(running(joined({two, running(two, 1)})));
      },
      "a chain");
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 4) << graph_report(graph.get());
  EXPECT_EQ(info.nodes, on_cuda() ? 4 : 0) << graph_report(graph.get());
}

}  // namespace
}  // namespace conformance
