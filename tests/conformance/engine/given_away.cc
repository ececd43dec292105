// What a task that nobody completed was given stays its own when the engine ends: no later task writes there, whatever
// kind it is. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "harness.h"

namespace conformance {
namespace {

constexpr int64_t kSize = 1000;

enum class Lent { to_read, to_write };

// The task that keeps its completion.
struct Keeper {
  std::atomic<rondo_completion*> completion{nullptr};
  float* address = nullptr;
  Task task() {
    return [this](rondo_task_context* context) {
      void* memory = nullptr;
      must(rondo_task_operand(context, 0, &memory, nullptr));
      address = static_cast<float*>(memory);
      rondo_completion* deferred = nullptr;
      must(rondo_task_defer(context, &deferred));
      completion = deferred;
      return RONDO_OK;
    };
  }
  bool has_begun() {
    return eventually([this] { return completion.load() != nullptr; });
  }
  // Writes the memory, ends the engine by `end`, and expects to find what was written.
  template <class End>
  void expect_kept(End end, const char* beside) {
    for (int64_t i = 0; i < kSize; ++i) address[i] = 1;
    end();
    for (int64_t i = 0; i < kSize; ++i) ASSERT_EQ(address[i], 1) << beside << ", element " << i;
    rondo_completion_destroy(completion);
  }
};

class GivenAway : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    if (naive())
      GTEST_SKIP() << "a naive call lasts as long as the task, and the engine must not be destroyed in a call";
  }

  // `later` prepares what comes after the keeper, and returns what submits it.
  using Later = std::function<std::function<void()>(rondo_engine* engine, rondo_tensor* x)>;
  void expect_kept_from(const char* name, Lent lent, const Later& later) {
    SCOPED_TRACE(name);
    Engine mine = create_engine(options());
    Tensor x = upload(mine.get(), kCpu, full(RONDO_F32, {kSize}, 5));
    Keeper keeper;
    std::function<void()> submit = later(mine.get(), x);
    must(rondo_engine_wait_all(mine.get()));
    const rondo_task_options options = task_options("keeper");
    if (lent == Lent::to_read)
      must(push_tensors(mine.get(), keeper.task(), {x}, {}, &options));
    else
      must(push_tensors(mine.get(), keeper.task(), {}, {x}, &options));
    ASSERT_TRUE(keeper.has_begun());
    submit();
    keeper.expect_kept(
        [&] {
          submit = nullptr;
          x.reset();
          mine.reset();
        },
        name);
  }
};
CONFORMANCE_ENGINE_SUITE(GivenAway);

TEST_P(GivenAway, LaterTaskSparesWhatACompletionLends) {
  struct Case {
    const char* name;
    Later later;
  };
  const rondo_device there = device();
  const std::vector<Case> cases = {
      {"an eager operator",
       [](rondo_engine*, rondo_tensor* x) -> std::function<void()> { return [x] { must(rondo_fill(x, 7)); }; }},
      {"a copy from the device",
       [there](rondo_engine* engine, rondo_tensor* x) -> std::function<void()> {
         auto from = std::make_shared<Tensor>(upload(engine, there, full(RONDO_F32, {kSize}, 7)));
         return [from, x] { into(x, rondo_copy, *from); };
       }},
      {"the launch of a graph",
       [](rondo_engine* engine, rondo_tensor* x) -> std::function<void()> {
         auto graph = std::make_shared<Graph>(record(engine, [x] { must(rondo_fill(x, 7)); }));
         return [graph] { must(rondo_graph_launch(graph->get())); };
       }},
      {"the launch of a graph that copies from the device",
       [there](rondo_engine* engine, rondo_tensor* x) -> std::function<void()> {
         auto from = std::make_shared<Tensor>(upload(engine, there, full(RONDO_F32, {kSize}, 7)));
         auto graph = std::make_shared<Graph>(record(engine, [&] { into(x, rondo_copy, *from); }));
         return [from, graph] { must(rondo_graph_launch(graph->get())); };
       }},
      {"a body of a graph",
       [there](rondo_engine* engine, rondo_tensor* x) -> std::function<void()> {
         auto yes = std::make_shared<Tensor>(upload(engine, there, full(RONDO_BOOL, {1}, 1)));
         auto graph = std::make_shared<Graph>(record(engine, [&] {
           must(rondo_if(
               engine, *yes, [](void* to) { return rondo_fill(static_cast<rondo_tensor*>(to), 7); }, nullptr, x));
         }));
         return [yes, graph] { must(rondo_graph_launch(graph->get())); };
       }},
      {"the call of a graph",
       [](rondo_engine* engine, rondo_tensor* x) -> std::function<void()> {
         rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
         options.flags = RONDO_RECORD_CALLABLE;
         auto graph = std::make_shared<Graph>(record(
             engine,
             [&] {
               const Tensor in = make(rondo_record_input, engine, kCpu, RONDO_F32, 1, &kSize);
               must(rondo_record_output(engine, make(rondo_binary_scalar, RONDO_ADD, in, 2.0)));
             },
             &options));
         auto from = std::make_shared<Tensor>(upload(engine, kCpu, full(RONDO_F32, {kSize}, 5)));
         return [from, graph, x] {
           rondo_tensor *in = *from, *out = x;
           must(rondo_graph_call(graph->get(), 1, &in, 1, &out));
         };
       }},
      {"the call of a callable",
       [](rondo_engine* engine, rondo_tensor* x) -> std::function<void()> {
         rondo_callable* made = nullptr;
         must(rondo_callable_create(
             engine, 1, nullptr,
             [](void*, int32_t, rondo_tensor* const* in, int32_t, rondo_tensor** out) {
               return rondo_binary_scalar(RONDO_ADD, in[0], 2.0, out);
             },
             nullptr, nullptr, &made));
         std::shared_ptr<rondo_callable> callable(made, rondo_callable_destroy);
         auto from = std::make_shared<Tensor>(upload(engine, kCpu, full(RONDO_F32, {kSize}, 5)));
         rondo_tensor *in = *from, *first = nullptr;
         must(rondo_callable_call(made, 1, &in, 1, &first));
         rondo_tensor_destroy(first);
         return [from, callable, x] {
           rondo_tensor *in = *from, *out = x;
           must(rondo_callable_call(callable.get(), 1, &in, 1, &out));
         };
       }},
  };
  for (const Case& each : cases)
    for (const Lent lent : {Lent::to_read, Lent::to_write}) expect_kept_from(each.name, lent, each.later);
}

// The keeper's tensor is a temporary, whose memory is the other graph's as well.
TEST_P(GivenAway, LaterGraphSparesWhatACompletionLends) {
  for (const Lent lent : {Lent::to_read, Lent::to_write}) {
    Engine mine = create_engine(options());
    Tensor x = upload(mine.get(), kCpu, full(RONDO_F32, {kSize}, 5)), sums[2];
    Keeper keeper;
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.arena = "shared";
    Graph first = record(
        mine.get(),
        [&] {
          const Tensor temporary = make(rondo_cumulative, RONDO_MAX, x, 0, 0);
          must(lent == Lent::to_read ? push_tensors(mine.get(), keeper.task(), {temporary}, {})
                                     : push_tensors(mine.get(), keeper.task(), {}, {temporary}));
          sums[0] = make(rondo_cumulative, RONDO_SUM, temporary, 0, 0);
        },
        &options);
    Graph second = record(
        mine.get(),
        [&] { sums[1] = make(rondo_cumulative, RONDO_SUM, make(rondo_cumulative, RONDO_MAX, x, 0, 0), 0, 0); },
        &options);
    must(rondo_graph_launch(first.get()));
    ASSERT_TRUE(keeper.has_begun());
    must(rondo_graph_launch(second.get()));
    keeper.expect_kept(
        [&] {
          first.reset();
          second.reset();
          x.reset();
          for (Tensor& each : sums) each.reset();
          mine.reset();
        },
        lent == Lent::to_read ? "read" : "written");
  }
}

}  // namespace
}  // namespace conformance
