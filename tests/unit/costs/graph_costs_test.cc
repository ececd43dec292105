// Recording, passes, the schedule, memory, settings and bindings: what each costs grows with the nodes, and not with
// their square. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.h>

#include <optional>

#include "graph/passes/passes.h"
#include "graph/plan/schedule.h"
#include "graph/recording.h"
#include "ops/program/dependences.h"
#include "programs.h"

namespace costs {
namespace {

constexpr struct {
  const char* name;
  rondo::Status (*run)(rondo::ops::Program&, rondo::PassReport*);
} kPasses[] = {
#define RONDO_PASS(name, text) {#name, rondo::name},
#include "graph/passes/passes.def"
#undef RONDO_PASS
};

class GraphCosts : public OnEngine {
 protected:
  void begin(uint32_t flags = 0) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = flags;
    must(rondo_record_begin(engine_, &options));
  }
  // From the begin of a recording to its end.
  template <class Submit>
  Costs recorded(uint32_t flags, const Submit& submit) {
    rondo_graph* graph = nullptr;
    Costs costs;
    begin(flags);
    {
      Tensors held;
      costs.emplace_back("submitted", steps_of([&] { held = submit(); }));
      costs.emplace_back("compiled", steps_of([&] { must(rondo_record_end(engine_, &graph)); }));
    }
    rondo_graph_destroy(graph);
    return costs;
  }
};

TEST_F(GraphCosts, EachPassAndTheScheduleAreLinear) {
  for (const Shape& shape : shapes())
    expect_linear(shape.name, [&](int count) {
      Costs costs;
      begin();
      {
        const Tensors held = shape.submit(count);
        std::optional<rondo::ops::Program> program;
        costs.emplace_back(
            "program", steps_of([&] {
              rondo::Recording::Drawn drawn;
              program.emplace(static_cast<rondo::Recording*>(rondo::Engine::thread_sink())->program(&drawn));
            }));
        const auto schedule = [&](const char* name) {
          const size_t nodes = program->nodes.size();
          const std::vector<int> segments(nodes, 0);
          costs.emplace_back(name, steps_of([&] {
                               (void)rondo::plan_branches(rondo::ops::Dependences(*program).predecessors(), segments,
                                                          {true}, std::vector<bool>(nodes, true), 8);
                             }));
        };
        schedule("schedule before");
        for (const auto& pass : kPasses) {
          rondo::PassReport report{};
          costs.emplace_back(pass.name, steps_of([&] { EXPECT_TRUE(pass.run(*program, &report).ok()); }));
        }
        schedule("schedule behind");
      }
      must(rondo_record_abort(engine_));
      return costs;
    });
}

TEST_F(GraphCosts, GraphsAreCompiledInLinearSteps) {
  if (std::getenv("COSTS_ON_GPU")) GTEST_SKIP() << "kernels would be compiled";
  for (const Shape& shape : shapes())
    for (const uint32_t flags : {RONDO_RECORD_DEFAULT, RONDO_RECORD_AS_WRITTEN})
      expect_linear(std::string(shape.name) + (flags ? ", as written" : ""),
                    [&](int count) { return recorded(flags, [&] { return shape.submit(count); }); });
}

TEST_F(GraphCosts, ParametersAreLinear) {
  expect_linear("parameters", [this](int count) {
    rondo_graph* graph = nullptr;
    Costs costs;
    begin();
    {
      Tensors held;
      const auto submit = [&] {
        for (int i = 0; i < count; ++i) {
          Tensor parameter;
          must(rondo_record_parameter(engine_, ("p" + std::to_string(i)).c_str(), device_, RONDO_F32, i,
                                      parameter.slot()));
          held.push_back(sum(x_, parameter));
        }
      };
      costs.emplace_back("submitted", steps_of(submit));
      costs.emplace_back("compiled", steps_of([&] { must(rondo_record_end(engine_, &graph)); }));
    }
    costs.emplace_back("set", steps_of([&] {
                         for (int i = 0; i < count; ++i)
                           must(rondo_graph_set(graph, ("p" + std::to_string(i)).c_str(), 1));
                       }));
    rondo_graph_destroy(graph);
    return costs;
  });
}

TEST_F(GraphCosts, SectionsAreLinear) {
  for (const bool one : {false, true})
    expect_linear(one ? "one section, begun again" : "sections", [&](int count) {
      return recorded(0, [&] {
        Tensors all;
        const Tensor whole = made(4 * count);
        must(rondo_fill(whole, 0));
        for (int i = 0; i < count; ++i) {
          must(rondo_record_section_begin(engine_, ("s" + std::to_string(one ? 0 : i)).c_str(), 1));
          must(rondo_fill(part(whole, i), i));
          must(rondo_record_section_end(engine_));
        }
        all.push_back(running(whole));
        return all;
      });
    });
}

TEST_F(GraphCosts, InputsAndOutputsOfACallAreLinear) {
  if (std::getenv("COSTS_ON_GPU")) GTEST_SKIP() << "kernels would be compiled";
  expect_linear("inputs and outputs", [this](int count) {
    rondo_graph* graph = nullptr;
    Costs costs;
    begin(RONDO_RECORD_CALLABLE);
    {
      Tensors inputs, results;
      const int64_t four = 4;
      costs.emplace_back(
          "submitted", steps_of([&] {
            for (int i = 0; i < count; ++i) {
              must(rondo_record_input(engine_, device_, RONDO_F32, 1, &four, inputs.emplace_back().slot()));
              results.push_back(plus(inputs.back(), i));
              must(rondo_record_output(engine_, results.back()));
            }
          }));
      costs.emplace_back("compiled", steps_of([&] { must(rondo_record_end(engine_, &graph)); }));
    }
    Tensors given, wanted;
    for (int i = 0; i < count; ++i) given.push_back(plus(x_, i)), wanted.push_back(made(4));
    const std::vector<rondo_tensor*> inputs(given.begin(), given.end());
    std::vector<rondo_tensor*> outputs(wanted.begin(), wanted.end());
    costs.emplace_back("called",
                       steps_of([&] { must(rondo_graph_call(graph, count, inputs.data(), count, outputs.data())); }));
    must(rondo_engine_wait_all(engine_));
    rondo_graph_destroy(graph);
    return costs;
  });
}

TEST_F(GraphCosts, BodiesAreLinear) {
  if (std::getenv("COSTS_ON_GPU")) GTEST_SKIP() << "kernels would be compiled";
  Tensor yes;
  must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_BOOL, 0, nullptr, yes.slot()));
  must(rondo_fill_i64(yes, 1));
  struct Body {
    rondo_tensor* x;
    rondo_tensor* to;
  };
  const auto issue = [](void* arg) -> rondo_status {
    const auto& body = *static_cast<const Body*>(arg);
    rondo_tensor* to = body.to;
    return rondo_unary(RONDO_TANH, body.x, &to);
  };
  expect_linear(
      "bodies",
      [&](int count) {
        return recorded(0, [&] {
          Tensors all;
          for (int i = 0; i < count; ++i) {
            all.push_back(plus(x_, i));
            Body body{x_, all.back()};
            must(rondo_if(engine_, yes, issue, nullptr, &body));
          }
          return all;
        });
      },
      100);
}

}  // namespace
}  // namespace costs
