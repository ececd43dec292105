// Everything a program holds goes in any order, with launches and calls under way, a recording open on the thread and a
// capture open on another. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "graphs/recording.h"
#include "tape/tape.h"
#include "user/user.h"

namespace conformance {
namespace {

const char* const kText =
    "extern \"C\" __global__ void add_to(float* y, float a, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] += a;\n"
    "}\n";

class Destroyed : public OnRecording {
 protected:
  static constexpr int64_t kSize = 500;

  // Holds the engine back for a while, so that what is submitted behind it is still to come.
  static rondo_status sleeps(rondo_task_context*) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return RONDO_OK;
  }

  // All that a program may hold of another engine; each goes by its number.
  struct Program {
    rondo_engine* engine = nullptr;
    Tensor x, w, left, answer;
    std::unique_ptr<Expression> expression;
    rondo_module* module = nullptr;
    Graph launched, called;
    rondo_callable* callable = nullptr;
    std::unique_ptr<Tape> tape;
    std::atomic<int>* alive = nullptr;  // arguments of recorded tasks

    static constexpr int kParts = 11;
    void drop(int part) {
      switch (part) {
        case 0: return x.reset();
        case 1: return w.reset();
        case 2: return left.reset();
        case 3: return answer.reset();
        case 4: return expression.reset();
        case 5: return rondo_module_destroy(std::exchange(module, nullptr));
        case 6: return launched.reset();
        case 7: return called.reset();
        case 8: return rondo_callable_destroy(std::exchange(callable, nullptr));
        case 9: return tape.reset();
        default: return rondo_engine_destroy(std::exchange(engine, nullptr));
      }
    }
  };

  static rondo_status squared(void*, int32_t, rondo_tensor* const* x, int32_t, rondo_tensor** y) {
    return rondo_unary(RONDO_SQUARE, x[0], &y[0]);
  }

  // With launches, calls and a tape under way.
  void begin(Program* program, std::atomic<int>* alive) const {
    program->engine = create_engine(options()).release();
    rondo_engine* const engine = program->engine;
    const auto values = [&](Real value) { return upload(engine, device(), full(RONDO_F32, {kSize}, value)); };
    program->x = values(1);
    program->w = values(2);
    program->expression = std::make_unique<Expression>("y = a * b + a");
    if (on_cuda())
      must(rondo_module_create(engine, device(), kText, "add_to(float* y, float a, int n)", nullptr, &program->module));
    const auto body = [&](rondo_tensor* x) {
      Tensor y = (*program->expression)({RONDO_TENSOR("a", x), RONDO_TENSOR("b", program->w)});
      if (program->module) {
        const rondo_argument arguments[] = {RONDO_TENSOR("y", y), RONDO_SCALAR("a", 1), RONDO_INTEGER("n", kSize)};
        rondo_launch_options launch = RONDO_LAUNCH_OPTIONS_INIT;
        launch.grid_x = 4, launch.block_x = 128;
        must(rondo_module_launch(program->module, "add_to", 3, arguments, &launch));
      }
      return y;
    };
    program->launched = record(engine, [&] {
      program->left = body(program->x);
      rondo_variable* const writes[] = {variable_of(program->left)};
      ++*alive;
      must(rondo_engine_push(
          engine, [](void*, rondo_task_context*) { return RONDO_OK; }, alive,
          [](void* count) { --*static_cast<std::atomic<int>*>(count); }, nullptr, 0, writes, 1, nullptr));
    });
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_CALLABLE;
    program->called = record(
        engine,
        [&] {
          const Tensor x = make(rondo_record_input, engine, device(), RONDO_F32, 1, &kSize);
          must(rondo_record_output(engine, body(x)));
        },
        &options);
    must(rondo_callable_create(engine, 1, nullptr, squared, nullptr, nullptr, &program->callable));
    must(rondo_engine_wait_all(engine));
    must(push(engine, sleeps, {}, {variable_of(program->x)}));
    for (int i = 0; i < 3; ++i) {
      must(rondo_graph_launch(program->launched.get()));
      rondo_tensor *in = program->x, *out = nullptr;
      must(rondo_graph_call(program->called.get(), 1, &in, 1, &out));
      program->answer = Tensor(out);
    }
    program->tape = std::make_unique<Tape>(engine);
    program->tape->watch(program->x);
    rondo_tensor *in = program->x, *out = nullptr;
    must(rondo_callable_call(program->callable, 1, &in, 1, &out));
    rondo_tensor_destroy(out);
  }
};
CONFORMANCE_ENGINE_SUITE(Destroyed);

TEST_P(Destroyed, AnyOrderDuringLaunchesAndCaptures) {
  const Tensor mine = ones(kSize, 3);
  std::atomic<bool> done{false};
  std::atomic<int> captured{0};
  // Captures all the time.
  std::thread other([&] {
    try {
      const auto lingers = [](rondo_task_context* context) {
        if (rondo_task_is_capturing(context)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return RONDO_OK;
      };
      const rondo_task_options with = task_options("lingers", device());
      do {
        Tensor out;
        const Graph graph = record(engine(), [&] {
          out = make(rondo_binary_scalar, RONDO_ADD, mine, 1.0);
          must(push(engine(), lingers, {variable_of(out)}, {variable_of(out)}, &with));
        });
        expect_captured(graph.get());
        must(rondo_graph_launch(graph.get()));
        EXPECT_EQ(first(out), 4);
        ++captured;
      } while (!done);
    } catch (const std::exception& problem) {
      ADD_FAILURE() << problem.what();
    }
  });
  std::mt19937 bits(static_cast<uint32_t>(share()) + 3);
  const int orders = on_cuda() && quick() ? 8 : 40;
  for (int i = 0; i < orders && !HasFailure(); ++i) {
    std::atomic<int> alive{0};
    Program program;
    try {
      begin(&program, &alive);
    } catch (const std::exception& problem) {
      ADD_FAILURE() << problem.what();
      break;
    }
    std::vector<int> order(Program::kParts);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), bits);
    std::string text = "order";
    for (const int part : order) text += " " + std::to_string(part);
    SCOPED_TRACE(text);
    // Half of them while this thread records with the engine that stays.
    Tensor out;
    const auto go = [&] {
      for (const int part : order) {
        // What is still there can be read, unless the thread records.
        if (part == 10 && program.answer && i % 2) {
          EXPECT_EQ(first(program.answer), on_cuda() ? 4 : 3);
        }
        program.drop(part);
      }
    };
    if (i % 2) {
      go();
    } else {
      const Graph graph = record(engine(), [&] {
        const Tensor before = make(rondo_unary, RONDO_NEG, mine);
        go();
        out = make(rondo_binary_scalar, RONDO_MUL, before, 2.0);
      });
      expect_captured(graph.get());
      must(rondo_graph_launch(graph.get()));
      EXPECT_EQ(first(out), -6);
    }
    EXPECT_EQ(alive, 0) << "an argument of a recorded task is left";
  }
  done = true;
  other.join();
  EXPECT_GT(captured, 0);
}

}  // namespace
}  // namespace conformance
