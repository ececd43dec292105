// Collectives: every one, every dtype, 2 to 4 ranks, eager and recorded.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "collectives/comm.h"

namespace conformance {
namespace {

class Collectives : public OnGroup {
 protected:
  Array values(rondo_dtype dtype, const Shape& shape, int32_t rank) const { return rank_values(dtype, shape, rank); }
  // Of all dtypes those of this run: all, or a quarter; without what the library does not have.
  std::vector<rondo_dtype> dealt(const std::vector<rondo_dtype>& all) const {
    const size_t parts = share() < 0 ? 1 : 4;
    std::vector<rondo_dtype> mine;
    for (size_t i = share() < 0 ? 0 : static_cast<size_t>(share()) % parts; i < all.size(); i += parts)
      if (all[i] != RONDO_BF16 || !old_library()) mine.push_back(all[i]);
    return mine;
  }
  // The reduction of all ranks' values, in their order.
  Array reduced(rondo_dtype dtype, const Shape& shape, rondo_reduce_op op) const {
    Array result = values(dtype, shape, 0);
    for (int32_t rank = 1; rank < ranks(); ++rank) {
      const Array next = values(dtype, shape, rank);
      for (size_t i = 0; i < result.size(); ++i) {
        const Real a = result[i], b = next[i];
        result.set(i, op == RONDO_PROD  ? a * b
                      : op == RONDO_MIN ? std::min(a, b)
                      : op == RONDO_MAX ? std::max(a, b)
                                        : a + b);
      }
    }
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(Conformance, Collectives, testing::ValuesIn(groups()), group_name);

// What every transport reduces, and what every one moves.
const std::vector<rondo_dtype> kNumbers = {RONDO_U8,   RONDO_I8,  RONDO_I32, RONDO_I64, RONDO_F16,
                                           RONDO_BF16, RONDO_F32, RONDO_F64, RONDO_U32, RONDO_U64};
const std::vector<rondo_dtype> kAll = {std::begin(kStoredDtypes), std::end(kStoredDtypes)};
const std::vector<Shape> kShapes = {{1}, {5}, {4, 3, 7}, {}, {0, 3}};

TEST_P(Collectives, AllReduce) {
  for (const rondo_dtype dtype : dealt(kNumbers))
    for (const rondo_reduce_op op : {RONDO_SUM, RONDO_PROD, RONDO_MIN, RONDO_MAX})
      for (const Shape& shape : op == RONDO_SUM ? kShapes : std::vector<Shape>{{5}}) {
        const std::string label = std::string(rondo_reduce_op_name(op)) + " " + rondo_dtype_name(dtype);
        std::vector<Tensor> inputs;
        for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(dtype, shape, rank)));
        run([&](int32_t rank, Results& results) {
          results.keep(label, make(rondo_comm_all_reduce, comm(rank), inputs[static_cast<size_t>(rank)], op),
                       [=, this] { return Expected(reduced(dtype, shape, op)); });
        });
      }
}

// Rounded as each rank's share is before it is added.
TEST_P(Collectives, Mean) {
  if (old_library()) GTEST_SKIP() << "the library has no means";
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64}) {
    std::vector<Tensor> inputs;
    for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, full(dtype, {6}, 4 * ranks())));
    run([&](int32_t rank, Results& results) {
      results.keep(rondo_dtype_name(dtype),
                   make(rondo_comm_all_reduce, comm(rank), inputs[static_cast<size_t>(rank)], RONDO_MEAN), [=, this] {
                     Expected mean(full(dtype, {6}, 4 * ranks()));
                     mean.ulps = 4;
                     return mean;
                   });
    });
  }
}

TEST_P(Collectives, AllGather) {
  for (const rondo_dtype dtype : dealt(kAll))
    for (const Shape& shape : kShapes) {
      std::vector<Tensor> inputs;
      for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(dtype, shape, rank)));
      Shape whole = shape.empty() ? Shape{1} : shape;
      whole[0] *= ranks();
      run([&](int32_t rank, Results& results) {
        results.keep(rondo_dtype_name(dtype),
                     make(rondo_comm_all_gather, comm(rank), inputs[static_cast<size_t>(rank)]), [=, this] {
                       Array all(dtype, whole);
                       size_t at = 0;
                       for (int32_t from = 0; from < ranks(); ++from) {
                         const Array part = values(dtype, shape, from);
                         for (size_t i = 0; i < part.size(); ++i) all.set(at++, part[i]);
                       }
                       return Expected(all);
                     });
      });
    }
}

TEST_P(Collectives, ReduceScatter) {
  for (const rondo_dtype dtype : dealt(kNumbers))
    for (const rondo_reduce_op op : {RONDO_SUM, RONDO_MAX}) {
      const Shape whole = {2 * ranks(), 3}, part = {2, 3};
      std::vector<Tensor> inputs;
      for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(dtype, whole, rank)));
      run([&](int32_t rank, Results& results) {
        results.keep(rondo_dtype_name(dtype),
                     make(rondo_comm_reduce_scatter, comm(rank), inputs[static_cast<size_t>(rank)], op), [=, this] {
                       const Array all = reduced(dtype, whole, op);
                       Array mine(dtype, part);
                       for (size_t i = 0; i < mine.size(); ++i)
                         mine.set(i, all[static_cast<size_t>(rank) * mine.size() + i]);
                       return Expected(mine);
                     });
      });
    }
}

TEST_P(Collectives, Broadcast) {
  for (const rondo_dtype dtype : dealt(kAll))
    for (int32_t root = 0; root < ranks(); ++root) {
      std::vector<Tensor> inputs;
      for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(dtype, {5}, rank)));
      run([&](int32_t rank, Results& results) {
        Tensor tensor = make(rondo_copy, inputs[static_cast<size_t>(rank)]);
        must(rondo_comm_broadcast(comm(rank), tensor, root));
        results.keep(rondo_dtype_name(dtype), std::move(tensor),
                     [=, this] { return Expected(values(dtype, {5}, root)); });
      });
    }
}

TEST_P(Collectives, Reduce) {
  for (const rondo_dtype dtype : dealt(kNumbers))
    for (int32_t root = 0; root < ranks(); ++root) {
      std::vector<Tensor> inputs;
      for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(dtype, {7}, rank)));
      run([&](int32_t rank, Results& results) {
        rondo_tensor* input = inputs[static_cast<size_t>(rank)];
        if (rank != root) return must(rondo_comm_reduce(comm(rank), input, RONDO_SUM, root, nullptr));
        results.keep(rondo_dtype_name(dtype), make(rondo_comm_reduce, comm(rank), input, RONDO_SUM, root),
                     [=, this] { return Expected(reduced(dtype, {7}, RONDO_SUM)); });
      });
    }
}

TEST_P(Collectives, AllToAll) {
  for (const rondo_dtype dtype : dealt(kAll)) {
    const Shape shape = {2 * ranks(), 2};
    std::vector<Tensor> inputs;
    for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(dtype, shape, rank)));
    run([&](int32_t rank, Results& results) {
      results.keep(rondo_dtype_name(dtype), make(rondo_comm_all_to_all, comm(rank), inputs[static_cast<size_t>(rank)]),
                   [=, this] {
                     Array all(dtype, shape);
                     size_t at = 0;
                     for (int32_t from = 0; from < ranks(); ++from) {
                       const Array given = values(dtype, shape, from);
                       for (size_t i = 0; i < 4; ++i) all.set(at++, given[static_cast<size_t>(rank) * 4 + i]);
                     }
                     return Expected(all);
                   });
    });
  }
}

// Round the ring: everybody sends to the next and receives from the one before.
TEST_P(Collectives, SendAndReceiveInAGroup) {
  for (const rondo_dtype dtype : dealt(kAll)) {
    std::vector<Tensor> inputs;
    for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(dtype, {9}, rank)));
    run([&](int32_t rank, Results& results) {
      const int32_t before = (rank + ranks() - 1) % ranks();
      Tensor got = make(rondo_copy, inputs[static_cast<size_t>(rank)]);
      must(rondo_comm_group_begin(comm(rank)));
      must(rondo_comm_send(comm(rank), inputs[static_cast<size_t>(rank)], (rank + 1) % ranks()));
      must(rondo_comm_receive(comm(rank), got, before));
      must(rondo_comm_group_end(comm(rank)));
      results.keep(rondo_dtype_name(dtype), std::move(got), [=, this] { return Expected(values(dtype, {9}, before)); });
    });
  }
}

// A chain: no two ranks wait for each other, so no group is needed.
TEST_P(Collectives, SendAndReceiveInALine) {
  std::vector<Tensor> inputs;
  for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(RONDO_F32, {9}, rank)));
  run([&](int32_t rank, Results& results) {
    Tensor got = make(rondo_copy, inputs[static_cast<size_t>(rank)]);
    if (rank > 0) must(rondo_comm_receive(comm(rank), got, rank - 1));
    if (rank + 1 < ranks()) must(rondo_comm_send(comm(rank), got, rank + 1));
    results.keep("line", std::move(got), [=, this] { return Expected(values(RONDO_F32, {9}, 0)); });
  });
}

TEST_P(Collectives, SeveralInAGroup) {
  std::vector<Tensor> inputs;
  for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(RONDO_F32, {8}, rank)));
  run([&](int32_t rank, Results& results) {
    rondo_tensor* input = inputs[static_cast<size_t>(rank)];
    must(rondo_comm_group_begin(comm(rank)));
    Tensor sum = make(rondo_comm_all_reduce, comm(rank), input, RONDO_SUM);
    Tensor most = make(rondo_comm_all_reduce, comm(rank), input, RONDO_MAX);
    must(rondo_comm_group_end(comm(rank)));
    results.keep("sum", std::move(sum), [=, this] { return Expected(reduced(RONDO_F32, {8}, RONDO_SUM)); });
    results.keep("most", std::move(most), [=, this] { return Expected(reduced(RONDO_F32, {8}, RONDO_MAX)); });
  });
}

TEST_P(Collectives, InPlace) {
  std::vector<Tensor> inputs;
  for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(RONDO_F32, {1000}, rank)));
  run([&](int32_t rank, Results& results) {
    Tensor tensor = make(rondo_copy, inputs[static_cast<size_t>(rank)]);
    into(tensor, rondo_comm_all_reduce, comm(rank), tensor, RONDO_SUM);
    results.keep("in place", std::move(tensor), [=, this] { return Expected(reduced(RONDO_F32, {1000}, RONDO_SUM)); });
  });
}

// Views with gaps go through copies, in and out; an accumulator adds.
TEST_P(Collectives, Views) {
  std::vector<Tensor> inputs;
  for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(RONDO_F32, {6, 4}, rank)));
  run([&](int32_t rank, Results& results) {
    Tensor whole = make(rondo_copy, inputs[static_cast<size_t>(rank)]);
    const Tensor columns = slice(whole, 1, 0, 4, 2);
    into(columns, rondo_comm_all_reduce, comm(rank), columns, RONDO_SUM);
    results.keep("columns", std::move(whole), [=, this] {
      const Array sums = reduced(RONDO_F32, {6, 4}, RONDO_SUM);
      Array mixed = values(RONDO_F32, {6, 4}, rank);
      for (size_t i = 0; i < mixed.size(); i += 2) mixed.set(i, sums[i]);
      return Expected(mixed);
    });
    Tensor total = make(rondo_copy, inputs[static_cast<size_t>(rank)]);
    const Tensor adding = make(rondo_tensor_accumulator, total);
    into(adding, rondo_comm_all_reduce, comm(rank), inputs[static_cast<size_t>(rank)], RONDO_SUM);
    results.keep("accumulator", std::move(total), [=, this] {
      const Array sums = reduced(RONDO_F32, {6, 4}, RONDO_SUM);
      Array added = values(RONDO_F32, {6, 4}, rank);
      for (size_t i = 0; i < added.size(); ++i) added.set(i, added[i] + sums[i]);
      return Expected(added);
    });
  });
}

// Large enough for each way a library may take.
TEST_P(Collectives, Large) {
  const Shape shape = {300000};
  std::vector<Tensor> inputs;
  for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(RONDO_F32, shape, rank)));
  run([&](int32_t rank, Results& results) {
    results.keep("large", make(rondo_comm_all_reduce, comm(rank), inputs[static_cast<size_t>(rank)], RONDO_SUM),
                 [=, this] { return Expected(reduced(RONDO_F32, shape, RONDO_SUM)); });
  });
}

TEST_P(Collectives, Barrier) {
  run([&](int32_t rank, Results&) { must(rondo_comm_barrier(comm(rank))); });
  each_rank([&](int32_t rank) { must(rondo_comm_wait(comm(rank))); });
}

// What computes before a collective is seen by it, and what comes after sees its result.
TEST_P(Collectives, BetweenOperators) {
  std::vector<Tensor> inputs;
  for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(up(rank, values(RONDO_F32, {64}, rank)));
  run([&](int32_t rank, Results& results) {
    const Tensor doubled = make(rondo_binary_scalar, RONDO_MUL, inputs[static_cast<size_t>(rank)], 2.0);
    const Tensor sum = make(rondo_comm_all_reduce, comm(rank), doubled, RONDO_SUM);
    const Tensor more = make(rondo_comm_all_reduce, comm(rank), make(rondo_unary, RONDO_NEG, sum), RONDO_MIN);
    results.keep("chain", make(rondo_binary, RONDO_ADD, sum, more), [=] { return Expected(full(RONDO_F32, {64}, 0)); });
  });
}

}  // namespace
}  // namespace conformance
