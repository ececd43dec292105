// Checks products of whole numbers, broadcasts their batches, and submits them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul_integer.h"

#include <algorithm>

#include "base/small_vector.h"
#include "ops/elementwise/form.h"
#include "ops/program/infer.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

Status check_matrix(const char* name, const View& view) {
  if (view.dtype != RONDO_U8 && view.dtype != RONDO_I8)
    return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s; u8 or i8 is needed (rondo_matmul multiplies floats)", name,
                 dtype_name(view.dtype));
  if (view.layout.ndim < 2)
    return error(RONDO_INVALID_ARGUMENT, "%s has %d dimensions; at least 2 are needed", name, view.layout.ndim);
  return {};
}

// axis: the one along which the operand's zero point has size 1, counted from the end.
Status check_zero(const char* name, const View& zero, const char* of, const View& operand, int axis) {
  RONDO_TRY(check_dtype_of(name, zero, of, operand));
  const Layout &given = zero.layout, &whole = operand.layout;
  bool fits = given.ndim <= whole.ndim;
  for (int d = 1; fits && d <= given.ndim; ++d) {
    const int64_t size = given.shape[given.ndim - d];
    fits = size == 1 || (d != axis && size == whole.shape[whole.ndim - d]);
  }
  if (fits) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; one that broadcasts to that of %s, %s, is needed, with one %s",
               name, shape_text(given).c_str(), of, shape_text(whole).c_str(), axis == 1 ? "column" : "row");
}

Status find_product(const View& a, const View& b, const View* a_zero, const View* b_zero, Layout* shape) {
  RONDO_TRY(check_matrix("a", a));
  RONDO_TRY(check_matrix("b", b));
  const int64_t columns = a.layout.shape[a.layout.ndim - 1], rows = b.layout.shape[b.layout.ndim - 2];
  if (columns != rows)
    return error(RONDO_INVALID_ARGUMENT, "a %s has %lld columns but b %s has %lld rows", shape_text(a.layout).c_str(),
                 static_cast<long long>(columns), shape_text(b.layout).c_str(), static_cast<long long>(rows));
  Layout left = a.layout, right = b.layout;
  left.ndim -= 2, right.ndim -= 2;
  if (!broadcast_shapes(left, right, shape))
    return error(RONDO_INVALID_ARGUMENT, "leading axes of a %s and b %s do not broadcast; sizes must be equal or 1",
                 shape_text(a.layout).c_str(), shape_text(b.layout).c_str());
  shape->shape[shape->ndim++] = a.layout.shape[a.layout.ndim - 2];
  shape->shape[shape->ndim++] = b.layout.shape[b.layout.ndim - 1];
  *shape = Layout::row_major(shape->ndim, shape->shape);
  if (a_zero) RONDO_TRY(check_zero("a_zero", *a_zero, "a", a, 1));
  return b_zero ? check_zero("b_zero", *b_zero, "b", b, 2) : Status();
}

// The strides of an operand, or of its zero point, along the leading axes of the result.
Layout over_batch(const View* view, const Layout& operand, const Layout& batch) {
  Layout none = operand;
  for (int64_t& stride : none.strides) stride = 0;
  Layout leading = view ? broadcast_layout(view->layout, operand) : none;
  leading.ndim -= 2;
  return broadcast_layout(leading, batch);
}

int64_t zero_step(const View* zero, const Layout& operand, int axis) {
  return zero ? broadcast_layout(zero->layout, operand).strides[operand.ndim - axis] : 0;
}

// One b for consecutive batches of a: those are more rows of a.
void fold_integer_batch(IntegerProduct* product) {
  while (product->batch.count > 0) {
    const int last = product->batch.count - 1;
    const auto step = [&](int array) { return product->batch.stride[array][last]; };
    const int64_t m = product->m;
    const bool continues =
        m == 1 || (step(kIntegerA) == m * product->a_step[0] && step(kIntegerOut) == m * product->out_step[0] &&
                   step(kIntegerAZero) == m * product->a_zero_step);
    if (step(kIntegerB) != 0 || step(kIntegerBZero) != 0 || !continues) return;
    if (m == 1) {
      product->a_step[0] = step(kIntegerA);
      product->out_step[0] = step(kIntegerOut);
      product->a_zero_step = step(kIntegerAZero);
    }
    product->m *= product->batch.size[last];
    --product->batch.count;
  }
}

// A product of these operands, each zero point null where there is none.
IntegerProduct lay_out(const View& a, const View& b, const View* a_zero, const View* b_zero, const View& out) {
  IntegerProduct product;
  product.out = out;
  product.a = a;
  product.b = b;
  if (a_zero) product.a_zero = *a_zero;
  if (b_zero) product.b_zero = *b_zero;
  const Layout& shape = out.layout;
  const int lead = shape.ndim - 2;
  Layout batch = shape;
  batch.ndim = lead;
  const Layout of_a = over_batch(&a, a.layout, batch), of_b = over_batch(&b, b.layout, batch),
               of_a_zero = over_batch(a_zero, a.layout, batch), of_b_zero = over_batch(b_zero, b.layout, batch);
  for (int d = 0; d < lead; ++d)
    product.batch.push(batch.shape[d], {of_a.strides[d], of_b.strides[d], of_a_zero.strides[d], of_b_zero.strides[d],
                                        shape.strides[d]});
  for (int i = 0; i < 2; ++i) {
    product.a_step[i] = a.layout.strides[a.layout.ndim - 2 + i];
    product.b_step[i] = b.layout.strides[b.layout.ndim - 2 + i];
    product.out_step[i] = shape.strides[lead + i];
  }
  product.a_zero_step = zero_step(a_zero, a.layout, 2);
  product.b_zero_step = zero_step(b_zero, b.layout, 1);
  product.m = shape.shape[lead];
  product.n = shape.shape[lead + 1];
  product.k = a.layout.shape[a.layout.ndim - 1];
  fold_integer_batch(&product);
  return product;
}

// Lays out what follows a product over the rows of its results.
std::shared_ptr<const RowSide> lay_out_end(const IntegerEnd& end, const View& out) {
  const Expression& given = end.form.expression;
  auto side = std::make_shared<RowSide>();
  side->inputs.assign(end.others.begin(), end.others.end());
  side->scalars.assign(end.form.words, end.form.words + given.scalars());
  Expression& e = side->expression;
  Value inputs[Expression::kMaxInputs] = {}, made[Expression::kMaxOutputs] = {};
  for (int k = 0; k < given.inputs(); ++k)
    if (!(end.sums >> k & 1)) inputs[k] = e.input(given.input_dtype(k));
  const Value sum = e.input(RONDO_I32);
  for (int k = 0; k < given.inputs(); ++k)
    if (end.sums >> k & 1) inputs[k] = sum;
  e.append(given, inputs, made);
  e.output(made[0], out.dtype, false);
  if (e.overflow()) return {};
  constexpr int kInputs = Expression::kMaxInputs;
  Dims<kInputs> rows;
  const int last = out.layout.ndim - 1;
  for (int d = 0; d <= last; ++d) {
    int64_t steps[kInputs] = {};
    for (size_t k = 0; k < side->inputs.size(); ++k) steps[k] = side->inputs[k].layout.strides[d];
    if (d < last)
      rows.push(out.layout.shape[d], steps);
    else
      std::copy_n(steps, kInputs, side->step);
  }
  side->rows = rows;
  return side;
}

}  // namespace

void IntegerProduct::declare(Task& task) const {
  for (const View* each : {&a, &b, &a_zero, &b_zero})
    if (each->storage) task.reads(*each->storage);
  for (size_t i = 0; after && i < after->inputs.size(); ++i) task.reads(*after->inputs[i].storage);
  declare_output(task, out);
}

void IntegerProduct::list_operands(std::vector<TaskOperand>* list) const {
  for (const View* each : {&a, &b, &a_zero, &b_zero})
    if (each->storage) list->push_back({*each, false});
  for (size_t i = 0; after && i < after->inputs.size(); ++i) list->push_back({after->inputs[i], false});
  list->push_back({out, true});
}

Status infer(const MatmulIntegerCall& call, InputTypes inputs, ResultTypes results) {
  Layout shape;
  RONDO_TRY(find_product(*inputs[0], *inputs[1], find_operand(call, inputs, "a_zero"),
                         find_operand(call, inputs, "b_zero"), &shape));
  results[0].set(RONDO_I32, shape);
  return {};
}

Status matmul_integer(const View& a, const View& b, const View* a_zero, const View* b_zero, Output& out) {
  SmallVector<NamedView, 4> named;
  SmallVector<const View*, 4> inputs;
  for (const NamedView& each :
       {NamedView{"a", &a}, NamedView{"b", &b}, NamedView{"a_zero", a_zero}, NamedView{"b_zero", b_zero}})
    if (each.view) named.push_back(each), inputs.push_back(each.view);
  RONDO_TRY(check_inputs({named.begin(), named.size()}));
  Layout shape;
  RONDO_TRY(find_product(a, b, a_zero, b_zero, &shape));
  View to;
  RONDO_TRY(
      out.resolve(a.engine(), a.device(), RONDO_I32, shape, std::span(inputs.begin(), inputs.size()), false, &to));
  const IntegerProduct product = lay_out(a, b, a_zero, b_zero, to);
  const auto describe = [&] { return Call{MatmulIntegerCall{a_zero != nullptr, b_zero != nullptr}}; };
  if (to.elements() == 0) return submit_nothing("matmul_integer", product, {&out}, describe);
  return a.device().is_host() ? submit(a.engine(), make_cpu_matmul_integer(product), {&out}, describe)
                              : submit_prepared(a.engine(), make_cuda_matmul_integer(product), {&out}, describe);
}

Ref<OperatorTask> finished_matmul_integer(const MatmulIntegerCall& call, std::span<const View> inputs, const View& out,
                                          const IntegerEnd& end) {
  constexpr int64_t kShortest = 128;  // columns that are worth loops of their own
  const View *const a_zero = call.a_zero ? &inputs[2] : nullptr, *const b_zero = call.b_zero
                                                                                     ? &inputs[call.a_zero ? 3 : 2]
                                                                                     : nullptr;
  if (!out.device().is_host() || out.accumulate || out.elements() == 0 || !stands_alone(end.form.expression)) return {};
  IntegerProduct product = lay_out(inputs[0], inputs[1], a_zero, b_zero, out);
  if (product.k > kMostNumbers || (!end.decided && product.n < kShortest)) return {};
  product.after = lay_out_end(end, out);
  return product.after ? make_cpu_matmul_integer(product) : Ref<OperatorTask>();
}

}  // namespace rondo::ops
