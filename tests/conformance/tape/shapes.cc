// Gradients of the operators that move elements, against finite differences in f64, eager and recorded.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;

class TapeShapes : public OnTape {
 protected:
  static Array values(const Shape& shape, uint32_t seed) { return random_array(RONDO_F64, shape, seed, -2, 2); }
};
CONFORMANCE_SUITE(TapeShapes);

TEST_P(TapeShapes, Joined) {
  run([&](Results& results) {
    keep_gradients(results, "concat", {values({2, 3}, 1), values({2, 1}, 2), values({2, 2}, 3)}, [](const Inputs& in) {
      rondo_tensor* all[] = {in[0], in[1], in[0], in[2]};
      return make(rondo_concat, 4, all, 1);
    });
    keep_gradients(results, "stack", {values({2, 3}, 4), values({2, 3}, 5)}, [](const Inputs& in) {
      rondo_tensor* all[] = {in[0], in[1], in[0]};
      return make(rondo_stack, 3, all, -1);
    });
    keep_gradients(results, "of many", {values({3}, 6)}, [](const Inputs& in) {
      std::vector<rondo_tensor*> all(20, in[0]);
      return make(rondo_concat, 20, all.data(), 0);
    });
  });
}

TEST_P(TapeShapes, Padded) {
  run([&](Results& results) {
    const Shape by = {1, 2, 0, 0, 5, 4};
    for (const rondo_pad_mode mode :
         {RONDO_PAD_CONSTANT, RONDO_PAD_EDGE, RONDO_PAD_REFLECT, RONDO_PAD_SYMMETRIC, RONDO_PAD_WRAP})
      keep_gradients(results, "mode " + std::to_string(mode), {values({2, 2, 3}, 1)},
                     [=](const Inputs& in) { return make(rondo_pad, in[0], mode, 6, by.data(), 1.5); });
  });
}

TEST_P(TapeShapes, RepeatedAndMoved) {
  run([&](Results& results) {
    const Shape counts = {2, 1, 3}, shifts = {1, -2};
    keep_gradients(results, "tile", {values({2, 3}, 1)},
                   [=](const Inputs& in) { return make(rondo_tile, in[0], 3, counts.data()); });
    keep_gradients(results, "tile, short", {values({2, 3}, 2)}, [](const Inputs& in) {
      const int64_t two = 2;
      return make(rondo_tile, in[0], 1, &two);
    });
    keep_gradients(results, "repeat", {values({2, 3}, 3)},
                   [](const Inputs& in) { return make(rondo_repeat, in[0], 3, 0); });
    keep_gradients(results, "roll", {values({3, 5}, 4)},
                   [=](const Inputs& in) { return make(rondo_roll, in[0], 2, shifts.data()); });
    keep_gradients(results, "tril", {values({2, 3, 4}, 5)},
                   [](const Inputs& in) { return make(rondo_tril, in[0], 1); });
    keep_gradients(results, "triu", {values({3, 3}, 6)}, [](const Inputs& in) { return make(rondo_triu, in[0], 0); });
    keep_gradients(results, "flip", {values({3, 2}, 7)}, [](const Inputs& in) {
      const Tensor flipped = make(rondo_tensor_flip, in[0], 0, nullptr);
      return make(rondo_unary, RONDO_SQUARE, flipped);
    });
    keep_gradients(results, "split", {values({3, 2}, 8)}, [](const Inputs& in) {
      const Tensor part = make(rondo_tensor_split, in[0], 0, 2, 1);
      return make(rondo_unary, RONDO_SQUARE, part);
    });
  });
}

TEST_P(TapeShapes, TakenAndPut) {
  run([&](Results& results) {
    const Array flat = array_of(RONDO_I64, {5}, {0, 2, -1, 0, 7}),
                lines = array_of(RONDO_I32, {2, 4}, {0, 0, -1, 9, 2, 1, 1, 1}),
                line = array_of(RONDO_I32, {1, 2}, {2, 0});
    keep_gradients(results, "gather", {values({3, 2}, 1), flat},
                   [](const Inputs& in) { return make(rondo_gather_rows, in[0], in[1]); });
    keep_gradients(results, "take", {values({2, 3, 2}, 2), lines},
                   [](const Inputs& in) { return make(rondo_take, in[0], in[1], 1); });
    keep_gradients(results, "take along", {values({2, 3}, 3), lines},
                   [](const Inputs& in) { return make(rondo_take_along_axis, in[0], in[1], 1); });
    keep_gradients(results, "take along, broadcast", {values({1, 3}, 4), lines},
                   [](const Inputs& in) { return make(rondo_take_along_axis, in[0], in[1], 1); });
    keep_gradients(results, "take along, shared indices", {values({2, 3}, 5), line},
                   [](const Inputs& in) { return make(rondo_take_along_axis, in[0], in[1], 1); });
    keep_gradients(results, "added", {values({3, 2}, 6), values({5, 2}, 7), flat}, [](const Inputs& in) {
      Tensor sum = make(rondo_unary, RONDO_SQUARE, in[0]);
      const Tensor adds = make(rondo_tensor_accumulator, sum);
      must(rondo_put(adds, in[2], in[1], 0));
      return sum;
    });
    keep_gradients(results, "added along", {values({2, 3}, 8), values({2, 4}, 9), lines}, [](const Inputs& in) {
      Tensor sum = make(rondo_unary, RONDO_SQUARE, in[0]);
      const Tensor adds = make(rondo_tensor_accumulator, sum);
      must(rondo_put_along_axis(adds, in[2], in[1], 1));
      return sum;
    });
  });
}

TEST_P(TapeShapes, Sorted) {
  run([&](Results& results) {
    for (const bool down : {false, true}) {
      keep_gradients(results, "sort", {values({3, 4}, 1)},
                     [=](const Inputs& in) { return make(rondo_sort, in[0], 0, down); });
      keep_gradients(results, "top", {values({3, 4}, 2)}, [=](const Inputs& in) {
        Tensor places, first;
        must(rondo_topk(in[0], 2, 1, down, first.slot(), places.slot()));
        return first;
      });
    }
  });
}

// Gradients of gradients, of which putting is one.
TEST_P(TapeShapes, SecondOrder) {
  run([&](Results& results) {
    const Array flat = array_of(RONDO_I64, {3}, {1, 0, 1});
    keep_gradients(results, "take", {values({2}, 1), flat}, [&](const Inputs& in) {
      const Tape inner(in[0] ? engine() : nullptr);
      inner.watch(in[0]);
      const Tensor taken = make(rondo_take, in[0], in[1], 0), y = make(rondo_unary, RONDO_SQUARE, taken);
      return inner.gradient(reduce(RONDO_SUM, y, {}), in[0]);
    });
  });
}

}  // namespace
}  // namespace conformance
