// Checks the handles and axes of operators that move, sort or generate elements, and calls them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/shapes.h"

#include <vector>

#include "capi/operators.h"

using namespace rondo;
using capi::check_tensor;
using capi::guard;
using capi::operator1;
using capi::operator2;

namespace {

using Join = Status (*)(std::span<const View* const>, int, ops::Output&);

rondo_status join(const char* function, Join body, int32_t n, rondo_tensor* const* tensors, int32_t axis,
                  rondo_tensor** out) {
  return guard(function, [&]() -> Status {
    if (n < 1) return error(RONDO_INVALID_ARGUMENT, "n is %d; 1 or more is needed", n);
    if (!tensors) return capi::null_argument("tensors");
    for (int32_t i = 0; i < n; ++i) RONDO_TRY(capi::check_each(tensors, static_cast<size_t>(i), "tensors"));
    RONDO_TRY(capi::check_out(out));
    capi::CastList list({tensors, static_cast<size_t>(n)});
    RONDO_TRY(list.apply(function, out));
    std::vector<const View*> views;
    for (const rondo_tensor* each : list.tensors()) views.push_back(&each->view);
    ops::Output output(out);
    return body(views, axis, output);
  });
}

// An array of n numbers, which may be NULL where n is 0.
Status check_numbers(const char* name, int32_t n, const int64_t* numbers) {
  if (n < 0) return error(RONDO_INVALID_ARGUMENT, "n is %d; 0 or more is needed", n);
  return n > 0 && !numbers ? capi::null_argument(name) : Status();
}

// A line of numbers, whose length the operator knows.
template <class Body>
rondo_status sequence(const char* function, rondo_engine* engine, rondo_device device, rondo_dtype dtype,
                      rondo_tensor** out, Body&& body) {
  return guard(function, [&]() -> Status {
    ops::NewTensor made{};
    RONDO_TRY(capi::new_tensor(engine, device, dtype, 0, nullptr, out, &made));
    ops::Output output(out);
    return body(made, output);
  });
}

using Put = Status (*)(rondo_tensor*, const View&, const View&, int);

rondo_status put(const char* function, Put body, rondo_tensor* tensor, rondo_tensor* indices, rondo_tensor* values,
                 int32_t axis) {
  return guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    RONDO_TRY(check_tensor(indices, "indices"));
    RONDO_TRY(check_tensor(values, "values"));
    return body(tensor, indices->view, values->view, axis);
  });
}

}  // namespace

extern "C" {

rondo_status rondo_concat(int32_t n, rondo_tensor* const* tensors, int32_t axis, rondo_tensor** out) {
  return join("rondo_concat", ops::concat, n, tensors, axis, out);
}

rondo_status rondo_stack(int32_t n, rondo_tensor* const* tensors, int32_t axis, rondo_tensor** out) {
  return join("rondo_stack", ops::stack, n, tensors, axis, out);
}

rondo_status rondo_pad(rondo_tensor* a, rondo_pad_mode mode, int32_t n, const int64_t* widths, double value,
                       rondo_tensor** out) {
  return operator1("rondo_pad", a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_numbers("widths", n, widths));
    return ops::pad(a->view, mode, n, widths, value, output);
  });
}

rondo_status rondo_tile(rondo_tensor* a, int32_t n, const int64_t* counts, rondo_tensor** out) {
  return operator1("rondo_tile", a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_numbers("counts", n, counts));
    return ops::tile(a->view, n, counts, output);
  });
}

rondo_status rondo_repeat(rondo_tensor* a, int64_t count, int32_t axis, rondo_tensor** out) {
  return operator1("rondo_repeat", a, "a", out,
                   [&](ops::Output& output) { return ops::repeat(a->view, count, axis, output); });
}

rondo_status rondo_roll(rondo_tensor* a, int32_t n, const int64_t* shifts, rondo_tensor** out) {
  return operator1("rondo_roll", a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_numbers("shifts", n, shifts));
    return ops::roll(a->view, n, shifts, output);
  });
}

rondo_status rondo_tril(rondo_tensor* a, int64_t diagonal, rondo_tensor** out) {
  return operator1("rondo_tril", a, "a", out,
                   [&](ops::Output& output) { return ops::triangle(false, a->view, diagonal, output); });
}

rondo_status rondo_triu(rondo_tensor* a, int64_t diagonal, rondo_tensor** out) {
  return operator1("rondo_triu", a, "a", out,
                   [&](ops::Output& output) { return ops::triangle(true, a->view, diagonal, output); });
}

rondo_status rondo_eye(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int64_t rows, int64_t columns,
                       int64_t diagonal, rondo_tensor** out) {
  return guard("rondo_eye", [&]() -> Status {
    const int64_t shape[] = {rows, columns};
    ops::NewTensor made{};
    RONDO_TRY(capi::new_tensor(engine, device, dtype, 2, shape, out, &made));
    ops::Output output(out);
    return ops::eye(made, diagonal, output);
  });
}

rondo_status rondo_take(rondo_tensor* a, rondo_tensor* indices, int32_t axis, rondo_tensor** out) {
  return operator2("rondo_take", a, "a", indices, "indices", out,
                   [&](ops::Output& output) { return ops::take(a->view, indices->view, axis, output); });
}

rondo_status rondo_take_along_axis(rondo_tensor* a, rondo_tensor* indices, int32_t axis, rondo_tensor** out) {
  return operator2("rondo_take_along_axis", a, "a", indices, "indices", out,
                   [&](ops::Output& output) { return ops::take_along_axis(a->view, indices->view, axis, output); });
}

rondo_status rondo_sort(rondo_tensor* a, int32_t axis, int32_t descending, rondo_tensor** out) {
  return operator1("rondo_sort", a, "a", out,
                   [&](ops::Output& output) { return ops::sort(a->view, axis, descending != 0, output); });
}

rondo_status rondo_argsort(rondo_tensor* a, int32_t axis, int32_t descending, rondo_tensor** out) {
  return operator1("rondo_argsort", a, "a", out,
                   [&](ops::Output& output) { return ops::argsort(a->view, axis, descending != 0, output); });
}

rondo_status rondo_topk(rondo_tensor* a, int64_t k, int32_t axis, int32_t largest, rondo_tensor** out,
                        rondo_tensor** indices) {
  return operator1("rondo_topk", a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(capi::check_out(indices, "indices"));
    if (indices == out)
      return error(RONDO_INVALID_ARGUMENT, "indices is the same pointer as out; each needs a rondo_tensor* of its own");
    ops::Output index_output(indices, "indices");
    return ops::topk(a->view, k, axis, largest != 0, output, index_output);
  });
}

rondo_status rondo_put_along_axis(rondo_tensor* tensor, rondo_tensor* indices, rondo_tensor* values, int32_t axis) {
  return put("rondo_put_along_axis", ops::put_along_axis, tensor, indices, values, axis);
}

rondo_status rondo_put(rondo_tensor* tensor, rondo_tensor* indices, rondo_tensor* values, int32_t axis) {
  return put("rondo_put", ops::put, tensor, indices, values, axis);
}

rondo_status rondo_arange(rondo_engine* engine, rondo_device device, rondo_dtype dtype, double start, double stop,
                          double step, rondo_tensor** out) {
  return sequence("rondo_arange", engine, device, dtype, out, [&](const ops::NewTensor& made, ops::Output& output) {
    using ops::Scalar;
    return ops::arange(made, Scalar::of(start), Scalar::of(stop), Scalar::of(step), output);
  });
}

rondo_status rondo_arange_i64(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int64_t start, int64_t stop,
                              int64_t step, rondo_tensor** out) {
  return sequence("rondo_arange_i64", engine, device, dtype, out, [&](const ops::NewTensor& made, ops::Output& output) {
    using ops::Scalar;
    return ops::arange(made, Scalar::of_i64(start), Scalar::of_i64(stop), Scalar::of_i64(step), output);
  });
}

rondo_status rondo_linspace(rondo_engine* engine, rondo_device device, rondo_dtype dtype, double start, double stop,
                            int64_t count, int32_t endpoint, rondo_tensor** out) {
  return sequence("rondo_linspace", engine, device, dtype, out, [&](const ops::NewTensor& made, ops::Output& output) {
    return ops::linspace(made, start, stop, count, endpoint != 0, output);
  });
}

}  // extern "C"
