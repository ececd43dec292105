// Runs an expression's text: submits the tasks of a call, or of several independent ones, in their order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/expression_run.h"
#include "base/text.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <optional>

#include "ops/elementwise/elementwise_group.h"
#include "ops/program/overlap.h"
#include "ops/task/submit.h"
#include "ops/text/expression_call.h"

namespace rondo::ops {

namespace {

// Elementwise tasks as one, if there are any.
Status submit_together(const ExpressionText& text, const ExpressionCall& call,
                       std::vector<Ref<ElementwiseTask>> parts) {
  if (parts.empty()) return {};
  std::vector<const ElementwiseTask*> tasks;
  for (const Ref<ElementwiseTask>& each : parts) tasks.push_back(each.get());
  const auto describe = [&] {
    TextCall described;
    for (const ElementwiseTask* each : tasks) {
      auto form = std::make_shared<Fused>();
      form->expression = each->expression();
      std::copy_n(each->scalars(), each->expression().scalars(), form->words);
      described.expressions.push_back(std::move(form));
    }
    return Call{described};
  };
  if (parts.size() == 1) return submit_prepared(call.engine(), std::move(parts[0]), {}, describe);
  return submit_prepared(call.engine(), make_ref<ElementwiseGroup>(text.name(), call.device(), std::move(parts)), {},
                         describe);
}

// One of the sets of a call.
struct Set {
  size_t number = 0;
  std::optional<ExpressionCall> call;

  // The same status, with the set that it is about.
  Status located(const Status& status) const {
    return status.ok() ? status : status.with_context(format("set %zu", number));
  }
};

// A tensor of a set, by the bytes between its first and last element.
struct Given {
  int64_t begin, end;
  const char* name;
  const View* view;
  bool written;
  const Set* set;
};

// An error if what a set writes is touched by another one. Tensors are sorted, so that each is compared with those
// alone that begin within it.
Status check_apart(const std::deque<Set>& sets) {
  std::vector<Given> all;
  for (const Set& set : sets)
    set.call->each_given([&](const char* name, const View& view, bool written) {
      int64_t low = 0, high = 0;
      view.layout.extent(&low, &high);
      const auto size = static_cast<int64_t>(dtype_size(view.dtype));
      all.push_back({view.offset + low * size, view.offset + high * size, name, &view, written, &set});
    });
  const auto storage = [](const Given& each) -> const Storage* { return each.view->storage; };
  std::sort(all.begin(), all.end(), [&](const Given& a, const Given& b) {
    return storage(a) != storage(b) ? std::less<>()(storage(a), storage(b)) : a.begin < b.begin;
  });
  for (auto a = all.begin(); a != all.end(); ++a)
    for (auto b = a + 1; b != all.end() && storage(*b) == storage(*a) && b->begin < a->end; ++b)
      if (a->set != b->set && (a->written || b->written) && overlap(*a->view, *b->view)) {
        const Given &writes = a->written ? *a : *b, &other = a->written ? *b : *a;
        return writes.set->located(error(
            RONDO_INVALID_ARGUMENT, "%s shares elements with %s of another set; what a set writes, no other may touch",
            writes.name, other.name));
      }
  return {};
}

}  // namespace

Status run_expression(const ExpressionText& text, std::span<const rondo_argument> arguments, rondo_tensor** out) {
  ExpressionCall call(text, out);
  ExpressionCall::StagedTasks parts;
  RONDO_TRY(call.pose(arguments, nullptr, &parts));
  RONDO_TRY(submit_together(text, call, std::move(parts.before)));
  RONDO_TRY(call.row_results());
  RONDO_TRY(submit_together(text, call, std::move(parts.results)));
  RONDO_TRY(call.reduce_results());
  call.commit();
  return {};
}

Status run_expression_each(const ExpressionText& text, size_t count, std::span<const rondo_argument> arguments,
                           rondo_tensor** out) {
  if (count == 0) return {};
  const size_t n_arguments = arguments.size() / count, n_out = text.results().size();
  std::deque<Set> sets;
  ExpressionCall::StagedTasks parts;
  for (size_t i = 0; i < count; ++i) {
    Set& set = sets.emplace_back();
    set.number = i;
    ExpressionCall& call = set.call.emplace(text, out + i * n_out);
    RONDO_TRY(set.located(
        call.pose(arguments.subspan(i * n_arguments, n_arguments), i > 0 ? &*sets[i - 1].call : nullptr, &parts)));
    const ExpressionCall& first = *sets[0].call;
    if (&call.engine() != &first.engine())
      return set.located(
          error(RONDO_INVALID_ARGUMENT, "it belongs to another engine than set 0; all must be of one engine"));
    if (&call.device() != &first.device())
      return set.located(error(RONDO_INVALID_ARGUMENT, "it is on %s but set 0 is on %s; all must be on one device",
                               device_name(call.device().id()).c_str(), device_name(first.device().id()).c_str()));
  }
  RONDO_TRY(check_apart(sets));
  const ExpressionCall& first = *sets[0].call;
  RONDO_TRY(submit_together(text, first, std::move(parts.before)));
  for (Set& set : sets) RONDO_TRY(set.located(set.call->row_results()));
  RONDO_TRY(submit_together(text, first, std::move(parts.results)));
  for (Set& set : sets) RONDO_TRY(set.located(set.call->reduce_results()));
  for (Set& set : sets) set.call->commit();
  return {};
}

}  // namespace rondo::ops
