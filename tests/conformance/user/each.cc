// One expression over a list of sets: the bits of separate calls, as one task, which a GPU does with a kernel for many.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "user/user.h"

namespace conformance {
namespace {

// Arguments and results of sets, one behind the other.
struct Sets {
  std::vector<rondo_argument> arguments;
  std::vector<rondo_tensor*> out;
  int32_t count = 0;
  void add(std::initializer_list<rondo_argument> of_set, std::initializer_list<rondo_tensor*> results) {
    arguments.insert(arguments.end(), of_set);
    out.insert(out.end(), results);
    ++count;
  }
  rondo_status run(rondo_expression* expression) {
    const int32_t sets = std::max(count, 1);
    return rondo_expression_run_each(expression, count, static_cast<int32_t>(arguments.size()) / sets, arguments.data(),
                                     static_cast<int32_t>(out.size()) / sets, out.data());
  }
};

// The parameters of something that is trained.
struct Trained {
  std::vector<Tensor> values, velocities, gradients;
};

const char* const kUpdate = "v = m * v + f32(g); p = p - r * v";

class UserExpressionEach : public OnEngine {
 protected:
  Tensor values(rondo_dtype dtype, const Shape& shape, int start = 0) const {
    Array array(dtype, shape);
    for (size_t i = 0; i < array.size(); ++i)
      array.set(i, Real(static_cast<int>((i * 7 + static_cast<size_t>(start)) % 13) - 5) / 8);
    return up(array);
  }
  Trained trained(const std::vector<Shape>& shapes, rondo_dtype gradient = RONDO_F32) const {
    Trained made;
    int start = 0;
    for (const Shape& shape : shapes) {
      made.values.push_back(values(RONDO_F32, shape, start++));
      made.velocities.push_back(values(RONDO_F32, shape, start++));
      made.gradients.push_back(values(gradient, shape, start++));
    }
    return made;
  }
  static Sets updates(const Trained& of, double rate = 0.25) {
    Sets sets;
    for (size_t i = 0; i < of.values.size(); ++i)
      sets.add({tensor("p", of.values[i]), tensor("v", of.velocities[i]), tensor("g", of.gradients[i]),
                scalar("m", 0.9), scalar("r", rate)},
               {of.velocities[i], of.values[i]});
    return sets;
  }
  static void update_one_by_one(const Expression& expression, const Trained& of) {
    Sets sets = updates(of);
    for (int32_t i = 0; i < sets.count; ++i)
      must(rondo_expression_run(expression, 5, &sets.arguments[static_cast<size_t>(i) * 5], 2,
                                &sets.out[static_cast<size_t>(i) * 2]));
  }
  static void expect_same(const Trained& a, const Trained& b) {
    for (size_t i = 0; i < a.values.size(); ++i) {
      expect_same_bits(download(a.values[i]), download(b.values[i]), "value " + std::to_string(i));
      expect_same_bits(download(a.velocities[i]), download(b.velocities[i]), "velocity " + std::to_string(i));
    }
  }
  // One task, and on a GPU so many nodes.
  void expect_nodes(int nodes, const std::function<void()>& body) const {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;  // though nobody reads it
    const Graph graph = record(engine(), body, &options);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.tasks, 1) << graph_report(graph.get());
    if (!on_cuda()) return;
    EXPECT_EQ(info.nodes, nodes) << graph_report(graph.get());
    EXPECT_EQ(info.captured, 1);
  }
};
CONFORMANCE_SUITE(UserExpressionEach);

TEST_P(UserExpressionEach, GivesTheBitsOfSeparateCalls) {
  const Expression text(kUpdate, "update");
  // No, one and few elements, packs with and without a rest, blocks with and without one, several blocks.
  const std::vector<Shape> shapes = {{}, {0, 3}, {3}, {4}, {5, 7}, {4096}, {4097}, {3, 3, 64}, {9001}};
  for (const rondo_dtype gradient : dealt<rondo_dtype>({RONDO_F32, RONDO_F16, RONDO_F64})) {
    const Trained together = trained(shapes, gradient), apart = trained(shapes, gradient);
    for (int step = 0; step < 2; ++step) {
      must(updates(together).run(text));
      update_one_by_one(text, apart);
    }
    expect_same(together, apart);
    const Graph graph = record(engine(), [&] { must(updates(together).run(text)); });
    for (int step = 0; step < 3; ++step) {
      must(rondo_graph_launch(graph.get()));
      update_one_by_one(text, apart);
    }
    expect_same(together, apart);
    expect_nodes(1, [&] { must(updates(together).run(text)); });
  }
}

// More sets than a kernel's arguments hold, which is (4096 / 8 - 1 - 2) / (3 + 2 + 1) = 84.
TEST_P(UserExpressionEach, ManySetsAreFewKernels) {
  const Expression text(kUpdate, "update");
  const std::vector<Shape> shapes(100, Shape{17});
  const Trained together = trained(shapes), apart = trained(shapes);
  must(updates(together).run(text));
  update_one_by_one(text, apart);
  expect_same(together, apart);
  expect_nodes(2, [&] { must(updates(together).run(text)); });
}

// Large ones and small ones: workers share both.
TEST_P(UserExpressionEach, SharesTheWork) {
  const Expression text(kUpdate, "update");
  std::vector<Shape> shapes(60, Shape{on_cuda() ? 257 : 4097});
  shapes.push_back({on_cuda() ? 10000 : 300000});
  const Trained together = trained(shapes), apart = trained(shapes);
  must(updates(together).run(text));
  update_one_by_one(text, apart);
  expect_same(together, apart);
}

TEST_P(UserExpressionEach, TakesSetsThatDiffer) {
  const Expression text("y = a * x + b");
  const Tensor x = values(RONDO_F32, {6, 8}), rate = values(RONDO_F32, {}, 3), row = values(RONDO_F32, {8}, 2);
  const Tensor wide = values(RONDO_F64, {5}), ints = values(RONDO_I32, {4}), turned = transpose(x, {1, 0});
  const Tensor unaligned = slice(values(RONDO_F32, {9}), 0, 1, 9);
  const auto sets = [&] {
    Sets all;
    all.add({tensor("x", x), tensor("a", rate), scalar("b", 1)}, {nullptr});       // a number from a tensor
    all.add({tensor("x", row), tensor("a", rate), scalar("b", 1)}, {nullptr});     // in the same kernel
    all.add({tensor("x", row), tensor("a", rate), scalar("b", 2)}, {nullptr});     // another number
    all.add({tensor("x", x), tensor("a", row), scalar("b", 1)}, {nullptr});        // rows
    all.add({tensor("x", turned), tensor("a", rate), scalar("b", 1)}, {nullptr});  // a view
    all.add({tensor("x", wide), scalar("a", 3), scalar("b", 1)}, {nullptr});       // another dtype
    all.add({tensor("x", ints), scalar("a", 3), scalar("b", 1)}, {nullptr});
    all.add({tensor("x", unaligned), tensor("a", rate), scalar("b", 1)}, {nullptr});
    return all;
  };
  run([&](Results& results) {
    Sets all = sets();
    must(all.run(text));
    for (size_t i = 0; i < all.out.size(); ++i)
      results.keep("set " + std::to_string(i), Tensor(all.out[i]), [&text, i, one = sets()]() mutable {
        Tensor alone;
        must(rondo_expression_run(text, 3, &one.arguments[i * 3], 1, alone.slot()));
        return Expected{download(alone)};
      });
  });
  expect_nodes(7, [&] {
    Sets all = sets();
    must(all.run(text));
    for (rondo_tensor* each : all.out) rondo_tensor_destroy(each);
  });
}

TEST_P(UserExpressionEach, ReducesAndAdds) {
  const Expression text("y = x * 2; s = sum(x * x)");
  const Tensor a = values(RONDO_F32, {7}), b = values(RONDO_F32, {3, 5});
  run([&](Results& results) {
    Sets sets;
    sets.add({tensor("x", a)}, {nullptr, nullptr});
    sets.add({tensor("x", b)}, {nullptr, nullptr});
    must(sets.run(text));
    for (size_t i = 0; i < 4; ++i)
      results.keep("result", Tensor(sets.out[i]), [&, i] {
        const Tensor& x = i < 2 ? a : b;
        return Expected{download(i % 2 == 0 ? make(rondo_binary_scalar, RONDO_MUL, x, 2.0)
                                            : reduce(RONDO_SUM, make(rondo_binary, RONDO_MUL, x, x), {}))};
      });
  });
  // Accumulators are added to, and sets may read the same tensor.
  const Tensor first = values(RONDO_F32, {7}, 1), second = values(RONDO_F32, {7}, 2);
  const Array was = download(second);
  const Expression twice("y = x * 2");
  const Tensor to_first = make(rondo_tensor_accumulator, first), to_second = make(rondo_tensor_accumulator, second);
  Sets sets;
  sets.add({tensor("x", a)}, {to_first});
  sets.add({tensor("x", a)}, {to_second});
  must(sets.run(twice));
  EXPECT_EQ(download(second)[3], was[3] + 2 * download(a)[3]);
}

// The sets are parts of one storage, side by side.
TEST_P(UserExpressionEach, PartsOfOneTensor) {
  const Expression text("x = x * 2 + 1");
  const Tensor all = values(RONDO_F32, {40, 8});
  const Tensor expected = make(rondo_binary_scalar, RONDO_ADD, make(rondo_binary_scalar, RONDO_MUL, all, 2.0), 1.0);
  Sets sets;
  std::vector<Tensor> rows;
  for (int i = 0; i < 40; ++i) {
    rows.push_back(slice(all, 0, i, i + 1));
    sets.add({tensor("x", rows.back())}, {rows.back()});
  }
  must(sets.run(text));
  expect_same_bits(download(all), download(expected), "rows");
}

TEST_P(UserExpressionEach, OneErrorIsEverySets) {
  const Expression text("y = x + 1");
  const Tensor good = values(RONDO_F32, {4}), bad = values(RONDO_F32, {4});
  const Tensor first = values(RONDO_F32, {4}), second = values(RONDO_F32, {4});
  const auto status = naive() ? RONDO_USER_ERROR : RONDO_OK;
  const auto spoil = [](rondo_task_context*) { return RONDO_USER_ERROR; };
  EXPECT_EQ(push(engine(), spoil, {}, {variable_of(bad)}), status);
  Sets sets;
  sets.add({tensor("x", good)}, {first});
  sets.add({tensor("x", bad)}, {second});
  EXPECT_EQ(sets.run(text), status) << rondo_last_error();
  EXPECT_EQ(rondo_tensor_wait(first), RONDO_USER_ERROR) << rondo_last_error();
  EXPECT_EQ(rondo_tensor_wait(second), RONDO_USER_ERROR) << rondo_last_error();
  EXPECT_EQ(rondo_tensor_wait(good), RONDO_OK) << rondo_last_error();
  (void)rondo_engine_wait_all(engine());  // told
}

TEST_P(UserExpressionEach, RefusesWhatIsNotRight) {
  const char* const run = "rondo_expression_run_each";
  const Expression text("z = x * s + 1", "scaled");
  const Tensor x = values(RONDO_F32, {4}), y = values(RONDO_F32, {4}, 3), i = values(RONDO_I32, {4});
  const auto refuse = [&](rondo_status status, const char* word) {
    expect_refused(status, RONDO_INVALID_ARGUMENT, run, word);
  };
  const rondo_argument good[] = {tensor("x", x), scalar("s", 2), tensor("x", y), scalar("s", 2)};
  rondo_tensor* out[2] = {};
  refuse(rondo_expression_run_each(nullptr, 2, 2, good, 1, out), "expression");
  refuse(rondo_expression_run_each(text, -1, 2, good, 1, out), "count");
  refuse(rondo_expression_run_each(text, 2, 2, nullptr, 1, out), "arguments");
  refuse(rondo_expression_run_each(text, 2, -1, good, 1, out), "n_arguments");
  refuse(rondo_expression_run_each(text, 2, 2, good, 1, nullptr), "out");
  refuse(rondo_expression_run_each(text, 2, 2, good, 2, out), "n_out");
  refuse(rondo_expression_run_each(text, 0, 2, nullptr, 2, nullptr), "n_out");
  EXPECT_EQ(rondo_expression_run_each(text, 0, 2, nullptr, 1, nullptr), RONDO_OK) << rondo_last_error();
  const auto sets = [&](std::initializer_list<rondo_argument> second, rondo_tensor* to, const char* word) {
    Sets all;
    all.add({tensor("x", x), scalar("s", 2)}, {nullptr});
    all.add(second, {to});
    refuse(all.run(text), word);
    EXPECT_EQ(all.out[0], nullptr) << "a refused call has given nothing";
    EXPECT_EQ(all.out[1], to);
  };
  sets({tensor("x", y), scalar("q", 1)}, nullptr, "q");
  sets({tensor("x", y), scalar("q", 1)}, nullptr, "1");  // the set's number
  sets({tensor("x", nullptr), scalar("s", 1)}, nullptr, "tensor");
  sets({tensor("x", i), scalar("s", 0.5)}, nullptr, "1:9");
  sets({tensor("x", y), scalar("s", 1)}, i, "dtype");
  sets({tensor("x", y), scalar("s", 1)}, x, "shares");  // what set 0 reads
  Sets twice;
  twice.add({tensor("x", x), scalar("s", 2)}, {y});
  twice.add({tensor("x", x), scalar("s", 2)}, {y});
  refuse(twice.run(text), "shares");
  const Tensor half = slice(x, 0, 0, 2), others = slice(x, 0, 1, 3);
  Sets crossed;
  crossed.add({tensor("x", half), scalar("s", 2)}, {half});
  crossed.add({tensor("x", others), scalar("s", 2)}, {others});
  refuse(crossed.run(text), "shares");
  if (on_cuda()) {
    const Tensor elsewhere = upload(engine(), {RONDO_CPU, 0}, full(RONDO_F32, {4}, 1));
    sets({tensor("x", elsewhere), scalar("s", 1)}, nullptr, "device");
  }
  const Engine other = create_engine(options());
  const Tensor foreign = upload(other.get(), device(), full(RONDO_F32, {4}, 1));
  sets({tensor("x", foreign), scalar("s", 1)}, nullptr, "engine");
  // And what is right still works.
  must(rondo_expression_run_each(text, 2, 2, good, 1, out));
  for (rondo_tensor* each : out) rondo_tensor_destroy(each);
}

}  // namespace
}  // namespace conformance
