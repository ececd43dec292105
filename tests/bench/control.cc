// Rows of control flow in graphs: what a choice, or a turn of a loop, takes from launch to done where a CUDA graph
// decides by itself; the floor is the same graph with the host deciding.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>
#include <string>

#include "bench.h"
#include "handles.h"

namespace bench {
namespace {

class Controlled {
 public:
  Controlled(rondo_device device, bool loop)
      : loop_(loop), engine_(make_engine(RONDO_ENGINE_ASYNC)), x_(make_tensor(engine_.get(), device, 1024, 1)) {
    graph_ = record(0);
    host_ = record(RONDO_RECORD_HOST_DECIDES);
    rondo_graph_info chosen = RONDO_GRAPH_INFO_INIT, decided = RONDO_GRAPH_INFO_INIT;
    BENCH_CHECK(rondo_graph_query(graph_.get(), &chosen));
    BENCH_CHECK(rondo_graph_query(host_.get(), &decided));
    if (chosen.conditional_nodes != 1 || decided.conditional_nodes != 0)
      throw std::runtime_error("this driver's graphs do not decide by themselves");
  }
  // Microseconds from launch to done, of a choice or a turn.
  double sample(bool host, int launches) const {
    wait();
    const double begin = now_us();
    for (int i = 0; i < launches; ++i) {
      BENCH_CHECK(rondo_graph_launch((host ? host_ : graph_).get()));
      wait();
    }
    return (now_us() - begin) / (launches * (loop_ ? kTurns : 1));
  }

 private:
  static constexpr int kTurns = 100;

  void wait() const { BENCH_CHECK(rondo_engine_wait_all(engine_.get())); }
  static rondo_status body(void* self) {
    rondo_tensor* x = static_cast<Controlled*>(self)->x_.get();
    return rondo_binary_scalar(RONDO_MUL, x, 0.5, &x);
  }
  Graph record(uint32_t flags) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = flags;
    BENCH_CHECK(rondo_record_begin(engine_.get(), &options));
    rondo_graph* graph = nullptr;
    try {
      rondo_tensor *first = nullptr, *goes_on = nullptr;
      BENCH_CHECK(rondo_tensor_slice(x_.get(), 0, 0, 1, 1, &first));
      const Tensor one(first);
      BENCH_CHECK(rondo_binary_scalar(RONDO_GE, first, 0, &goes_on));
      const Tensor condition(goes_on);
      if (loop_)
        BENCH_CHECK(rondo_while(engine_.get(), goes_on, body, kTurns, this));
      else
        BENCH_CHECK(rondo_if(engine_.get(), goes_on, body, nullptr, this));
    } catch (...) {
      rondo_record_abort(engine_.get());
      throw;
    }
    BENCH_CHECK(rondo_record_end(engine_.get(), &graph));
    return Graph(graph);
  }

  const bool loop_;
  Engine engine_;
  Tensor x_;
  Graph graph_, host_;
};

}  // namespace

void add_control_rows(const Options& options, std::vector<Row>& rows) {
  if (options.device.kind != RONDO_CUDA) return;
  for (const bool loop : {false, true})
    rows.push_back(
        {loop ? "control.while" : "control.if",
         loop ? "100 turns of a loop in a graph, launch to done, each" : "a graph with an if in it, launch to done",
         "the same graph, the host decides", at_most_times(1), [=]() -> Samplers {
           const auto controlled = std::make_shared<Controlled>(options.device, loop);
           const int launches = options.quick ? 5 : 20;
           return {[=] { return controlled->sample(false, launches); },
                   [=] { return controlled->sample(true, launches); }};
         }});
}

}  // namespace bench
