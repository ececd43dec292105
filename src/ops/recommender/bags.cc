// Checks bags of rows and their gradients, plans them, and submits their tasks.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/recommender/bags.h"

#include "base/text.h"
#include "ops/movement/shapes.h"
#include "ops/optimizer/list.h"
#include "ops/program/infer.h"
#include "ops/program/overlap.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

constexpr const char *kFinite = "options->finite", *kScale = "options->scale";

std::string table_name(size_t i) {
  return format("tables[%zu]", i);
}

Status check_mode(rondo_bag_mode mode) {
  if (mode == RONDO_BAG_SUM || mode == RONDO_BAG_MEAN) return {};
  return error(RONDO_INVALID_ARGUMENT, "mode is %d; RONDO_BAG_SUM or RONDO_BAG_MEAN is needed", static_cast<int>(mode));
}

Status check_tables(InputTypes tables) {
  if (tables.empty()) return error(RONDO_INVALID_ARGUMENT, "there are no tables; one at least is needed");
  const View& first = *tables[0];
  if (!is_float(first.dtype) || is_f8(first.dtype))
    return error(RONDO_INVALID_ARGUMENT, "tables[0] is %s; f16, bf16, f32 or f64 is needed",
                 operand_text(first).c_str());
  for (size_t i = 0; i < tables.size(); ++i) {
    const View& each = *tables[i];
    if (each.layout.ndim != 2)
      return error(RONDO_INVALID_ARGUMENT, "tables[%zu] has shape %s; [rows, width] is needed", i,
                   shape_text(each.layout).c_str());
    if (each.dtype != first.dtype)
      return error(RONDO_INVALID_ARGUMENT, "tables[%zu] has dtype %s but tables[0] has %s; cast one with rondo_cast", i,
                   dtype_name(each.dtype), dtype_name(first.dtype));
    if (each.layout.shape[1] != first.layout.shape[1])
      return error(RONDO_INVALID_ARGUMENT, "tables[%zu] has shape %s but tables[0] has %s; one width is needed", i,
                   shape_text(each.layout).c_str(), shape_text(first.layout).c_str());
  }
  return {};
}

// Indices and offsets, for so many tables; what is of no bag yet: *batch.
Status check_places(size_t tables, const View& indices, const View* offsets, int64_t* batch) {
  RONDO_TRY(check_indices(indices));
  const Layout& shape = indices.layout;
  const auto n = static_cast<int64_t>(tables);
  if (!offsets) {
    if (shape.ndim != 3 || shape.shape[0] != n)
      return error(RONDO_INVALID_ARGUMENT, "indices has shape %s; [%lld, batch, length] is needed without offsets",
                   shape_text(shape).c_str(), printable(n));
    *batch = shape.shape[1];
    return {};
  }
  if (shape.ndim != 1)
    return error(RONDO_INVALID_ARGUMENT, "indices has shape %s; with offsets, [places] is needed",
                 shape_text(shape).c_str());
  if (offsets->dtype != indices.dtype)
    return error(RONDO_INVALID_ARGUMENT, "offsets has dtype %s but indices has %s; cast one with rondo_cast",
                 dtype_name(offsets->dtype), dtype_name(indices.dtype));
  if (offsets->layout.ndim != 1 || offsets->layout.shape[0] % n != 1 % n || offsets->layout.shape[0] < 1)
    return error(RONDO_INVALID_ARGUMENT,
                 "offsets has shape %s; [%lld * batch + 1] is needed, where bags begin and the last one ends",
                 shape_text(offsets->layout).c_str(), printable(n));
  *batch = offsets->layout.shape[0] / n;
  if (n == 1) --*batch;
  return {};
}

Status check_bounds(std::span<const int64_t> all) {
  int64_t rows = 0;
  for (const int64_t each : all)
    if (each < 0 || __builtin_add_overflow(rows, each, &rows))
      return error(RONDO_INVALID_ARGUMENT, "tables have more than 2^63 rows together");
  return {};
}

// The sums of bags of all tables.
Status find_sums(const View& indices, const View* offsets, InputTypes tables, ResultType* sums) {
  RONDO_TRY(check_tables(tables));
  int64_t batch = 0;
  RONDO_TRY(check_places(tables.size(), indices, offsets, &batch));
  std::vector<int64_t> rows;
  for (const View* each : tables) rows.push_back(each->layout.shape[0]);
  RONDO_TRY(check_bounds(rows));
  const int64_t shape[] = {batch, static_cast<int64_t>(tables.size()), tables[0]->layout.shape[1]};
  sums->set(tables[0]->dtype, Layout::row_major(3, shape));
  return {};
}

Status check_rate(const View& rate) {
  if ((rate.dtype == RONDO_F32 || rate.dtype == RONDO_F64) && rate.elements() == 1) return {};
  return error(RONDO_INVALID_ARGUMENT, "rate is %s; one element of f32 or f64 is needed", operand_text(rate).c_str());
}

// Bags of tables that are there: all but `sums`.
Status plan_bags(const Bags& bags, const char* more_name, const View* more, BagPlan* plan) {
  std::vector<std::string> names;
  for (size_t i = 0; i < bags.tables.size(); ++i) names.push_back(table_name(i));
  std::vector<NamedView> named;
  for (size_t i = 0; i < bags.tables.size(); ++i) named.push_back({names[i].c_str(), &bags.tables[i]});
  named.push_back({"indices", bags.indices});
  if (bags.offsets) named.push_back({"offsets", bags.offsets});
  if (more) named.push_back({more_name, more});
  RONDO_TRY(check_inputs(named));
  RONDO_TRY(check_mode(bags.mode));
  plan->tables.assign(bags.tables.begin(), bags.tables.end());
  for (const View& each : bags.tables) plan->rows.push_back(each.layout.shape[0]);
  plan->indices = *bags.indices;
  if (bags.offsets) plan->offsets = *bags.offsets;
  plan->mean = bags.mode == RONDO_BAG_MEAN;
  return {};
}

// Indices, offsets and tables, in the order of the row.
std::vector<const View*> list_bags(const Bags& bags, std::initializer_list<const View*> more) {
  std::vector<const View*> list = {bags.indices};
  if (bags.offsets) list.push_back(bags.offsets);
  for (const View* each : more)
    if (each) list.push_back(each);
  for (const View& each : bags.tables) list.push_back(&each);
  return list;
}

Status submit_bags(BagPlan plan, std::initializer_list<Output*> outputs, const Describe& describe) {
  Engine& engine = plan.engine();
  Ref<OperatorTask> task = plan.device().is_host() ? make_cpu_bags(std::move(plan)) : make_cuda_bags(std::move(plan));
  return submit_prepared(engine, std::move(task), outputs, describe);
}

}  // namespace

const char* BagPlan::name() const {
  static const char* const names[] = {"embedding_bag", "embedding_bag_grad", "embedding_bag_descend"};
  return names[static_cast<int>(what)];
}

int64_t BagPlan::first_row(size_t table) const {
  int64_t first = 0;
  for (size_t i = 0; i < table; ++i) first += rows[i];
  return first;
}

device::BagFacts BagPlan::facts() const {
  device::BagFacts facts = {};
  const Layout &of = indices.layout, &to = sums.layout;
  std::copy(of.strides, of.strides + of.ndim, facts.index_stride + (offsets ? 2 : 0));
  facts.offset_stride = offsets ? offsets->layout.strides[0] : 0;
  std::copy(to.strides, to.strides + 3, facts.sum_stride);
  facts.tables = static_cast<int64_t>(rows.size());
  facts.batch = to.shape[0];
  facts.length = of.shape[of.ndim - 1];
  facts.width = to.shape[2];
  facts.line = offsets ? facts.length : facts.batch * facts.length;
  facts.rows = first_row(rows.size());
  facts.here = facts.tables;
  facts.adds = what == BagTask::sum && sums.accumulate;
  facts.mean = mean;
  return facts;
}

void BagPlan::list_operands(std::vector<TaskOperand>* list) const {
  const auto list_tables = [&](bool written) {
    for (const View& each : tables)
      if (each.storage) list->push_back({each, written});
  };
  list->push_back({indices, false});
  if (offsets) list->push_back({*offsets, false});
  if (what != BagTask::sum) list->push_back({sums, false});
  for (const std::optional<View>* each : {&rate, &finite, &scale})
    if (*each) list->push_back({**each, false});
  if (what != BagTask::gradient) list_tables(false);
  if (what == BagTask::sum)
    list->push_back({sums, true});
  else
    list_tables(true);
}

void BagPlan::declare(Task& task) const {
  std::vector<TaskOperand> all;
  list_operands(&all);
  for (const TaskOperand& each : all) {
    if (each.written)
      declare_output(task, each.view);
    else
      task.reads(*each.view.storage);
  }
  if (checked) task.follows(*checked);
}

Status infer(const EmbeddingBagCall& call, InputTypes inputs, ResultTypes results) {
  return find_sums(*inputs[0], call.offsets ? inputs[1] : nullptr, inputs.subspan(call.offsets ? 2 : 1), &results[0]);
}

// No operand tells how many rows the tables have.
Status infer(const EmbeddingBagGradCall& call, InputTypes inputs, ResultTypes results) {
  const View &indices = *inputs[0], &dy = *inputs.back();
  int64_t batch = 0;
  if (call.rows.empty() || call.made.size() != call.rows.size())
    return error(RONDO_INVALID_ARGUMENT, "rows has %zu members and made %zu; one for each table is needed",
                 call.rows.size(), call.made.size());
  RONDO_TRY(check_places(call.rows.size(), indices, call.offsets ? inputs[1] : nullptr, &batch));
  RONDO_TRY(check_bounds(call.rows));
  RONDO_TRY(check_float("dy", dy));
  const int64_t sums[] = {batch, static_cast<int64_t>(call.rows.size()), dy.layout.ndim == 3 ? dy.layout.shape[2] : 0};
  RONDO_TRY(check_type("dy", dy, dy.dtype, Layout::row_major(3, sums)));
  size_t next = 0;
  for (size_t i = 0; i < call.rows.size(); ++i) {
    const int64_t shape[] = {call.rows[i], sums[2]};
    if (!call.made[i]) continue;
    if (next < results.size()) results[next].set(dy.dtype, Layout::row_major(2, shape));
    ++next;
  }
  if (next == results.size()) return {};
  return error(RONDO_INVALID_ARGUMENT, "it has %zu results; %zu are made", results.size(), next);
}

Status infer(const EmbeddingBagDescendCall& call, InputTypes inputs, ResultTypes results) {
  const InputTypes tables = inputs.last(std::min(results.size(), inputs.size()));
  if (input_of(call, "tables") != inputs.size() - tables.size())
    return error(RONDO_INVALID_ARGUMENT, "it has %zu tables to read and %zu to write",
                 inputs.size() - *input_of(call, "tables"), results.size());
  ResultType sums;
  RONDO_TRY(find_sums(*inputs[0], call.offsets ? inputs[1] : nullptr, tables, &sums));
  const View& gradient = *find_operand(call, inputs, "gradient");
  RONDO_TRY(check_dtype_of("gradient", gradient, "tables[0]", *tables[0]));
  if (!gradient.layout.same_shape(sums.shape))
    return error(RONDO_INVALID_ARGUMENT, "gradient has shape %s; %s is needed, that of the result",
                 shape_text(gradient.layout).c_str(), shape_text(sums.shape).c_str());
  RONDO_TRY(check_rate(*find_operand(call, inputs, "rate")));
  RONDO_TRY(check_one("finite", find_operand(call, inputs, "finite"), RONDO_BOOL));
  RONDO_TRY(check_one("scale", find_operand(call, inputs, "scale"), RONDO_F32));
  for (size_t i = 0; i < tables.size(); ++i) results[i].set(tables[i]->dtype, tables[i]->layout);
  return {};
}

Status embedding_bag(const Bags& bags, Output& out) {
  BagPlan plan;
  RONDO_TRY(plan_bags(bags, nullptr, nullptr, &plan));
  const View& first = bags.tables[0];
  const std::vector<const View*> inputs = list_bags(bags, {});
  const EmbeddingBagCall call{plan.mean, bags.offsets != nullptr};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  RONDO_TRY(out.resolve(first.engine(), first.device(), made.dtype, made.shape, inputs, false, &plan.sums));
  const auto describe = [&] { return Call{call}; };
  if (plan.sums.elements() == 0) return submit_nothing(plan.name(), plan, {&out}, describe);
  RONDO_TRY(check_bags(&plan));
  return submit_bags(std::move(plan), {&out}, describe);
}

Status embedding_bag_grad(const View& indices, const View* offsets, const View& dy, const EmbeddingBagGradCall& call,
                          std::span<rondo_tensor** const> gradients) {
  BagPlan plan;
  plan.what = BagTask::gradient;
  plan.rows = call.rows;
  plan.indices = indices;
  if (offsets) plan.offsets = *offsets;
  plan.sums = dy;
  plan.mean = call.mean;
  plan.tables.resize(call.rows.size());
  std::vector<const View*> inputs = {&indices, &dy};
  if (offsets) inputs.insert(inputs.begin() + 1, offsets);
  std::vector<ResultType> made(static_cast<size_t>(std::count(call.made.begin(), call.made.end(), true)));
  RONDO_TRY(infer(call, inputs, made));
  bool some = false;
  size_t next = 0;
  for (size_t i = 0; i < call.rows.size(); ++i) {
    if (!gradients[i]) continue;
    const ResultType& each = made[next++];
    if (!*gradients[i]) *gradients[i] = make_tensor(dy.engine(), dy.device(), each.dtype, each.shape);
    plan.tables[i] = (*gradients[i])->view;
    some |= plan.tables[i].elements() > 0;
  }
  const auto describe = [&] { return Call{call}; };
  return some ? submit_bags(std::move(plan), {}, describe) : submit_nothing(plan.name(), plan, {}, describe);
}

Status embedding_bag_descend(const Bags& bags, const View& gradient, const BagStep& step) {
  BagPlan plan;
  plan.what = BagTask::descend;
  RONDO_TRY(plan_bags(bags, "gradient", &gradient, &plan));
  const View& first = bags.tables[0];
  const View& rate = *step.rate;
  RONDO_TRY(check_inputs({{"tables[0]", &first}, {"rate", &rate}}));
  RONDO_TRY(check_given(kFinite, step.finite, RONDO_BOOL, "tables", first));
  RONDO_TRY(check_given(kScale, step.scale, RONDO_F32, "tables", first));
  const EmbeddingBagDescendCall call{plan.mean, bags.offsets != nullptr, step.finite != nullptr, step.scale != nullptr};
  std::vector<ResultType> made(bags.tables.size());
  RONDO_TRY(infer(call, list_bags(bags, {&gradient, &rate, step.finite, step.scale}), made));
  for (size_t i = 0; i < bags.tables.size(); ++i) {
    const View& each = bags.tables[i];
    RONDO_TRY(check_writable(table_name(i).c_str(), each));
    for (size_t j = 0; j < i; ++j)
      if (each.storage == bags.tables[j].storage && overlap(bags.tables[j], each))
        return error(RONDO_INVALID_ARGUMENT, "tables[%zu] and tables[%zu] share memory; each row must come once", j, i);
    const struct {
      const char* name;
      const View* view;
    } read[] = {{"indices", bags.indices}, {"offsets", bags.offsets}, {"gradient", &gradient},
                {"rate", &rate},           {kFinite, step.finite},    {kScale, step.scale}};
    for (const auto& other : read)
      if (other.view && other.view->storage == each.storage && overlap(*other.view, each))
        return error(RONDO_INVALID_ARGUMENT, "tables[%zu] and %s share memory; a copy (rondo_copy) is needed", i,
                     other.name);
  }
  plan.sums = gradient;
  plan.rate = rate;
  if (step.finite) plan.finite = *step.finite;
  if (step.scale) plan.scale = *step.scale;
  if (gradient.elements() == 0 || plan.places() == 0 || plan.first_row(plan.rows.size()) == 0) return {};
  RONDO_TRY(check_bags(&plan));
  return submit_bags(std::move(plan), {}, [&] { return Call{call}; });
}

}  // namespace rondo::ops
