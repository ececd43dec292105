// Checks matrix products, broadcasts their batches, and brings them to the common form.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/small_vector.h"
#include "ops/program/infer.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

struct Matrix {
  Layout batch;  // leading axes
  int64_t size[2];
  int64_t step[2];
};

Matrix split(const View& view, bool transposed) {
  Matrix matrix;
  const int lead = view.layout.ndim - 2;
  matrix.batch.ndim = lead;
  for (int d = 0; d < lead; ++d) {
    matrix.batch.shape[d] = view.layout.shape[d];
    matrix.batch.strides[d] = view.layout.strides[d];
  }
  for (int i = 0; i < 2; ++i) {
    const int axis = lead + (transposed ? 1 - i : i);
    matrix.size[i] = view.layout.shape[axis];
    matrix.step[i] = view.layout.strides[axis];
  }
  return matrix;
}

// One b for consecutive batches of a: those are more rows of a.
void fold_batch(Product* product) {
  while (product->batch.count > 0) {
    const int last = product->batch.count - 1;
    const int64_t a = product->batch.stride[0][last], out = product->batch.stride[2][last];
    const bool continues =
        product->m == 1 || (a == product->m * product->a_step[0] && out == product->m * product->out_step[0]);
    if (product->batch.stride[1][last] != 0 || !continues) return;
    if (product->m == 1) {
      product->a_step[0] = a;
      product->out_step[0] = out;
    }
    product->m *= product->batch.size[last];
    --product->batch.count;
  }
}

Status check_operands(const MatmulNames& names, const View& a, const View& b) {
  for (const auto& [name, view] : {NamedView{names.a, &a}, NamedView{names.b, &b}}) {
    if (view->layout.ndim < 2)
      return error(RONDO_INVALID_ARGUMENT, "%s has %d dimensions; at least 2 are needed", name, view->layout.ndim);
    RONDO_TRY(check_float(name, *view));
  }
  return check_dtype_of(names.b, b, names.a, a);
}

// Rows of the result, and with them what is made of those.
void lay_out_rows(const Layout& shape, RowSide* after, Product* product) {
  constexpr int kInputs = Expression::kMaxInputs;
  Dims<1 + kInputs> rows;
  const int last = shape.ndim - 1;
  for (int d = 0; d < last; ++d) {
    int64_t steps[1 + kInputs] = {product->out.layout.strides[d]};
    for (size_t k = 0; after && k < after->inputs.size(); ++k) steps[1 + k] = after->inputs[k].layout.strides[d];
    rows.push(shape.shape[d], steps);
  }
  product->rows = rows.arrays<1>(0);
  if (!after) return;
  after->rows = rows.arrays<kInputs>(1);
  for (size_t k = 0; k < after->inputs.size(); ++k) after->step[k] = after->inputs[k].layout.strides[last];
}

}  // namespace

std::optional<BatchStrides> Product::apart(const Product& other) const {
  // As far as algorithms hang on where memory begins.
  const auto aligned = [](const View& view) { return std::gcd(view.offset, kAligned); };
  const auto same_view = [&](const View& x, const View& y) {
    return x.dtype == y.dtype && x.layout.same_as(y.layout) && aligned(x) == aligned(y);
  };
  const bool alike = m == other.m && n == other.n && k == other.k && same_view(a, other.a) && same_view(b, other.b) &&
                     same_view(out, other.out) && std::equal(a_step, a_step + 2, other.a_step) &&
                     std::equal(b_step, b_step + 2, other.b_step) && activation == other.activation &&
                     allow_tf32 == other.allow_tf32 && bias.storage == other.bias.storage &&
                     bias.offset == other.bias.offset && bias_step == other.bias_step;
  const bool single = batch.count == 0 && other.batch.count == 0 && !after && !other.after && !out.accumulate &&
                      !other.out.accumulate && out.layout.ndim < kMaxDims;
  if (!alike || !single || a.storage != other.a.storage || b.storage != other.b.storage) return {};
  const auto size = static_cast<int64_t>(dtype_size(dtype())), out_size = static_cast<int64_t>(dtype_size(out.dtype));
  const int64_t a_bytes = other.a.offset - a.offset, b_bytes = other.b.offset - b.offset;
  const int64_t out_bytes = out.storage == other.out.storage ? other.out.offset - out.offset : 0;
  if (a_bytes < 0 || b_bytes < 0 || out_bytes < 0 || a_bytes % size || b_bytes % size || out_bytes % out_size)
    return {};
  return BatchStrides{a_bytes / size, b_bytes / size, out_bytes / out_size};
}

Product Product::stacked(int64_t count, const BatchStrides& apart) const {
  // The axis of the stack stands before the leading axes of an operand, where they are broadcast.
  const auto stack = [&](View* view, int64_t step) {
    Layout& layout = view->layout;
    Layout wider;
    wider.ndim = out.layout.ndim + 1;
    wider.shape[0] = count;
    wider.strides[0] = step;
    for (int d = 1; d < wider.ndim; ++d) {
      const int from = d - (wider.ndim - layout.ndim);
      wider.shape[d] = from < 0 ? 1 : layout.shape[from];
      wider.strides[d] = from < 0 ? 0 : layout.strides[from];
    }
    layout = wider;
  };
  Product product = *this;
  stack(&product.a, apart.a);
  stack(&product.b, apart.b);
  stack(&product.out, apart.out);
  product.batch.push(count, {apart.a, apart.b, apart.out});
  lay_out_rows(product.out.layout, nullptr, &product);
  return product;
}

void Product::declare(Task& task) const {
  task.reads(*a.storage);
  task.reads(*b.storage);
  if (has_bias()) task.reads(*bias.storage);
  for (size_t k = 0; after && k < after->inputs.size(); ++k) task.reads(*after->inputs[k].storage);
  declare_output(task, out);
}

void Product::list_operands(std::vector<TaskOperand>* list) const {
  *list = {{a, false}, {b, false}};
  if (has_bias()) list->push_back({bias, false});
  for (size_t k = 0; after && k < after->inputs.size(); ++k) list->push_back({after->inputs[k], false});
  list->push_back({out, true});
}

Status matmul_shape(const MatmulNames& names, const View& a, const View& b, const MatmulOptions& options,
                    Layout* shape) {
  RONDO_TRY(check_operands(names, a, b));
  const Matrix left = split(a, options.transpose_a), right = split(b, options.transpose_b);
  if (left.size[1] != right.size[0])
    return error(RONDO_INVALID_ARGUMENT, "%s %s%s has %lld columns but %s %s%s has %lld rows", names.a,
                 shape_text(a.layout).c_str(), options.transpose_a ? " transposed" : "",
                 static_cast<long long>(left.size[1]), names.b, shape_text(b.layout).c_str(),
                 options.transpose_b ? " transposed" : "", static_cast<long long>(right.size[0]));
  Layout batch;
  if (!broadcast_shapes(left.batch, right.batch, &batch))
    return error(RONDO_INVALID_ARGUMENT, "leading axes of %s %s and %s %s do not broadcast; sizes must be equal or 1",
                 names.a, shape_text(a.layout).c_str(), names.b, shape_text(b.layout).c_str());
  batch.shape[batch.ndim++] = left.size[0];
  batch.shape[batch.ndim++] = right.size[1];
  *shape = Layout::row_major(batch.ndim, batch.shape);
  return {};
}

// The result of operands, whose dtype is theirs.
static Status find_product(const MatmulNames& names, const View& a, const View& b, const MatmulOptions& options,
                           ResultType* made) {
  RONDO_TRY(matmul_shape(names, a, b, options, &made->shape));
  made->set(a.dtype, made->shape);
  if (!options.bias) return {};
  return check_type("bias", *options.bias, a.dtype, Layout::row_major(1, &made->shape.shape[made->shape.ndim - 1]));
}

Status infer(const MatmulCall& call, InputTypes inputs, ResultTypes results) {
  MatmulOptions options;
  options.transpose_a = call.transpose_a;
  options.transpose_b = call.transpose_b;
  options.bias = call.bias ? inputs[2] : nullptr;
  return find_product({}, *inputs[0], *inputs[1], options, &results[0]);
}

// The common form of a product of checked operands.
static Product lay_out_product(const View& a, const View& b, const MatmulOptions& options, const View& out) {
  const Matrix left = split(a, options.transpose_a), right = split(b, options.transpose_b);
  Product product;
  product.a = a;
  product.b = b;
  product.out = out;
  product.m = left.size[0];
  product.n = right.size[1];
  product.k = left.size[1];
  product.activation = options.activation;
  product.allow_tf32 = options.allow_tf32;
  if (options.bias) {
    product.bias = *options.bias;
    product.bias_step = options.bias->layout.strides[0];
  }
  const int lead = out.layout.ndim - 2;
  Layout batch = out.layout;
  batch.ndim = lead;
  const Layout left_batch = broadcast_layout(left.batch, batch), right_batch = broadcast_layout(right.batch, batch);
  const int64_t* strides = out.layout.strides;
  for (int d = 0; d < lead; ++d)
    product.batch.push(batch.shape[d], {left_batch.strides[d], right_batch.strides[d], strides[d]});
  for (int i = 0; i < 2; ++i) {
    product.a_step[i] = left.step[i];
    product.b_step[i] = right.step[i];
    product.out_step[i] = strides[lead + i];
  }
  fold_batch(&product);
  return product;
}

Product product_of(const MatmulCall& call, std::span<const View> inputs, const View& out) {
  MatmulOptions options;
  options.transpose_a = call.transpose_a;
  options.transpose_b = call.transpose_b;
  options.bias = call.bias ? &inputs[2] : nullptr;
  options.activation = call.activation;
  options.allow_tf32 = call.allow_tf32;
  Product product = lay_out_product(inputs[0], inputs[1], options, out);
  lay_out_rows(out.layout, nullptr, &product);
  return product;
}

Product batch_of(const BatchedMatmulCall& call, std::span<const View> inputs, const View& out) {
  const auto first_of = [](View view) {
    Layout& layout = view.layout;
    std::copy(layout.shape + 1, layout.shape + layout.ndim, layout.shape);
    std::copy(layout.strides + 1, layout.strides + layout.ndim, layout.strides);
    --layout.ndim;
    return view;
  };
  const auto step = [](const View& view) { return view.layout.strides[0]; };
  std::vector<View> first = {first_of(inputs[0]), first_of(inputs[1])};
  if (call.each.bias) first.push_back(inputs[2]);
  Product batch = product_of(call.each, first, first_of(out))
                      .stacked(out.layout.shape[0], {step(inputs[0]), step(inputs[1]), step(out)});
  batch.as_alone = call.as_alone;
  return batch;
}

Status multiply(const MatmulNames& names, const View& a, const View& b, const MatmulOptions& options,
                std::shared_ptr<RowSide> after, rondo_dtype dtype, Output& out) {
  const NamedView named[] = {{names.a, &a}, {names.b, &b}, {"bias", options.bias}};
  RONDO_TRY(check_inputs({named, options.bias ? size_t{3} : size_t{2}}));
  ResultType made;
  RONDO_TRY(find_product(names, a, b, options, &made));
  SmallVector<const View*, 4> inputs;
  inputs.push_back(&a);
  inputs.push_back(&b);
  if (options.bias) inputs.push_back(options.bias);
  for (size_t k = 0; after && k < after->inputs.size(); ++k) inputs.push_back(&after->inputs[k]);
  View to;
  RONDO_TRY(
      out.resolve(a.engine(), a.device(), dtype, made.shape, std::span(inputs.begin(), inputs.size()), false, &to));
  const auto call = [&] {
    return Call{MatmulCall{options.transpose_a, options.transpose_b, options.bias != nullptr, options.allow_tf32,
                           options.activation}};
  };
  const Describe describe = after ? Describe() : Describe(call);
  Product product = lay_out_product(a, b, options, to);
  if (to.elements() == 0) return submit_nothing("matmul", product, {&out}, describe);
  lay_out_rows(to.layout, after.get(), &product);
  product.after = std::move(after);
  return a.device().is_host() ? submit(a.engine(), make_cpu_matmul(product), {&out}, describe)
                              : submit_prepared(a.engine(), make_cuda_matmul(product), {&out}, describe);
}

Product product_of(const RecurrentProductCall& call, std::span<const View> inputs, const View& out) {
  MatmulCall plain = call;
  plain.bias = false;
  Product product = product_of(plain, inputs.first(2), out);
  if (!call.bias) return product;
  auto after = std::make_shared<RowSide>();
  after->inputs.push_back(inputs[2]);
  after->inputs[0].layout = broadcast_layout(inputs[2].layout, out.layout);
  Expression& e = after->expression;
  const Value addend = e.input(out.dtype), sum = e.input(out.dtype);
  e.output(e.apply(Op::add, sum, addend), out.dtype, false);
  lay_out_rows(out.layout, after.get(), &product);
  product.after = std::move(after);
  return product;
}

Status multiply_into(const View& a, const View& b, const MatmulOptions& options, const View& to) {
  const MatmulCall call{options.transpose_a, options.transpose_b, options.bias != nullptr, options.allow_tf32,
                        options.activation};
  if (to.elements() == 0) return {};
  SmallVector<View, 3> inputs;
  inputs.push_back(a);
  inputs.push_back(b);
  if (options.bias) inputs.push_back(*options.bias);
  const bool wider = to.dtype != a.dtype;
  const std::span<const View> operands(inputs.begin(), inputs.size());
  const Product product = wider ? product_of(RecurrentProductCall{call}, operands, to) : product_of(call, operands, to);
  const auto as_matmul = [&] { return Call{call}; };
  const auto as_wider = [&] { return Call{RecurrentProductCall{call}}; };
  const Describe describe = wider ? Describe(as_wider) : Describe(as_matmul);
  return a.device().is_host() ? submit(a.engine(), make_cpu_matmul(product), {}, describe)
                              : submit_prepared(a.engine(), make_cuda_matmul(product), {}, describe);
}

Status matmul(const View& a, const View& b, const MatmulOptions& options, Output& out) {
  return multiply({}, a, b, options, nullptr, a.dtype, out);
}

}  // namespace rondo::ops
