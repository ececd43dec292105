// Translates operators that choose elements by indices, and those that put elements where indices say.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

Tensor as_index(const Tensor& indices) {
  const rondo_dtype dtype = indices.dtype();
  return dtype == RONDO_I32 || dtype == RONDO_I64 ? indices : indices.to(RONDO_I64);
}

// The number of the row that each last line of `indices` names in axes `from` to `from + k` of a shape, counted over
// all of them; negative ones count from the end of their axis.
Tensor row_numbers(const Call& call, const Tensor& indices, const Shape& shape, size_t from) {
  const Shape s = indices.shape();
  const auto k = static_cast<size_t>(s.back());
  std::vector<int64_t> sizes(k), strides(k, 1);
  for (size_t i = 0; i < k; ++i) sizes[i] = shape[from + i];
  // The number of a row may be one although a coordinate is outside of its axis.
  if (call.constant(1)) {
    const std::vector<int64_t> given = call.whole_numbers(1, "its indices");
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i] < -sizes[i % k] || given[i] >= sizes[i % k])
        malformed("its index " + std::to_string(given[i]) + " is outside of an axis of the size " +
                  std::to_string(sizes[i % k]));
  }
  for (size_t i = k; i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  const auto length = static_cast<int64_t>(k);
  const Tensor extents = call.precomputed([&] { return call.constant_tensor(RONDO_I64, {length}, sizes.data()); });
  const Tensor steps = call.precomputed([&] { return call.constant_tensor(RONDO_I64, {length}, strides.data()); });
  const Tensor wide = indices.to(RONDO_I64);
  const Tensor places = choose(rondo::binary(RONDO_LT, wide, rondo::Number(0)), wide + extents, wide);
  return rondo::reduce(RONDO_SUM, places * steps, -1);
}

// The reduction of a scatter that the library has no view for; false: it is one that adds or puts.
bool combines_others(const std::string& reduction, rondo_binary_op* op) {
  if (reduction == "none" || reduction == "add") return false;
  if (reduction != "max" && reduction != "min" && reduction != "mul") malformed("it reduces by " + excerpt(reduction));
  *op = reduction == "max" ? RONDO_MAXIMUM : reduction == "min" ? RONDO_MINIMUM : RONDO_MUL;
  return true;
}

// `rows` with its rows of these numbers combined with the updates, all of one row's too: they are sorted by row and
// combined with those before them of the same one, at distances that double, so that the last one of each row has all.
Tensor combined(const Tensor& rows, const Tensor& numbers, const Tensor& updates, rondo_binary_op op) {
  const int64_t n = numbers.numel();
  const Tensor order = rondo::argsort(numbers, 0);
  const Tensor row = rondo::take(numbers, order, 0);
  Tensor all = rondo::take(updates, order, 0);
  for (int64_t step = 1; step < n; step *= 2) {
    const Tensor later = all.slice(0, step, n), sooner = all.slice(0, 0, n - step);
    const Tensor same = rondo::binary(RONDO_EQ, row.slice(0, step, n), row.slice(0, 0, n - step)).unsqueeze(1);
    all = rondo::concat({all.slice(0, 0, step), choose(same, rondo::binary(op, later, sooner), later)}, 0);
  }
  const Tensor result = rondo::copy(rows);
  if (n > 0) rondo::put(result, row, rondo::binary(op, rondo::take(rows, row, 0), all), 0);
  return result;
}

// The number of the element of a tensor that each index along an axis names, counted over all of it.
Tensor element_numbers(const Call& call, const Tensor& indices, const Shape& shape, size_t axis) {
  const Shape s = indices.shape();
  Shape steps(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) steps[i - 1] = steps[i] * shape[i];
  const Tensor wide = indices.to(RONDO_I64);
  Tensor all = choose(rondo::binary(RONDO_LT, wide, rondo::Number(0)), wide + shape[axis], wide) * steps[axis];
  for (size_t i = 0; i < s.size(); ++i) {
    if (i == axis) continue;
    call.may_take<int64_t>(s[i]);
    std::vector<int64_t> numbers(static_cast<size_t>(s[i]));
    for (size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<int64_t>(k) * steps[i];
    Shape along(s.size(), 1);
    along[i] = s[i];
    all = all + call.precomputed([&] { return call.constant_tensor(RONDO_I64, along, numbers.data()); });
  }
  return all;
}

// A row-major tensor of its own, which may be written.
Tensor writable(const Tensor& a) {
  return rondo::copy(a);
}

}  // namespace

void gather(Call& call) {
  const int64_t axis = call.axis("axis", 0, call.ndim(0));
  call.check_indices(1, call.shape(0)[static_cast<size_t>(axis)]);
  call.out(0, rondo::take(call.in(0), as_index(call.in(1)), static_cast<int32_t>(axis)));
}

void gather_elements(Call& call) {
  const int64_t axis = call.axis("axis", 0, call.ndim(0));
  const Shape s = call.shape(0), wanted = call.shape(1);
  if (s.size() != wanted.size()) malformed("its indices have another number of dimensions than its input");
  call.check_indices(1, s[static_cast<size_t>(axis)]);
  Tensor x = call.in(0);
  for (size_t i = 0; i < s.size(); ++i) {
    if (static_cast<int64_t>(i) == axis || s[i] == wanted[i]) continue;
    if (wanted[i] > s[i]) malformed("its indices are larger than its input");
    x = x.slice(static_cast<int32_t>(i), 0, wanted[i]);
  }
  call.out(0, rondo::take_along_axis(x, as_index(call.in(1)), static_cast<int32_t>(axis)));
}

void gather_nd(Call& call) {
  const Shape s = call.shape(0), is = call.shape(1);
  const int64_t batch = call.integer("batch_dims", 0);
  if (is.empty() || batch < 0 || batch >= static_cast<int64_t>(is.size()) || batch > static_cast<int64_t>(s.size()))
    malformed("its batch dimensions are not those of its inputs");
  const auto b = static_cast<size_t>(batch), k = static_cast<size_t>(is.back());
  if (b + k > s.size()) malformed("its indices name more axes than its input has");
  const int64_t batches = product(s, 0, b), rows = product(s, b, b + k), rest = product(s, b + k, s.size());
  if (product(is, 0, b) != batches) malformed("its batch dimensions are not those of its inputs");
  Shape result(is.begin(), is.end() - 1);
  result.insert(result.end(), s.begin() + static_cast<std::ptrdiff_t>(b + k), s.end());
  Tensor numbers = row_numbers(call, call.in(1), s, b).reshape({batches, -1});
  if (b > 0) {
    call.may_take<int64_t>(batches);
    std::vector<int64_t> first(static_cast<size_t>(batches));
    for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int64_t>(i) * rows;
    numbers = numbers + call.precomputed([&] { return call.constant_tensor(RONDO_I64, {batches, 1}, first.data()); });
  }
  call.out(0, rondo::take(call.in(0).reshape({batches * rows, rest}), numbers.reshape({-1}), 0).reshape(result));
}

void one_hot_node(Call& call) {
  const std::vector<double> depths = call.numbers(1, "its depth");
  if (depths.size() != 1 || !(depths[0] >= 1 && depths[0] <= 1e9)) malformed("its depth is none");
  const auto depth = static_cast<int64_t>(depths[0]);
  const int64_t ndim = call.ndim(0), axis = call.axis("axis", -1, ndim + 1);
  const Tensor wide = call.in(0).to(RONDO_I64);
  const Tensor places = choose(rondo::binary(RONDO_LT, wide, rondo::Number(0)), wide + depth, wide);
  const Tensor hot = rondo::one_hot(places, depth, RONDO_BOOL);
  const Tensor values = call.in(2);
  Tensor result = choose(hot, values.slice(0, 1, 2).reshape({}), values.slice(0, 0, 1).reshape({}));
  if (axis != ndim) {
    std::vector<int64_t> order;
    for (int64_t i = 0, next = 0; i <= ndim; ++i) order.push_back(i == axis ? ndim : next++);
    result = result.transpose(rondo::Axes(order));
  }
  call.out(0, result);
}

void reverse_sequence(Call& call) {
  const int64_t batch_axis = call.axis("batch_axis", 1, call.ndim(0)),
                time_axis = call.axis("time_axis", 0, call.ndim(0));
  const Shape s = call.shape(0);
  if (batch_axis == time_axis) malformed("its batch axis is its time axis");
  // Place t of a sequence of n elements comes from n - 1 - t, and after its end from itself.
  const auto along = [&](int64_t axis) {
    Shape shape(s.size(), 1);
    shape[static_cast<size_t>(axis)] = s[static_cast<size_t>(axis)];
    return shape;
  };
  const int64_t places_of_time = s[static_cast<size_t>(time_axis)];
  if (call.constant(1))
    for (const int64_t each : call.whole_numbers(1, "its lengths"))
      if (each < 0 || each > places_of_time)
        malformed("a length is " + std::to_string(each) + "; its time axis has the size " +
                  std::to_string(places_of_time));
  call.may_take<int64_t>(places_of_time);
  std::vector<int64_t> steps(static_cast<size_t>(places_of_time));
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<int64_t>(i);
  const Tensor step = call.precomputed([&] { return call.constant_tensor(RONDO_I64, along(time_axis), steps.data()); });
  const Tensor back = call.in(1).to(RONDO_I64).reshape(along(batch_axis)) - 1 - step;
  const Tensor places = choose(rondo::binary(RONDO_LT, back, rondo::Number(0)), step, back);
  call.out(0, rondo::take_along_axis(call.in(0), places, static_cast<int32_t>(time_axis)));
}

void scatter_elements(Call& call) {
  const int64_t axis = call.axis("axis", 0, call.ndim(0));
  const std::string reduction = call.text("reduction", "none");
  const Shape s = call.shape(0), is = call.shape(1);
  if (s.size() != is.size()) malformed("its indices have another number of dimensions than its input");
  call.check_indices(1, s[static_cast<size_t>(axis)]);
  if (rondo_binary_op op; combines_others(reduction, &op)) {
    for (size_t i = 0; i < s.size(); ++i)
      if (static_cast<int64_t>(i) != axis && is[i] > s[i]) malformed("its indices are larger than its input");
    const Tensor numbers = element_numbers(call, call.in(1), s, static_cast<size_t>(axis)).reshape({-1});
    return call.out(
        0, combined(call.in(0).reshape({product(s), 1}), numbers, call.in(2).reshape({product(is), 1}), op).reshape(s));
  }
  const Tensor result = writable(call.in(0));
  Tensor part = result;
  for (size_t i = 0; i < s.size(); ++i) {
    if (static_cast<int64_t>(i) == axis || s[i] == is[i]) continue;
    if (is[i] > s[i]) malformed("its indices are larger than its input");
    part = part.slice(static_cast<int32_t>(i), 0, is[i]);
  }
  rondo::put_along_axis(reduction == "add" ? part.accumulator() : part, as_index(call.in(1)), call.in(2),
                        static_cast<int32_t>(axis));
  call.out(0, result);
}

void scatter_nd(Call& call) {
  const std::string reduction = call.text("reduction", "none");
  const Shape s = call.shape(0), is = call.shape(1);
  if (is.empty() || is.back() > static_cast<int64_t>(s.size()))
    malformed("its indices name more axes than its input has");
  const auto k = static_cast<size_t>(is.back());
  const int64_t rows = product(s, 0, k), rest = product(s, k, s.size());
  const Tensor numbers = row_numbers(call, call.in(1), s, 0).reshape({-1});
  const Tensor updates = call.in(2).reshape({product(is, 0, is.size() - 1), rest});
  if (rondo_binary_op op; combines_others(reduction, &op))
    return call.out(0, combined(call.in(0).reshape({rows, rest}), numbers, updates, op).reshape(s));
  const Tensor result = writable(call.in(0).reshape({rows, rest}));
  rondo::put(reduction == "add" ? result.accumulator() : result, numbers, updates, 0);
  call.out(0, result.reshape(s));
}

void topk_node(Call& call) {
  const int64_t axis = call.axis("axis", -1, call.ndim(0));
  int64_t k = call.integer("k", 1);
  if (call.opset() >= 10) {
    const std::vector<int64_t> given = call.whole_numbers(1, "how many it takes");
    if (given.size() != 1) malformed("how many it takes are " + std::to_string(given.size()) + " numbers, not one");
    k = given[0];
  }
  const rondo::TopK top = rondo::topk(call.in(0), k, static_cast<int32_t>(axis), call.integer("largest", 1) != 0);
  call.out(0, top.values);
  call.out(1, top.indices);
}

}  // namespace rondo_onnx
