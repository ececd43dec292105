// One product of small ones that are alike, whose operands lie evenly spaced: projections of the heads of an attention,
// or of queries, keys and values by parts of one weight. Each has the bits that it has alone, unless a recording wants
// fewer roundings, as for `epilogue`.
//
// Results that are temporaries, each in memory of its own, get places one after the other in one; what reads them is
// made again for those. Results that lie evenly spaced already stay there.
//
// On a GPU alone, as `side_by_side`, and like there nodes stay apart that depend on each other or cannot run in one
// step.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "graph/passes/steps.h"
#include "ops/matmul/matmul.h"

namespace rondo {

namespace {

using ops::Apart;
using ops::Product;
using ops::ProgramNode;
using ops::Stackable;

constexpr size_t kSmallBytes = size_t{1} << 22;     // of each operand
constexpr int64_t kSmallResult = int64_t{1} << 19;  // elements: more keep a GPU busy by themselves
constexpr size_t kTried = 4;                        // stacks of one kind that a node may join, the latest
constexpr size_t kMost = 256;                       // products of a stack
constexpr size_t kLooks = 64;                       // at products of one kind, for one that is nearer

// The product that a node is, if it may be stacked; else null.
const Product* small_product(const ProgramNode& node) {
  if (node.opaque() || node.task->device().is_host() || !std::holds_alternative<ops::MatmulCall>(node.call->of))
    return nullptr;
  const auto* task = dynamic_cast<const Stackable*>(node.task.get());
  if (!task || task->product().m * task->product().n > kSmallResult || task->product().k == 0) return nullptr;
  for (const ops::ProgramOperand& each : node.operands)
    if (static_cast<size_t>(each.end - each.begin) > kSmallBytes) return nullptr;
  return &task->product();
}

int64_t result_bytes(const Product& product) {
  return product.out.elements() * static_cast<int64_t>(dtype_size(product.out.dtype));
}

class Stacks {
 public:
  Stacks(ops::Program& program, const std::unordered_set<const Task*>& alone)
      : program_(program), alone_(alone), groups_(program), together_(groups_.dependences(), program.nodes.size()) {
    find_temporaries();
  }
  void form_groups();
  // A task for each stack. False if there are products of which there is none: they are `alone` now.
  bool make_tasks(std::unordered_set<const Task*>* alone);
  // False if there was nothing to stack.
  bool rewrite(PassReport* report);
  size_t steps() const { return groups_.steps(); }

 private:
  struct Stack {
    Apart apart;
    bool own_memory = false;  // each result is a temporary
    Ref<Task> task;
    Ref<Storage> results;  // of own memory
    int64_t bytes = 0;     // from one to the next
  };

  void find_temporaries();
  bool is_temporary(const ProgramNode& node) const;
  bool is_nearest(uint32_t first, const Apart& apart, const std::vector<const Product*>& alike) const;
  bool join(uint32_t i, const std::vector<const Product*>& alike, uint32_t group);
  Ref<Task> make_task(const std::vector<uint32_t>& nodes, Stack* stack) const;
  const Product& product_of(uint32_t i) const {
    return dynamic_cast<const Stackable&>(*program_.nodes[i].task).product();
  }

  ops::Program& program_;
  const std::unordered_set<const Task*>& alone_;
  Groups groups_;
  Steps together_;
  std::vector<bool> temporary_;                 // by value: what uses it can be made again for other memory
  std::vector<size_t> number_;                  // by node that is a product: among those of its kind
  std::unordered_map<uint32_t, Stack> stacks_;  // by group of several
};

void Stacks::find_temporaries() {
  for (const ops::ProgramValue& value : program_.values)
    temporary_.push_back(!value.outlives() && !value.storage->pinned());
  for (const ProgramNode& node : program_.nodes) {
    const bool fixed = !node.moves();
    for (const ops::ProgramOperand& each : node.operands)
      if (fixed || !each.known) temporary_[each.value] = false;
  }
}

bool Stacks::is_temporary(const ProgramNode& node) const {
  const ops::ProgramOperand& result = node.operands.back();
  return temporary_[result.value] && result.covers && result.view.offset == 0 &&
         result.end == static_cast<int64_t>(program_.values[result.value].storage->bytes());
}

// True if no product lies between the first of a stack and one that is to be the second: where queries and keys of each
// head are made in turn, the next of the queries is nearer than the keys.
bool Stacks::is_nearest(uint32_t first, const Apart& apart, const std::vector<const Product*>& alike) const {
  const auto at = alike.begin() + static_cast<std::ptrdiff_t>(number_[first]);
  const auto end = alike.end() - at > static_cast<std::ptrdiff_t>(kLooks) ? at + kLooks : alike.end();
  return std::none_of(at + 1, end, [&](const Product* each) {
    const std::optional<Apart> near = (*at)->apart(*each);
    return near && *near != apart && near->a <= apart.a && near->b <= apart.b && near->out <= apart.out;
  });
}

bool Stacks::join(uint32_t i, const std::vector<const Product*>& alike, uint32_t group) {
  if (!groups_.open(group)) return false;
  const std::vector<uint32_t>& nodes = groups_.nodes(group);
  const auto count = static_cast<int64_t>(nodes.size());
  const Product& first = product_of(nodes[0]);
  const std::optional<Apart> apart = first.apart(product_of(i));
  if (!apart || nodes.size() == kMost) return false;
  Stack stack = stacks_[group];
  if (count == 1) {
    stack.own_memory = apart->out == 0;
    stack.apart = *apart;
    if (stack.own_memory && !is_temporary(program_.nodes[nodes[0]])) return false;
    if (!is_nearest(nodes[0], *apart, alike)) return false;
  }
  // mutation: stack_is_not_evenly_spaced
  if (*apart != Apart{stack.apart.a * count, stack.apart.b * count, stack.apart.out * count}) return false;
  if (stack.own_memory && !is_temporary(program_.nodes[i])) return false;
  if (!together_.join(i, group, &groups_)) return false;
  stacks_[group] = stack;
  return true;
}

void Stacks::form_groups() {
  struct Kind {
    std::vector<const Product*> products;
    std::vector<uint32_t> groups;
  };
  std::map<std::tuple<const Device*, int64_t, int64_t, int64_t>, Kind> kinds;
  std::vector<Kind*> kind_of;
  for (const ProgramNode& node : program_.nodes) {
    const Product* product = alone_.count(node.task.get()) ? nullptr : small_product(node);
    kind_of.push_back(product ? &kinds[{&node.task->device(), product->m, product->n, product->k}] : nullptr);
    number_.push_back(product ? kind_of.back()->products.size() : 0);
    if (product) kind_of.back()->products.push_back(product);
  }
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    groups_.begin(i);
    if (kind_of[i]) {
      std::vector<uint32_t>& groups = kind_of[i]->groups;
      const auto joins = [&](uint32_t each) { return join(i, kind_of[i]->products, each); };
      if (!std::any_of(groups.rbegin(), groups.rend(), joins)) {
        if (groups.size() == kTried) groups.erase(groups.begin());
        groups.push_back(i);
      }
    }
    groups_.end(i);
  }
}

Ref<Task> Stacks::make_task(const std::vector<uint32_t>& nodes, Stack* stack) const {
  const auto count = static_cast<int64_t>(nodes.size());
  Task& first = *program_.nodes[nodes[0]].task;
  const Product& product = product_of(nodes[0]);
  const bool as_alone = !program_.fewer_roundings;
  if (!stack->own_memory) return dynamic_cast<const Stackable&>(first).stacked(count, stack->apart, as_alone);
  stack->bytes = (result_bytes(product) + Product::kAligned - 1) / Product::kAligned * Product::kAligned;
  stack->apart.out = stack->bytes / static_cast<int64_t>(dtype_size(product.out.dtype));
  stack->results = make_ref<Storage>(product.out.engine(), first.device(), static_cast<size_t>(count * stack->bytes));
  Rebinding memory;
  memory.put(*product.out.storage, *stack->results);
  const Ref<Task> moved = first.again(memory);
  return dynamic_cast<const Stackable&>(*moved).stacked(count, stack->apart, as_alone);
}

bool Stacks::make_tasks(std::unordered_set<const Task*>* alone) {
  bool all = true;
  for (auto& [group, stack] : stacks_) {
    const std::vector<uint32_t>& nodes = groups_.nodes(group);
    if (nodes.size() < 2) continue;
    stack.task = make_task(nodes, &stack);
    if (stack.task) continue;
    all = false;
    for (const uint32_t each : nodes) alone->insert(program_.nodes[each].task.get());
  }
  return all;
}

bool Stacks::rewrite(PassReport* report) {
  std::unordered_map<uint32_t, std::pair<Storage*, int64_t>> moved;  // by value
  const size_t before = program_.nodes.size();
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes) {
    Stack& stack = stacks_.at(groups_.of(nodes[0]));
    const ProgramNode& first = program_.nodes[nodes[0]];
    if (stack.own_memory) {
      for (size_t i = 0; i < nodes.size(); ++i)
        moved[program_.nodes[nodes[i]].operands.back().value] = {stack.results.get(),
                                                                 static_cast<int64_t>(i) * stack.bytes};
      program_.add(std::move(stack.results));
    }
    report->lines.push_back("one product of" + groups_.some(nodes));
    return program_.make_node(std::move(stack.task), first.call, 0, first.section);
  });
  for (ProgramNode& node : program_.nodes) {
    Rebinding memory;
    bool moves = false;
    for (const ops::ProgramOperand& each : node.operands)
      if (const auto found = moved.find(each.value); found != moved.end()) {
        memory.put(*program_.values[each.value].storage, *found->second.first, found->second.second);
        moves = true;
      }
    if (moves) program_.rebind(&node, memory);
  }
  return program_.nodes.size() < before;
}

}  // namespace

Status stack(ops::Program& program, PassReport* report) {
  std::unordered_set<const Task*> alone;  // of which cannot be made one
  const auto has_some = [&] {
    size_t count = 0;
    for (const ProgramNode& node : program.nodes) count += small_product(node) != nullptr;
    return count > 1;
  };
  // Nodes that read evenly spaced results may be a stack next.
  for (bool more = has_some(); more;) {
    Stacks pass(program, alone);
    pass.form_groups();
    const bool all = pass.make_tasks(&alone);
    more = !all || pass.rewrite(report);
    report->steps += pass.steps();
  }
  return {};
}

}  // namespace rondo
