// Making the nodes of a program, finding their operands, and printing them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/program.h"

#include <algorithm>
#include <cstddef>

#include "base/small_vector.h"
#include "base/text.h"

namespace rondo::ops {

namespace {

// True if every byte between the first and the last is an element's, once.
bool dense(const View& view, int64_t bytes) {
  return view.layout.contiguous() || (static_cast<int64_t>(view.bytes()) == bytes && !view.layout.repeats());
}

}  // namespace

bool is_whole(const View& view) {
  return !view.accumulate && view.offset == 0 && view.layout.contiguous() && view.bytes() == view.storage->bytes();
}

View whole_of(const View& view) {
  if (is_whole(view)) return view;
  const auto all = static_cast<int64_t>(view.storage->bytes() / dtype_size(view.dtype));
  return {view.storage, view.dtype, false, Layout::row_major(1, &all), 0};
}

FusedCall fused_of(const Expression& expression, const uint64_t* words) {
  auto fused = std::make_shared<Fused>();
  fused->expression = expression;
  std::copy_n(words, expression.scalars(), fused->words);
  return {std::move(fused)};
}

Call fused_call(const Expression& expression, const uint64_t* words) {
  return fused_of(expression, words);
}

uint32_t ProgramValues::use(Storage& storage) {
  Known& known = known_.try_emplace(&storage, Known{kUnused, ValueRole::weight}).first->second;
  if (known.number == kUnused) {
    known.number = static_cast<uint32_t>(list_.size());
    const bool exposed = known.role == ValueRole::temporary && storage.exposed.load(std::memory_order_acquire);
    ProgramValue& value = list_.emplace_back();
    value.storage = Ref<Storage>::share(&storage);
    value.role = exposed ? ValueRole::output : known.role;
    const auto bytes = static_cast<int64_t>(storage.bytes());
    value.layout = Layout::row_major(1, &bytes);
  }
  return known.number;
}

uint32_t ProgramValues::use(const View& operand) {
  const uint32_t number = use(*operand.storage);
  if (ProgramValue& value = list_[number]; value.type == ProgramValue::Type::bytes) {
    const View whole = whole_of(operand);
    value.type = ProgramValue::Type::seen;
    value.dtype = whole.dtype;
    value.layout = whole.layout;
  }
  return number;
}

const uint32_t* ProgramValues::find(const Variable* storage) const {
  const auto found = known_.find(storage);
  return found == known_.end() || found->second.number == kUnused ? nullptr : &found->second.number;
}

// Nothing covers what is there if it may be switched off.
void Program::take_operands(ProgramNode* node, std::span<const TaskOperand> listed) {
  std::vector<ProgramOperand>& operands = node->operands;
  operands.clear();
  operands.reserve(listed.size());
  for (const TaskOperand& each : listed) {
    int64_t low = 0, high = 0;
    each.view.layout.extent(&low, &high);
    const auto size = static_cast<int64_t>(dtype_size(each.view.dtype));
    ProgramOperand& operand = operands.emplace_back(ProgramOperand{
        values.use(each.view), each.view.offset, each.view.offset, each.written, false, true, each.view});
    if (each.view.elements() > 0) {
      operand.begin += low * size;
      operand.end += high * size;
      operand.covers = node->section == kAlways && each.written && !each.view.accumulate &&
                       dense(each.view, operand.end - operand.begin);
    }
  }
}

// A node's operands are what its task lists, and as a whole the other storages that it has access to. A task that does
// more than write its results may read all of them.
void Program::find_operands(ProgramNode* node, OperatorTask& task) {
  task.fold();
  const bool reads_all = node->effects() >= Effects::ordered, always = node->section == kAlways;
  std::vector<ProgramOperand>& operands = node->operands;
  std::vector<TaskOperand> listed;
  task.list_operands(&listed);
  take_operands(node, listed);
  SmallVector<uint64_t, 16> known;  // in order
  const auto use = [](uint32_t value, bool written) { return uint64_t{value} << 1 | (written ? 1 : 0); };
  for (const ProgramOperand& each : operands) known.push_back(use(each.value, each.written));
  std::sort(known.begin(), known.end());
  for (const Access& access : task.accesses()) {
    Storage* const storage = access.variable->storage();
    if (!storage) continue;
    const uint32_t value = values.use(*storage);
    const auto has = [&](bool written) { return std::binary_search(known.begin(), known.end(), use(value, written)); };
    // An access that looks at no contents is there for its order, and a result that is written in part has one.
    const bool in_order = access.read && !has(true);
    const bool reads = (access.input || in_order || reads_all) && !has(false), writes = access.write && !has(true);
    const auto end = static_cast<int64_t>(storage->bytes());
    if (reads) operands.push_back({value, 0, end, false, false, false, {}});
    if (writes) operands.push_back({value, 0, end, true, always && !access.read, false, {}});
  }
  // Accesses come in any order.
  const auto whole = operands.begin() + static_cast<std::ptrdiff_t>(listed.size());
  const auto use_of = [use](const ProgramOperand& each) { return use(each.value, each.written); };
  std::sort(whole, operands.end(), [&](const auto& a, const auto& b) { return use_of(a) < use_of(b); });
  for (const ProgramOperand& each : operands)
    if (ValueRole& role = values[each.value].role; each.written && role == ValueRole::weight) role = ValueRole::state;
}

void Program::add(Storage& storage) {
  values.declare(storage, ValueRole::temporary);
  values.use(storage);
}

// Takes from a task what its node is.
void Program::describe(ProgramNode* node, const Ref<OperatorTask>& task) {
  node->call = with_closure(std::move(node->call), task);
  node->name = task->name();
  node->device = &task->device();
  node->random_count = task->random_count();
  node->host_random_count = task->host_random_count();
  find_operands(node, *task);
  if (node->closure()) return;
  for (const Access& access : task->accesses())
    if (!access.variable->storage()) node->checked = Ref<Variable>::share(access.variable);
}

ProgramNode Program::make_node(Ref<OperatorTask> task, Ref<const Call> call, uint64_t random_offset, uint32_t section) {
  ProgramNode node;
  node.section = section;
  node.call = std::move(call);
  node.random_offset = random_offset;
  describe(&node, task);
  return node;
}

ProgramNode Program::make_node(const char* name, Ref<const Call> call, std::span<const TaskOperand> operands,
                               uint32_t section) {
  ProgramNode node;
  node.section = section;
  replace(&node, name, std::move(call), operands);
  return node;
}

void Program::append(Ref<OperatorTask> task, Ref<const Call> call, uint64_t random_offset, uint32_t section) {
  nodes.push_back(make_node(std::move(task), std::move(call), random_offset, section));
}

void Program::note_view(const View* from, const ViewForm* form, const View& view, uint32_t before) {
  const uint32_t* const value = values.find(view.storage);
  if (!value) return;
  if (form) {
    auto call = std::visit([](const auto& how) { return make_ref<const Call>(how); }, form->of);
    views.push_back({std::move(call), *value, before, *from, view});
  } else {
    ProgramValue& made = values[*value];
    made.type = ProgramValue::Type::made;
    made.dtype = view.dtype;
    made.layout = view.layout;
  }
}

void Program::find_kept() {
  struct Use {
    uint32_t section = kAlways;
    bool used = false, switched = false, shared = false;
  };
  std::vector<Use> uses(values.size());
  for (const ProgramNode& node : nodes)
    for (const ProgramOperand& each : node.operands) {
      Use& use = uses[each.value];
      use.shared |= use.used && use.section != node.section;
      use.used = true;
      use.section = node.section;
      use.switched |= each.written && node.section != kAlways;
    }
  for (size_t v = 0; v < values.size(); ++v)
    values[v].kept = !values[v].given() && uses[v].switched && (uses[v].shared || values[v].role == ValueRole::output);
}

// Adds a whole storage to a node's operands, unless some of it is one already.
void Program::use_whole(ProgramNode* node, Storage& storage, bool written, bool covers) {
  const uint32_t value = values.use(storage);
  for (const ProgramOperand& each : node->operands)
    if (each.value == value && each.written == written) return;
  node->operands.push_back({value, 0, static_cast<int64_t>(storage.bytes()), written, covers, false, {}});
}

void Program::replace(ProgramNode* node, const char* name, Ref<const Call> call,
                      std::span<const TaskOperand> operands) {
  node->call = std::move(call);
  node->name = name;
  node->device = &operands[0].view.device();
  if (node->effects() == Effects::pure) node->random_count = 0;
  take_operands(node, operands);
  // A storage that is added to is read as a whole.
  for (const TaskOperand& each : operands)
    if (each.view.accumulate) use_whole(node, *each.view.storage, false, false);
}

void Program::rebind(ProgramNode* node, const Rebinding& memory) {
  if (const OperatorTask* const closure = node->closure()) return describe(node, closure->again(memory));
  const std::vector<ProgramOperand> before = std::move(node->operands);
  std::vector<TaskOperand> operands;
  for (const ProgramOperand& each : before)
    if (each.known) memory.move(&operands.emplace_back(TaskOperand{each.view, each.written}).view);
  take_operands(node, operands);
  for (const ProgramOperand& each : before) {
    if (each.known) continue;
    Storage* storage = values[each.value].storage.get();
    int64_t offset = 0;
    memory.move(&storage, &offset);
    use_whole(node, *storage, each.written, each.covers);
  }
}

void Program::leave_out(ProgramNode* node, uint32_t unread, const Ref<OperatorTask>& less) {
  // Bits of `unread` count the results that are made yet; those of the call, all that its kind has.
  const Call& call = *node->call;
  std::vector<UnstoredValue> left_out;
  uint32_t written = 0, unwritten = call.unwritten;
  auto before = call.left_out.begin();
  auto operand = node->operands.begin();
  for (uint32_t k = 0; k < 32; ++k) {
    if (call.leaves_out(k)) {
      left_out.push_back(*before++);
      continue;
    }
    operand = std::find_if(operand, node->operands.end(), [](const ProgramOperand& each) { return each.written; });
    if (operand == node->operands.end()) break;
    if ((unread >> written++) & 1) {
      unwritten |= 1u << k;
      left_out.push_back({operand->view.dtype, operand->view.offset, operand->view.layout});
    }
    ++operand;
  }
  node->call = Ref<const Call>::adopt(new Call(call.of, unwritten, std::move(left_out)));
  describe(node, less);
}

std::unordered_map<const Device*, uint64_t> Program::drawn() const {
  std::unordered_map<const Device*, uint64_t> drawn;
  const auto until = [&drawn](const Device& device, uint64_t end) { drawn[&device] = std::max(drawn[&device], end); };
  Device* host = nullptr;
  (void)get_device({RONDO_CPU, 0}, &host);  // is always there
  for (const ProgramNode& node : nodes) {
    if (node.random_count) until(*node.device, node.random_offset + node.random_count);
    if (node.host_random_count) until(*host, node.host_random_offset + node.host_random_count);
  }
  return drawn;
}

std::string Program::text(const ProgramNode& node) const {
  std::string line = std::string(row_of(*node.call).name) + " '" + node.name + "':";
  for (const bool written : {false, true}) {
    bool first = true;
    for (const ProgramOperand& each : node.operands) {
      if (each.written != written) continue;
      line += !first ? ", " : written ? " -> " : " ";
      first = false;
      const ProgramValue& value = values[each.value];
      line += format("%%%u", each.value);
      if (value.role == ValueRole::output)
        line += " (output)";
      else if (value.given())
        line += " (given)";
      if (each.known) line += " " + operand_text(each.view);
      if (each.begin > 0 || each.end < static_cast<int64_t>(value.storage->bytes()))
        line += format(", bytes %lld to %lld", static_cast<long long>(each.begin), static_cast<long long>(each.end));
    }
  }
  return line;
}

std::string Program::text() const {
  std::string all;
  for (size_t i = 0; i < nodes.size(); ++i) all += format("%zu ", i) + text(nodes[i]) + "\n";
  return all;
}

}  // namespace rondo::ops
