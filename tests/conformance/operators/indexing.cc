// One-hot and gather. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

class Indexing : public OnEngine {
 protected:
  std::vector<rondo_dtype> kinds() const {
    return sparing() ? std::vector{RONDO_I64} : std::vector{RONDO_I32, RONDO_I64};
  }
};
CONFORMANCE_SUITE(Indexing);

Expected expect_one_hot(const Array& indices, int64_t depth, rondo_dtype dtype) {
  Shape shape = indices.shape;
  shape.push_back(depth);
  Expected out(dtype, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t d = static_cast<size_t>(depth);
    out.values[i] = indices.integer(i / d) == static_cast<int64_t>(i % d);
  }
  return out;
}

TEST_P(Indexing, OneHot) {
  for (const rondo_dtype kind : kinds()) {
    const Array flat = array_of(kind, {6}, {0, 3, 9, -1, 10, 3}), square = random_array(kind, {17, 31}, 1, -2, 11);
    const Tensor a = up(flat), b = up(square), scalar = up(full(kind, {}, 2));
    run([&](Results& results) {
      for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 0)) {
        const std::string label = rondo_dtype_name(dtype);
        results.keep(label, make(rondo_one_hot, a, 10, dtype), [=] { return expect_one_hot(flat, 10, dtype); });
        results.keep(label + " 2-d", make(rondo_one_hot, transpose(b, {1, 0}), 10, dtype), [=] {
          return expect_one_hot(host_transpose(square, {1, 0}), 10, dtype);
        });
        results.keep(label + " scalar", make(rondo_one_hot, scalar, 5, dtype),
                     [=] { return expect_one_hot(full(kind, {}, 2), 5, dtype); });
        results.keep(label + " depth 0", make(rondo_one_hot, a, 0, dtype), [=] { return Expected(dtype, {6, 0}); });
      }
    });
  }
}

Expected expect_gather(const Array& table, const Array& indices) {
  Shape shape = indices.shape;
  shape.insert(shape.end(), table.shape.begin() + 1, table.shape.end());
  Expected out(table.dtype, shape);
  const size_t row = count({table.shape.begin() + 1, table.shape.end()});
  for (size_t i = 0; i < out.values.size(); ++i) {
    int64_t at = indices.integer(i / row);
    if (at < 0) at += table.shape[0];
    if (at >= 0 && at < table.shape[0]) out.values[i] = table[static_cast<size_t>(at) * row + i % row];
  }
  return out;
}

TEST_P(Indexing, GatherRows) {
  for (const rondo_dtype kind : kinds()) {
    const Array flat = array_of(kind, {8}, {0, 3, -1, -9, -10, 9, 100, 3}),
                square = random_array(kind, {5, 7}, 2, -11, 11), none(kind, {0});
    const Tensor i = up(flat), j = up(square), k = up(none);
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 1)) {
      const Array x = random_array(dtype, {9, 33}, 3, 0, 90), y = random_array(dtype, {9}, 4, 0, 90),
                  z = random_array(dtype, {3, 9, 5}, 5, 0, 90);
      const Tensor a = up(x), b = up(y), c = up(z);
      run([&](Results& results) {
        const std::string label = rondo_dtype_name(dtype);
        results.keep(label + " rows", make(rondo_gather_rows, a, i), [=] { return expect_gather(x, flat); });
        results.keep(label + " elements", make(rondo_gather_rows, b, j), [=] { return expect_gather(y, square); });
        results.keep(label + " of a view", make(rondo_gather_rows, transpose(c, {1, 2, 0}), transpose(j, {1, 0})), [=] {
          return expect_gather(host_transpose(z, {1, 2, 0}), host_transpose(square, {1, 0}));
        });
        results.keep(label + " nothing", make(rondo_gather_rows, a, k), [=] { return Expected(dtype, {0, 33}); });
      });
    }
  }
}

// An index beyond 2^32 is outside, not wrapped to a small one.
TEST_P(Indexing, WideIndexIsOutside) {
  const Array x = full(RONDO_F32, {4, 2}, 1), at = array_of(RONDO_I64, {2}, {4294967296.0L, -4294967295.0L});
  const Tensor table = up(x), indices = up(at);
  run([&](Results& results) {
    results.keep("gather", make(rondo_gather_rows, table, indices), [] {
      return Expected(full(RONDO_F32, {2, 2}, 0));
    });
    results.keep("one-hot", make(rondo_one_hot, indices, 3, RONDO_F32), [] {
      return Expected(full(RONDO_F32, {2, 3}, 0));
    });
  });
}

// --- checked indices

class CheckedIndices : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    rondo_engine_options with = options();
    with.check_indices = 1;
    restart(with);
  }
  void TearDown() override {
    ones_.reset();
    if (engine()) (void)rondo_engine_wait_all(engine());  // the failures that a test provoked
    OnEngine::TearDown();
  }
  // The operator's name, the place and the index, and what would be right.
  static void expect_told(rondo_status status, const std::string& name, const std::vector<std::string>& words) {
    EXPECT_EQ(status, RONDO_INVALID_ARGUMENT) << name << ": " << rondo_last_error();
    const std::string text = rondo_last_error();
    EXPECT_NE(text.find(name + " on "), std::string::npos) << "'" << text << "' does not name " << name;
    for (const std::string& word : words)
      EXPECT_NE(text.find(word), std::string::npos) << "'" << text << "' does not have '" << word << "'";
  }

  struct Indexer {
    std::string name;
    Array good, bad;
    std::string place, right;
    std::function<void(rondo_tensor* a, rondo_tensor* indices, rondo_tensor** out)> apply;
  };
  // On a tensor [4, 3]; each bad one is outside at one place.
  std::vector<Indexer> indexers() const {
    const Array good = array_of(RONDO_I64, {2, 3}, {0, 1, -4, 3, 2, -1}),
                wrong = array_of(RONDO_I64, {2, 3}, {0, 1, 2, 3, 2, 9}),
                narrow = array_of(RONDO_I32, {2, 3}, {0, 1, -4, 3, 2, -1}),
                below = array_of(RONDO_I32, {2, 3}, {0, 1, 2, -5, 2, 3});
    const auto put_with = [this](auto function) {
      return [this, function](rondo_tensor* a, rondo_tensor* indices, rondo_tensor** out) {
        *out = make(rondo_copy, a).release();
        checked_ = function(*out, indices, ones_, 0);
      };
    };
    const auto give = [this](auto function, auto... more) {
      return [=, this](rondo_tensor* a, rondo_tensor* indices, rondo_tensor** out) {
        checked_ = function(a, indices, more..., out);
      };
    };
    return {{"take", good, wrong, "indices[1, 2] is 9", "axis 0 of a has size 4: -4 to 3 are possible",
             give(rondo_take, 0)},
            {"gather_rows", narrow, below, "indices[1, 0] is -5", "axis 0 of table has size 4: -4 to 3 are possible",
             give(rondo_gather_rows)},
            {"take_along_axis", good, wrong, "indices[1, 2] is 9", "axis 0 of a has size 4",
             give(rondo_take_along_axis, 0)},
            {"put", good, wrong, "indices[1, 2] is 9", "axis 0 of tensor has size 4", put_with(rondo_put)},
            {"put_along_axis", narrow, below, "indices[1, 0] is -5", "axis 0 of tensor has size 4",
             put_with(rondo_put_along_axis)},
            {"one_hot", array_of(RONDO_I64, {}, {3}), array_of(RONDO_I64, {}, {-1}), "indices is -1",
             "depth has size 4: 0 to 3", [this](rondo_tensor*, rondo_tensor* indices, rondo_tensor** out) {
               checked_ = rondo_one_hot(indices, 4, RONDO_F32, out);
             }}};
  }

  mutable rondo_status checked_ = RONDO_OK;
  Tensor ones_;
};
CONFORMANCE_ENGINE_SUITE(CheckedIndices);

TEST_P(CheckedIndices, OneOutsideFailsTheTaskAndIsNamed) {
  ones_ = up(full(RONDO_F32, {}, 1));
  const Tensor a = up(range(RONDO_F32, {4, 3}));
  for (const Indexer& each : indexers()) {
    for (const bool wrong : {false, true}) {
      const Tensor indices = up(wrong ? each.bad : each.good);
      Tensor out;
      each.apply(a, indices, out.slot());
      if (!wrong) {
        EXPECT_EQ(checked_, RONDO_OK) << each.name << ": " << rondo_last_error();
        EXPECT_EQ(rondo_tensor_wait(out), RONDO_OK) << each.name << ": " << rondo_last_error();
      } else if (naive()) {
        expect_told(checked_, each.name, {each.place, each.right});
      } else {
        EXPECT_EQ(checked_, RONDO_OK) << each.name << ": " << rondo_last_error();
        expect_told(rondo_tensor_wait(out), each.name, {each.place, each.right});
      }
      EXPECT_EQ(rondo_tensor_wait(indices), RONDO_OK) << "what is read is intact";
    }
    (void)rondo_engine_wait_all(engine());
  }
}

// A view that no single step walks, and a tape whose gradient uses the indices again.
TEST_P(CheckedIndices, ViewsAndGradients) {
  const Tensor a = up(range(RONDO_F32, {4, 3}));
  const Tensor indices = transpose(up(array_of(RONDO_I64, {3, 2}, {0, 3, 1, 2, 2, 7})), {1, 0});
  Tensor out;
  const rondo_status status = rondo_take(a, indices, 0, out.slot());
  expect_told(naive() ? status : rondo_tensor_wait(out), "take", {"indices[1, 2] is 7"});
  (void)rondo_engine_wait_all(engine());
  rondo_tape* tape = nullptr;
  must(rondo_tape_begin(engine(), RONDO_TAPE_DEFAULT, &tape));
  must(rondo_tape_watch(tape, a));
  const Tensor picked = make(rondo_take, a, up(array_of(RONDO_I64, {2}, {1, 1})), 0);
  rondo_tensor* const y = make(rondo_reduce, RONDO_SUM, picked, 0, nullptr, 0).release();
  rondo_tensor *const source = a, *dx = nullptr;
  must(rondo_tape_gradients(tape, 1, &y, nullptr, 1, &source, &dx));
  expect_as(download(dx), Expected(array_of(RONDO_F32, {4, 3}, {0, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0})), "gradient");
  rondo_tensor_destroy(dx), rondo_tensor_destroy(y), rondo_tape_destroy(tape);
}

// Each launch looks at the indices of its time.
TEST_P(CheckedIndices, LaunchesOfGraphsAreChecked) {
  ones_ = up(full(RONDO_F32, {}, 1));
  const Tensor a = up(range(RONDO_F32, {4, 3}));
  for (const Indexer& each : indexers()) {
    const Tensor indices = up(each.good);
    Tensor out, next;
    const Graph graph = record(engine(), [&] {
      each.apply(a, indices, out.slot());
      must(checked_);
      next = make(rondo_unary, RONDO_NEG, out);
    });
    for (const bool wrong : {false, true, false}) {
      const Array& now = wrong ? each.bad : each.good;
      must(rondo_tensor_write(indices, now.bytes.data(), now.bytes.size()));
      const rondo_status launched = rondo_graph_launch(graph.get());
      const rondo_status status = naive() && launched != RONDO_OK ? launched : rondo_tensor_wait(next);
      if (wrong)
        expect_told(status, each.name, {each.place, each.right});
      else
        EXPECT_EQ(status, RONDO_OK) << each.name << ": " << rondo_last_error();
      (void)rondo_engine_wait_all(engine());
    }
  }
}

// An engine that was not asked submits nothing more.
TEST_P(CheckedIndices, SubmitNothingWhereNothingIsChecked) {
  int32_t tasks[2] = {};
  for (const int32_t on : {1, -1}) {
    rondo_engine_options with = options();
    with.check_indices = on;
    restart(with);
    const Tensor a = up(range(RONDO_F32, {4, 3})), indices = up(array_of(RONDO_I64, {1}, {2}));
    Tensor out;
    const Graph graph = record(engine(), [&] { out = make(rondo_take, a, indices, 0); });
    tasks[on > 0] = graph_info(graph.get()).tasks;
  }
  EXPECT_EQ(tasks[0], 1);
  EXPECT_GT(tasks[1], 1);
}

TEST_P(CheckedIndices, Misuse) {
  rondo_engine_options with = options();
  with.check_indices = 2;
  rondo_engine* engine = nullptr;
  expect_refused(rondo_engine_create(&with, &engine), RONDO_INVALID_ARGUMENT, "rondo_engine_create", "check_indices");
  EXPECT_EQ(engine, nullptr);
}

}  // namespace
}  // namespace conformance
