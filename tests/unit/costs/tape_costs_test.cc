// Tapes and autocast scopes: what is noted, found again and differentiated costs steps that grow with the operators,
// and not with their square. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.h>

#include "programs.h"

namespace costs {
namespace {

class TapeCosts : public OnEngine {
 protected:
  // The gradient of the sum of all results, recorded, so that nothing is computed.
  Costs differentiated(const std::function<Tensors()>& submit, const std::vector<rondo_tensor*>& sources, bool given) {
    Costs costs;
    rondo_tape* tape = nullptr;
    must(rondo_record_begin(engine_, nullptr));
    {
      must(rondo_tape_begin(engine_, RONDO_TAPE_DEFAULT, &tape));
      Tensors results, gradients(sources.size());
      costs.emplace_back("noted", steps_of([&] {
                           for (rondo_tensor* each : sources) must(rondo_tape_watch(tape, each));
                           results = submit();
                         }));
      const std::vector<rondo_tensor*> outputs(results.begin(), results.end());
      if (given)
        for (size_t i = 0; i < sources.size(); ++i) gradients[i] = plus(sources[i], 1);
      std::vector<rondo_tensor*> made(gradients.begin(), gradients.end());
      costs.emplace_back(
          "differentiated", steps_of([&] {
            must(rondo_tape_gradients(tape, static_cast<int32_t>(outputs.size()), outputs.data(), outputs.data(),
                                      static_cast<int32_t>(sources.size()), sources.data(), made.data()));
          }));
      for (size_t i = 0; i < sources.size(); ++i) *gradients[i].slot() = made[i];
    }
    rondo_tape_destroy(tape);
    must(rondo_record_abort(engine_));
    return costs;
  }
};

TEST_F(TapeCosts, EachShapeIsDifferentiatedInLinearSteps) {
  for (const Shape& shape : shapes())
    if (std::string(shape.name).find("fills_of_parts") == std::string::npos &&
        std::string(shape.name) != "parts_of_one_tensor_read" &&
        std::string(shape.name) != "written_and_read_in_turn")  // depend on nothing
      expect_linear(shape.name,
                    [&](int count) { return differentiated([&] { return shape.submit(count); }, {x_}, false); });
}

TEST_F(TapeCosts, PartsOfATensorTakeLinearSteps) {
  // Each part is read, kept, and another one written.
  expect_linear("parts read and written", [&](int count) {
    const Tensor from = made(4 * count);
    must(rondo_fill(from, 1));
    const auto submit = [&] {
      Tensors whole;
      whole.push_back(made(4 * count));
      for (int i = 0; i < count; ++i) apply(RONDO_TANH, part(from, i), part(whole[0], i));
      return whole;
    };
    return differentiated(submit, {from}, false);
  });
  for (const bool write : {false, true})
    expect_linear(write ? "parts read, and written with a step" : "parts written, and read with a step",
                  [&](int count) {
                    const Tensor from = made(4 * count);
                    must(rondo_fill(from, 1));
                    const auto submit = [&] {
                      Tensors whole;
                      whole.push_back(made(4 * count));
                      for (int i = 0; i < count; ++i)
                        apply(RONDO_TANH, write ? part(from, i) : comb(from, i, count),
                              write ? comb(whole[0], i, count) : part(whole[0], i));
                      return whole;
                    };
                    return differentiated(submit, {from}, false);
                  });
}

TEST_F(TapeCosts, ParametersTakeLinearSteps) {
  for (const bool given : {false, true})
    expect_linear(given ? "parameters, gradients given" : "parameters", [&](int count) {
      Tensors parameters;
      for (int i = 0; i < count; ++i) parameters.push_back(plus(x_, i));
      const std::vector<rondo_tensor*> sources(parameters.begin(), parameters.end());
      const auto submit = [&] {
        Tensors last(1);
        last[0] = plus(parameters[0], 0);
        for (const Tensor& each : parameters) {
          Tensor next;
          must(rondo_binary(RONDO_MUL, last[0], each, next.slot()));
          last[0] = std::move(next);
        }
        return last;
      };
      return differentiated(submit, sources, given);
    });
}

TEST_F(TapeCosts, CallablesOfManyParametersAreLinear) {
  if (std::getenv("COSTS_ON_GPU")) GTEST_SKIP() << "kernels would be compiled";
  struct Function {
    std::vector<rondo_tensor*> weights;
    static rondo_status run(void* arg, int32_t, rondo_tensor* const* inputs, int32_t, rondo_tensor** outputs) {
      rondo_tensor* last = nullptr;
      rondo_status status = rondo_copy(inputs[0], &last);
      for (rondo_tensor* each : static_cast<Function*>(arg)->weights) {
        if (status != RONDO_OK) break;
        rondo_tensor* next = nullptr;
        status = rondo_binary(RONDO_MUL, last, each, &next);
        rondo_tensor_destroy(last);
        last = next;
      }
      outputs[0] = last;
      return status;
    }
  };
  expect_linear(
      "callable",
      [&](int count) {
        Tensors weights;
        for (int i = 0; i < count; ++i) weights.push_back(plus(x_, i));
        Function function{{weights.begin(), weights.end()}};
        rondo_callable* callable = nullptr;
        must(rondo_callable_create(engine_, 1, nullptr, Function::run, &function, nullptr, &callable));
        rondo_tape* tape = nullptr;
        must(rondo_tape_begin(engine_, RONDO_TAPE_DEFAULT, &tape));
        for (rondo_tensor* each : function.weights) must(rondo_tape_watch(tape, each));
        Costs costs;
        {
          rondo_tensor* const inputs[] = {x_};
          Tensor result;
          costs.emplace_back("called",
                             steps_of([&] { must(rondo_callable_call(callable, 1, inputs, 1, result.slot())); }));
          rondo_tensor* const outputs[] = {result};
          Tensors gradients(function.weights.size());
          std::vector<rondo_tensor*> made(gradients.size(), nullptr);
          costs.emplace_back(
              "differentiated", steps_of([&] {
                must(rondo_tape_gradients(tape, 1, outputs, outputs, count, function.weights.data(), made.data()));
              }));
          for (size_t i = 0; i < made.size(); ++i) *gradients[i].slot() = made[i];
        }
        must(rondo_engine_wait_all(engine_));
        rondo_tape_destroy(tape);
        rondo_callable_destroy(callable);
        return costs;
      },
      300);
}

class AutocastCosts : public OnEngine {
 protected:
  // Each weight is read twice, and each result goes at once.
  Costs cast(int count) {
    Tensors weights;
    for (int i = 0; i < count; ++i) weights.push_back(made(4, RONDO_F16));
    for (const Tensor& each : weights) must(rondo_fill(each, 1));
    must(rondo_autocast_begin(engine_, RONDO_F16));
    Costs costs;
    for (const char* time : {"cast", "found again"})
      costs.emplace_back(time, steps_of([&] {
                           for (const Tensor& each : weights) {
                             Tensor half, out;
                             must(rondo_unary(RONDO_EXP, each, out.slot()));
                             must(rondo_cast(out, RONDO_F16, half.slot()));
                             Tensor again;
                             must(rondo_unary(RONDO_EXP, half, again.slot()));
                           }
                         }));
    must(rondo_autocast_end(engine_));
    return costs;
  }
};

TEST_F(AutocastCosts, WeightsAreCastInLinearSteps) {
  if (std::getenv("COSTS_ON_GPU")) GTEST_SKIP() << "kernels would be compiled";
  expect_linear("weights", [this](int count) { return cast(count); });
  expect_linear("weights, recorded", [this](int count) {
    must(rondo_record_begin(engine_, nullptr));
    const Costs costs = cast(count);
    must(rondo_record_abort(engine_));
    return costs;
  });
}

TEST_F(AutocastCosts, PartsOfAWeightAreCastInLinearSteps) {
  if (std::getenv("COSTS_ON_GPU")) GTEST_SKIP() << "kernels would be compiled";
  expect_linear("parts", [this](int count) {
    const Tensor whole = made(4 * count, RONDO_F16);
    must(rondo_fill(whole, 1));
    must(rondo_autocast_begin(engine_, RONDO_F16));
    const Costs costs = {{"cast", steps_of([&] {
                            for (int i = 0; i < count; ++i) {
                              Tensor out;
                              must(rondo_unary(RONDO_EXP, part(whole, i), out.slot()));
                            }
                          })}};
    must(rondo_autocast_end(engine_));
    return costs;
  });
}

}  // namespace
}  // namespace costs
