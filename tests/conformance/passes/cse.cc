// Graphs in which what is computed twice is computed once: the same bits as eager calls, by fewer tasks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <random>

#include "passes/passes.h"

namespace conformance {
namespace {

class Cse : public OnProgramsByPasses {
 protected:
  static Tensor running(rondo_tensor* x, int32_t reverse = 0) {
    return make(rondo_cumulative, RONDO_SUM, x, 0, reverse);
  }
  Array values(uint32_t seed) const { return random_array(RONDO_F32, {12, 7}, seed, -2, 2); }
  using X = const std::vector<Tensor>&;
};
CONFORMANCE_ENGINE_SUITE(Cse);

TEST_P(Cse, WhatIsComputedTwiceIsComputedOnce) {
  const Program twice[] = {
      [](X x) { return list(running(make(rondo_softmax, x[0], 1)), running(make(rondo_softmax, x[0], 1), 1)); },
      [](X x) { return list(running(reduce(RONDO_SUM, x[0], {1})), running(reduce(RONDO_SUM, x[0], {1}), 1)); },
      [](X x) { return list(running(running(x[0])), running(running(x[0]), 1)); },
      [](X x) {
        const auto norm = [&] { return make(rondo_layer_norm, x[0], 1, nullptr, nullptr, 1e-5); };
        return list(running(norm()), running(norm(), 1));
      },
      [](X x) {
        const auto joined = [&] {
          rondo_tensor* parts[] = {x[0], x[1]};
          return make(rondo_concat, 2, parts, 0);
        };
        return list(running(joined()), running(joined(), 1));
      },
      [](X x) {
        const auto product = [&] { return make(rondo_matmul, x[0], transpose(x[1], {1, 0}), nullptr); };
        return list(running(product()), running(product(), 1));
      },
  };
  for (const Program& each : twice) compare({values(1), values(2)}, each, "twice");
  for (size_t i = 0; i < std::size(twice); ++i) {
    if (i == 5) continue;  // a library may need more than a node
    expect_tasks(compare({values(1), values(2)}, twice[i], "twice " + std::to_string(i)).get(), 3);
  }
}

// Channels last and back again, say: neither copy is made, unless something else reads the first.
TEST_P(Cse, ChangesOfLayoutThatCancelAreNotMade) {
  const auto copied = [](rondo_tensor* x) { return make(rondo_copy, x); };
  const Array image = random_array(RONDO_F32, {2, 3, 4, 5}, 4, -2, 2);
  const std::vector<int32_t> to = {0, 2, 3, 1}, back = {0, 3, 1, 2};
  struct Case {
    const char* label;
    int32_t tasks;
    Program body;
  };
  const Case cases[] = {
      {"there and back", 1, [&](X x) { return list(running(copied(transpose(copied(transpose(x[0], to)), back)))); }},
      {"read in between", 3,
       [&](X x) {
         const Tensor there = copied(transpose(x[0], to));
         return list(running(there), running(copied(transpose(there, back))));
       }},
      {"to another layout", 3, [&](X x) { return list(running(copied(transpose(copied(transpose(x[0], to)), to)))); }},
      {"a part", 3,
       [&](X x) { return list(running(copied(slice(transpose(copied(transpose(x[0], to)), back), 0, 0, 1)))); }},
      {"written in between", 4,
       [&](X x) {
         const Tensor there = copied(transpose(x[0], to));
         into(x[0], rondo_unary, RONDO_TANH, x[0]);
         return list(running(copied(transpose(there, back))));
       }},
      {"kept", 2,
       [&](X x) {
         Tensor there = copied(transpose(x[0], to)), sum = running(copied(transpose(there, back)));
         return list(std::move(there), std::move(sum));
       }},
      {"backwards", 3,
       [&](X x) {
         return list(running(copied(slice(copied(slice(x[0], 3, 4, INT64_MIN, -1)), 3, 4, INT64_MIN, -1))));
       }},
  };
  for (const Case& each : cases) {
    const Graph graph = compare({image}, each.body, each.label);
    EXPECT_EQ(graph_info(graph.get()).tasks, each.tasks) << each.label << "\n" << graph_report(graph.get());
  }
}

TEST_P(Cse, WhatDiffersInOneThingIsComputedTwice) {
  const Program differing[] = {
      [](X x) { return list(running(make(rondo_softmax, x[0], 1)), running(make(rondo_softmax, x[0], 0))); },
      [](X x) { return list(running(make(rondo_softmax, x[0], 1)), running(make(rondo_softmax, x[1], 1))); },
      [](X x) { return list(running(running(x[0])), running(running(x[0], 1))); },
      [](X x) { return list(running(reduce(RONDO_SUM, x[0], {1})), running(reduce(RONDO_MAX, x[0], {1}))); },
  };
  for (const Program& each : differing) expect_tasks(compare({values(1), values(2)}, each, "differing").get(), 4);
  // What is read has been written in between.
  expect_tasks(compare(
                   {values(1), values(2)},
                   [](X x) {
                     const Tensor before = running(x[0]);
                     into(x[0], rondo_cumulative, RONDO_MAX, x[1], 0, 0);
                     return list(running(before), running(running(x[0])));
                   },
                   "written in between")
                   .get(),
               5);
  // What was made first is written over before it is read the second time.
  expect_tasks(compare(
                   {values(1)},
                   [](X x) {
                     Tensor first = running(x[0]), kept = running(first);
                     const Tensor again = running(x[0]);
                     into(first, rondo_cumulative, RONDO_MAX, x[0], 0, 0);
                     return list(std::move(kept), running(again, 1), running(first));
                   },
                   "written over")
                   .get(),
               6);
}

// What is read is written by a user's task, or in a body, in between.
TEST_P(Cse, WhatOthersWriteIsReadAnew) {
  for (const bool control : {false, true}) {
    const Tensor x = up(values(1)), yes = up(full(RONDO_BOOL, {}, 1));
    Tensor before, after;
    const Graph graph = record(engine(), [&] {
      before = running(make(rondo_softmax, x, 1));
      if (control) {
        const rondo_body_fn body = [](void* tensor) { return rondo_fill(static_cast<rondo_tensor*>(tensor), 3); };
        must(rondo_if(engine(), yes, body, nullptr, static_cast<rondo_tensor*>(x)));
      } else {
        must(rondo_fill(x, 3));
      }
      after = running(make(rondo_softmax, x, 1));
    });
    must(rondo_graph_launch(graph.get()));
    expect_same_bits(download(before), download(running(make(rondo_softmax, up(values(1)), 1))), "before");
    expect_same_bits(download(after), download(running(make(rondo_softmax, up(full(RONDO_F32, {12, 7}, 3)), 1))),
                     "after");
  }
}

TEST_P(Cse, CopiesOfWhatStaysAreNotMade) {
  expect_tasks(compare(
                   {values(1)},
                   [](X x) {
                     const Tensor copy = make(rondo_copy, make(rondo_copy, x[0]));
                     return list(running(copy), running(slice(copy, 0, 3, 9), 1));
                   },
                   "copies of copies")
                   .get(),
               2);
  // A part of a tensor as it lies.
  expect_tasks(compare(
                   {values(1)}, [](X x) { return list(running(make(rondo_copy, slice(x[0], 0, 2, 9)))); }, "a part")
                   .get(),
               1);
  // It is written afterwards; it lies otherwise; the copy is what the user keeps; the copy is written to.
  const Program made[] = {
      [](X x) {
        const Tensor copy = make(rondo_copy, x[0]);
        into(x[0], rondo_cumulative, RONDO_MAX, x[1], 0, 0);
        return list(running(copy));
      },
      [](X x) {
        const Tensor copy = make(rondo_copy, transpose(x[0], {1, 0}));
        return list(running(running(copy)));
      },
      [](X x) {
        Tensor copy = make(rondo_copy, x[0]);
        Tensor sum = running(copy, 1), more = running(sum);
        return list(std::move(copy), std::move(more));
      },
      [](X x) {
        const Tensor copy = make(rondo_copy, x[0]);
        into(copy, rondo_cumulative, RONDO_MAX, x[1], 0, 0);
        into(slice(copy, 0, 0, 2), rondo_cumulative, RONDO_MIN, slice(x[1], 0, 0, 2), 0, 0);
        return list(running(copy));
      },
  };
  const int32_t tasks[] = {3, 3, 3, 3};
  for (size_t i = 0; i < std::size(made); ++i)
    expect_tasks(compare({values(1), values(2)}, made[i], "made " + std::to_string(i)).get(), tasks[i]);
}

TEST_P(Cse, NumbersByChanceAndUsersTasksAreNot) {
  const int64_t size = 40;
  const auto drawn = [&] { return make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &size, 0.0, 1.0); };
  Tensor one, other;
  const Graph graph = record(engine(), [&] {
    one = running(drawn());
    other = running(drawn());
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_NE(download(one).bytes, download(other).bytes);
  EXPECT_EQ(graph_info(graph.get()).tasks, 4);
}

// A user's task reads the second one: it stays where it is.
TEST_P(Cse, WhatAUsersTaskReadsStays) {
  const Tensor x = up(values(1));
  std::atomic<int> seen{0};
  Tensor sums[2];
  const Graph graph = record(engine(), [&] {
    const Tensor first = running(x), second = running(x);
    must(push(engine(), [&](rondo_task_context*) { return ++seen, RONDO_OK; }, {variable_of(second)}, {}));
    sums[0] = running(first);
    sums[1] = running(second, 1);
  });
  EXPECT_EQ(graph_info(graph.get()).tasks, 5) << graph_report(graph.get());
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(sums[0]), download(running(running(x))), "first");
  expect_same_bits(download(sums[1]), download(running(running(x), 1)), "second");
  EXPECT_EQ(seen, 1);
}

// Programs by chance in which much comes twice: a few operators over a few tensors, written over now and then.
TEST_P(Cse, ProgramsByChance) {
  const char* const asked = std::getenv("RONDO_TEST_PROGRAMS");
  const int count = asked ? std::atoi(asked) : sparing() ? 5 : quick() ? 20 : 120;
  const int begin = (asked || sparing()) && share() > 0 ? 100000 * share() : 0;
  for (int seed = begin; seed < begin + count; ++seed) {
    const Program body = [seed](X x) {
      std::mt19937 random(static_cast<uint32_t>(seed));
      const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
      std::vector<Tensor> made;
      std::vector<rondo_tensor*> all = {x[0], x[1]};
      for (int i = 0; i < 24; ++i) {
        rondo_tensor* a = all[below(all.size())];
        rondo_tensor* b = all[below(all.size())];
        const size_t over = below(8) == 0 ? below(all.size()) : all.size();
        const auto put = [&](auto function, auto... arguments) {
          if (over < all.size() && all[over] != a && all[over] != b) {
            into(all[over], function, arguments...);
          } else {
            made.push_back(make(function, arguments...));
            all.push_back(made.back());
          }
        };
        switch (below(6)) {
          case 0: put(rondo_cumulative, RONDO_MAX, a, 0, static_cast<int32_t>(below(2))); break;
          case 1: put(rondo_softmax, a, static_cast<int32_t>(below(2))); break;
          case 2: put(rondo_binary, RONDO_SUB, a, b); break;
          case 3: put(rondo_copy, a); break;
          case 4: put(rondo_unary, RONDO_TANH, a); break;
          default: put(below(2) == 0 ? rondo_tril : rondo_triu, a, int64_t{1}); break;
        }
      }
      std::vector<Tensor> kept;
      for (size_t i = 0; i < made.size(); ++i)
        if (below(5) == 0 || i + 1 == made.size()) kept.push_back(std::move(made[i]));
      return kept;
    };
    compare({values(1), values(2)}, body, "program " + std::to_string(seed));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace conformance
