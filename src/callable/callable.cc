// Calls a callable: it finds the graph for the signature of the inputs, and records it if there is none yet.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callable/callable.h"

#include <algorithm>

#include "base/text.h"
#include "engine/tasks/making_limit.h"
#include "engine/views.h"
#include "graph/run/run_limit.h"
#include "ops/movement/shapes.h"
#include "ops/ops.h"
#include "tape/tape.h"

namespace rondo {

namespace {

constexpr int64_t kUsualLimit = int64_t{256} << 20;

Padding padding_of(const rondo_callable_options& options) {
  Padding padding;
  padding.axis = options.pad_axis;
  for (const int64_t size : options.pad_sizes) {
    if (!size) break;
    padding.sizes.push_back(size);
  }
  padding.inputs = options.pad_inputs;
  padding.outputs = options.pad_outputs;
  return padding;
}

}  // namespace

struct Callable::Entry {
  enum class State { recording, graph, eager };
  State state = State::recording;
  Signature signature;
  std::string text;
  Recorded recorded;
  // Tensors from outside that the graph uses, and whether tapes followed them when it was recorded.
  std::vector<std::pair<Storage*, bool>> captured_tensors;
  std::string reason;  // why it is run eagerly
  int64_t own_bytes = 0, calls = 0;

  int64_t bytes() const { return own_bytes + (recorded.gradient ? recorded.gradient->bytes() : 0); }
  static bool followed(Storage* storage) {
    View view;
    view.storage = storage;
    return tape::depends_on_watched(view);
  }
  // True if the thread's tapes follow the same tensors from outside as they did then.
  bool fits() const {
    return std::all_of(captured_tensors.begin(), captured_tensors.end(),
                       [](const auto& each) { return followed(each.first) == each.second; });
  }
};

Callable::Callable(Engine& engine, const char* name, const rondo_callable_options& options, int32_t n_outputs,
                   CallableFunction function, Gradient::Grown grown, std::shared_ptr<Budget> budget)
    : keep_engine_(Ref<Engine>::share(&engine)),
      recipe_{engine,
              name,
              options.flags,
              options.arenas,
              std::move(function),
              n_outputs,
              grown ? std::move(grown) : Gradient::Grown([way = way_] {
                if (const Ref<Callable> callable = way->find()) callable->keep_to_limit();
              }),
              std::move(budget)},
      padding_(padding_of(options)),
      limit_(options.limit_bytes ? options.limit_bytes : kUsualLimit) {
  way_->callable = this;
}

Callable::~Callable() {
  const std::lock_guard lock(way_->mutex);
  way_->callable = nullptr;
}

Ref<Callable> Callable::BackReference::find() {
  const std::lock_guard lock(mutex);
  return callable && callable->retain_unless_gone() ? Ref<Callable>::adopt(callable) : Ref<Callable>();
}

Status Callable::check(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs) const {
  RONDO_TRY(engine().usable());
  if (std::ssize(outputs) != recipe_.n_outputs)
    return error(RONDO_INVALID_ARGUMENT, "n_outputs is %zu; callable '%s' was created with %d", outputs.size(), name(),
                 recipe_.n_outputs);
  const auto check_each = [this](const char* list, size_t i, const View& view) -> Status {
    if (&view.engine() == &engine()) return {};
    return error(RONDO_INVALID_ARGUMENT, "%s[%zu] belongs to another engine than callable '%s'", list, i, name());
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    const View& view = inputs[i]->view;
    RONDO_TRY(check_each("inputs", i, view));
    if (view.accumulate)
      return error(RONDO_INVALID_ARGUMENT, "inputs[%zu] is an accumulator view; pass the tensor itself", i);
    RONDO_TRY(ops::check_written(format("inputs[%zu]", i).c_str(), view));
    const Owner* owner = Engine::owner(*view.storage);
    if (owner && owner != Engine::thread_sink())
      return error(RONDO_INVALID_STATE, "inputs[%zu] is %s", i, owner->refusal);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i]) RONDO_TRY(check_each("outputs", i, outputs[i]->view));
  return {};
}

Status Callable::call(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs, const RunLimit* limit) {
  RONDO_TRY(check(inputs, outputs));
  {
    const std::lock_guard lock(mutex_);
    ++counts_.calls;
  }
  // In a recording its operators are a part of that.
  if (recording_of(engine())) return call_plainly(inputs, outputs);
  int64_t size = 0, full = 0;
  RONDO_TRY(find_size(inputs, &size, &full));
  return size == full ? call_graph(inputs, outputs, limit) : call_filled_up(inputs, outputs, size, full, limit);
}

// Results as outputs: new tensors, or copied into those that the caller gives.
Status Callable::hand_over(std::span<const View> made, std::span<rondo_tensor*> outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    const std::string given = format("outputs[%zu]", i);
    ops::Output out(&outputs[i], given.c_str());
    View to;
    RONDO_TRY(out.resolve(engine(), made[i].device(), made[i].dtype, made[i].layout, {&made[i]}, false, &to));
    RONDO_TRY(ops::copy_elements(made[i], to));
  }
  std::vector<tape::OwnedTensor> owned(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i]) owned[i].tensor = make_view(Ref<Storage>::share(made[i].storage), made[i]);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i]) outputs[i] = std::exchange(owned[i].tensor, nullptr);
  return {};
}

Status Callable::call_plainly(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs) const {
  std::vector<tape::OwnedTensor> made;
  RONDO_TRY(run_function(recipe_, inputs, &made));
  std::vector<View> views;
  for (const tape::OwnedTensor& each : made) views.push_back(each.tensor->view);
  return hand_over(views, outputs);
}

bool Callable::is_filled_up(size_t input, const View& view) const {
  if (view.layout.ndim <= padding_.axis) return false;
  return !padding_.inputs || (input < 64 && ((padding_.inputs >> input) & 1));
}

// The size of the axis, and that which it is filled up to.
Status Callable::find_size(std::span<rondo_tensor* const> inputs, int64_t* size, int64_t* full) const {
  if (padding_.sizes.empty()) return {};
  const rondo_tensor* first = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Layout& layout = inputs[i]->view.layout;
    if (!is_filled_up(i, inputs[i]->view)) continue;
    if (!first) *size = layout.shape[padding_.axis];
    first = inputs[i];
    if (layout.shape[padding_.axis] != *size)
      return error(RONDO_INVALID_ARGUMENT,
                   "inputs[%zu] has shape %s, and axis %d of inputs before it has size %lld; callable '%s' pads that "
                   "axis of all of them to one size: name the inputs that have it in pad_inputs",
                   i, shape_text(layout).c_str(), padding_.axis, static_cast<long long>(*size), name());
  }
  const auto next = std::lower_bound(padding_.sizes.begin(), padding_.sizes.end(), *size);
  *full = next == padding_.sizes.end() || !first ? *size : *next;
  return {};
}

Status Callable::call_filled_up(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs, int64_t size,
                                int64_t full, const RunLimit* limit) {
  std::vector<tape::OwnedTensor> filled(inputs.size());
  std::vector<rondo_tensor*> given(inputs.begin(), inputs.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const View& view = inputs[i]->view;
    if (!is_filled_up(i, view)) continue;
    std::vector<int64_t> widths(2 * static_cast<size_t>(view.layout.ndim), 0);
    widths[2 * static_cast<size_t>(padding_.axis) + 1] = full - size;
    ops::Output out(&filled[i].tensor);
    RONDO_TRY(ops::pad(view, RONDO_PAD_CONSTANT, static_cast<int>(widths.size()), widths.data(), 0, out));
    given[i] = filled[i].tensor;
  }
  std::vector<rondo_tensor*> made(outputs.size(), nullptr);
  std::vector<tape::OwnedTensor> owned(made.size());  // there before what it is to own
  RONDO_TRY(call_graph(given, made, limit));
  for (size_t i = 0; i < made.size(); ++i) owned[i].tensor = made[i];
  std::vector<View> views;
  for (size_t i = 0; i < made.size(); ++i) {
    View view = made[i]->view;
    const bool has = view.layout.ndim > padding_.axis && view.layout.shape[padding_.axis] == full;
    if (has && (!padding_.outputs || (i < 64 && ((padding_.outputs >> i) & 1))))
      RONDO_TRY(slice_view(view, padding_.axis, 0, size, 1, &view));
    views.push_back(view);
  }
  return hand_over(views, outputs);
}

Status Callable::call_graph(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs,
                            const RunLimit* limit) {
  std::vector<Arranged> arranged(inputs.size());
  std::vector<rondo_tensor*> given(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    RONDO_TRY(arranged[i].arrange(inputs[i]->view));
    given[i] = arranged[i].tensor();
  }
  std::shared_ptr<Entry> entry;
  RONDO_TRY(find_or_record(arranged, &entry));
  if (entry->state == Entry::State::eager) return call_plainly(inputs, outputs);

  if (limit) RONDO_TRY(limit->check());
  // After the outputs come the tensors that the gradient needs.
  const Graph& graph = *entry->recorded.graph;
  std::vector<rondo_tensor*> made(outputs.begin(), outputs.end());
  made.resize(static_cast<size_t>(graph.query().outputs), nullptr);
  std::vector<tape::OwnedTensor> fresh(made.size());  // there before what they are to own
  RONDO_TRY(entry->recorded.graph->call(given.data(), made.data(), limit));
  for (size_t i = 0; i < made.size(); ++i)
    if (i >= outputs.size() || !outputs[i]) fresh[i].tensor = made[i];
  if (entry->recorded.gradient) entry->recorded.gradient->note(engine(), given, made);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i]) outputs[i] = std::exchange(fresh[i].tensor, nullptr);
  return {};
}

std::shared_ptr<Callable::Entry> Callable::find(const Signature& signature) {
  const auto [begin, end] = by_signature_.equal_range(signature);
  for (auto each = begin; each != end; ++each) {
    const std::shared_ptr<Entry>& entry = *each->second;
    if (entry->state == Entry::State::recording || entry->fits()) {
      entries_.splice(entries_.begin(), entries_, each->second);
      return entry;
    }
  }
  return nullptr;
}

Status Callable::find_or_record(std::span<const Arranged> inputs, std::shared_ptr<Entry>* found) {
  Signature signature = Signature::of(engine(), inputs);
  Entries gone;
  std::shared_ptr<Entry> entry;
  {
    std::unique_lock lock(mutex_);
    // A task must not wait; it cannot record either, which the attempt says.
    while ((entry = find(signature)) && entry->state == Entry::State::recording && !Engine::in_task())
      recorded_.wait(lock);
    if (entry && entry->state != Entry::State::recording) {
      ++entry->calls;
      ++(entry->state == Entry::State::graph ? counts_.hits : counts_.fallbacks);
      *found = std::move(entry);
      return {};
    }
    entry = std::make_shared<Entry>();
    entry->text = signature_text(signature, inputs);
    entry->signature = std::move(signature);
    entries_.push_front(entry);
    try {
      by_signature_.emplace(entry->signature, entries_.begin());
    } catch (...) {
      entries_.pop_front();
      throw;
    }
  }
  // However this ends, no thread goes on waiting for it.
  struct Finish {
    Callable& callable;
    const std::shared_ptr<Entry>& entry;
    Entries& gone;
    Entry::State state = Entry::State::recording;
    ~Finish() {
      const std::lock_guard lock(callable.mutex_);
      entry->state = state;
      if (state == Entry::State::recording)
        callable.forget(std::find(callable.entries_.begin(), callable.entries_.end(), entry), &gone);
      callable.evict(&gone);
      callable.recorded_.notify_all();
    }
  } finish{*this, entry, gone};
  Recorded recorded;
  const int64_t taken = MakingLimit::taken_so_far();
  Status status = record_function(recipe_, inputs, &recorded);
  const std::lock_guard lock(mutex_);
  entry->calls = 1;
  if (!status.ok()) {
    const bool passing = status.code() == RONDO_OUT_OF_MEMORY || status.code() == RONDO_DEVICE_LOST;
    const bool falls_back = (recipe_.flags & RONDO_CALLABLE_FALL_BACK) != 0;
    if (!falls_back || passing || Engine::in_task()) return status;
    entry->reason = last_fallback_ = status.message();
    entry->own_bytes = 1024;
    ++counts_.fallbacks;
    finish.state = Entry::State::eager;
  } else {
    for (Storage* storage : recorded.graph->bindings().captured_tensors())
      entry->captured_tensors.emplace_back(storage, Entry::followed(storage));
    // About half of what making it takes of the host stays.
    entry->own_bytes = graph_bytes(*recorded.graph) + (MakingLimit::taken_so_far() - taken) / 2;
    entry->recorded = std::move(recorded);
    ++counts_.recordings;
    finish.state = Entry::State::graph;
  }
  *found = entry;
  return {};
}

void Callable::forget(Entries::iterator entry, Entries* gone) {
  const auto [begin, end] = by_signature_.equal_range((*entry)->signature);
  by_signature_.erase(std::find_if(begin, end, [&](const auto& each) { return each.second == entry; }));
  gone->splice(gone->end(), entries_, entry);
}

int64_t Callable::bytes() const {
  int64_t bytes = 0;
  for (const std::shared_ptr<Entry>& each : entries_) bytes += each->bytes();
  return bytes;
}

// The one that was called last stays, or each call of it would record it anew.
void Callable::evict(Entries* gone) {
  int64_t bytes = this->bytes();
  for (auto each = entries_.end(); bytes > limit_ && each != entries_.begin();) {
    --each;
    if (each == entries_.begin()) break;
    if ((*each)->state == Entry::State::recording) continue;
    bytes -= (*each)->bytes();
    ++counts_.evictions;
    forget(each++, gone);
  }
}

void Callable::keep_to_limit() {
  Entries gone;
  const std::lock_guard lock(mutex_);
  evict(&gone);
}

void Callable::forget_recorded(Entries* gone) {
  const std::lock_guard lock(mutex_);
  for (auto each = entries_.begin(); each != entries_.end();) {
    const auto next = std::next(each);
    if ((*each)->state != Entry::State::recording) forget(each, gone);
    each = next;
  }
}

void Callable::clear() {
  Entries gone;
  forget_recorded(&gone);
}

Status Callable::clear_and_wait(const RunLimit* limit) {
  Entries gone;
  forget_recorded(&gone);
  for (const std::shared_ptr<Entry>& each : gone) {
    const Ref<Graph>& graph = each->recorded.graph;
    if (!graph) continue;
    for (size_t i = 0; i < graph->replicas(); ++i)
      for (const Ref<Storage>& arena : graph->replica(i).arenas) {
        const Status done = engine().wait(*arena, Awaited::uses, limit ? limit->time() : TimeLimit());
        if (limit && done.code() == RONDO_TIMED_OUT) RONDO_TRY(limit->check());
      }
    graph->give_back();
  }
  return {};
}

rondo_callable_info Callable::query() const {
  const std::lock_guard lock(mutex_);
  rondo_callable_info info = counts_;
  info.bytes = bytes();
  info.limit_bytes = limit_;
  info.signatures = static_cast<int64_t>(entries_.size());
  return info;
}

std::string Callable::report() const {
  const auto number = [](int64_t value) { return static_cast<long long>(value); };
  const rondo_callable_info info = query();
  const std::lock_guard lock(mutex_);
  std::string text = format(
      "callable '%s': %lld signatures, %lld bytes of at most %lld; %lld calls: %lld hits, %lld recordings, %lld "
      "fallbacks; %lld evictions\n",
      name(), number(info.signatures), number(info.bytes), number(info.limit_bytes), number(info.calls),
      number(info.hits), number(info.recordings), number(info.fallbacks), number(info.evictions));
  for (const std::shared_ptr<Entry>& each : entries_) {
    text += format("  %s: %lld calls, %lld bytes", each->text.c_str(), number(each->calls), number(each->bytes()));
    if (each->state == Entry::State::recording) text += ", is being recorded";
    if (each->state == Entry::State::eager) text += ", run eagerly: " + each->reason;
    text += '\n';
  }
  if (!last_fallback_.empty()) text += "last fallback: " + last_fallback_ + '\n';
  return text;
}

}  // namespace rondo
