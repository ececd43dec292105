// One kernel of elementwise nodes that feed each other: each node joins those whose results it reads, as long as some
// order of the program allows it and the expression fits. What is computed is what the nodes would have, each result
// rounded to its dtype; a result that somebody else reads is stored, the others never reach memory.
//
// Each node, and each group of them, has a place in an order that keeps to all dependences. A group moves down to the
// newest of its nodes where nothing that comes after it is in between, or the new node moves up to the group where
// nothing that comes before it is.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "engine/engine.h"
#include "graph/passes/dependences.h"
#include "graph/passes/passes.h"
#include "ops/elementwise/form.h"
#include "ops/task/overlap.h"

namespace rondo {

namespace {

using ops::Expression;
using ops::Fused;
using ops::ProgramNode;
using ops::ProgramOperand;

constexpr size_t kMostAfter = 16;                  // nodes that come after a group, that are kept apart
constexpr size_t kNamed = 4;                       // operators in the name of a group
constexpr uint64_t kFromMore = uint64_t{1} << 63;  // what a result fails with, besides inputs

// The numbers of the views that a node reads, or of those that it writes.
std::vector<uint32_t> views_of(const ProgramNode& node, bool written) {
  std::vector<uint32_t> list;
  for (uint32_t k = 0; k < node.operands.size(); ++k)
    if (node.operands[k].known && node.operands[k].written == written) list.push_back(k);
  return list;
}

class Fusion {
 public:
  explicit Fusion(ops::Program& program);
  void form_groups();
  // Puts the program in its new order, groups as nodes.
  void rewrite(PassReport* report);
  size_t steps() const { return steps_ + dependences_.steps(); }

 private:
  // A node that may be fused.
  struct Candidate {
    Fused form;
    std::vector<uint32_t> reads, writes;  // operands
    const Layout* shape;
    Device* device;
  };
  struct Unit {
    uint32_t place;               // the number of one of its nodes
    std::vector<uint32_t> nodes;  // in the order of the program; empty: it has gone into another one
    std::vector<uint32_t> after;  // nodes outside that come after some of it
    bool many_after = false;      // more than those
  };
  using Units = std::vector<uint32_t>;
  // What a group is made of: its inputs, and the results that are stored.
  struct Built {
    Fused form;
    std::vector<const View*> inputs, outputs;
  };

  void find_candidate(uint32_t i);
  Units candidates(uint32_t i);
  bool join(uint32_t i, const Units& units);
  bool allowed(uint32_t i, const Units& units, uint32_t place);
  bool depend_by_element(const std::vector<uint32_t>& nodes, uint32_t i, const Units& units);
  bool fits(const std::vector<uint32_t>& nodes);
  bool build(const std::vector<uint32_t>& nodes, Built* built);
  bool whole(uint32_t node, uint32_t operand) const;
  ops::Value stored_as(Expression& expression, ops::Value value, rondo_dtype dtype) const;
  ProgramNode fused(const Unit& unit, PassReport* report);

  ops::Program& program_;
  const Dependences dependences_;
  std::vector<std::optional<Candidate>> of_;
  std::vector<Unit> units_;        // by the first node there was
  std::vector<uint32_t> unit_of_;  // by node
  uint32_t closed_ = 0;            // groups with a node before this one stay as they are
  size_t steps_ = 0;
};

Fusion::Fusion(ops::Program& program)
    : program_(program), dependences_(program), of_(program.nodes.size()), units_(of_.size()), unit_of_(of_.size()) {}

// Results of 8-bit floats are rounded by memory alone, and what is stored otherwise than it was computed is not what a
// reader of memory gets: such nodes stay by themselves. On the host so do operators of 16-bit floats, which have loops
// over such elements that are faster than steps in f32 with a rounding after each.
void Fusion::find_candidate(uint32_t i) {
  const ProgramNode& node = program_.nodes[i];
  std::optional<Fused> form = ops::elementwise_form(node);
  if (!form || form->expression.overflow()) return;
  const Expression& e = form->expression;
  for (int k = 0; k < e.outputs(); ++k) {
    const auto dtype = static_cast<rondo_dtype>(e.output(k).dtype);
    if (is_f8(dtype) || e.dtype_of(e.output(k).value) != compute_dtype(dtype)) return;
  }
  const auto is_narrow = [](const ProgramOperand& each) { return is_half(each.view.dtype); };
  if (node.task->device().is_host() && std::all_of(node.operands.begin(), node.operands.end(), is_narrow)) return;
  Candidate& candidate = of_[i].emplace();
  candidate.form = *form;
  candidate.reads = views_of(node, false);
  candidate.writes = views_of(node, true);
  candidate.shape = &node.operands[candidate.writes[0]].view.layout;
  candidate.device = &node.task->device();
  bool alike = candidate.shape->elements() > 0;
  for (const ProgramOperand& each : node.operands)
    alike &= !each.known || each.view.layout.same_shape(*candidate.shape);
  if (!alike) of_[i].reset();
}

// The groups that make what a node reads, those that are latest first.
Fusion::Units Fusion::candidates(uint32_t i) {
  Units units;
  for (const uint32_t k : of_[i]->reads) {
    const uint32_t from = dependences_.node(i).sources[k].node;
    if (from == Dependences::kNone || !of_[from]) continue;
    const uint32_t unit = unit_of_[from];
    if (units_[unit].nodes.front() < closed_ || of_[from]->device != of_[i]->device ||
        !of_[from]->shape->same_shape(*of_[i]->shape))
      continue;
    if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(unit);
  }
  std::sort(units.begin(), units.end(), [this](uint32_t a, uint32_t b) { return units_[a].place > units_[b].place; });
  return units;
}

void Fusion::form_groups() {
  for (uint32_t i = 0; i < of_.size(); ++i) {
    find_candidate(i);
    const Dependences::Node& mine = dependences_.node(i);
    unit_of_[i] = i;
    units_[i].place = i;
    units_[i].nodes = {i};
    closed_ = std::max(closed_, mine.all_before);
    if (of_[i]) {
      const Units all = candidates(i);
      if (!all.empty() && !join(i, all)) {
        Units some;
        for (const uint32_t each : all) {
          if (all.size() == 1) break;
          if (units_[each].nodes.empty()) continue;
          if (join(i, {each})) break;
        }
      }
    }
    for (const Dependences::Before& before : mine.before) {
      Unit& unit = units_[unit_of_[before.node]];
      if (unit_of_[before.node] == unit_of_[i]) continue;
      if (!unit.after.empty() && unit.after.back() == i) continue;
      if (unit.after.size() < kMostAfter)
        unit.after.push_back(i);
      else
        unit.many_after = true;
    }
    // Nothing moves across what may do more than it says.
    if (program_.nodes[i].opaque()) closed_ = i + 1;
  }
}

// Whether a node and groups may be one at a place: none of what has to come first is after it, and nothing that comes
// after them before it.
bool Fusion::allowed(uint32_t i, const Units& units, uint32_t place) {
  const auto within = [&](uint32_t node) {
    return std::find(units.begin(), units.end(), unit_of_[node]) != units.end();
  };
  const Dependences::Node& mine = dependences_.node(i);
  if (place != i && mine.all_before > 0) return false;
  for (const Dependences::Before& each : mine.before) {
    ++steps_;
    if (!within(each.node) && place != i && units_[unit_of_[each.node]].place > place) return false;
  }
  for (const uint32_t unit : units) {
    if (units_[unit].place == place) continue;
    if (units_[unit].many_after) return false;
    for (const uint32_t each : units_[unit].after) {
      ++steps_;
      if (!within(each) && units_[unit_of_[each]].place < place) return false;
    }
  }
  return true;
}

// Whether all that nodes of different groups have in common is read and written element by element.
bool Fusion::depend_by_element(const std::vector<uint32_t>& nodes, uint32_t i, const Units& units) {
  const auto by_element = [&](uint32_t node) {
    for (const Dependences::Before& each : dependences_.node(node).before) {
      ++steps_;
      if (!each.elementwise && std::find(units.begin(), units.end(), unit_of_[each.node]) != units.end()) return false;
    }
    return true;
  };
  if (units.size() == 1) return by_element(i);
  return std::all_of(nodes.begin(), nodes.end(), by_element);
}

bool Fusion::join(uint32_t i, const Units& units) {
  const uint32_t latest = units_[units.front()].place;
  const bool up = allowed(i, units, latest);
  if (!up && !allowed(i, units, i)) return false;
  std::vector<uint32_t> nodes;
  for (const uint32_t unit : units) nodes.insert(nodes.end(), units_[unit].nodes.begin(), units_[unit].nodes.end());
  nodes.push_back(i);
  if (nodes.size() > Expression::kMaxInstructions) return false;
  std::sort(nodes.begin(), nodes.end());
  if (!depend_by_element(nodes, i, units) || !fits(nodes)) return false;
  Unit& whole = units_[units.front()];
  for (const uint32_t unit : units) {
    if (unit == units.front()) continue;
    whole.after.insert(whole.after.end(), units_[unit].after.begin(), units_[unit].after.end());
    whole.many_after |= units_[unit].many_after;
    units_[unit] = {};
  }
  for (const uint32_t node : nodes) unit_of_[node] = units.front();
  units_[i].nodes.clear();
  std::erase_if(whole.after, [&](uint32_t node) { return unit_of_[node] == units.front(); });
  whole.many_after |= whole.after.size() > kMostAfter;
  whole.nodes = std::move(nodes);
  whole.place = up ? latest : i;
  return true;
}

// What a value is once it was stored and loaded again. An input is that already, and so is what was rounded.
ops::Value Fusion::stored_as(Expression& expression, ops::Value value, rondo_dtype dtype) const {
  if (!is_half(dtype)) return value;
  if (Expression::is_input(value) && expression.input_dtype(value) == dtype) return value;
  return expression.round(value, dtype);
}

// Whether nothing that was in a value before counts for what a result leaves there.
bool Fusion::whole(uint32_t node, uint32_t operand) const {
  const ProgramOperand& result = program_.nodes[node].operands[operand];
  return result.covers && result.begin == 0 &&
         result.end == static_cast<int64_t>(program_.values[result.value].storage->bytes());
}

// Whether nodes make one expression; what it is.
bool Fusion::build(const std::vector<uint32_t>& nodes, Built* built) {
  struct Made {
    ops::Value value;
    uint64_t from;  // the inputs whose failure is its, a bit each
    uint32_t inside = 0;
  };
  std::vector<std::vector<Made>> made(nodes.size());  // by node and result
  const auto index_of = [&](uint32_t node) {
    return static_cast<size_t>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
  };
  Expression& e = built->form.expression;
  e = {};
  std::vector<uint64_t> words;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Candidate& candidate = *of_[nodes[n]];
    const std::vector<ProgramOperand>& operands = program_.nodes[nodes[n]].operands;
    const Expression& own = candidate.form.expression;
    ops::Value values[Expression::kMaxInputs] = {}, results[Expression::kMaxOutputs] = {};
    uint64_t from = 0;
    for (size_t k = 0; k < candidate.reads.size(); ++k) {
      ++steps_;
      const Dependences::Source source = dependences_.node(nodes[n]).sources[candidate.reads[k]];
      const size_t maker = source.node == Dependences::kNone ? nodes.size() : index_of(source.node);
      if (maker < n && nodes[maker] == source.node) {
        const std::vector<uint32_t>& writes = of_[source.node]->writes;
        Made& result =
            made[maker][static_cast<size_t>(std::find(writes.begin(), writes.end(), source.operand) - writes.begin())];
        ++result.inside;
        from |= result.from;
        values[k] = stored_as(e, result.value, own.input_dtype(static_cast<int>(k)));
        continue;
      }
      const View& view = operands[candidate.reads[k]].view;
      size_t at = 0;
      while (at < built->inputs.size() && !ops::identical(*built->inputs[at], view)) ++at;
      if (at == built->inputs.size()) {
        built->inputs.push_back(&view);
        values[k] = e.input(view.dtype);
      } else {
        values[k] = static_cast<ops::Value>(at);
      }
      // By the first input of the same value.
      size_t first = 0;
      while (built->inputs[first]->storage != view.storage) ++first;
      from |= uint64_t{1} << first;
    }
    if (e.overflow()) return false;
    e.append(own, values, results);
    if (e.overflow()) return false;
    words.insert(words.end(), candidate.form.words, candidate.form.words + own.scalars());
    for (size_t k = 0; k < candidate.writes.size(); ++k) made[n].push_back({results[k], from});
  }
  uint64_t from = 0;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Candidate& candidate = *of_[nodes[n]];
    const Dependences::Node& node = dependences_.node(nodes[n]);
    for (size_t k = 0; k < candidate.writes.size(); ++k) {
      const uint32_t operand = candidate.writes[k];
      const View& view = program_.nodes[nodes[n]].operands[operand].view;
      const Made& result = made[n][k];
      if (!view.accumulate && !node.kept[operand] && node.readers[operand] == result.inside) continue;
      // Only a kernel that does nothing else moves bits that are no number's.
      const bool bits = is_half(view.dtype) || view.dtype == RONDO_BOOL;
      if (bits && !view.accumulate && Expression::is_input(result.value)) return false;
      // On the host each operator fails with what it reads itself, and no other.
      if (candidate.device->is_host() && !built->outputs.empty() && (result.from != from || !whole(nodes[n], operand)))
        return false;
      from = whole(nodes[n], operand) ? result.from : kFromMore;
      for (const View* other : built->outputs)
        if (ops::overlap(*other, view)) return false;
      built->outputs.push_back(&view);
      e.output(result.value, view.dtype, view.accumulate);
    }
  }
  if (e.overflow() || built->outputs.empty()) return false;
  e = e.without_dead();
  std::copy(words.begin(), words.end(), built->form.words);
  return true;
}

bool Fusion::fits(const std::vector<uint32_t>& nodes) {
  Built built;
  return build(nodes, &built);
}

ProgramNode Fusion::fused(const Unit& unit, PassReport* report) {
  Built built;
  (void)build(unit.nodes, &built);
  std::vector<const View*> views = built.inputs;
  views.insert(views.end(), built.outputs.begin(), built.outputs.end());
  std::string name, operators, line = "one of";
  for (size_t n = 0; n < unit.nodes.size(); ++n) {
    const char* const each = program_.nodes[unit.nodes[n]].task->name();
    operators += std::string(n ? ", " : "") + each;
    if (n < kNamed) name += std::string(n ? "+" : "") + each;
    line += format("%s %u '%s'", n ? "," : "", unit.nodes[n], each);
  }
  if (unit.nodes.size() > kNamed) name += format("+%zu more", unit.nodes.size() - kNamed);
  const Candidate& first = *of_[unit.nodes[0]];
  Ref<const ops::Call> call =
      Ref<const ops::Call>::adopt(new ops::Call(ops::fused_call(built.form.expression, built.form.words)));
  ProgramNode node = program_.make_node(
      ops::lower(built.form, Engine::intern(name.c_str()), *first.device, *first.shape, views.data()), std::move(call),
      0);
  node.operators = std::move(operators);
  report->lines.push_back(line + ": " + program_.text(node));
  return node;
}

void Fusion::rewrite(PassReport* report) {
  std::vector<uint32_t> at(of_.size(), Dependences::kNone);  // units by their places
  for (uint32_t unit = 0; unit < units_.size(); ++unit)
    if (!units_[unit].nodes.empty()) at[units_[unit].place] = unit;
  std::vector<ProgramNode> nodes;
  for (const uint32_t unit : at) {
    if (unit == Dependences::kNone) continue;
    if (units_[unit].nodes.size() == 1)
      nodes.push_back(std::move(program_.nodes[units_[unit].nodes[0]]));
    else
      nodes.push_back(fused(units_[unit], report));
  }
  program_.nodes = std::move(nodes);
}

}  // namespace

Status fuse(ops::Program& program, PassReport* report) {
  Fusion fusion(program);
  fusion.form_groups();
  fusion.rewrite(report);
  report->steps = fusion.steps();
  return {};
}

}  // namespace rondo
