// One kernel of elementwise nodes that feed each other: each node joins those whose results it reads, as long as some
// order of the program allows it and the expression fits. The kernel computes what the nodes would have, each result
// rounded to its dtype; a result that is read elsewhere is stored, the others never reach memory.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/tasks/making_limit.h"
#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "ops/elementwise/form.h"
#include "ops/program/overlap.h"

namespace rondo {

namespace {

using ops::Expression;
using ops::Fused;
using ops::ProgramNode;
using ops::ProgramOperand;

constexpr size_t kNamed = 4;                       // operators in the name of a group
constexpr uint64_t kFromMore = uint64_t{1} << 63;  // what a result fails with, besides inputs

using Operands = SmallVector<uint32_t, 4>;

// The numbers of the views that a node reads, or of those that it writes.
Operands views_of(const ProgramNode& node, bool written) {
  Operands list;
  for (uint32_t k = 0; k < node.operands.size(); ++k)
    if (node.operands[k].known && node.operands[k].written == written) list.push_back(k);
  return list;
}

class Fusion {
 public:
  explicit Fusion(ops::Program& program);
  Status form_groups();
  // Puts the program in its new order, groups as nodes.
  void rewrite(PassReport* report);
  size_t steps() const { return groups_.steps(); }

 private:
  // A node that may be fused.
  struct Candidate {
    Fused form;
    Operands reads, writes;
    const Layout* shape;
    Device* device;
  };
  // A result inside a group.
  struct GroupResult {
    uint32_t node, operand;
    ops::Value value;
    uint64_t from;  // the inputs whose failure is its, a bit each
    uint32_t inside = 0;
  };
  // Nodes as one expression, without what is stored of it.
  struct FusedBody {
    Expression expression;
    std::vector<uint64_t> words;
    std::vector<const View*> inputs;
    std::vector<uint32_t> nodes;
    std::vector<GroupResult> made;     // the results of each node, one node after the other
    std::vector<uint32_t> results;     // by node: its first one
    SmallVector<uint32_t, 8> outside;  // results that are in memory
    size_t saved = 0;                  // roundings between its nodes that are left out
  };
  // Remembers what a body was before a node was added.
  struct Mark {
    explicit Mark(const FusedBody& body)
        : expression(body.expression),
          words(body.words.size()),
          inputs(body.inputs.size()),
          made(body.made.size()),
          outside(body.outside),
          saved(body.saved) {}
    Expression expression;
    size_t words, inputs, made;
    SmallVector<uint32_t, 8> outside;
    size_t saved;
  };

  void find_candidate(uint32_t i);
  Groups::Some candidates(uint32_t i);
  bool join(uint32_t i, const Groups::Some& groups);
  bool depend_by_element(const std::vector<uint32_t>& nodes, uint32_t i, const Groups::Some& groups);
  void append(uint32_t i, FusedBody* body);
  void take_back(uint32_t i, const Mark& mark, FusedBody* body);
  GroupResult* made_by(const Dependences::Source& source, FusedBody* body);
  bool is_outside(const GroupResult& result) const;
  bool may_store(const FusedBody& body) const;
  bool whole(uint32_t node, uint32_t operand) const;
  ops::Value handed_on(FusedBody* body, ops::Value value, rondo_dtype dtype) const;
  ProgramNode fused(const std::vector<uint32_t>& nodes, PassReport* report);

  const Dependences::Node& node(uint32_t i) const { return groups_.dependences().node(i); }
  const View& view_of(const GroupResult& result) const {
    return program_.nodes[result.node].operands[result.operand].view;
  }

  ops::Program& program_;
  Groups groups_;
  std::vector<std::optional<Candidate>> of_;
  std::unordered_map<uint32_t, FusedBody> bodies_;  // of groups of several
};

Fusion::Fusion(ops::Program& program) : program_(program), groups_(program), of_(program.nodes.size()) {}

// Results of 8-bit floats are rounded by memory alone, and what is stored otherwise than it was computed is not what a
// reader of memory gets: such nodes stay by themselves. On the host so do operators of 16-bit floats, which have loops
// over such elements that are faster than steps in f32 with a rounding after each, where there has to be one.
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
  if (node.device->is_host() && !program_.fewer_roundings &&
      std::all_of(node.operands.begin(), node.operands.end(), is_narrow))
    return;
  Candidate& candidate = of_[i].emplace();
  candidate.form = *form;
  candidate.reads = views_of(node, false);
  candidate.writes = views_of(node, true);
  candidate.shape = &node.operands[candidate.writes[0]].view.layout;
  candidate.device = node.device;
  bool alike = candidate.shape->elements() > 0;
  for (const ProgramOperand& each : node.operands)
    alike &= !each.known || each.view.layout.same_shape(*candidate.shape);
  if (!alike) of_[i].reset();
}

// The groups that make what a node reads, those that are latest first.
Groups::Some Fusion::candidates(uint32_t i) {
  Groups::Some groups;
  for (const uint32_t k : of_[i]->reads) {
    const uint32_t from = node(i).operands[k].source.node;
    if (from == Dependences::kNone || !of_[from]) continue;
    const uint32_t group = groups_.of(from);
    if (!groups_.open(group) || program_.nodes[from].section != program_.nodes[i].section ||
        of_[from]->device != of_[i]->device || !of_[from]->shape->same_shape(*of_[i]->shape))
      continue;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  std::sort(groups.begin(), groups.end(),
            [this](uint32_t a, uint32_t b) { return groups_.place(a) > groups_.place(b); });
  return groups;
}

Status Fusion::form_groups() {
  for (uint32_t i = 0; i < of_.size(); ++i) {
    RONDO_TRY(MakingLimit::check());
    find_candidate(i);
    groups_.begin(i);
    if (of_[i]) {
      const Groups::Some all = candidates(i);
      if (!all.empty() && !join(i, all) && all.size() > 1)
        (void)std::any_of(all.begin(), all.end(), [&](uint32_t each) { return join(i, {each}); });
    }
    groups_.end(i);
  }
  return {};
}

// True if all that nodes of different groups have in common is read and written element by element.
bool Fusion::depend_by_element(const std::vector<uint32_t>& nodes, uint32_t i, const Groups::Some& groups) {
  const auto by_element = [&](uint32_t each) {
    for (const Dependences::Before& before : node(each).before) {
      groups_.step();
      if (!before.elementwise && groups_.among(before.node, groups)) return false;
    }
    return true;
  };
  if (groups.size() == 1) return by_element(i);
  return std::all_of(nodes.begin(), nodes.end(), by_element);
}

// The body of one group is there, or has one node; that of several is made anew, in the order of the program.
bool Fusion::join(uint32_t i, const Groups::Some& groups) {
  const std::optional<uint32_t> place = groups_.place_for(i, groups);
  if (!place) return false;
  const uint32_t first = groups.front();
  const auto found = groups.size() == 1 ? bodies_.find(first) : bodies_.end();
  if (found != bodies_.end()) {
    FusedBody& body = found->second;
    if (body.nodes.size() == Expression::kMaxInstructions || !depend_by_element(body.nodes, i, groups)) return false;
    const Mark mark(body);
    append(i, &body);
    if (!may_store(body)) {
      take_back(i, mark, &body);
      return false;
    }
  } else {
    const std::vector<uint32_t> nodes = groups_.nodes_with(i, groups);
    if (nodes.size() > Expression::kMaxInstructions || !depend_by_element(nodes, i, groups)) return false;
    FusedBody body;
    for (const uint32_t each : nodes) append(each, &body);
    if (!may_store(body)) return false;
    for (const uint32_t group : groups) bodies_.erase(group);
    bodies_.emplace(first, std::move(body));
  }
  groups_.join(i, groups, *place);
  return true;
}

// The value as it is once it was stored and loaded again. An input is that already, and so is a value that was rounded.
ops::Value Fusion::handed_on(FusedBody* body, ops::Value value, rondo_dtype dtype) const {
  Expression& e = body->expression;
  if (!is_half(dtype) || (Expression::is_input(value) && e.input_dtype(value) == dtype)) return value;
  if (!program_.fewer_roundings) return e.round(value, dtype);
  ++body->saved;
  return value;
}

// True if nothing that was in a value before counts for what a result leaves there.
bool Fusion::whole(uint32_t node, uint32_t operand) const {
  const ProgramOperand& result = program_.nodes[node].operands[operand];
  return result.covers && result.begin == 0 &&
         result.end == static_cast<int64_t>(program_.values[result.value].storage->bytes());
}

// The result of a node that is there already; null: it is none of theirs.
Fusion::GroupResult* Fusion::made_by(const Dependences::Source& source, FusedBody* body) {
  if (source.node == Dependences::kNone) return nullptr;
  const auto maker = std::lower_bound(body->nodes.begin(), body->nodes.end(), source.node);
  if (maker == body->nodes.end() || *maker != source.node) return nullptr;
  GroupResult* result = &body->made[body->results[static_cast<size_t>(maker - body->nodes.begin())]];
  while (result->operand != source.operand) ++result;
  return result;
}

// True if others than the nodes of its body look at a result.
bool Fusion::is_outside(const GroupResult& result) const {
  const Dependences::Operand& mine = node(result.node).operands[result.operand];
  return mine.kept || mine.readers != result.inside ||
         program_.nodes[result.node].operands[result.operand].view.accumulate;
}

// Adds what a node computes. The expression overflows if that does not fit.
void Fusion::append(uint32_t i, FusedBody* body) {
  Expression& e = body->expression;
  if (e.overflow()) return;
  const Candidate& candidate = *of_[i];
  const Expression& own = candidate.form.expression;
  ops::Value values[Expression::kMaxInputs] = {}, results[Expression::kMaxOutputs] = {};
  uint64_t from = 0;
  for (size_t k = 0; k < candidate.reads.size(); ++k) {
    groups_.step();
    if (GroupResult* const result = made_by(node(i).operands[candidate.reads[k]].source, body)) {
      ++result->inside;
      from |= result->from;
      values[k] = handed_on(body, result->value, own.input_dtype(static_cast<int>(k)));
      continue;
    }
    const View& view = program_.nodes[i].operands[candidate.reads[k]].view;
    size_t at = 0;
    while (at < body->inputs.size() && !ops::identical(*body->inputs[at], view)) ++at;
    if (at == body->inputs.size()) {
      body->inputs.push_back(&view);
      values[k] = e.input(view.dtype);
    } else {
      values[k] = static_cast<ops::Value>(at);
    }
    // By the first input of the same value.
    size_t first = 0;
    while (body->inputs[first]->storage != view.storage) ++first;
    from |= uint64_t{1} << first;
  }
  if (e.overflow()) return;
  e.append(own, values, results);
  body->words.insert(body->words.end(), candidate.form.words, candidate.form.words + own.scalars());
  body->nodes.push_back(i);
  body->results.push_back(static_cast<uint32_t>(body->made.size()));
  const auto first = static_cast<uint32_t>(body->made.size());
  for (uint32_t k = 0; k < candidate.writes.size(); ++k) {
    body->made.push_back({i, candidate.writes[k], results[k], from});
    body->outside.push_back(first + k);
  }
  body->outside.erase_if([&](uint32_t each) { return !is_outside(body->made[each]); });
}

// Makes a body what it was before the node was added, the last one.
void Fusion::take_back(uint32_t i, const Mark& mark, FusedBody* body) {
  if (body->nodes.back() == i) {
    body->nodes.pop_back();
    body->results.pop_back();
  }
  for (const uint32_t each : of_[i]->reads)  // mutation: refused_reader_left_inside
    if (GroupResult* const result = made_by(node(i).operands[each].source, body)) --result->inside;
  body->expression = mark.expression;
  body->words.resize(mark.words);
  body->inputs.resize(mark.inputs);
  body->made.resize(mark.made);
  body->outside = mark.outside;
  body->saved = mark.saved;
}

// True if a kernel computes the body and stores its results that are in memory.
bool Fusion::may_store(const FusedBody& body) const {
  const Expression& e = body.expression;
  if (e.overflow() || body.outside.empty() || body.outside.size() > Expression::kMaxOutputs) return false;
  uint64_t from = 0;
  for (uint32_t n = 0; n < body.outside.size(); ++n) {
    const GroupResult& result = body.made[body.outside[n]];
    const View& view = view_of(result);
    // Only a kernel that does nothing else moves bits that are no number's.
    const bool bits = is_half(view.dtype) || view.dtype == RONDO_BOOL;
    if (bits && !view.accumulate && e.moves_an_input(result.value)) return false;
    const bool is_whole = whole(result.node, result.operand);
    // On the host each operator fails with what it reads itself, and no other.
    if (of_[result.node]->device->is_host() && n > 0 && (result.from != from || !is_whole)) return false;
    from = is_whole ? result.from : kFromMore;
    for (uint32_t other = 0; other < n; ++other)
      if (ops::overlap(view_of(body.made[body.outside[other]]), view)) return false;
  }
  return true;
}

ProgramNode Fusion::fused(const std::vector<uint32_t>& nodes, PassReport* report) {
  const FusedBody& body = bodies_.at(groups_.of(nodes[0]));
  Fused form;
  form.expression = body.expression;
  std::vector<TaskOperand> operands;
  for (const View* each : body.inputs) operands.push_back({*each, false});
  for (const uint32_t each : body.outside) {
    const GroupResult& result = body.made[each];
    const View& view = view_of(result);
    operands.push_back({view, true});
    form.expression.output(result.value, view.dtype, view.accumulate);
  }
  form.expression = form.expression.without_dead();
  std::copy(body.words.begin(), body.words.end(), form.words);
  std::string name;
  for (size_t n = 0; n < std::min(nodes.size(), kNamed); ++n)
    name += std::string(n ? "+" : "") + program_.nodes[nodes[n]].name;
  if (nodes.size() > kNamed) name += format("+%zu more", nodes.size() - kNamed);
  Ref<const ops::Call> call = Ref<const ops::Call>::adopt(new ops::Call(ops::fused_call(form.expression, form.words)));
  ProgramNode node =
      program_.make_node(Engine::intern(name.c_str()), std::move(call), operands, program_.nodes[nodes[0]].section);
  node.operators = groups_.operators(nodes);
  std::string line = groups_.line(nodes) + ": " + program_.text(node);
  if (program_.fewer_roundings) line += format(" (roundings saved: %zu)", body.saved);
  report->lines.push_back(std::move(line));
  return node;
}

void Fusion::rewrite(PassReport* report) {
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes, auto*) { return fused(nodes, report); });
}

}  // namespace

Status fuse(ops::Program& program, PassReport* report) {
  Fusion fusion(program);
  RONDO_TRY(fusion.form_groups());
  fusion.rewrite(report);
  report->steps = fusion.steps();
  return {};
}

}  // namespace rondo
