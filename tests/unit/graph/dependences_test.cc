// What the nodes of a program come after: exactly the earlier nodes that write what they touch, or touch what they
// write, by elements of tensors and by variables.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/dependences.h"

#include <algorithm>
#include <random>
#include <set>

#include "program_fixture.h"
#include "reach.h"

namespace rondo {
namespace {

// What a node touches: numbers of variables, or of elements.
struct Touched {
  std::set<size_t> read, written;
  bool conflicts(const Touched& other) const {
    const auto meet = [](const std::set<size_t>& a, const std::set<size_t>& b) {
      return std::any_of(a.begin(), a.end(), [&b](size_t each) { return b.count(each) > 0; });
    };
    return meet(written, other.read) || meet(written, other.written) || meet(read, other.written);
  }
};

class DependencesOf : public OnPrograms {
 protected:
  // Whether the order is that of the conflicts. exact: and of nothing else.
  static void check(const ops::Program& program, const std::vector<Touched>& touched, bool exact, unsigned seed) {
    const Edges before = ops::Dependences(program).predecessors();
    ASSERT_EQ(before.size(), touched.size());
    const Reach reach = closure(before);
    for (uint32_t later = 0; later < touched.size(); ++later) {
      ASSERT_TRUE(std::is_sorted(before[later].begin(), before[later].end()));
      for (const uint32_t each : before[later]) {
        ASSERT_LT(each, later);
        ASSERT_TRUE(!exact || touched[each].conflicts(touched[later])) << "an edge without a reason, seed " << seed;
      }
      for (uint32_t earlier = 0; earlier < later; ++earlier)
        if (touched[earlier].conflicts(touched[later])) {
          ASSERT_TRUE(reach[later][earlier]) << earlier << " before " << later << " is lost, seed " << seed;
        }
    }
  }
};

TEST_F(DependencesOf, PlainVariablesKeepTheirOrder) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<rondo_variable*> variables(1 + random() % 8);
    for (rondo_variable*& each : variables) must(rondo_variable_create(engine_, &each));
    std::vector<Touched> touched(2 + random() % 60);
    const ops::Program program = recorded([&] {
      for (Touched& task : touched) {
        std::vector<rondo_variable*> reads, writes;
        for (auto n = random() % 4; n > 0; --n) {
          const size_t which = random() % variables.size();
          const bool write = random() % 2;
          (write ? task.written : task.read).insert(which);
          (write ? writes : reads).push_back(variables[which]);
        }
        must(rondo_engine_push(
            engine_, [](void*, rondo_task_context*) { return RONDO_OK; }, nullptr, nullptr, reads.data(), reads.size(),
            writes.data(), writes.size(), nullptr));
      }
    });
    check(program, touched, true, seed);
    must(rondo_record_abort(engine_));
    for (rondo_variable* each : variables) rondo_variable_destroy(each);
    if (HasFatalFailure()) return;
  }
}

TEST_F(DependencesOf, ElementsOfViewsGiveTheirOrder) {
  constexpr int64_t kElements = 48;
  for (unsigned seed = 0; seed < 80; ++seed) {
    std::mt19937 random(seed);
    Result tensors[2], x;
    for (Result& each : tensors) filled(kElements, each.slot());
    filled(1, x.slot());
    // Many accesses to few tensors: the oldest are not kept apart then.
    const bool many = seed % 4 == 3;
    std::vector<Touched> touched(many ? 300 : 2 + random() % 40);
    const ops::Program program = recorded([&] {
      for (Touched& node : touched) {
        const auto pick = [&](Result* view, std::set<size_t>* elements) {
          const size_t which = random() % 2;
          const auto begin = static_cast<int64_t>(random() % kElements),
                     end = begin + 1 + static_cast<int64_t>(random()) % (kElements - begin),
                     step = 1 + static_cast<int64_t>(random() % 3);
          must(rondo_tensor_slice(tensors[which], 0, begin, end, step, view->slot()));
          for (int64_t i = begin; i < end; i += step) elements->insert(which * kElements + static_cast<size_t>(i));
        };
        Result view, sum;
        if (random() % 2) {
          pick(&view, &node.written);
          must(rondo_fill(view, 2));
        } else {
          pick(&view, &node.read);
          must(rondo_reduce(RONDO_SUM, view, 0, nullptr, 0, sum.slot()));
        }
      }
    });
    check(program, touched, !many, seed);
    must(rondo_record_abort(engine_));
    if (HasFatalFailure()) return;
  }
}

TEST_F(DependencesOf, HalvesOfATensorAreIndependent) {
  Result a, both, left, right;
  filled(4, a.slot());
  filled(8, both.slot());
  const ops::Program program = recorded([&] {
    must(rondo_tensor_slice(both, 0, 0, 4, 1, left.slot()));
    must(rondo_tensor_slice(both, 0, 4, 8, 1, right.slot()));
    must(rondo_unary(RONDO_RELU, a, left.slot()));
    must(rondo_unary(RONDO_EXP, a, right.slot()));
    must(rondo_unary(RONDO_NEG, both, both.slot()));
  });
  EXPECT_EQ(ops::Dependences(program).predecessors(), (Edges{{}, {}, {0, 1}}));
}

}  // namespace
}  // namespace rondo
