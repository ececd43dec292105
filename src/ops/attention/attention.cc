// Checks attention and its gradient, plans them, and submits their tasks on the host or a GPU.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/attention.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/views.h"
#include "ops/program/infer.h"
#include "ops/task/nothing.h"

namespace rondo::ops {

using namespace device;

namespace {

Status check_rows(const char* name, const View& view, const View& q) {
  RONDO_TRY(check_dtype_of(name, view, "q", q));
  const Layout& layout = view.layout;
  if (layout.ndim != 4)
    return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; [batch, %s, heads, size] is needed", name,
                 shape_text(layout).c_str(), &view == &q ? "queries" : "keys");
  return {};
}

// Masks are seen as one element for each pair of a query and a key, and random numbers are counted by these.
Status check_pairs(const View& q, const View& k) {
  constexpr int64_t kMostPairs = int64_t{1} << 56;
  int64_t pairs = k.layout.shape[1];
  bool many = false;
  for (int d = 0; d < 3; ++d) many = __builtin_mul_overflow(pairs, q.layout.shape[d], &pairs) || many;
  if (!many && pairs <= kMostPairs) return {};
  return error(RONDO_INVALID_ARGUMENT,
               "q has shape %s and k %s; batch, heads, queries and keys together may be 2^56 pairs",
               shape_text(q.layout).c_str(), shape_text(k.layout).c_str());
}

Status check_shapes(const View& q, const View& k, const View& v) {
  RONDO_TRY(check_float("q", q));
  RONDO_TRY(check_rows("q", q, q));
  RONDO_TRY(check_rows("k", k, q));
  RONDO_TRY(check_rows("v", v, q));
  const int64_t *of_q = q.layout.shape, *of_k = k.layout.shape;
  if (of_q[3] < 1 || of_q[3] > 256)
    return error(RONDO_INVALID_ARGUMENT, "q has shape %s, heads of size %lld; 1 to 256 are possible",
                 shape_text(q.layout).c_str(), printable(of_q[3]));
  if (of_k[0] != of_q[0] || of_k[3] != of_q[3])
    return error(RONDO_INVALID_ARGUMENT, "k has shape %s; with q of %s, [%lld, keys, heads, %lld] is needed",
                 shape_text(k.layout).c_str(), shape_text(q.layout).c_str(), printable(of_q[0]), printable(of_q[3]));
  if (of_k[2] < 1 || of_q[2] < 1 || of_q[2] % of_k[2] != 0)
    return error(RONDO_INVALID_ARGUMENT, "q has %lld heads and k has %lld; those of q must be a multiple of k's",
                 printable(of_q[2]), printable(of_k[2]));
  if (!v.layout.same_shape(k.layout))
    return error(RONDO_INVALID_ARGUMENT, "v has shape %s; that of k is needed: %s", shape_text(v.layout).c_str(),
                 shape_text(k.layout).c_str());
  return check_pairs(q, k);
}

Status check_lengths(const char* name, const View* lengths, const View& q) {
  if (!lengths) return {};
  if (lengths->dtype != RONDO_I32)
    return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s; i32 is needed (rondo_cast makes it)", name,
                 dtype_name(lengths->dtype));
  if (lengths->layout.ndim != 1 || lengths->layout.shape[0] != q.layout.shape[0])
    return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; [%lld] is needed, one for each of the batch", name,
                 shape_text(lengths->layout).c_str(), printable(q.layout.shape[0]));
  return {};
}

// The layout that a mask is broadcast to.
Layout scores_of(const View& q, const View& k) {
  const int64_t shape[] = {q.layout.shape[0], q.layout.shape[2], q.layout.shape[1], k.layout.shape[1]};
  return Layout::row_major(4, shape);
}

Status check_extras(const View& q, const View& k, const AttentionExtras& extras) {
  if (const View* mask = extras.mask) {
    if (mask->dtype != RONDO_BOOL && mask->dtype != q.dtype)
      return error(RONDO_INVALID_ARGUMENT,
                   "options->mask has dtype %s; bool is possible, and q's, %s, which is added (rondo_cast makes it)",
                   dtype_name(mask->dtype), dtype_name(q.dtype));
    const Layout scores = scores_of(q, k);
    bool fits = mask->layout.ndim <= 4;
    for (int d = 1; fits && d <= mask->layout.ndim; ++d) {
      const int64_t size = mask->layout.shape[mask->layout.ndim - d];
      fits = size == 1 || size == scores.shape[4 - d];
    }
    if (!fits)
      return error(RONDO_INVALID_ARGUMENT,
                   "options->mask has shape %s; one that broadcasts to [batch, heads, queries, keys], %s, is needed",
                   shape_text(mask->layout).c_str(), shape_text(scores).c_str());
  }
  RONDO_TRY(check_lengths("options->query_lengths", extras.query_lengths, q));
  return check_lengths("options->key_lengths", extras.key_lengths, q);
}

Status check_numbers(const AttentionNumbers& numbers) {
  if (!std::isfinite(numbers.scale))
    return error(RONDO_INVALID_ARGUMENT,
                 "options->scale is %g; a finite number is needed, or 0 for 1 / sqrt(size of a head)", numbers.scale);
  if (!std::isfinite(numbers.cap) || numbers.cap < 0)
    return error(RONDO_INVALID_ARGUMENT, "options->soft_cap is %g; a finite number above 0 is needed, or 0 for none",
                 numbers.cap);
  if (!(numbers.dropped >= 0 && numbers.dropped < 1))
    return error(RONDO_INVALID_ARGUMENT, "options->dropout is %g; it must be at least 0 and less than 1",
                 numbers.dropped);
  for (const bool before : {true, false}) {
    const int64_t keys = before ? numbers.before : numbers.after;
    if (keys < -1)
      return error(RONDO_INVALID_ARGUMENT, "options->%s is %lld; a number of keys is needed, or -1 for all",
                   before ? "before" : "after", printable(keys));
  }
  return {};
}

AttentionCall call_of(const AttentionNumbers& numbers, const AttentionExtras& extras) {
  return {numbers, extras.mask != nullptr, extras.query_lengths != nullptr, extras.key_lengths != nullptr};
}

AttentionExtras extras_of(const AttentionCall& call, InputTypes inputs) {
  return {find_operand(call, inputs, "mask"), find_operand(call, inputs, "query_lengths"),
          find_operand(call, inputs, "key_lengths")};
}

// The results that attention leaves: itself, the logarithms of the sums, where its random numbers began.
Status find_left(const AttentionCall& call, InputTypes inputs, ResultType (*left)[3]) {
  const View &q = *inputs[0], &k = *inputs[1], &v = *inputs[2];
  RONDO_TRY(check_shapes(q, k, v));
  RONDO_TRY(check_numbers(call.numbers));
  RONDO_TRY(check_extras(q, k, extras_of(call, inputs)));
  const int64_t rows[] = {q.layout.shape[0], q.layout.shape[2], q.layout.shape[1]}, words = 2;
  (*left)[0].set(q.dtype, q.layout);
  (*left)[1].set(compute_dtype(q.dtype), Layout::row_major(3, rows));
  (*left)[2].set(RONDO_U64, Layout::row_major(1, &words));
  return {};
}

// The inputs of attention, and what it leaves.
Status find_results(const AttentionNumbers& numbers, const AttentionExtras& extras, std::vector<const View*>* inputs,
                    ResultType (*left)[3]) {
  const View* const q = inputs->front();
  RONDO_TRY(check_inputs({{"q", q}, {"k", (*inputs)[1]}, {"v", (*inputs)[2]}}));
  for (const NamedView& each : {NamedView{"options->mask", extras.mask},
                                {"options->query_lengths", extras.query_lengths},
                                {"options->key_lengths", extras.key_lengths}}) {
    if (!each.view) continue;
    RONDO_TRY(check_inputs({{"q", q}, each}));
    inputs->push_back(each.view);
  }
  const AttentionCall call = call_of(numbers, extras);
  return infer(call, *inputs, ResultTypes(*left, numbers.dropped != 0 ? 3 : 2));
}

AttentionPlan plan_of(const char* name, const View& q, const View& k, const View& v, const AttentionNumbers& numbers,
                      const AttentionExtras& extras) {
  AttentionPlan plan;
  plan.name = name;
  plan.numbers = numbers;
  plan.view[kAttentionQ] = q;
  plan.view[kAttentionK] = k;
  plan.view[kAttentionV] = v;
  if (extras.mask) {
    plan.view[kAttentionMask] = *extras.mask;
    plan.view[kAttentionMask]->layout = broadcast_layout(extras.mask->layout, scores_of(q, k));
  }
  if (extras.query_lengths) plan.view[kAttentionQueryLengths] = *extras.query_lengths;
  if (extras.key_lengths) plan.view[kAttentionKeyLengths] = *extras.key_lengths;
  return plan;
}

Status submit_plan(const AttentionPlan& plan, std::initializer_list<Output*> outputs, const Describe& describe) {
  const bool host = plan.q().device().is_host();
  return submit_prepared(plan.q().engine(), host ? make_cpu_attention(plan) : make_cuda_attention(plan), outputs,
                         describe);
}

}  // namespace

Status infer(const AttentionCall& call, InputTypes inputs, ResultTypes results) {
  ResultType left[3];
  RONDO_TRY(find_left(call, inputs, &left));
  std::copy_n(left, results.size(), results.begin());
  return {};
}

Status infer(const AttentionGradCall& call, InputTypes inputs, ResultTypes results) {
  ResultType left[3];
  RONDO_TRY(find_left(call, inputs, &left));
  const char* const names[] = {"out", "lse", "draw"};
  for (size_t i = 0; i < 3; ++i)
    if (const View* each = find_operand(call, inputs, names[i]))
      RONDO_TRY(check_type(names[i], *each, left[i].dtype, left[i].shape));
  RONDO_TRY(check_type("dy", *find_operand(call, inputs, "dy"), left[0].dtype, left[0].shape));
  if (const View* dlse = find_operand(call, inputs, "dlse"))
    RONDO_TRY(check_type("dlse", *dlse, left[1].dtype, left[1].shape));
  for (size_t i = 0; i < 3; ++i) results[i].set(inputs[i]->dtype, inputs[i]->layout);
  return {};
}

uint64_t AttentionPlan::draws() const {
  if (!drops() || gradient || kept) return 0;
  return static_cast<uint64_t>(batch() * heads() * queries() * (attention_pitch(keys()) / kAttentionDraws));
}

size_t AttentionPlan::delta_bytes() const {
  if (!gradient) return 0;
  return static_cast<size_t>(batch() * heads() * queries()) * dtype_size(compute_dtype(q().dtype));
}

AttentionArguments AttentionPlan::arguments() const {
  AttentionArguments args = {};
  for (int a = 0; a < kAttentionArrays; ++a) {
    if (!view[a]) continue;
    const Layout& layout = view[a]->layout;
    if (a == kAttentionLse || a == kAttentionDlse) {  // [batch, heads, queries]
      args.stride[a][0] = layout.strides[0];
      args.stride[a][1] = layout.strides[2];
      args.stride[a][2] = layout.strides[1];
    } else {
      std::copy_n(layout.strides, layout.ndim, args.stride[a]);
    }
  }
  args.stride[kAttentionDelta][0] = heads() * queries();
  args.stride[kAttentionDelta][1] = 1;
  args.stride[kAttentionDelta][2] = queries();
  args.batch = batch(), args.heads = heads(), args.shared = heads() / key_heads();
  args.queries = queries(), args.keys = keys(), args.size = size();
  const int64_t all = queries() + keys();
  args.before = numbers.before < 0 ? all : std::min(numbers.before, all);
  args.after = numbers.after < 0 ? all : std::min(numbers.after, all);
  args.last = numbers.last;
  args.scale = numbers.scale != 0 ? numbers.scale : 1 / std::sqrt(static_cast<double>(size()));
  args.cap = numbers.cap;
  args.dropped = numbers.dropped;
  return args;
}

void AttentionPlan::declare(Task& task) const {
  for (int a = 0; a < kAttentionArrays; ++a) {
    if (!uses(a)) continue;
    if (writes(a))
      declare_output(task, *view[a]);
    else
      task.reads(*view[a]->storage);
  }
}

void AttentionPlan::list_operands(std::vector<TaskOperand>* list) const {
  for (const bool written : {false, true})
    for (int a = 0; a < kAttentionArrays; ++a)
      if (uses(a) && writes(a) == written) list->push_back({*view[a], written});
}

Status attention(const View& q, const View& k, const View& v, const AttentionNumbers& numbers,
                 const AttentionExtras& extras, Output& out, Output* lse) {
  std::vector<const View*> inputs = {&q, &k, &v};
  ResultType made[3];
  RONDO_TRY(find_results(numbers, extras, &inputs, &made));
  AttentionPlan plan = plan_of("attention", q, k, v, numbers, extras);
  View to, logarithms;
  RONDO_TRY(out.resolve(q.engine(), q.device(), made[0].dtype, made[0].shape, inputs, false, &to));
  Ref<Storage> kept[3];
  if (lse) {
    inputs.push_back(&to);
    RONDO_TRY(lse->resolve(q.engine(), q.device(), made[1].dtype, made[1].shape, inputs, false, &logarithms));
    if (logarithms.accumulate)
      return error(RONDO_INVALID_ARGUMENT, "lse is an accumulator view; logarithms are not added");
  } else {
    logarithms = make_temporary(q.engine(), q.device(), made[1].dtype, made[1].shape, &kept[0]);
  }
  // Its gradient needs the result as it is, so adding it to something is a step after it.
  const View result =
      to.accumulate ? make_temporary(q.engine(), q.device(), made[0].dtype, made[0].shape, &kept[1]) : to;
  plan.view[kAttentionOut] = result;
  plan.view[kAttentionLse] = logarithms;
  if (plan.drops())
    plan.view[kAttentionDraw] = make_temporary(q.engine(), q.device(), made[2].dtype, made[2].shape, &kept[2]);
  RONDO_TRY(submit_plan(plan, {}, [&] { return Call{call_of(numbers, extras)}; }));
  if (to.accumulate) RONDO_TRY(copy_elements(result, to));
  out.commit();
  if (lse) lse->commit();
  return {};
}

Status attention_leaving(const View& q, const View& k, const View& v, const AttentionNumbers& numbers,
                         const AttentionExtras& extras, const AttentionLeft& left) {
  std::vector<const View*> inputs = {&q, &k, &v};
  ResultType made[3];
  RONDO_TRY(find_results(numbers, extras, &inputs, &made));
  AttentionPlan plan = plan_of("attention", q, k, v, numbers, extras);
  plan.view[kAttentionOut] = left.out;
  plan.view[kAttentionLse] = left.lse;
  if (left.draw) plan.view[kAttentionDraw] = *left.draw;
  return submit_plan(plan, {}, [&] { return Call{call_of(numbers, extras)}; });
}

Status attention_kept(const AttentionKeptCall& call, const View& draw, rondo_dtype dtype, const Layout& shape,
                      Output& out) {
  View to;
  RONDO_TRY(out.resolve(draw.engine(), draw.device(), dtype, shape, {&draw}, false, &to));
  AttentionPlan plan;
  plan.name = "attention_kept";
  plan.numbers = call.numbers;
  plan.kept = true;
  plan.view[kAttentionOut] = to;
  plan.view[kAttentionDraw] = draw;
  for (const int array : {kAttentionQ, kAttentionK}) {
    const int64_t rows[] = {shape.shape[0], shape.shape[array == kAttentionQ ? 2 : 3], shape.shape[1], call.size};
    plan.view[array] = to;
    plan.view[array]->layout = Layout::row_major(4, rows);
  }
  const auto describe = [&] { return Call{call}; };
  if (to.elements() == 0) return submit_nothing(plan.name, plan, {&out}, describe);
  return submit_plan(plan, {&out}, describe);
}

Status attention_grad(const View& q, const View& k, const View& v, const AttentionNumbers& numbers,
                      const AttentionExtras& extras, const AttentionLeft& left, const View& dy, const View* dlse,
                      Output& dq, Output& dk, Output& dv) {
  std::vector<const View*> inputs = {&q, &k, &v};
  for (const View* each :
       {extras.mask, extras.query_lengths, extras.key_lengths, &left.out, &left.lse, left.draw, &dy, dlse})
    if (each) inputs.push_back(each);
  const AttentionGradCall call{call_of(numbers, extras), dlse != nullptr};
  ResultType made[3];
  RONDO_TRY(infer(call, inputs, made));
  AttentionPlan plan = plan_of("attention_grad", q, k, v, numbers, extras);
  plan.gradient = true;
  plan.view[kAttentionOut] = left.out;
  plan.view[kAttentionLse] = left.lse;
  plan.view[kAttentionDy] = dy;
  if (dlse) plan.view[kAttentionDlse] = *dlse;
  if (left.draw) plan.view[kAttentionDraw] = *left.draw;
  Output* const outputs[] = {&dq, &dk, &dv};
  const int arrays[] = {kAttentionDq, kAttentionDk, kAttentionDv};
  for (size_t i = 0; i < 3; ++i)
    RONDO_TRY(outputs[i]->resolve(q.engine(), q.device(), made[i].dtype, made[i].shape, {}, false,
                                  &plan.view[arrays[i]].emplace()));
  return submit_plan(plan, {&dq, &dk, &dv}, [&] { return Call{call}; });
}

}  // namespace rondo::ops
