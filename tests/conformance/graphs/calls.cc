// Graphs that are called: each call on tensors of its own, results that belong to the caller, from any number of
// threads. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graphs/calls.h"

namespace conformance {
namespace {

class Calls : public OnCalls {
 protected:
  // y = (x + 1) w, with a temporary and, on cuda, several nodes.
  Callable model(rondo_tensor* weights) const {
    return callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) {
      const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
      return list(make(rondo_binary, RONDO_MUL, sum, weights));
    });
  }
  // The same with a host function in the middle, which a CUDA graph is split at.
  Callable split(rondo_tensor* weights) const {
    return callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) {
      const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
      must(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {variable_of(sum)}));
      return list(make(rondo_binary, RONDO_MUL, sum, weights));
    });
  }
  static constexpr int64_t kSize = 257;
};
CONFORMANCE_ENGINE_SUITE(Calls);

TEST_P(Calls, LeaveNewTensorsToTheCaller) {
  const Tensor w = ones(kSize, 2);
  const Callable graph = model(w);
  expect_captured(graph.get());
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.inputs, 1);
  EXPECT_EQ(info.outputs, 1);
  EXPECT_EQ(info.output_bytes, 0);
  EXPECT_EQ(info.call_bytes, 0) << graph_report(graph.get());
  EXPECT_EQ(info.call_kernels, on_cuda() ? 1 : 0) << graph_report(graph.get());
  const std::string report = graph_report(graph.get());
  const std::string place = on_cuda() ? "cuda:0" : "cpu:0";
  EXPECT_NE(report.find("inputs[0], f32 [257] on " + place + ": read where the caller has it"), std::string::npos)
      << report;
  EXPECT_EQ(report.find("1 kernel takes the caller's addresses") != std::string::npos, on_cuda()) << report;
  std::vector<Tensor> answers;
  for (int i = 0; i < 20; ++i) {
    const Tensor x = ones(kSize, i);
    answers.push_back(call(graph, {x}));
  }
  for (int i = 0; i < 20; ++i) expect_all(answers[static_cast<size_t>(i)], 2 * (i + 1));
  EXPECT_EQ(graph_info(graph.get()).launches, 20);
}

// An output that a host's task uses as well keeps the operator that writes it out of CUDA graphs.
TEST_P(Calls, RandomNumbersMoveOnOutsideOfCudaGraphs) {
  const Shape shape = {kSize};
  const auto draw = [&] {
    return make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0);
  };
  const Callable graph = callable({}, [&](const std::vector<Tensor>&) {
    Tensor noise = draw();
    must(push_tensors(engine(), [](rondo_task_context*) { return RONDO_OK; }, {noise}, {}));
    return list(std::move(noise));
  });
  EXPECT_EQ(graph_info(graph.get()).captured, 0) << graph_report(graph.get());
  must(rondo_engine_seed(engine(), 5));
  std::vector<Array> eager, called;
  for (int i = 0; i < 3; ++i) eager.push_back(download(draw()));
  must(rondo_engine_seed(engine(), 5));
  for (int i = 0; i < 3; ++i) called.push_back(download(call(graph, {})));
  for (size_t i = 0; i < 3; ++i) expect_same_bits(called[i], eager[i], "draw " + std::to_string(i));
}

TEST_P(Calls, WriteIntoGivenOutputs) {
  const Tensor w = ones(kSize, 2);
  const Callable graph = model(w);
  const Tensor x = ones(kSize, 3);
  const Tensor y = ones(kSize, -1);
  for (int i = 0; i < 3; ++i) call_into(graph, {x}, {y});
  expect_all(y, 8);
  // A part of a tensor: the rest stays as it is.
  const Tensor whole = up(full(RONDO_F32, {3, 320}, 7));
  const Tensor row = slice(reshape(whole, {960}), 0, 320, 320 + kSize);
  call_into(graph, {x}, {row});
  const Array got = download(whole);
  for (int64_t i = 0; i < 960; ++i)
    EXPECT_EQ(got[static_cast<size_t>(i)], i >= 320 && i < 320 + kSize ? 8 : 7) << "at " << i;
}

TEST_P(Calls, TakeInputsThatAreViewsOrTheSame) {
  const Callable graph = callable({{RONDO_F32, {64}}, {RONDO_F32, {64}}}, [&](const std::vector<Tensor>& x) {
    return list(make(rondo_binary, RONDO_SUB, x[0], x[1]), make(rondo_binary, RONDO_ADD, x[0], x[1]));
  });
  const Tensor both = up(range(RONDO_F32, {2, 64}));
  const Tensor rows[] = {reshape(slice(both, 0, 0, 1), {64}), reshape(slice(both, 0, 1, 2), {64})};
  std::vector<Tensor> answers = call_all(graph, {rows[1], rows[0]}, 2);
  expect_all(answers[0], 64);
  answers = call_all(graph, {rows[1], rows[1]}, 2);
  expect_all(answers[0], 0);
  EXPECT_EQ(download(answers[1])[0], 128);
  // Nothing of it has changed what was given.
  EXPECT_EQ(download(both).bytes, range(RONDO_F32, {2, 64}).bytes);
}

TEST_P(Calls, OrderWithEagerWork) {
  const Tensor w = ones(kSize, 2);
  const Callable graph = model(w);
  const Tensor x = ones(kSize, 0);
  std::vector<Tensor> answers;
  for (int i = 0; i < 10; ++i) {
    must(rondo_fill(x, i));  // after the reads of the calls before
    must(rondo_fill(w, i % 2 ? 2 : 3));
    const Tensor y = call(graph, {x});
    answers.push_back(make(rondo_binary_scalar, RONDO_ADD, y, 100.0));
  }
  for (int i = 0; i < 10; ++i) expect_all(answers[static_cast<size_t>(i)], (i + 1) * (i % 2 ? 2 : 3) + 100);
}

TEST_P(Calls, FeedEachOther) {
  const Tensor w = ones(kSize, 1);
  const Callable one = model(w), two = split(w);
  Tensor x = ones(kSize, 0);
  for (int i = 0; i < 30; ++i) x = call(i % 3 ? one : two, {x});
  expect_all(x, 30);
}

TEST_P(Calls, OfSeveralSegmentsAreOneStep) {
  const Tensor w = ones(kSize, 2);
  const Callable graph = split(w);
  EXPECT_EQ(graph_info(graph.get()).segments, on_cuda() ? 3 : 1) << graph_report(graph.get());
  from_threads(4, 50, [&](int number) {
    const Tensor x = ones(kSize, number);
    expect_all(call(graph, {x}), 2 * (number + 1));
  });
}

// What is destroyed after the call is held by it, though its memory is asked for again at once.
TEST_P(Calls, HoldWhatTheyWereGiven) {
  Gate gate;
  const Callable graph = callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) {
    must(push(engine(), waiting(gate), {variable_of(x[0])}, {}));
    return list(make(rondo_binary_scalar, RONDO_MUL, x[0], 2.0));
  });
  std::vector<Tensor> answers, others;
  for (int i = 0; i < 20; ++i) {
    const Tensor x = ones(kSize, i);
    answers.push_back(call(graph, {x}));
  }
  for (int i = 0; i < 40; ++i) others.push_back(ones(kSize, -5));  // in the memory of the inputs, if that were free
  gate.open = true;
  for (int i = 0; i < 20; ++i) expect_all(answers[static_cast<size_t>(i)], 2 * i);
  for (const Tensor& other : others) expect_all(other, -5);
}

TEST_P(Calls, OutliveTheGraph) {
  const Tensor w = ones(kSize, 2);
  Tensor y;
  {
    const Callable graph = model(w);
    const Tensor x = ones(kSize, 4);
    y = call(graph, {x});
  }
  expect_all(y, 10);
}

TEST_P(Calls, LeaveTheErrorOfAnInputOnWhatDependsOnIt) {
  const Callable graph = callable({{RONDO_F32, {kSize}}, {RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) {
    return list(make(rondo_unary, RONDO_NEG, x[0]), make(rondo_unary, RONDO_NEG, x[1]));
  });
  const Tensor good = ones(kSize, 4);
  const Tensor bad = ones(kSize, 4);
  (void)push(engine(),
             [](rondo_task_context* context) { return rondo_task_fail(context, "no bread"), RONDO_USER_ERROR; }, {},
             {variable_of(bad)});
  const Tensor y = ones(kSize), z = ones(kSize);
  rondo_tensor* inputs[] = {good, bad};
  rondo_tensor* outputs[] = {y, z};
  const rondo_status submitted = rondo_graph_call(graph.get(), 2, inputs, 2, outputs);
  EXPECT_EQ(submitted, naive() ? RONDO_USER_ERROR : RONDO_OK);
  EXPECT_EQ(rondo_tensor_wait(z), RONDO_USER_ERROR);
  EXPECT_TRUE(has_word(rondo_last_error(), "bread")) << rondo_last_error();
  if (on_cuda())
    EXPECT_EQ(rondo_tensor_wait(y), RONDO_USER_ERROR);  // a CUDA graph runs as a whole
  else
    expect_all(y, -4);
  // The next good call clears them.
  call_into(graph, {good, good}, {y, z});
  expect_all(y, -4);
  expect_all(z, -4);
  EXPECT_EQ(rondo_tensor_wait(bad), RONDO_USER_ERROR);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

TEST_P(Calls, LeaveTheFailureOfATaskOnTheirOutputs) {
  std::atomic<bool> fails{true};
  const Callable graph = callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) {
    const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
    must(push(engine(), [&](rondo_task_context*) { return fails.load() ? RONDO_USER_ERROR : RONDO_OK; }, {},
              {variable_of(sum)}));
    return list(make(rondo_unary, RONDO_NEG, sum), make(rondo_unary, RONDO_NEG, x[0]));
  });
  const Tensor x = ones(kSize, 4), y = ones(kSize), z = ones(kSize);
  rondo_tensor* inputs[] = {x};
  rondo_tensor* outputs[] = {y, z};
  EXPECT_EQ(rondo_graph_call(graph.get(), 1, inputs, 2, outputs), naive() ? RONDO_USER_ERROR : RONDO_OK);
  EXPECT_EQ(rondo_tensor_wait(y), RONDO_USER_ERROR);
  if (!on_cuda()) expect_all(z, -4);
  fails = false;
  call_into(graph, {x}, {y, z});
  expect_all(y, -5);
  expect_all(z, -4);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

// Tasks that end later than their function: the caller's memory stays in place meanwhile.
TEST_P(Calls, MayEndLaterThanTheirFunctions) {
  std::vector<std::thread> helpers;
  const Callable graph = callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) {
    Tensor sum = make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
    must(push(engine(),
              [&helpers](rondo_task_context* context) {
                rondo_completion* later = nullptr;
                must(rondo_task_defer(context, &later));
                helpers.emplace_back([later] {
                  must(rondo_completion_complete(later, RONDO_OK, nullptr));
                  rondo_completion_destroy(later);
                });
                return RONDO_OK;
              },
              {}, {variable_of(sum)}));
    return list(make(rondo_binary, RONDO_MUL, sum, x[0]));
  });
  std::vector<Tensor> answers;
  for (int i = 0; i < 5; ++i) {
    const Tensor x = ones(kSize, i);
    answers.push_back(call(graph, {x}));
  }
  for (int i = 0; i < 5; ++i) expect_all(answers[static_cast<size_t>(i)], i * (i + 1));
  for (std::thread& helper : helpers) helper.join();
}

TEST_P(Calls, GiveTasksTheAddressOfWhatIsGiven) {
  std::atomic<const void*> seen{nullptr};
  const Callable graph = callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) {
    rondo_task_options options = task_options("look", device());
    options.flags = RONDO_TASK_NO_CAPTURE;
    must(push_tensors(
        engine(),
        [&](rondo_task_context* context) {
          void* address = nullptr;
          must(rondo_task_operand(context, 0, &address, nullptr));
          seen = address;
          return RONDO_OK;
        },
        {x[0]}, {}, &options));
    return list();
  });
  for (int i = 0; i < 3; ++i) {
    const Tensor x = ones(kSize, i);
    call_into(graph, {x}, {});
    must(rondo_engine_wait_all(engine()));
    void* address = nullptr;
    must(rondo_tensor_data(x, &address));
    EXPECT_EQ(seen.load(), address);
  }
}

TEST_P(Calls, DrawTheNumbersThatEagerWorkDraws) {
  const auto drawn = [&](const std::function<Tensor(rondo_tensor*)>& body) {
    must(rondo_engine_seed(engine(), 5));
    const Tensor x = ones(kSize, 2);
    std::vector<Array> bits;
    for (int i = 0; i < 3; ++i) bits.push_back(download(body(x)));
    return bits;
  };
  const auto noisy = [&](rondo_tensor* x) {
    const Tensor noise = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &kSize, 0.0, 1.0);
    return make(rondo_binary, RONDO_ADD, noise, x);
  };
  const Callable graph =
      callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) { return list(noisy(x[0])); });
  const std::vector<Array> called = drawn([&](rondo_tensor*x) { return call(graph, {x}); }), eager = drawn(noisy);
  for (size_t i = 0; i < called.size(); ++i) expect_same_bits(called[i], eager[i], "draw");
}

TEST_P(Calls, InARecordingAreKeptByIt) {
  const Tensor w = ones(kSize, 2);
  const Callable inner = model(w);
  const Tensor x = ones(kSize, 0);
  Tensor y;
  const Graph outer = record(engine(), [&] {
    const Tensor more = make(rondo_binary_scalar, RONDO_ADD, x, 1.0);
    const Tensor once = call(inner, {more});
    y = call(inner, {once});
  });
  for (int i = 0; i < 3; ++i) {
    must(rondo_fill(x, i));
    must(rondo_graph_launch(outer.get()));
    expect_all(y, ((i + 2) * 2 + 1) * 2);
  }
  // And in one that is called itself.
  const Callable calls = callable({{RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& given) {
    const Tensor once = call(inner, {given[0]});
    return list(call(inner, {once}));
  });
  must(rondo_fill(x, 4));
  expect_all(call(calls, {x}), (5 * 2 + 1) * 2);
}

TEST_P(Calls, FromManyThreadsAreNotMixedUp) {
  const Tensor w = ones(kSize, 2);
  const Callable graph = model(w);
  const int threads = quick() ? 8 : 32;
  from_threads(threads, on_cuda() || quick() ? 20 : 625, [&](int number) {
    const Tensor x = ones(kSize, number % 10000);
    const Tensor y = call(graph, {x});
    expect_all(y, 2 * (number % 10000 + 1));
  });
  EXPECT_GE(graph_info(graph.get()).launches, threads * 20);
}

TEST_P(Calls, LeaveTheMemoryAsItWas) {
  const Tensor w = ones(kSize, 2);
  const Callable graph = model(w);
  const auto in_use = [&] {
    must(rondo_engine_wait_all(engine()));
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info.in_use;
  };
  int64_t before = 0;
  for (int i = 0; i < (quick() ? 200 : 5000); ++i) {
    const Tensor x = ones(kSize, i);
    const Tensor y = call(graph, {x});
    if (i == 100) before = in_use();
  }
  EXPECT_LE(in_use(), before);
}

// Calls of graphs with one arena come one after the other, and what they leave is each caller's.
TEST_P(Calls, SharingAnArenaLeaveTheAnswersOfEach) {
  rondo_record_options options = for_calls();
  options.arena = "calls";
  std::vector<Callable> graphs;
  for (const int64_t size : {int64_t{4000}, int64_t{900}, int64_t{4000}})
    graphs.push_back(record(
        engine(),
        [&] {
          const Tensor x = input({RONDO_F32, {size}});
          const Tensor most = make(rondo_cumulative, RONDO_MAX, x, 0, 0);
          must(rondo_record_output(engine(), make(rondo_cumulative, RONDO_SUM, most, 0, 0)));
        },
        &options));
  for (const Callable& each : graphs) expect_captured(each.get());
  from_threads(3, 10, [&](int number) {
    for (const size_t which : {0, 1, 2, 1}) {
      const int64_t size = which == 1 ? 900 : 4000;
      const Tensor x = ones(size, number + 1);
      const Array got = download(call(graphs[which], {x}));
      EXPECT_EQ(got[0], number + 1);
      EXPECT_EQ(got[static_cast<size_t>(size - 1)], Real((number + 1) * size));
    }
  });
}

TEST_P(Calls, WithoutElements) {
  const Callable graph = callable({{RONDO_F32, {0, 4}}}, [&](const std::vector<Tensor>& x) {
    return list(make(rondo_unary, RONDO_NEG, x[0]), reduce(RONDO_SUM, x[0], {0}));
  });
  const Tensor x = empty(RONDO_F32, {0, 4});
  const std::vector<Tensor> answers = call_all(graph, {x}, 2);
  EXPECT_EQ(query(answers[0]).elements, 0);
  expect_all(answers[1], 0);
}

}  // namespace
}  // namespace conformance
