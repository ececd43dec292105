// Translates operators whose results have as many elements as values say. A program has them with a limit that an
// option gives: what is beyond the number that there is, is zero, and that number is an output of the program.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

// The limit of a node's results: the option's, or of constants as many as there may be.
int64_t limit_of(const Call& call, int64_t all) {
  if (call.folding()) return all;
  int64_t limit = 0;
  if (!call.session().find_limit(call.node(), &limit))
    refuse("how many elements it has depends on what the program computes; an option may give a limit");
  return limit;
}

// A result that has as many elements along an axis as `count` says: of constants these alone.
void out_limited(Call& call, size_t i, const Tensor& result, int32_t axis, const Tensor& count) {
  if (!call.folding()) return call.out(i, result);
  call.out(i, result.slice(axis, 0, count.item<int64_t>()).contiguous());
}

void count_with(Call& call, const Tensor& count) {
  if (!call.folding()) call.session().add_count(call.node(), count);
}

Tensor numbers_to(const Call& call, int64_t end) {
  return call.engine().arange_i64(call.device(), RONDO_I64, 0, end, 1);
}

Tensor not_equal(const Tensor& a, const Tensor& b) {
  return rondo::binary(RONDO_NE, a, b);
}

}  // namespace

void nonzero_node(Call& call) {
  const rondo::Chosen found = rondo::nonzero_limit(call.in(0), limit_of(call, product(call.shape(0))));
  out_limited(call, 0, found.chosen.transpose(), 1, found.count);
  count_with(call, found.count);
}

void compress(Call& call) {
  Tensor x = call.in(0);
  const Tensor chosen = call.in(1);
  if (chosen.dtype() != RONDO_BOOL || chosen.dim() != 1) malformed("its condition is no list of bools");
  const bool flat = !call.has_attribute("axis");
  const int64_t axis = flat ? 0 : call.axis("axis", 0, x.dim());
  if (flat) x = x.reshape({product(x.shape())});
  // The axis comes first, and goes back at the end.
  std::vector<int64_t> places(static_cast<size_t>(x.dim()));
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
  std::rotate(places.begin(), places.begin() + axis, places.begin() + axis + 1);
  x = x.transpose(rondo::Axes(places));
  const int64_t size = std::min(x.shape()[0], chosen.shape()[0]);
  const rondo::Chosen found = rondo::select_limit(x.slice(0, 0, size), chosen.slice(0, 0, size), limit_of(call, size));
  std::vector<int64_t> back(places.size());
  for (size_t i = 0; i < places.size(); ++i) back[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
  out_limited(call, 0, found.chosen.transpose(rondo::Axes(back)), static_cast<int32_t>(axis), found.count);
  count_with(call, found.count);
}

void unique_node(Call& call) {
  constexpr int64_t kMostColumns = 64;
  Tensor x = call.in(0);
  const bool flat = !call.has_attribute("axis");
  const int64_t axis = flat ? 0 : call.axis("axis", 0, x.dim());
  if (flat) x = x.reshape({product(x.shape())});
  Shape parts = x.shape();
  const int64_t n = parts[static_cast<size_t>(axis)];
  std::vector<int64_t> places(parts.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
  std::rotate(places.begin(), places.begin() + axis, places.begin() + axis + 1);
  std::rotate(parts.begin(), parts.begin() + axis, parts.begin() + axis + 1);
  const int64_t columns = n == 0 ? 0 : product(parts) / n;
  if (n == 0 || columns == 0) refuse("it has no elements");
  if (columns > kMostColumns) refuse("its parts have more than " + std::to_string(kMostColumns) + " elements");
  const Tensor rows = x.transpose(rondo::Axes(places)).reshape({n, columns});
  // Sorted by the last column first, each time in the order that equal ones have, so that the first column decides.
  Tensor order;
  for (int64_t k = columns - 1; k >= 0; --k) {
    const Tensor column = rows.slice(1, k, k + 1).reshape({n});
    order = order ? rondo::take(order, rondo::argsort(rondo::take(column, order, 0), 0), 0) : rondo::argsort(column, 0);
  }
  const Tensor sorted = rondo::take(rows, order, 0);
  const Tensor first = call.engine().full(call.device(), RONDO_BOOL, {1}, 1);
  Tensor starts = first;
  if (n > 1) {
    const Tensor differ = not_equal(sorted.slice(0, 1, n), sorted.slice(0, 0, n - 1));
    starts = rondo::concat({first, rondo::any(differ, {1})}, 0);
  }
  const int64_t limit = limit_of(call, n);
  // One more than the limit, so that there is an end to the last one's run.
  const rondo::Chosen runs = rondo::nonzero_limit(starts, limit + 1, n);
  const Tensor ends = runs.chosen.reshape({limit + 1});
  const Tensor begin = ends.slice(0, 0, limit), inside = rondo::binary(RONDO_LT, begin, rondo::Number(n));
  const Tensor zero = call.engine().full(call.device(), RONDO_I64, {1}, 0);
  // Places in the input where each comes first; n where there is none.
  Tensor places_of = rondo::where(inside, rondo::take(order, rondo::minimum(begin, n - 1), 0), zero + n);
  Tensor counts = ends.slice(0, 1, limit + 1) - begin;
  Tensor ranks = rondo::take(rondo::cumsum(starts.to(RONDO_I64), 0) - 1, rondo::argsort(order, 0), 0);
  if (call.integer("sorted", 1) == 0) {
    const Tensor by_place = rondo::argsort(places_of, 0);
    places_of = rondo::take(places_of, by_place, 0);
    counts = rondo::take(counts, by_place, 0);
    ranks = rondo::take(rondo::argsort(by_place, 0), rondo::minimum(ranks, limit - 1), 0);
  }
  const Tensor there = rondo::binary(RONDO_LT, places_of, rondo::Number(n));
  if (call.wants(0)) {
    const Tensor taken = rondo::take(rows, rondo::minimum(places_of, n - 1), 0);
    Shape shape = parts;
    shape[0] = limit;
    const Tensor none = call.engine().full(call.device(), call.dtype(0), {1, 1}, 0);
    const Tensor values = choose(there.reshape({limit, 1}), taken, none).reshape(shape);
    std::vector<int64_t> back(places.size());
    for (size_t i = 0; i < places.size(); ++i) back[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
    out_limited(call, 0, values.transpose(rondo::Axes(back)), static_cast<int32_t>(axis), runs.count);
  }
  if (call.wants(1)) out_limited(call, 1, rondo::where(there, places_of, zero), 0, runs.count);
  call.out(2, ranks);
  if (call.wants(3)) out_limited(call, 3, counts, 0, runs.count);
  count_with(call, runs.count);
}

void non_max_suppression(Call& call) {
  constexpr int64_t kNodesOfTurn = 40;
  const Shape bs = call.shape(0), ss = call.shape(1);
  if (bs.size() != 3 || ss.size() != 3 || bs[2] != 4 || ss[0] != bs[0] || ss[2] != bs[1])
    malformed("its boxes and scores do not go together");
  const int64_t batch = ss[0], classes = ss[1], n = ss[2];
  int64_t most = 0;
  if (call.has(2)) {
    const std::vector<int64_t> given = call.whole_numbers(2, "how many boxes of a class it gives");
    if (given.size() == 1) most = std::max<int64_t>(given[0], 0);
  }
  double overlap = 0, least = -std::numeric_limits<double>::infinity();
  if (call.has(3) && !call.scalar(3, &overlap)) refuse("its overlap is computed by the program");
  if (call.has(4) && !call.scalar(4, &least)) refuse("its smallest score is computed by the program");
  const int64_t turns = std::min(most, n);
  if (batch < 1 || classes < 1 || turns < 1) refuse("it gives no boxes");
  call.session().count_nodes(turns > (int64_t{1} << 20) ? turns : turns * kNodesOfTurn);
  const Tensor boxes = call.in(0);
  const auto coordinate = [&](int64_t i) { return boxes.slice(2, i, i + 1).reshape({batch, 1, n}); };
  Tensor y1, x1, y2, x2;
  if (call.integer("center_point_box", 0) != 0) {
    const Tensor width = coordinate(2) / 2.0, height = coordinate(3) / 2.0;
    x1 = coordinate(0) - width;
    x2 = coordinate(0) + width;
    y1 = coordinate(1) - height;
    y2 = coordinate(1) + height;
  } else {
    // Any two opposite corners are given.
    y1 = rondo::minimum(coordinate(0), coordinate(2));
    y2 = rondo::maximum(coordinate(0), coordinate(2));
    x1 = rondo::minimum(coordinate(1), coordinate(3));
    x2 = rondo::maximum(coordinate(1), coordinate(3));
  }
  const Tensor area = (y2 - y1) * (x2 - x1), scores = call.in(1), places = numbers_to(call, n).reshape({1, 1, n});
  const Tensor gone = call.constant_reals(call.dtype(1), {}, {-std::numeric_limits<double>::infinity()});
  Tensor left = choose(rondo::binary(RONDO_GT, scores, rondo::Number(least)), scores, gone);
  const Shape all = {batch, classes, n};
  std::vector<Tensor> chosen, valid;
  for (int64_t turn = 0; turn < turns; ++turn) {
    const Tensor best = rondo::argmax(left, {2}, true);
    const Tensor alive = rondo::binary(RONDO_GT, rondo::max(left, {2}, true), gone);
    chosen.push_back(best.reshape({batch, classes}));
    valid.push_back(alive.reshape({batch, classes}));
    if (turn + 1 == turns) break;
    const auto of_best = [&](const Tensor& each) { return rondo::take_along_axis(each.broadcast(all), best, 2); };
    const Tensor height = rondo::minimum(y2, of_best(y2)) - rondo::maximum(y1, of_best(y1));
    const Tensor width = rondo::minimum(x2, of_best(x2)) - rondo::maximum(x1, of_best(x1));
    const Tensor common = rondo::relu(height) * rondo::relu(width);
    const Tensor covered = rondo::binary(RONDO_GT, common / (area + of_best(area) - common), rondo::Number(overlap));
    const Tensor itself = rondo::binary(RONDO_EQ, places, best);
    left = choose(rondo::binary(RONDO_LOGICAL_OR, covered, itself), gone, left);
  }
  const int64_t rows = batch * classes * turns;
  const Shape shape = {batch, classes, turns};
  const auto column = [&](const Tensor& each) { return each.broadcast(shape).reshape({rows, 1}); };
  const Tensor table = rondo::concat(
      {column(numbers_to(call, batch).reshape({batch, 1, 1})),
       column(numbers_to(call, classes).reshape({1, classes, 1})), column(rondo::stack(chosen, 2).to(RONDO_I64))},
      1);
  const rondo::Chosen found = rondo::select_limit(table, rondo::stack(valid, 2).reshape({rows}), limit_of(call, rows));
  out_limited(call, 0, found.chosen, 0, found.count);
  count_with(call, found.count);
}

}  // namespace rondo_onnx
