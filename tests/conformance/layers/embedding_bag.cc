// Bags of rows against a reference in higher precision: tables of many sizes, bags of one length and by offsets,
// indices from the end and outside, and gradients. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "layers/embedding_bag.h"

namespace conformance {
namespace {

using EmbeddingBag = OnBags;
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

TEST_P(EmbeddingBag, DenseGradientsAreSumsInOrderOfPlaces) {
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
  const rondo_status called = rondo_embedding_bag_descend(2, both, places, nullptr, RONDO_BAG_SUM, dy, rate, nullptr);
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
  must(rondo_embedding_bag_descend(1, list, indices, offsets, RONDO_BAG_SUM, dy, rate, nullptr));
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
}

}  // namespace
}  // namespace conformance
