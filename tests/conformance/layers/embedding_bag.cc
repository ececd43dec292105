// Bags of rows against a reference in higher precision: tables of many sizes, bags of one length and by offsets,
// indices from the end and outside; gradients, and steps of the rows that were read beside those of all rows, bit for
// bit. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"
#include "training/optimizer.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;

struct Problem {
  std::vector<int64_t> rows = {5, 3, 9};
  int64_t batch = 4, width = 3, length = 2;
  bool offsets = false, mean = false, gaps = false;
  rondo_dtype places = RONDO_I32;

  int64_t tables() const { return static_cast<int64_t>(rows.size()); }
  Shape of_sums() const { return {batch, tables(), width}; }
  rondo_bag_mode mode() const { return mean ? RONDO_BAG_MEAN : RONDO_BAG_SUM; }
};

// Where bags begin; with offsets, of lengths from 0 to 2 * length, two places before the first and one behind the last.
std::vector<int64_t> begins(const Problem& p) {
  std::vector<int64_t> at = {p.offsets ? 2 : 0};
  for (int64_t i = 0; i < p.tables() * p.batch; ++i)
    at.push_back(at.back() + (p.offsets ? (i * 7 + i / 3) % (2 * p.length + 1) : p.length));
  return at;
}
int64_t places(const Problem& p) {
  return begins(p).back() + (p.offsets ? 1 : 0);
}

std::vector<Array> tables_of(rondo_dtype dtype, const Problem& p, uint32_t seed) {
  std::vector<Array> all;
  for (const int64_t rows : p.rows) all.push_back(random_array(dtype, {rows, p.width}, ++seed, -1, 1));
  return all;
}

// Many of each row, some from the end, some outside.
Array indices_of(const Problem& p, uint32_t seed, bool inside = false) {
  const std::vector<int64_t> at = begins(p);
  Array indices(p.places, p.offsets ? Shape{places(p)} : Shape{p.tables(), p.batch, p.length});
  std::mt19937 random(seed);
  for (size_t i = 0; i < indices.size(); ++i) indices.set(i, 0);
  for (size_t bag = 0; bag + 1 < at.size(); ++bag) {
    const int64_t rows = p.rows[bag / static_cast<size_t>(p.batch)];
    for (int64_t i = at[bag]; i < at[bag + 1]; ++i) {
      const auto chance = static_cast<int64_t>(random() % 1000);
      const int64_t row = rows == 0 ? 0 : chance % rows;
      const bool out = !inside && chance > 900;
      indices.set(static_cast<size_t>(i), out                    ? (chance % 2 ? rows : -rows - 1)
                                          : chance > 600 && rows ? row - rows
                                                                 : row);
    }
  }
  return indices;
}
Array offsets_of(const Problem& p) {
  const std::vector<int64_t> at = begins(p);
  Array offsets(p.places, {static_cast<int64_t>(at.size())});
  for (size_t i = 0; i < at.size(); ++i) offsets.set(i, static_cast<Real>(at[i]));
  return offsets;
}

// each(bag, table, row or -1, length of the bag), in the order of the places.
void each_place(const Problem& p, const Array& indices,
                const std::function<void(size_t bag, size_t table, int64_t row, Real length)>& each) {
  const std::vector<int64_t> at = begins(p);
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    const size_t table = i / static_cast<size_t>(p.batch), bag = i % static_cast<size_t>(p.batch);
    for (int64_t j = at[i]; j < at[i + 1]; ++j) {
      int64_t row = indices.integer(static_cast<size_t>(j));
      if (row < 0) row += p.rows[table];
      each(bag, table, row < 0 || row >= p.rows[table] ? -1 : row, static_cast<Real>(at[i + 1] - at[i]));
    }
  }
}

// The error of sums in f32 or f64 of up to so many numbers below 1.
Real bound(rondo_dtype dtype, int64_t numbers) {
  return static_cast<Real>(numbers * numbers + 4) * unit(dtype);
}

Expected sums_of(const Problem& p, const std::vector<Array>& tables, const Array& indices) {
  const rondo_dtype dtype = tables[0].dtype;
  Expected out(dtype, p.of_sums(), is_half(dtype) ? 1 : 0);
  each_place(p, indices, [&](size_t bag, size_t table, int64_t row, Real length) {
    for (size_t c = 0; row >= 0 && c < static_cast<size_t>(p.width); ++c)
      out.values[(bag * tables.size() + table) * static_cast<size_t>(p.width) + c] +=
          tables[table][static_cast<size_t>(row * p.width) + c] / (p.mean ? length : 1);
  });
  if (!is_half(dtype)) out.absolute.assign(out.values.size(), bound(dtype, 2 * p.length));
  return out;
}

Expected gradient_of(const Problem& p, const Array& dy, const Array& indices, size_t which) {
  Expected out(dy.dtype, {p.rows[which], p.width}, is_half(dy.dtype) ? 1 : 0);
  each_place(p, indices, [&](size_t bag, size_t table, int64_t row, Real length) {
    if (table != which || row < 0) return;
    for (size_t c = 0; c < static_cast<size_t>(p.width); ++c)
      out.values[static_cast<size_t>(row * p.width) + c] +=
          dy[(bag * p.rows.size() + table) * static_cast<size_t>(p.width) + c] / (p.mean ? length : 1);
  });
  out.absolute.assign(out.values.size(), bound(dy.dtype, 2 * p.length * p.batch));
  return out;
}

class EmbeddingBag : public OnTape {
 protected:
  static Tensor call(const Problem& p, const std::vector<rondo_tensor*>& tables, rondo_tensor* indices,
                     rondo_tensor* offsets) {
    return make(rondo_embedding_bag, static_cast<int32_t>(tables.size()), tables.data(), indices, offsets, p.mode());
  }
  static void descend(const Problem& p, const std::vector<rondo_tensor*>& tables, rondo_tensor* indices,
                      rondo_tensor* offsets, rondo_tensor* gradient, rondo_tensor* rate) {
    must(rondo_embedding_bag_descend(static_cast<int32_t>(tables.size()), tables.data(), indices, offsets, p.mode(),
                                     gradient, rate));
  }
  // With gaps every other element of memory is another's.
  Tensor placed(const Array& a, bool gaps) const {
    if (!gaps) return up(a);
    Shape shape = a.shape;
    shape.back() *= 2;
    Array wide(a.dtype, shape);
    for (size_t i = 0; i < a.size(); ++i) wide.set(2 * i, 7), wide.set(2 * i + 1, a[i]);
    return slice(up(wide), static_cast<int32_t>(shape.size()) - 1, 1, shape.back(), 2);
  }
  // Tables, indices, and offsets if there are any.
  struct Given {
    Inputs tables;
    Tensor indices, offsets;
    std::vector<rondo_tensor*> list() const { return {tables.begin(), tables.end()}; }
  };
  Given give(const Problem& p, const std::vector<Array>& tables, const Array& indices) const {
    Given given;
    for (const Array& each : tables) given.tables.push_back(placed(each, p.gaps));
    given.indices = placed(indices, p.gaps);
    if (p.offsets) given.offsets = placed(offsets_of(p), p.gaps);
    return given;
  }
  std::vector<Problem> problems() const {
    std::vector<int64_t> many(70, 4);
    many[5] = 0, many[64] = 11;
    return {{},
            {.width = 8, .length = 1, .places = RONDO_I64},
            {.offsets = true},
            {.offsets = true, .mean = true, .places = RONDO_I64},
            {.mean = true, .gaps = true},
            {.rows = {1}, .batch = 1, .width = 1, .length = 1},
            {.rows = {300}, .batch = 700, .width = 4, .length = 4},
            {.rows = {30, 2}, .batch = 900, .width = 16, .length = 3, .offsets = true},
            {.rows = many, .batch = 3, .width = 4},
            {.rows = many, .batch = 2, .width = 5, .offsets = true},
            {.offsets = true, .gaps = true},
            {.rows = {0, 4, 2}, .width = 4},
            {.length = 0},
            {.width = 300}};
  }
};
CONFORMANCE_SUITE(EmbeddingBag);

TEST_P(EmbeddingBag, SumsAreThoseOfTheRowsThatIndicesName) {
  int turn = 0;
  for (const Problem& p : dealt(problems())) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn)) {
      const std::vector<Array> tables = tables_of(dtype, p, 40);
      const Array indices = indices_of(p, 9);
      const Given given = give(p, tables, indices);
      run([&](Results& results) {
        results.keep("sums", call(p, given.list(), given.indices, given.offsets),
                     [&] { return sums_of(p, tables, indices); });
      });
    }
    ++turn;
  }
}

TEST_P(EmbeddingBag, EmptyBatchesHaveNoSums) {
  for (const bool offsets : {false, true}) {
    const Problem p = {.batch = 0, .offsets = offsets};
    const std::vector<Array> tables = tables_of(RONDO_F32, p, 40);
    const Given given = give(p, tables, indices_of(p, 1));
    run(
        [&](Results& results) {
          results.keep("sums", call(p, given.list(), given.indices, given.offsets),
                       [&] { return Expected(RONDO_F32, p.of_sums()); });
        },
        {.nodes = 0});
  }
}

// Sums and other vectors written side by side are joined without a copy: the producers write into views of one tensor.
TEST_P(EmbeddingBag, WritesIntoAViewBesideOthersAndAdds) {
  const Problem p = {.width = 4};
  const std::vector<Array> tables = tables_of(RONDO_F32, p, 40);
  const Array indices = indices_of(p, 9), dense = random_array(RONDO_F32, {p.batch, p.width}, 3, -1, 1);
  const Given given = give(p, tables, indices);
  const Tensor first = up(dense);
  run([&](Results& results) {
    Tensor joined = make(rondo_copy, up(full(RONDO_F32, {p.batch, 1 + p.tables(), p.width}, 5)));
    const Tensor front = reshape(slice(joined, 1, 0, 1), {p.batch, p.width}), behind = slice(joined, 1, 1, 4);
    into(front, rondo_copy, first);
    into(behind, rondo_embedding_bag, 3, given.list().data(), given.indices, nullptr, RONDO_BAG_SUM);
    const Tensor adding = make(rondo_tensor_accumulator, behind);
    into(adding, rondo_embedding_bag, 3, given.list().data(), given.indices, nullptr, RONDO_BAG_SUM);
    results.keep("joined", std::move(joined), [&] {
      const Expected sums = sums_of(p, tables, indices);
      Expected expected(RONDO_F32, {p.batch, 1 + p.tables(), p.width});
      expected.absolute.assign(expected.values.size(), 2 * bound(RONDO_F32, 4));
      const size_t row = static_cast<size_t>(p.tables() * p.width), width = static_cast<size_t>(p.width);
      for (size_t b = 0; b < static_cast<size_t>(p.batch); ++b) {
        for (size_t c = 0; c < width; ++c) expected.values[b * (row + width) + c] = dense[b * width + c];
        for (size_t c = 0; c < row; ++c) expected.values[b * (row + width) + width + c] = 2 * sums.values[b * row + c];
      }
      return expected;
    });
  });
}

TEST_P(EmbeddingBag, GradientsAreThoseOfDifferences) {
  const std::vector<Problem> all = {{.batch = 2, .width = 2},
                                    {.batch = 2, .width = 1, .offsets = true, .mean = true},
                                    {.rows = {2, 0, 3}, .batch = 2, .width = 2, .mean = true}};
  run([&](Results& results) {
    for (size_t i = 0; i < all.size(); i += sparing() ? 2 : 1) {
      const Problem& p = all[i];
      std::vector<Array> inputs = tables_of(RONDO_F64, p, 77);
      inputs.push_back(indices_of(p, 5));
      if (p.offsets) inputs.push_back(offsets_of(p));
      keep_gradients(results, "problem " + std::to_string(i), inputs, [=](const Inputs& in) {
        const std::vector<rondo_tensor*> tables(in.begin(), in.begin() + p.tables());
        const size_t next = p.rows.size();
        return call(p, tables, in[next], p.offsets ? static_cast<rondo_tensor*>(in[next + 1]) : nullptr);
      });
    }
  });
}

TEST_P(EmbeddingBag, DenseGradientsAreSumsInTheOrderOfThePlaces) {
  int turn = 1;
  for (const Problem& p : dealt(problems())) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    const rondo_dtype dtype = covering({RONDO_F32, RONDO_BF16, RONDO_F64, RONDO_F16}, turn++)[0];
    const std::vector<Array> tables = tables_of(dtype, p, 40);
    const Array indices = indices_of(p, 9), dy = random_array(dtype, p.of_sums(), 8, -1, 1);
    const Given given = give(p, tables, indices);
    const Tensor incoming = up(dy);
    run([&](Results& results) {
      const Tape tape(engine());
      std::vector<rondo_tensor*> watched;  // but for the second
      for (size_t i = 0; i < given.tables.size(); ++i)
        if (i != 1) tape.watch(given.tables[i]), watched.push_back(given.tables[i]);
      const Tensor sums = call(p, given.list(), given.indices, given.offsets);
      std::vector<Tensor> made = tape.gradients(sums, watched, incoming);
      for (size_t i = 0; i < made.size(); ++i)
        results.keep("gradient " + std::to_string(i), std::move(made[i]),
                     [&, i] { return gradient_of(p, dy, indices, i == 0 ? 0 : i + 1); });
    });
  }
}

// Only the rows that were read are touched, and all bits are those of the dense gradient and a step over all rows.
TEST_P(EmbeddingBag, StepsOfTheRowsThatWereReadHaveTheBitsOfStepsOfAll) {
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
    std::vector<Array> dense;  // two steps
    {
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
        must(rondo_optimizer_step(made, static_cast<int32_t>(handles.size()), handles.data(), nullptr, nullptr));
      }
      for (rondo_tensor* each : list) dense.push_back(download(each));
    }
    const Tensor rate = up(full(RONDO_F64, {}, 0.3));
    run([&](Results& results) {
      Inputs own;
      std::vector<rondo_tensor*> list;
      for (size_t i = 0; i < tables.size(); ++i) {
        own.push_back(make(rondo_copy, given.tables[i]));
        list.push_back(own.back());
      }
      for (int step = 0; step < 2; ++step) descend(p, list, given.indices, given.offsets, incoming, rate);
      for (size_t i = 0; i < own.size(); ++i)
        results.keep("table " + std::to_string(i), std::move(own[i]), [&, i] { return Expected(dense[i]); });
    });
  }
}

// Each launch goes by what the rate holds then; the rows of a table that nobody names stay, whatever they are.
TEST_P(EmbeddingBag, StepsGoByTheRateOnTheDevice) {
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

TEST_P(EmbeddingBag, ManyTablesAreOneLaunch) {
  if (!GetParam().graph || !on_cuda()) return;
  Problem p = {.rows = std::vector<int64_t>(26, 20), .batch = 8, .width = 8, .length = 1};
  const std::vector<Array> tables = tables_of(RONDO_F32, p, 1);
  const Given given = give(p, tables, indices_of(p, 2));
  Tensor sums;
  const Graph graph = record(engine(), [&] { sums = call(p, given.list(), given.indices, nullptr); });
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 1);
  EXPECT_EQ(info.segments, 1);
  EXPECT_EQ(info.nodes, 1);
  must(rondo_graph_launch(graph.get()));
  must(rondo_tensor_wait(sums));
}

TEST_P(EmbeddingBag, ChecksIndicesWhereTheEngineDoes) {
  if (GetParam().graph) return;
  rondo_engine_options with = options();
  with.check_indices = 1;
  restart(with);
  const Tensor small = up(range(RONDO_F32, {2, 3})), large = up(range(RONDO_F32, {4, 3}));
  const auto told = [&](const Array& indices, const Array* offsets, const std::string& part) {
    const Tensor places = up(indices), begin = offsets ? up(*offsets) : Tensor();
    rondo_tensor* const list[] = {small, large};
    Tensor out;
    const rondo_status called = rondo_embedding_bag(2, list, places, begin, RONDO_BAG_SUM, out.slot());
    const rondo_status status = called != RONDO_OK ? called : rondo_tensor_wait(out);
    if (part.empty()) {
      EXPECT_EQ(status, RONDO_OK) << rondo_last_error();
    } else {
      EXPECT_EQ(status, RONDO_INVALID_ARGUMENT) << part;
      const std::string said = rondo_last_error();
      EXPECT_NE(said.find("embedding_bag on "), std::string::npos) << said;
      EXPECT_NE(said.find(part), std::string::npos) << said;
    }
    (void)rondo_engine_wait_all(engine());
  };
  const auto bags = [](const std::vector<Real>& values) { return array_of(RONDO_I32, {2, 1, 2}, values); };
  told(bags({1, -2, 3, -4}), nullptr, "");
  told(bags({1, 0, 2, 4}), nullptr, "indices[1, 0, 1] is 4; axis 0 of tables[1] has size 4: -4 to 3 are possible");
  told(bags({2, 0, 2, 0}), nullptr, "indices[0, 0, 0] is 2; axis 0 of tables[0] has size 2");
  const auto list = [](const std::vector<Real>& values) {
    return array_of(RONDO_I64, {static_cast<int64_t>(values.size())}, values);
  };
  const Array good = list({1, 2, 4}), falls = list({2, 1, 4}), beyond = list({0, 2, 5});
  told(list({9, 1, 3, -4, 9}), &good, "");
  told(list({0, 1, -3, 2}), &good, "");
  told(list({0, 2, -3, 2}), &good, "indices[1] is 2; axis 0 of tables[0] has size 2");
  told(list({0, 1, 3, 2}), &falls, "offsets[1] is 1; 2 to 4 are possible");
  told(list({0, 1, 3, 2}), &beyond, "offsets[2] is 5; 2 to 4 are possible");
  const Tensor places = up(bags({1, 2, 0, 0})), dy = up(full(RONDO_F32, {1, 2, 3}, 1)),
               rate = up(full(RONDO_F32, {}, 1));
  rondo_tensor* const both[] = {small, large};
  const rondo_status called = rondo_embedding_bag_descend(2, both, places, nullptr, RONDO_BAG_SUM, dy, rate);
  const rondo_status status = called != RONDO_OK ? called : rondo_tensor_wait(small);
  EXPECT_EQ(status, RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("indices[0, 0, 1] is 2"), std::string::npos) << rondo_last_error();
  (void)rondo_engine_wait_all(engine());
}

// Offsets that decrease or lie outside: nothing is read beyond the list, and what is right stays right.
TEST_P(EmbeddingBag, WrongOffsetsReadNothingOutside) {
  const Tensor table = up(array_of(RONDO_F32, {2, 1}, {1, 10})), indices = up(array_of(RONDO_I32, {3}, {0, 1, 1})),
               offsets = up(array_of(RONDO_I32, {4}, {-5, 2, 1, 99})), rate = up(full(RONDO_F32, {}, 1));
  rondo_tensor* const list[] = {table};
  run([&](Results& results) {
    results.keep("sums", make(rondo_embedding_bag, 1, list, indices, offsets, RONDO_BAG_SUM), [] {
      return Expected(array_of(RONDO_F32, {3, 1, 1}, {11, 0, 20}));
    });
  });
  const Tensor dy = up(full(RONDO_F32, {3, 1, 1}, 0));
  must(rondo_embedding_bag_descend(1, list, indices, offsets, RONDO_BAG_SUM, dy, rate));
  must(rondo_tensor_wait(table));
}

TEST_P(EmbeddingBag, MisuseIsNamed) {
  if (GetParam().graph) return;
  const auto tensor = [&](rondo_dtype dtype, const Shape& shape) { return up(full(dtype, shape, 0)); };
  const Tensor a = tensor(RONDO_F32, {4, 3}), b = tensor(RONDO_F32, {2, 3}), indices = tensor(RONDO_I32, {2, 5, 1}),
               list = tensor(RONDO_I32, {7}), offsets = tensor(RONDO_I32, {11});
  std::string function = "rondo_embedding_bag";
  const auto said = [&](rondo_status status, const std::string& part) {
    EXPECT_EQ(status, RONDO_INVALID_ARGUMENT) << part;
    const std::string text = rondo_last_error();
    EXPECT_NE(text.find(function), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto refuses = [&](const std::string& part, const std::vector<rondo_tensor*>& tables, rondo_tensor* places,
                           rondo_tensor* begin, int mode = 0) {
    rondo_tensor* out = nullptr;
    said(rondo_embedding_bag(static_cast<int32_t>(tables.size()), tables.data(), places, begin,
                             static_cast<rondo_bag_mode>(mode), &out),
         part);
    EXPECT_EQ(out, nullptr);
  };
  refuses("n_tables is 0", {}, indices, nullptr);
  refuses("tables[1] is NULL", {a, nullptr}, indices, nullptr);
  refuses("indices is NULL", {a, b}, nullptr, nullptr);
  refuses("mode is 2; RONDO_BAG_SUM or RONDO_BAG_MEAN", {a, b}, indices, nullptr, 2);
  const Tensor whole = tensor(RONDO_I32, {4, 3}), flat = tensor(RONDO_F32, {4}), narrow = tensor(RONDO_F32, {4, 2}),
               half = tensor(RONDO_F16, {4, 3});
  refuses("tables[0] is i32 [4, 3]; f16, bf16, f32 or f64 is needed", {whole, b}, indices, nullptr);
  refuses("tables[1] has shape [4]; [rows, width] is needed", {a, flat}, indices, nullptr);
  refuses("tables[1] has shape [4, 2] but tables[0] has [4, 3]; one width", {a, narrow}, indices, nullptr);
  refuses("tables[1] has dtype f16 but tables[0] has f32", {a, half}, indices, nullptr);
  refuses("indices has dtype f32; i32 or i64 is needed", {a, b}, tensor(RONDO_F32, {2, 5, 1}), nullptr);
  refuses("indices has shape [2, 5, 1]; [1, batch, length] is needed", {a}, indices, nullptr);
  refuses("indices has shape [7]; [2, batch, length] is needed", {a, b}, list, nullptr);
  refuses("indices has shape [2, 5, 1]; with offsets, [places]", {a, b}, indices, offsets);
  refuses("offsets has shape [7, 1]; [2 * batch + 1] is needed", {a, b}, list, tensor(RONDO_I32, {7, 1}));
  refuses("offsets has shape [10]; [2 * batch + 1] is needed", {a, b}, list, tensor(RONDO_I32, {10}));
  refuses("offsets has dtype i64 but indices has i32", {a, b}, list, tensor(RONDO_I64, {11}));
  rondo_tensor* const tables[] = {a, b};
  said(rondo_embedding_bag(2, nullptr, indices, nullptr, RONDO_BAG_SUM, nullptr), "tables is NULL");
  said(rondo_embedding_bag(-1, tables, indices, nullptr, RONDO_BAG_SUM, nullptr), "n_tables is -1");
  said(rondo_embedding_bag(2, tables, indices, nullptr, RONDO_BAG_SUM, nullptr), "out is NULL");
  rondo_tensor* wrong = a;
  said(rondo_embedding_bag(2, tables, indices, nullptr, RONDO_BAG_SUM, &wrong), "out");
  const Tensor adding = make(rondo_tensor_accumulator, a);
  refuses("tables[0] is an accumulator view", {adding, b}, indices, nullptr);

  function = "rondo_embedding_bag_descend";
  const Tensor dy = tensor(RONDO_F32, {5, 2, 3}), rate = tensor(RONDO_F32, {});
  const auto refuses_step = [&](const std::string& part, const std::vector<rondo_tensor*>& of, rondo_tensor* gradient,
                                rondo_tensor* how_far, rondo_tensor* places) {
    said(rondo_embedding_bag_descend(static_cast<int32_t>(of.size()), of.data(), places, nullptr, RONDO_BAG_SUM,
                                     gradient, how_far),
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
}

}  // namespace
}  // namespace conformance
