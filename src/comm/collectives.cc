// Checks the collectives that users call, makes tasks of them, and submits them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/dtype.h"
#include "base/text.h"
#include "base/threads/thread_owned.h"
#include "comm/collective_task.h"
#include "ops/operators/reductions.h"
#include "ops/ops.h"
#include "ops/task/submit.h"

namespace rondo::comm {

namespace {

// The group that a thread has begun and not ended.
struct OpenGroup {
  const Communicator* communicator;
  Ref<CollectiveTask> task;
  Status failure;
};
std::vector<OpenGroup>& open_groups() {
  static constinit const ThreadOwned<std::vector<OpenGroup>> groups;
  return groups.get();
}
OpenGroup* group_of(const Communicator& communicator) {
  for (OpenGroup& each : open_groups())
    if (each.communicator == &communicator) return &each;
  return nullptr;
}

Status check_reduction(rondo_reduce_op reduction, rondo_dtype dtype) {
  const bool known = reduction == RONDO_SUM || reduction == RONDO_PROD || reduction == RONDO_MIN ||
                     reduction == RONDO_MAX || reduction == RONDO_MEAN;
  const char* name = ops::reduce_name(reduction);
  if (!known && !name)
    return error(RONDO_INVALID_ARGUMENT,
                 "reduction is %d; RONDO_SUM (%d), RONDO_PROD (%d), RONDO_MEAN (%d), RONDO_MAX (%d) and RONDO_MIN "
                 "(%d) are possible",
                 static_cast<int>(reduction), RONDO_SUM, RONDO_PROD, RONDO_MEAN, RONDO_MAX, RONDO_MIN);
  if (!known)
    return error(RONDO_UNSUPPORTED, "no collective reduces by %s; sum, prod, min, max and mean are possible", name);
  if (dtype == RONDO_BOOL) return error(RONDO_UNSUPPORTED, "bool is moved, not reduced; cast it to u8 first");
  if (is_f8(dtype))
    return error(RONDO_UNSUPPORTED, "%s is moved, not reduced; cast it to f32 or another dtype first (rondo_cast)",
                 dtype_name(dtype));
  if (reduction == RONDO_MEAN && !is_float(dtype))
    return error(RONDO_UNSUPPORTED, "the mean is for floating dtypes, not for %s; cast first", dtype_name(dtype));
  return {};
}

bool direct(const View& view) {
  return view.layout.contiguous() && !view.accumulate;
}

// The first dimension times or divided by the number of ranks.
Layout scaled(const Layout& layout, int64_t factor, int64_t divisor) {
  std::array<int64_t, kMaxDims> shape = {1};
  const int ndim = layout.ndim > 0 ? layout.ndim : 1;
  for (int i = 0; i < layout.ndim; ++i) shape[static_cast<size_t>(i)] = layout.shape[i];
  shape[0] = shape[0] * factor / divisor;
  return Layout::row_major(ndim, shape.data());
}

}  // namespace

Status Communicator::check_view(const char* name, const View& view) const {
  if (&view.engine() != engine_.get())
    return error(RONDO_INVALID_ARGUMENT, "%s belongs to another engine than the communicator", name);
  if (&view.device() != &device_)
    return error(RONDO_INVALID_ARGUMENT, "%s is on %s and the communicator's end on %s; copy it with rondo_copy_to",
                 name, device_name(view.device().id()).c_str(), device_name(device_.id()).c_str());
  return {};
}

Status Communicator::check_output(const View& view) const {
  if (group_of(*this) && !direct(view))
    return error(RONDO_INVALID_ARGUMENT,
                 "inside a group an output must be contiguous and no accumulator; write to a tensor of its own");
  return {};
}

Status Communicator::check_rank(const char* name, int32_t rank) const {
  if (rank >= 0 && rank < size()) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s is %d; the communicator has the ranks 0 to %d", name, rank, size() - 1);
}

Status Communicator::check_operation(const Operation& operation) const {
  RONDO_TRY(check());
  return transport_->supports(operation);
}

// --- submission ---

Status Communicator::submit(Ref<CollectiveTask> task) {
  const std::lock_guard lock(submit_mutex_);
  RONDO_TRY(check());
  if (order_check_) {
    const std::string text = (Engine::thread_sink() ? "recorded " : "") + task->text();
    Status difference;
    {
      std::lock_guard state(mutex_);
      difference = order_check_->own(text);
    }
    session_->tell("step " + text);
    if (!difference.ok()) fail(difference, true);
    RONDO_TRY(difference);
  }
  submitted_.fetch_add(1, std::memory_order_relaxed);
  return ops::submit(*engine_, std::move(task), {}, [] { return ops::Call{ops::CollectiveCall{}}; });
}

Status Communicator::submit(const Operation& operation, const View* input, const View* output) {
  // The copies that only this task uses are held by it.
  Ref<Storage> packed_input, packed_output;
  View from, to;
  if (input && !input->layout.contiguous()) {
    from = make_temporary(*engine_, device_, input->dtype, input->layout, &packed_input);
    RONDO_TRY(ops::copy_elements(*input, from));
    input = &from;
  }
  const View* result = output;
  if (output && !direct(*output)) {
    to = make_temporary(*engine_, device_, output->dtype, output->layout, &packed_output);
    output = &to;
  }
  if (OpenGroup* group = group_of(*this)) {
    group->task->add(operation, input, output);
    return {};
  }
  Ref<CollectiveTask> task = make_ref<CollectiveTask>(kind_name(operation.kind), Ref<Communicator>::share(this));
  task->add(operation, input, output);
  RONDO_TRY(submit(std::move(task)));
  return result == output ? Status() : ops::copy_elements(*output, *result);
}

Status Communicator::submit(const Operation& operation, const View& input, const Layout& layout, bool in_place,
                            ops::Output& out) {
  RONDO_TRY(check_operation(operation));
  View output;
  RONDO_TRY(out.resolve(*engine_, device_, input.dtype, layout, {&input}, in_place, &output));
  RONDO_TRY(check_output(output));
  RONDO_TRY(submit(operation, &input, &output));
  out.commit();
  return {};
}

Status Communicator::group_begin() {
  RONDO_TRY(check());
  if (group_of(*this))
    return error(RONDO_INVALID_STATE, "a group of communicator '%s' is open on this thread; end it first", name());
  open_groups().push_back({this, make_ref<CollectiveTask>("comm_group", Ref<Communicator>::share(this)), {}});
  return {};
}

Status Communicator::group_end() {
  OpenGroup* group = group_of(*this);
  if (!group)
    return error(RONDO_INVALID_STATE, "no group of communicator '%s' is open on this thread; begin one first", name());
  const Ref<Communicator> keep = Ref<Communicator>::share(this);
  const OpenGroup ended = std::move(*group);
  open_groups().erase(open_groups().begin() + (group - open_groups().data()));
  RONDO_TRY(ended.failure);
  return ended.task->empty() ? Status() : submit(ended.task);
}

Status Communicator::grouped(const Status& status) {
  OpenGroup* group = status.ok() ? nullptr : group_of(*this);
  if (group && group->failure.ok()) group->failure = status;
  return status;
}

// --- the collectives ---

Status Communicator::all_reduce(const View& input, rondo_reduce_op reduction, ops::Output& out) {
  RONDO_TRY(check_view("input", input));
  RONDO_TRY(ops::check_moved({{"input", &input}}));
  RONDO_TRY(check_reduction(reduction, input.dtype));
  const Operation operation{Kind::all_reduce, input.dtype, reduction, 0, static_cast<size_t>(input.elements())};
  return submit(operation, input, input.layout, true, out);
}

Status Communicator::all_reduce_in_place(const View& view, rondo_reduce_op reduction) {
  RONDO_TRY(check_view("input", view));
  RONDO_TRY(check_reduction(reduction, view.dtype));
  const Operation operation{Kind::all_reduce, view.dtype, reduction, 0, static_cast<size_t>(view.elements())};
  RONDO_TRY(check_operation(operation));
  return submit(operation, &view, &view);
}

Status Communicator::all_gather(const View& input, ops::Output& out) {
  RONDO_TRY(check_view("input", input));
  RONDO_TRY(ops::check_moved({{"input", &input}}));
  const Operation operation{Kind::all_gather, input.dtype, RONDO_SUM, 0, static_cast<size_t>(input.elements())};
  return submit(operation, input, scaled(input.layout, size(), 1), false, out);
}

Status Communicator::check_parts(const View& input) const {
  if (input.layout.ndim > 0 && input.layout.shape[0] % size() == 0) return {};
  return error(RONDO_INVALID_ARGUMENT, "input has shape %s; its first dimension must be a multiple of the %d ranks",
               shape_text(input.layout).c_str(), size());
}

Status Communicator::reduce_scatter(const View& input, rondo_reduce_op reduction, ops::Output& out) {
  RONDO_TRY(check_view("input", input));
  RONDO_TRY(ops::check_moved({{"input", &input}}));
  RONDO_TRY(check_reduction(reduction, input.dtype));
  RONDO_TRY(check_parts(input));
  const auto count = static_cast<size_t>(input.elements() / size());
  const Operation operation{Kind::reduce_scatter, input.dtype, reduction, 0, count};
  return submit(operation, input, scaled(input.layout, 1, size()), false, out);
}

Status Communicator::broadcast(const View& view, int32_t root) {
  RONDO_TRY(check_rank("root", root));
  RONDO_TRY(check_view("tensor", view));
  const bool mine = root == rank();
  RONDO_TRY(mine ? ops::check_moved({{"tensor", &view}}) : ops::check_writable("tensor", view));
  if (!mine) RONDO_TRY(check_output(view));
  const Operation operation{Kind::broadcast, view.dtype, RONDO_SUM, root, static_cast<size_t>(view.elements())};
  RONDO_TRY(check_operation(operation));
  return submit(operation, mine ? &view : nullptr, mine ? nullptr : &view);
}

Status Communicator::reduce(const View& input, rondo_reduce_op reduction, int32_t root, ops::Output* out) {
  RONDO_TRY(check_rank("root", root));
  RONDO_TRY(check_view("input", input));
  RONDO_TRY(ops::check_moved({{"input", &input}}));
  RONDO_TRY(check_reduction(reduction, input.dtype));
  const Operation operation{Kind::reduce, input.dtype, reduction, root, static_cast<size_t>(input.elements())};
  if (root == rank()) return submit(operation, input, input.layout, true, *out);
  RONDO_TRY(check_operation(operation));
  return submit(operation, &input, nullptr);
}

Status Communicator::all_to_all(const View& input, ops::Output& out) {
  RONDO_TRY(check_view("input", input));
  RONDO_TRY(ops::check_moved({{"input", &input}}));
  RONDO_TRY(check_parts(input));
  const auto count = static_cast<size_t>(input.elements() / size());
  const Operation operation{Kind::all_to_all, input.dtype, RONDO_SUM, 0, count};
  return submit(operation, input, input.layout, false, out);
}

Status Communicator::send(const View& view, int32_t peer) {
  RONDO_TRY(check_rank("peer", peer));
  RONDO_TRY(check_view("tensor", view));
  RONDO_TRY(ops::check_moved({{"tensor", &view}}));
  const Operation operation{Kind::send, view.dtype, RONDO_SUM, peer, static_cast<size_t>(view.elements())};
  RONDO_TRY(check_operation(operation));
  return submit(operation, &view, nullptr);
}

Status Communicator::receive(const View& view, int32_t peer) {
  RONDO_TRY(check_rank("peer", peer));
  RONDO_TRY(check_view("tensor", view));
  RONDO_TRY(ops::check_writable("tensor", view));
  RONDO_TRY(check_output(view));
  const Operation operation{Kind::receive, view.dtype, RONDO_SUM, peer, static_cast<size_t>(view.elements())};
  RONDO_TRY(check_operation(operation));
  return submit(operation, nullptr, &view);
}

Status Communicator::barrier() {
  const Operation operation{Kind::barrier, RONDO_U8, RONDO_MAX, 0, 1};
  RONDO_TRY(check_operation(operation));
  return submit(operation, &token_, &token_);
}

}  // namespace rondo::comm
