// Rows of recording and replay: what a launch costs the host, what a kernel of a graph costs the device, linear and in
// branches, and what recording and compiling costs once everything is warm.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "bench.h"
#include "floor/floor.h"
#include "handles.h"

namespace bench {
namespace {

// `chains` tensors; a graph adds b to each, in turn, so that there are as many independent chains of dependent
// operators.
struct Chains {
  Chains(rondo_device device, int chains)
      : engine(make_engine(RONDO_ENGINE_ASYNC)), b(make_tensor(engine.get(), device, kElements, 1)) {
    for (int i = 0; i < chains; ++i) c.push_back(make_tensor(engine.get(), device, kElements, 0));
    check(rondo_engine_wait_all(engine.get()), "rondo_engine_wait_all");
  }
  // flags: RONDO_RECORD_AS_WRITTEN, where so many kernels are what is measured.
  Graph record(int nodes, uint32_t flags) {
    rondo_graph* graph = nullptr;
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = flags;
    check(rondo_record_begin(engine.get(), &options), "rondo_record_begin");
    try {
      for (int i = 0; i < nodes; ++i) add(c[i % c.size()], b, c[i % c.size()]);
    } catch (...) {
      rondo_record_abort(engine.get());
      throw;
    }
    check(rondo_record_end(engine.get(), &graph), "rondo_record_end");
    return Graph(graph);
  }
  void wait() { check(rondo_engine_wait_all(engine.get()), "rondo_engine_wait_all"); }

  Engine engine;
  Tensor b;
  std::vector<Tensor> c;
};

struct Replay {
  Replay(rondo_device device, int nodes, int branches, uint32_t flags = RONDO_RECORD_AS_WRITTEN)
      : chains(device, branches),
        graph(chains.record(nodes, flags)),
        floor(make_floor(device)),
        bare(floor->graph(nodes, branches)) {}
  void launch() { check(rondo_graph_launch(graph.get()), "rondo_graph_launch"); }

  Chains chains;
  Graph graph;
  std::unique_ptr<Floor> floor;
  std::unique_ptr<FloorGraph> bare;
};

// y = GELU of x, eight operators in a graph.
struct Gelu {
  Gelu(rondo_device device, rondo_dtype dtype, int64_t elements, uint32_t flags)
      : engine(make_engine(RONDO_ENGINE_ASYNC)), floor(make_floor(device)) {
    for (Tensor* each : {&x, &y}) {
      rondo_tensor* made = nullptr;
      check(rondo_tensor_create(engine.get(), device, dtype, 1, &elements, &made), "rondo_tensor_create");
      each->reset(made);
      check(rondo_fill(made, 0.5), "rondo_fill");
    }
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = flags;
    check(rondo_record_begin(engine.get(), &options), "rondo_record_begin");
    try {
      operators();
    } catch (...) {
      rondo_record_abort(engine.get());
      throw;
    }
    rondo_graph* made = nullptr;
    check(rondo_record_end(engine.get(), &made), "rondo_record_end");
    graph.reset(made);
  }
  void operators() {
    const auto binary = [](rondo_binary_op op, const Tensor& a, const Tensor& b) {
      rondo_tensor* out = nullptr;
      check(rondo_binary(op, a.get(), b.get(), &out), "rondo_binary");
      return Tensor(out);
    };
    const auto scalar = [](rondo_binary_op op, const Tensor& a, double b) {
      rondo_tensor* out = nullptr;
      check(rondo_binary_scalar(op, a.get(), b, &out), "rondo_binary_scalar");
      return Tensor(out);
    };
    const Tensor cube = binary(RONDO_MUL, binary(RONDO_MUL, x, x), x);
    const Tensor inner = scalar(RONDO_MUL, binary(RONDO_ADD, x, scalar(RONDO_MUL, cube, 0.044715)), 0.7978845608028654);
    rondo_tensor* bent = nullptr;
    check(rondo_unary(RONDO_TANH, inner.get(), &bent), "rondo_unary");
    const Tensor one = scalar(RONDO_ADD, Tensor(bent), 1);
    rondo_tensor* out = y.get();
    check(rondo_binary(RONDO_MUL, x.get(), one.get(), &out), "rondo_binary");
  }

  Engine engine;
  Tensor x, y;
  Graph graph;
  std::unique_ptr<Floor> floor;
};

// A launch, and a copy that reads and writes as many bytes.
Samplers gelus(const Options& options, rondo_dtype dtype, uint32_t flags) {
  const bool large = options.device.kind == RONDO_CUDA;
  const int64_t side = large ? (options.quick ? 4096 : 16384) : (options.quick ? 1024 : 4096);
  auto s = std::make_shared<Gelu>(options.device, dtype, side * side, flags);
  const size_t bytes = static_cast<size_t>(side * side) * rondo_dtype_size(dtype);
  const int count = large ? 10 : 2;
  const auto each = [=](auto&& once, auto&& wait) {
    wait();
    const double begin = now_us();
    for (int i = 0; i < count; ++i) once();
    wait();
    return (now_us() - begin) / count;
  };
  return {[=] {
            return each([&] { check(rondo_graph_launch(s->graph.get()), "rondo_graph_launch"); },
                        [&] { check(rondo_engine_wait_all(s->engine.get()), "rondo_engine_wait_all"); });
          },
          [=] { return each([&] { s->floor->copy(bytes); }, [&] { s->floor->wait(); }); }};
}

// Host time of one launch: in bursts, as a training loop launches, or of a single one after each wait, when the caches
// of the host hold other things.
Samplers launches(const Options& options, int nodes, int burst) {
  auto s = std::make_shared<Replay>(options.device, nodes, 1);
  const int bursts = options.quick ? 10 : 40;
  const auto measure = [=](auto&& launch, auto&& wait) { return burst_us(bursts, burst, launch, wait); };
  return {[=] { return measure([&] { s->launch(); }, [&] { s->chains.wait(); }); },
          [=] { return measure([&] { s->bare->launch(); }, [&] { s->floor->wait(); }); }};
}

// Ten dependent adds to what a call is given, the first of which reads the caller's tensor and the last of which writes
// another one; and the same on tensors of the recording's, to be launched.
struct Called {
  static constexpr int kNodes = 10, kChanged = 2, kSets = 16;

  explicit Called(rondo_device device) : chains(device, 1), launched(chains.record(kNodes, RONDO_RECORD_AS_WRITTEN)) {
    for (int i = 0; i < kSets; ++i) {
      x.push_back(make_tensor(chains.engine.get(), device, kElements, 1));
      y.push_back(make_tensor(chains.engine.get(), device, kElements, 0));
    }
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN | RONDO_RECORD_CALLABLE;
    check(rondo_record_begin(chains.engine.get(), &options), "rondo_record_begin");
    try {
      record(device);
    } catch (...) {
      rondo_record_abort(chains.engine.get());
      throw;
    }
    rondo_graph* made = nullptr;
    check(rondo_record_end(chains.engine.get(), &made), "rondo_record_end");
    called.reset(made);
    rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
    check(rondo_graph_query(made, &info), "rondo_graph_query");
    if (info.captured && info.call_kernels != kChanged) throw std::runtime_error("a call changes other kernels");
  }
  void record(rondo_device device) {
    const int64_t elements = kElements;
    rondo_tensor* at = nullptr;
    check(rondo_record_input(chains.engine.get(), device, RONDO_F32, 1, &elements, &at), "rondo_record_input");
    for (int i = 0; i < kNodes; ++i) {
      const Tensor from(at);
      at = nullptr;
      check(rondo_binary(RONDO_ADD, from.get(), chains.b.get(), &at), "rondo_binary");
    }
    const Tensor last(at);
    check(rondo_record_output(chains.engine.get(), at), "rondo_record_output");
  }
  void call(int which) {
    rondo_tensor *input = x[static_cast<std::size_t>(which)].get(), *output = y[static_cast<std::size_t>(which)].get();
    check(rondo_graph_call(called.get(), 1, &input, 1, &output), "rondo_graph_call");
  }
  void launch() { check(rondo_graph_launch(launched.get()), "rondo_graph_launch"); }

  Chains chains;
  Graph launched, called;
  std::vector<Tensor> x, y;
};

// The same by a callable, which was called with such tensors before.
struct ByCallable : Called {
  explicit ByCallable(rondo_device device) : Called(device) {
    rondo_callable_options options = RONDO_CALLABLE_OPTIONS_INIT;
    options.flags = RONDO_CALLABLE_AS_WRITTEN;
    BENCH_CHECK(rondo_callable_create(chains.engine.get(), 1, &options, adds, chains.b.get(), nullptr, &callable));
  }
  ByCallable(const ByCallable&) = delete;
  ByCallable& operator=(const ByCallable&) = delete;
  ~ByCallable() { rondo_callable_destroy(callable); }
  static rondo_status adds(void* b, int32_t, rondo_tensor* const* inputs, int32_t, rondo_tensor** outputs) {
    Tensor from;
    for (int i = 0; i < kNodes; ++i) {
      rondo_tensor* out = nullptr;
      if (const rondo_status status =
              rondo_binary(RONDO_ADD, i == 0 ? inputs[0] : from.get(), static_cast<rondo_tensor*>(b), &out);
          status != RONDO_OK)
        return status;
      from.reset(out);
    }
    outputs[0] = from.release();
    return RONDO_OK;
  }
  void call(int which) {
    rondo_tensor *input = x[static_cast<std::size_t>(which)].get(), *output = y[static_cast<std::size_t>(which)].get();
    BENCH_CHECK(rondo_callable_call(callable, 1, &input, 1, &output));
  }
  rondo_callable* callable = nullptr;
};

// Host time of one call, with as many sets of tensors in turn, and of a launch.
template <class Calls>
Samplers calls(const Options& options, int sets) {
  auto s = std::make_shared<Calls>(options.device);
  const int bursts = options.quick ? 10 : 40;
  const auto measure = [=](auto&& once) { return burst_us(bursts, 8, once, [&] { s->chains.wait(); }); };
  return {[=] {
            int which = 0;
            return measure([&] { s->call(which = (which + 1) % sets); });
          },
          [=] { return measure([&] { s->launch(); }); }};
}

// The same against what the driver takes for as many changed kernels.
Samplers changed_calls(const Options& options) {
  struct Both : Called {
    explicit Both(rondo_device device)
        : Called(device), floor(make_floor(device)), bare(floor->graph(kNodes, 1, true)) {}
    std::unique_ptr<Floor> floor;
    std::unique_ptr<FloorGraph> bare;
  };
  auto s = std::make_shared<Both>(options.device);
  const int bursts = options.quick ? 10 : 40;
  return {[=] {
            int which = 0;
            return burst_us(
                bursts, 8, [&] { s->call(which = (which + 1) % Called::kSets); }, [&] { s->chains.wait(); });
          },
          [=] {
            return burst_us(
                bursts, 8, [&] { s->bare->launch_changed(); }, [&] { s->floor->wait(); });
          }};
}
// The same recorded with full edges alone.
struct FullEdges {
  FullEdges() { setenv("RONDO_GRAPH_PROGRAMMATIC", "off", 1); }
  ~FullEdges() { unsetenv("RONDO_GRAPH_PROGRAMMATIC"); }
};

// Microseconds per operator of `repeats` launches and the wait for them; with 1000 operators each, the host's share is
// hidden.
Samplers per_operator(const Options& options, int nodes, int branches, uint32_t flags = RONDO_RECORD_AS_WRITTEN) {
  auto s = std::make_shared<Replay>(options.device, nodes, branches, flags);
  const int repeats = options.quick ? 3 : 10;
  const auto times = [=](auto&& launch, auto&& wait) {
    const double begin = now_us();
    for (int i = 0; i < repeats; ++i) launch();
    wait();
    return (now_us() - begin) / (static_cast<double>(repeats) * nodes);
  };
  return {[=] { return times([&] { s->launch(); }, [&] { s->chains.wait(); }); },
          [=] { return times([&] { s->bare->launch(); }, [&] { s->floor->wait(); }); }};
}

// Two adds side by side and one of both, again and again, in branches or on one.
struct Diamonds {
  explicit Diamonds(rondo_device device) : chains(device, 3) {
    for (Graph* each : {&forked, &straight}) {
      rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
      options.flags = RONDO_RECORD_AS_WRITTEN;
      options.max_branches = each == &straight ? 1 : 0;
      BENCH_CHECK(rondo_record_begin(chains.engine.get(), &options));
      try {
        for (int i = 0; i < kDiamonds; ++i) {
          add(chains.c[0], chains.b, chains.c[1]);
          add(chains.c[0], chains.b, chains.c[2]);
          add(chains.c[1], chains.c[2], chains.c[0]);
        }
      } catch (...) {
        rondo_record_abort(chains.engine.get());
        throw;
      }
      rondo_graph* graph = nullptr;
      BENCH_CHECK(rondo_record_end(chains.engine.get(), &graph));
      each->reset(graph);
    }
  }
  double sample(const Graph& graph, int repeats) {
    chains.wait();
    const double begin = now_us();
    for (int i = 0; i < repeats; ++i) BENCH_CHECK(rondo_graph_launch(graph.get()));
    chains.wait();
    return (now_us() - begin) / (3.0 * repeats * kDiamonds);
  }
  static constexpr int kDiamonds = 300;

  Chains chains;
  Graph forked, straight;
};

// From a launch of a graph to its end: of the first one, which pays for the upload where a graph has branches, and of
// the second one.
Samplers first_launches(const Options& options, int nodes, int branches) {
  auto chains = std::make_shared<Chains>(options.device, branches);
  const auto sample = [=](int before) {
    const Graph graph = chains->record(nodes, RONDO_RECORD_AS_WRITTEN);
    chains->wait();
    double begin = 0;
    for (int i = 0; i <= before; ++i) {
      begin = now_us();
      BENCH_CHECK(rondo_graph_launch(graph.get()));
      chains->wait();
    }
    return now_us() - begin;
  };
  return {[=] { return sample(0); }, [=] { return sample(1); }};
}

}  // namespace

void add_graph_rows(const Options& options, std::vector<Row>& rows) {
  const bool cuda = options.device.kind == RONDO_CUDA;
  constexpr int kLaunches = 8;  // few against the graph launches a stream takes before it blocks

  for (const int nodes : {100, 1000, 2000}) {
    const std::string id = "launch." + std::to_string(nodes);
    const char* floor = cuda ? "cuGraphLaunch of a linear capture" : "pushing as many plain loops to a thread as one";
    const Goal goal = cuda ? at_most_above(0.5) : Goal{};
    rows.push_back({id, "launch a graph of " + std::to_string(nodes) + " adds, host time", floor, goal,
                    [=] { return launches(options, nodes, kLaunches); }});
    rows.push_back({id + ".first", "the same, a single launch after a wait", floor, goal,
                    [=] { return launches(options, nodes, 1); }});
  }

  struct {
    const char *id, *given;
    int sets;
    double above_us;
  } const turns[] = {{"call.same", "the same tensors", 1, 0.25},
                     {"call.return", "three sets of tensors in turn", 3, 0.25},
                     {"call.others", "other tensors each time", Called::kSets, 0.25 * Called::kChanged}};
  for (const auto& [id, given, sets, above_us] : turns)
    rows.push_back({id, std::string("call a graph of 10 adds with ") + given, "a launch of such a graph",
                    cuda ? at_most_above(above_us) : Goal{},
                    [=, sets = sets] { return calls<Called>(options, sets); }});
  rows.push_back({"call.callable", "call a callable of 10 adds with three sets of tensors in turn",
                  "a launch of such a graph", cuda ? at_most_above(0.5) : Goal{},
                  [=] { return calls<ByCallable>(options, 3); }});
  rows.push_back(
      {"call.changed", "call a graph of 10 adds with other tensors each time",
       cuda ? "changing two kernels of such a graph and launching it, by the driver" : "a launch of plain loops",
       cuda ? at_most_above(0.5) : Goal{}, [=] { return changed_calls(options); }});

  // The goals' times on one card, 0.75 and 0.22 us, as ratios to the floors measured on that card with them.
  rows.push_back({"device.linear", "1000 dependent adds in a graph, each",
                  cuda ? "linear capture of the same kernels" : "plain loops in a row",
                  cuda ? at_most_times(0.75 / 0.965) : Goal{}, [=] { return per_operator(options, 1000, 1); }});
  rows.push_back({"device.branches", "1000 adds in 8 independent chains, each",
                  cuda ? "capture in 8 branches, forked by hand" : "plain loops in a row",
                  cuda ? at_most_times(0.22 / 0.195) : Goal{}, [=] { return per_operator(options, 1000, 8); }});

  if (cuda)
    rows.push_back({"device.diamonds", "900 adds in a graph, two side by side and one of both in turn, each",
                    "the same graph on one branch", at_most_times(1), [=]() -> Samplers {
                      const auto diamonds = std::make_shared<Diamonds>(options.device);
                      const int repeats = options.quick ? 3 : 10;
                      return {[=] { return diamonds->sample(diamonds->forked, repeats); },
                              [=] { return diamonds->sample(diamonds->straight, repeats); }};
                    }});
  if (cuda)
    for (const int branches : {1, 8})
      rows.push_back({branches == 1 ? "first.linear" : "first.branches",
                      branches == 1 ? "the first launch of a graph of 200 dependent adds, launch to done"
                                    : "the first launch of a graph of 200 adds in 8 chains, launch to done",
                      "its second launch", Goal{}, [=] { return first_launches(options, 200, branches); }});
  if (cuda)
    for (const int branches : {1, 8})
      rows.push_back({branches == 1 ? "device.linear.full" : "device.branches.full",
                      branches == 1 ? "1000 dependent adds in a graph without programmatic edges, each"
                                    : "1000 adds in 8 chains without programmatic edges, each",
                      branches == 1 ? "linear capture of the same kernels" : "capture in 8 branches, forked by hand",
                      Goal{}, [=] {
                        const FullEdges full;
                        return per_operator(options, 1000, branches);
                      }});

  rows.push_back({"device.fused", "1000 dependent adds in a graph, fused, each",
                  cuda ? "linear capture of a kernel for each" : "plain loops in a row", Goal{},
                  [=] { return per_operator(options, 1000, 1, 0); }});

  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16}) {
    const std::string id = std::string("gelu.recorded.") + rondo_dtype_name(dtype);
    const char* const floor = "a copy inside the device that moves as many bytes";
    rows.push_back({id, std::string("GELU of 8 recorded operators, ") + rondo_dtype_name(dtype), floor,
                    cuda ? at_most_times(dtype == RONDO_F32 ? 1 : 1 / 0.98) : Goal{},
                    [=] { return gelus(options, dtype, 0); }});
    rows.push_back({id + ".apart", "the same, each operator by itself", floor, Goal{},
                    [=] { return gelus(options, dtype, RONDO_RECORD_AS_WRITTEN); }});
  }

  for (const int nodes : {100, 1000}) {
    rows.push_back({"record." + std::to_string(nodes), "record and compile " + std::to_string(nodes) + " adds, warm",
                    cuda ? "capture and instantiate the same kernels" : "none", cuda ? at_most_times(3) : Goal{},
                    [=]() -> Samplers {
                      auto chains = std::make_shared<Chains>(options.device, 1);
                      const std::shared_ptr<Floor> floor = make_floor(options.device);
                      Samplers samplers;
                      samplers.rondo = [=] {
                        const double begin = now_us();
                        const Graph graph = chains->record(nodes, 0);
                        return now_us() - begin;
                      };
                      if (cuda) {
                        samplers.floor = [=] {
                          const double begin = now_us();
                          const std::unique_ptr<FloorGraph> graph = floor->graph(nodes, 1);
                          return now_us() - begin;
                        };
                      }
                      return samplers;
                    }});
  }
}

}  // namespace bench
