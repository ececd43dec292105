// Steps of the rows that bags have read, beside those of all rows, bit for bit: how far they go, whether they are taken
// and what gradients are multiplied by is on the device. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "layers/embedding_bag.h"

namespace conformance {
namespace {

rondo_descend_options given_by(rondo_tensor* finite, rondo_tensor* scale) {
  rondo_descend_options options = RONDO_DESCEND_OPTIONS_INIT;
  options.finite = finite, options.scale = scale;
  return options;
}

class BagSteps : public OnBags {
 protected:
  static Tensor all_finite(rondo_tensor* one) { return make(rondo_all_finite, 1, &one); }
  // Tables after two steps along their dense gradients, of all rows. Null: no scale.
  std::vector<Array> dense_steps(const Problem& p, const std::vector<Array>& tables, const Given& given,
                                 rondo_tensor* incoming, rondo_tensor* scale) const {
    Inputs own;
    std::vector<rondo_tensor*> list;
    for (const Array& each : tables) own.push_back(up(each)), list.push_back(own.back());
    rondo_optimizer* made = nullptr;
    const rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_SGD, 0.3);
    must(rondo_optimizer_create(static_cast<int32_t>(list.size()), list.data(), &options, &made));
    const Optimizer optimizer(made);
    for (int step = 0; step < 2; ++step) {
      std::vector<Tensor> gradients;
      {
        const Tape tape(engine());
        for (rondo_tensor* each : list) tape.watch(each);
        gradients = tape.gradients(call(p, list, given.indices, given.offsets), list, incoming);
      }
      const std::vector<rondo_tensor*> handles(gradients.begin(), gradients.end());
      must(rondo_optimizer_step(made, static_cast<int32_t>(handles.size()), handles.data(), nullptr, scale));
    }
    std::vector<Array> after;
    for (rondo_tensor* each : list) after.push_back(download(each));
    return after;
  }
};
CONFORMANCE_SUITE(BagSteps);

// Only the rows that were read are touched, and all bits are those of the dense gradient and a step over all rows.
TEST_P(BagSteps, StepsOfReadRowsHaveTheBitsOfAll) {
  int turn = 2;
  for (const Problem& p : dealt(problems())) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    const rondo_dtype dtype = covering({RONDO_F32, RONDO_BF16, RONDO_F64, RONDO_F16}, turn++)[0];
    const std::vector<Array> tables = tables_of(dtype, p, 40);
    const Array indices = indices_of(p, 9), dy = random_array(dtype, p.of_sums(), 8, -1, 1);
    const Given given = give({.rows = p.rows,
                              .batch = p.batch,
                              .width = p.width,
                              .length = p.length,
                              .offsets = p.offsets,
                              .mean = p.mean,
                              .places = p.places},
                             tables, indices);
    const Tensor incoming = up(dy);
    const Tensor rate = up(full(RONDO_F64, {}, 0.3)), yes = up(full(RONDO_BOOL, {}, 1)),
                 scale = up(full(RONDO_F32, {1}, 0.0123L));
    const rondo_descend_options scaled = given_by(yes, scale);
    const std::vector<Array> dense = dense_steps(p, tables, given, incoming, nullptr),
                             dense_scaled = dense_steps(p, tables, given, incoming, scale);
    run([&](Results& results) {
      for (const rondo_descend_options* options : {static_cast<const rondo_descend_options*>(nullptr), &scaled}) {
        Inputs own;
        std::vector<rondo_tensor*> list;
        for (size_t i = 0; i < tables.size(); ++i) {
          own.push_back(make(rondo_copy, given.tables[i]));
          list.push_back(own.back());
        }
        for (int step = 0; step < 2; ++step) descend(p, list, given.indices, given.offsets, incoming, rate, options);
        for (size_t i = 0; i < own.size(); ++i)
          results.keep((options ? "scaled table " : "table ") + std::to_string(i), std::move(own[i]),
                       [&, i, options] { return Expected((options ? dense_scaled : dense)[i]); });
      }
    });
  }
}

// Each launch goes by what the rate holds then; the rows of a table that nobody names stay, whatever they are.
TEST_P(BagSteps, StepsGoByTheRateOnTheDevice) {
  const Problem p = {.rows = {3}, .batch = 1, .width = 2, .length = 2};
  const Tensor table = up(array_of(RONDO_F32, {3, 2}, {1, 2, INFINITY, NAN, 5, 6})),
               indices = up(array_of(RONDO_I32, {1, 1, 2}, {0, 0})), rate = up(full(RONDO_F32, {1}, 1)),
               dy = up(array_of(RONDO_F32, {1, 1, 2}, {1, -2}));
  const auto body = [&] { descend(p, {table}, indices, nullptr, dy, rate); };
  const Graph graph = GetParam().graph ? record(engine(), body) : Graph();
  for (const float now : {1.0f, 0.25f, 0.0f}) {
    must(rondo_tensor_write(rate, &now, sizeof now));
    graph ? must(rondo_graph_launch(graph.get())) : body();
  }
  expect_as(download(table), Expected(array_of(RONDO_F32, {3, 2}, {-1.5, 7, INFINITY, NAN, 5, 6})), "table");
}

// A step that is skipped leaves every bit of the tables; the next one has the bits that it would have had before.
TEST_P(BagSteps, GradientsNotFiniteAreSkipped) {
  int turn = 0;
  for (const Problem& p : {Problem{.width = 8}, Problem{.offsets = true, .mean = true, .places = RONDO_I64},
                           Problem{.rows = std::vector<int64_t>(70, 4), .batch = 3, .width = 5}}) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    const rondo_dtype dtype = covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn++)[0];
    const std::vector<Array> start = tables_of(dtype, p, 40);
    const Array indices = indices_of(p, 9), good = random_array(dtype, p.of_sums(), 8, -1, 1);
    const Given own = give(p, start, indices), other = give(p, start, indices);
    const Tensor rate = up(full(RONDO_F32, {}, 0.3L)), dy = up(good);
    const auto expect_tables = [&](const std::vector<Array>& expected, const std::string& label) {
      for (size_t i = 0; i < expected.size(); ++i)
        expect_same_bits(download(own.tables[i]), expected[i], label + ", table " + std::to_string(i));
    };
    Graph graph;
    const auto step = [&] {
      const auto body = [&] {
        const Tensor finite = all_finite(dy);
        const rondo_descend_options options = given_by(finite, nullptr);
        descend(p, own.list(), own.indices, own.offsets, dy, rate, &options);
      };
      if (!GetParam().graph) return body();
      if (!graph) graph = record(engine(), body);
      must(rondo_graph_launch(graph.get()));
    };
    const auto write = [&](const Array& to) { must(rondo_tensor_write(dy, to.bytes.data(), to.bytes.size())); };
    for (const Real bad : {Real(NAN), Real(INFINITY), -Real(INFINITY)}) {
      Array broken = good;
      broken.set(good.size() - 1, bad);
      write(broken);
      step(), step();
      expect_tables(start, "skipped");
    }
    write(good);
    step();
    descend(p, other.list(), other.indices, other.offsets, dy, rate);
    std::vector<Array> after;
    bool moved = false;
    for (size_t i = 0; i < start.size(); ++i) {
      after.push_back(download(other.tables[i]));
      moved |= after[i].bytes != start[i].bytes;
    }
    EXPECT_TRUE(moved);
    expect_tables(after, "taken");
    if (graph) {
      const rondo_graph_info info = graph_info(graph.get());
      EXPECT_EQ(info.segments, 1) << "the device decides, so nothing splits the graph";
      EXPECT_EQ(info.captured, on_cuda() ? 1 : 0);
    }
  }
}

// A graph that is called goes by the flag and the scale of each call.
TEST_P(BagSteps, CallsGoByTheirOwnFlagAndScale) {
  if (!GetParam().graph) return;
  const Problem p = {.rows = {3}, .batch = 1, .width = 2, .length = 2};
  const Tensor table = up(array_of(RONDO_F32, {3, 2}, {1, 2, 3, 4, 5, 6})),
               indices = up(array_of(RONDO_I32, {1, 1, 2}, {0, 2})), rate = up(full(RONDO_F32, {}, 1)),
               dy = up(array_of(RONDO_F32, {1, 1, 2}, {4, -8})), yes = up(full(RONDO_BOOL, {}, 1)),
               no = up(full(RONDO_BOOL, {}, 0)), half = up(full(RONDO_F32, {}, 0.5L)),
               quarter = up(full(RONDO_F32, {}, 0.25L));
  rondo_record_options callable = RONDO_RECORD_OPTIONS_INIT;
  callable.flags = RONDO_RECORD_CALLABLE;
  const Graph graph = record(
      engine(),
      [&] {
        const Tensor finite = make(rondo_record_input, engine(), device(), RONDO_BOOL, 0, nullptr),
                     scale = make(rondo_record_input, engine(), device(), RONDO_F32, 0, nullptr);
        const rondo_descend_options options = given_by(finite, scale);
        descend(p, {table}, indices, nullptr, dy, rate, &options);
      },
      &callable);
  const auto expect_after = [&](rondo_tensor* finite, rondo_tensor* scale, const std::vector<Real>& values) {
    rondo_tensor* const inputs[] = {finite, scale};
    must(rondo_graph_call(graph.get(), 2, inputs, 0, nullptr));
    expect_as(download(table), Expected(array_of(RONDO_F32, {3, 2}, values)), "table");
  };
  expect_after(yes, half, {-1, 6, 3, 4, 3, 10});
  expect_after(no, quarter, {-1, 6, 3, 4, 3, 10});
  expect_after(yes, quarter, {-2, 8, 3, 4, 2, 12});
}

TEST_P(BagSteps, MisuseIsNamed) {
  if (GetParam().graph) return;
  const auto tensor = [&](rondo_dtype dtype, const Shape& shape) { return up(full(dtype, shape, 0)); };
  const Tensor a = tensor(RONDO_F32, {4, 3}), b = tensor(RONDO_F32, {2, 3}), indices = tensor(RONDO_I32, {2, 5, 1});
  const auto said = [&](rondo_status status, const std::string& part, rondo_status wanted = RONDO_INVALID_ARGUMENT) {
    EXPECT_EQ(status, wanted) << part;
    const std::string text = rondo_last_error();
    EXPECT_NE(text.find("rondo_embedding_bag_descend"), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const Tensor dy = tensor(RONDO_F32, {5, 2, 3}), rate = tensor(RONDO_F32, {});
  const auto refuses_step = [&](const std::string& part, const std::vector<rondo_tensor*>& of, rondo_tensor* gradient,
                                rondo_tensor* how_far, rondo_tensor* places) {
    said(rondo_embedding_bag_descend(static_cast<int32_t>(of.size()), of.data(), places, nullptr, RONDO_BAG_SUM,
                                     gradient, how_far, nullptr),
         part);
  };
  refuses_step("gradient is NULL", {a, b}, nullptr, rate, indices);
  refuses_step("rate is NULL", {a, b}, dy, nullptr, indices);
  refuses_step("gradient has shape [4, 3]; [5, 2, 3] is needed", {a, b}, a, rate, indices);
  refuses_step("gradient has dtype f64 but tables[0] has f32", {a, b}, tensor(RONDO_F64, {5, 2, 3}), rate, indices);
  refuses_step("rate is f32 [4, 3]; one element of f32 or f64", {a, b}, dy, a, indices);
  refuses_step("rate is i32 []; one element of f32 or f64", {a, b}, dy, tensor(RONDO_I32, {}), indices);
  refuses_step("tables[0] and tables[1] share memory", {a, slice(a, 0, 1, 3)}, dy, rate, indices);
  refuses_step("tables[1]", {a, broadcast(slice(b, 0, 0, 1), {4, 3})}, dy, rate, indices);
  const Tensor both = tensor(RONDO_F32, {34, 3}), front = slice(both, 0, 0, 4),
               behind = reshape(slice(both, 0, 2, 12), {5, 2, 3});
  refuses_step("tables[0] and gradient share memory", {front, b}, behind, rate, indices);

  rondo_tensor* const tables[] = {a, b};
  const auto refuses_options = [&](const std::string& part, const rondo_descend_options& options,
                                   rondo_status wanted = RONDO_INVALID_ARGUMENT) {
    said(rondo_embedding_bag_descend(2, tables, indices, nullptr, RONDO_BAG_SUM, dy, rate, &options), part, wanted);
  };
  const Tensor flag = tensor(RONDO_BOOL, {}), two = tensor(RONDO_BOOL, {2});
  refuses_options("options->finite is f32 []; one element of bool is needed", given_by(rate, nullptr));
  refuses_options("options->finite is bool [2]; one element of bool is needed", given_by(two, nullptr));
  refuses_options("options->finite is bool [0]; one", given_by(empty(RONDO_BOOL, {0}), nullptr));
  refuses_options("options->scale is bool []; one element of f32 is needed", given_by(flag, flag));
  refuses_options("options->scale is f64 []; one element of f32", given_by(nullptr, tensor(RONDO_F64, {})));
  refuses_options("options->scale is f32 [4, 3]; one element of f32", given_by(nullptr, a));
  refuses_options("options->scale is an accumulator", given_by(nullptr, make(rondo_tensor_accumulator, rate)));
  refuses_options("options->finite, ", given_by(empty(RONDO_BOOL, {}), nullptr), RONDO_INVALID_STATE);
  refuses_options("was never written", given_by(nullptr, empty(RONDO_F32, {})), RONDO_INVALID_STATE);
  refuses_options("tables[1] and options->scale share memory", given_by(nullptr, slice(slice(b, 0, 1, 2), 1, 0, 1)));
  const Engine foreign = create_engine(this->options());
  const Tensor theirs = upload(foreign.get(), device(), full(RONDO_BOOL, {}, 1));
  refuses_options("options->finite is not on the tables' engine and device", given_by(theirs, nullptr));
  if (on_cuda()) {
    refuses_options("options->finite is not on the tables' engine and device, cuda:0",
                    given_by(upload(engine(), kCpu, full(RONDO_BOOL, {}, 1)), nullptr));
    refuses_options("options->scale is not on the tables' engine and device, cuda:0",
                    given_by(flag, upload(engine(), kCpu, full(RONDO_F32, {}, 1))));
  }
  rondo_tensor* gone = nullptr;
  must(rondo_fill(flag, 1));
  must(rondo_copy(flag, &gone));
  rondo_tensor_destroy(gone);
  refuses_options("options->finite", given_by(gone, nullptr));
  rondo_descend_options short_one = RONDO_DESCEND_OPTIONS_INIT;
  short_one.size = sizeof(size_t);
  refuses_options("options", short_one);
}

}  // namespace
}  // namespace conformance
