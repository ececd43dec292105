// Watches tensors for a tape, and notes the operators whose operands depend on them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "ops/program/overlap.h"
#include "tape/elements.h"
#include "tape/rules.h"

namespace rondo::tape {

namespace {

// Finds, among many views, those of a storage.
class ByStorage {
 public:
  explicit ByStorage(std::span<const View> views) : views_(views) {
    if (views.size() <= kFew) return;
    for (const View& each : views) sorted_.push_back(&each);
    std::sort(sorted_.begin(), sorted_.end(), before);
  }
  // True if one of them has an element in common with another view.
  bool overlap(const View& view) const {
    const auto meets = [&view](const View& each) { return each.storage == view.storage && ops::overlap(each, view); };
    if (sorted_.empty()) return std::any_of(views_.begin(), views_.end(), meets);
    const auto [begin, end] = std::equal_range(sorted_.begin(), sorted_.end(), &view, before);
    return std::any_of(begin, end, [&](const View* each) { return meets(*each); });
  }

 private:
  static constexpr size_t kFew = 8;
  static bool before(const View* a, const View* b) { return std::less<>()(a->storage, b->storage); }
  const std::span<const View> views_;
  std::vector<const View*> sorted_;
};

// Never used again, so that nothing is mistaken for what had its place in memory before.
uint64_t number_of(Storage& storage) {
  static std::atomic<uint64_t> numbers{0};
  uint64_t number = storage.number.load(std::memory_order_acquire);
  if (number) return number;
  const uint64_t next = numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  return storage.number.compare_exchange_strong(number, next, std::memory_order_acq_rel) ? next : number;
}

}  // namespace

Status Tape::check_thread() const {
  if (!open() || thread_ == std::this_thread::get_id()) return {};
  return error(RONDO_INVALID_STATE, "tape is open on another thread, which alone may use it until it is ended");
}

void Tape::abandon() {
  abandoned_.store(true, std::memory_order_release);
  if (open() && thread_ == std::this_thread::get_id()) close_tape(*this);
}

Status Tape::watch(const View& view) {
  if (!open()) return error(RONDO_INVALID_STATE, "tape has ended; watch tensors while it is open");
  if (&view.engine() != &engine()) return error(RONDO_INVALID_ARGUMENT, "tensor belongs to another engine than tape");
  if (!is_float(view.dtype))
    return error(RONDO_INVALID_ARGUMENT, "tensor has dtype %s; only floats have gradients (rondo_cast makes them)",
                 dtype_name(view.dtype));
  Known& known = known_[number_of(*view.storage)];
  known.active = true;
  known.watched = nodes_.size();
  ++this_thread().changes;
  return {};
}

bool Tape::depends(const View& view) const {
  const auto known = known_.find(view.storage->number.load(std::memory_order_acquire));
  return known != known_.end() && known->second.active;
}

Operand Tape::operand_of(const View& view) {
  Operand operand;
  operand.number = number_of(*view.storage);
  operand.view = view;
  operand.view.storage = nullptr;
  operand.device = &view.device();
  operand.bytes = view.storage->bytes();
  const auto known = known_.find(operand.number);
  operand.active = is_float(view.dtype) && known != known_.end() && known->second.active;
  return operand;
}

void Tape::note(const char* name, Ref<const ops::Call> call, const std::vector<TaskOperand>& operands, bool constant,
                const char* why_none) {
  std::vector<View> inputs, outputs;
  for (const TaskOperand& each : operands)
    if (&each.view.engine() == &engine()) (each.written ? outputs : inputs).push_back(each.view);
  Node node;
  node.name = name;
  node.call = std::move(call);
  node.why_none = why_none;
  add(std::move(node), inputs, outputs, constant);
}

void Tape::note(const std::shared_ptr<const Custom>& custom, std::span<const View> inputs,
                std::span<const View> outputs) {
  Node node;
  node.name = Engine::intern(custom->name.c_str());
  node.custom = custom;
  const ByStorage read(inputs);
  for (const View& out : outputs)
    if (read.overlap(out)) forget_last_write(out);
  add(std::move(node), inputs, outputs, false);
}

// Forgets the last write of a view that was written in place: the way back to what it held before goes past the node
// that wrote it.
void Tape::forget_last_write(const View& view) {
  const Operand written = operand_of(view);
  const auto known = known_.find(written.number);
  if (known == known_.end()) return;
  const auto here = [&written](const Operand& each) { return share(each, written); };
  for (size_t i = known->second.last_written; i-- > 0;) {
    Node* const node = &nodes_[i];
    const auto output = std::find_if(node->outputs.begin(), node->outputs.end(), here);
    if (output == node->outputs.end()) continue;
    const bool anew = node->flows && std::none_of(node->inputs.begin(), node->inputs.end(), here);
    if (!anew) node->outputs.erase(output);
    return;
  }
}

void Tape::miss(const char* name) noexcept {
  if (missed_.ok())
    missed_ = error(RONDO_OUT_OF_MEMORY, "the host had no memory left for a tape to note '%s'; begin anew", name);
}

void Tape::add(Node&& node, std::span<const View> inputs, std::span<const View> outputs, bool constant) {
  for (const View& view : inputs) node.inputs.push_back(operand_of(view));
  for (const View& view : outputs) node.outputs.push_back(operand_of(view));
  unsigned active = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) active |= node.inputs[i].active ? operand_bit(i) : 0u;
  bool touches = false, floats = false;  // writes where a gradient is; or where one could be
  for (const Operand& each : node.outputs) {
    touches |= each.active;
    floats |= is_float(each.view.dtype);
  }
  const unsigned flow = active && floats && !constant ? flowing(node, active) : 0;
  node.flows = flow != 0;
  const bool writes = std::any_of(outputs.begin(), outputs.end(), [](const View& out) { return out.elements() > 0; });

  // Values are kept as they are before the operator writes. No gradient comes to one that writes nothing.
  if (flow && writes) {
    const Needs needs = needed(node, flow);
    const ByStorage written(outputs);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      Operand& each = node.inputs[i];
      if (!(needs.inputs & operand_bit(i))) continue;
      each.keep(*inputs[i].storage);
      if (written.overlap(inputs[i])) each.overwritten_by = node.name;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (needs.outputs & operand_bit(i)) node.outputs[i].keep(*outputs[i].storage);
  }
  for (Operand& each : node.outputs) {
    if (auto known = known_.find(each.number); known != known_.end() || (flow && is_float(each.view.dtype))) {
      Known& written = known != known_.end() ? known->second : known_[each.number];
      if (!written.keepers.empty()) overwrite(each, node.name);
      written.written |= flow || touches;
      if (flow && is_float(each.view.dtype)) each.active = written.active = true;
    }
  }
  if (!flow && !touches) return;
  const size_t number = nodes_.size();
  nodes_.push_back(std::move(node));
  for (const bool output : {false, true}) {
    const std::vector<Operand>& list = output ? nodes_[number].outputs : nodes_[number].inputs;
    for (uint32_t i = 0; i < list.size(); ++i)
      if (list[i].kept) known_[list[i].number].keepers.add(range_of(list[i].view), {number, output, i});
  }
  for (const Operand& each : nodes_[number].outputs)
    if (const auto known = known_.find(each.number); known != known_.end()) known->second.last_written = number + 1;
}

void Tape::overwrite(const Operand& written, const char* name) {
  known_[written.number].keepers.each_meeting(range_of(written.view), [&](const Keeper& keeper) {
    Node& node = nodes_[keeper.node];
    Operand& each = (keeper.output ? node.outputs : node.inputs)[keeper.operand];
    if (!each.overwritten_by && share(each, written)) each.overwritten_by = name;
    return each.overwritten_by != nullptr;
  });
}

void Tape::watch_as(const Tape& other) {
  for (const auto& [number, known] : other.known_) {
    if (!known.active) continue;
    Known& mine = known_[number];
    mine.active = true;
    mine.watched = nodes_.size();
  }
}

std::vector<std::pair<Ref<Storage>, rondo_dtype>> Tape::kept() const {
  std::vector<std::pair<Ref<Storage>, rondo_dtype>> storages;
  std::unordered_set<const Storage*> met;
  for (const Node& node : nodes_)
    for (const std::vector<Operand>* list : {&node.inputs, &node.outputs})
      for (const Operand& each : *list)
        if (each.kept && met.insert(each.kept.get()).second) storages.emplace_back(each.kept, each.view.dtype);
  return storages;
}

std::unordered_map<const Storage*, std::vector<Operand*>> Tape::kept_operands() {
  std::unordered_map<const Storage*, std::vector<Operand*>> operands;
  for (Node& node : nodes_)
    for (std::vector<Operand>* list : {&node.inputs, &node.outputs})
      for (Operand& each : *list)
        if (each.kept) operands[each.kept.get()].push_back(&each);
  return operands;
}

std::unordered_map<uint64_t, View> Tape::read() const {
  std::unordered_map<uint64_t, View> views;
  std::unordered_set<uint64_t> as_a_whole;  // which some operator reads so
  for (const Node& node : nodes_)
    for (const Operand& each : node.inputs) {
      if (!node.flows || !each.active || as_a_whole.count(each.number)) continue;
      const bool whole = !each.view.layout.repeats() && each.view.bytes() == each.bytes;
      if (!whole && views.count(each.number)) continue;
      View& view = views[each.number] = each.view;
      view.storage = nullptr;
      if (whole) {
        as_a_whole.insert(each.number);
        continue;
      }
      const auto elements = static_cast<int64_t>(each.bytes / dtype_size(each.view.dtype));
      view.layout = Layout::row_major(1, &elements);
      view.offset = 0;
      view.accumulate = false;
    }
  return views;
}

size_t Tape::kept_bytes() const {
  std::unordered_set<const Storage*> storages;
  size_t bytes = 0;
  for (const Node& node : nodes_)
    for (const std::vector<Operand>* list : {&node.inputs, &node.outputs})
      for (const Operand& each : *list)
        if (each.kept && storages.insert(each.kept.get()).second) bytes += each.bytes;
  return bytes;
}

}  // namespace rondo::tape
