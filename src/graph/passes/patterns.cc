// One node of several that are a normalisation or attention together, in a recording that asks for fewer roundings:
// operators round each of the results that these hand over. The table has a text for each (terms/term.h).
//
// After `cse`, so that what is computed twice is one node, and before `fuse`, which joins others to them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/engine.h"
#include "engine/tasks/making_limit.h"
#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "graph/passes/value_graph.h"
#include "ops/program/infer.h"
#include "ops/program/overlap.h"

namespace rondo {

namespace {

using ops::ProgramNode;
using Matched = ValueGraph::Matched;

// The node that stands for what was found, on views of the values.
struct Operator {
  const char* name;
  Ref<const ops::Call> call;
  std::vector<View> inputs;
  View to;
  Ref<Storage> memory;  // of a result that nothing reads; null: there is none
  View further;
};

const View& view_of(const Matched& found, const char* name) {
  return found.value(name).memory->view;
}

// True if the operator takes its inputs, and gives what the last node gave.
template <class OneKind>
bool complete(const OneKind& call, size_t results, Operator* made) {
  std::vector<const View*> inputs;
  for (const View& each : made->inputs) {
    // All of them is read before any result is written, apart; together an element may be gone too early.
    if (ops::overlap(each, made->to)) return false;
    inputs.push_back(&each);
  }
  ops::ResultType types[2];
  if (!infer(call, ops::InputTypes(inputs.data(), inputs.size()), ops::ResultTypes(types, results)).ok()) return false;
  if (results > 1) {
    View& further = made->further;
    further.dtype = types[1].dtype;
    further.layout = types[1].shape;
    made->memory = make_ref<Storage>(made->to.engine(), made->to.device(), further.bytes());
    further.storage = made->memory.get();
  }
  made->call = make_ref<const ops::Call>(call);
  return types[0].dtype == made->to.dtype && types[0].shape.same_shape(made->to.layout);
}

// A row of numbers, one for each element of the last axis, as all rows see it.
bool is_row(View* view) {
  Layout& layout = view->layout;
  if (layout.ndim < 1) return false;
  for (int d = 0; d + 1 < layout.ndim; ++d)
    if (layout.shape[d] != 1 && layout.strides[d] != 0) return false;
  layout.shape[0] = layout.shape[layout.ndim - 1];
  layout.strides[0] = layout.strides[layout.ndim - 1];
  layout.ndim = 1;
  return true;
}

// Rows of a host that its loops go through as fast as the parts do: neither apart in memory nor very long.
bool suits_host(const View& x) {
  constexpr int64_t kLongest = 65535;
  const int last = x.layout.ndim - 1;
  return last >= 0 && x.layout.shape[last] <= kLongest && (x.layout.shape[last] == 1 || x.layout.strides[last] == 1);
}

bool normalisation(ops::Normalisation op, const Matched& found, Operator* made) {
  const View& x = view_of(found, "x");
  const double epsilon = found.number("e", 0);
  if (!(epsilon >= 0 && epsilon <= 1) || (x.device().is_host() && !suits_host(x))) return false;
  made->inputs = {x};
  for (const char* name : {"w", "b"}) {
    if (!found.has(name)) continue;
    made->inputs.push_back(view_of(found, name));
    if (!is_row(&made->inputs.back())) return false;
  }
  const bool weight = found.has("w"), bias = found.has("b");
  return complete(ops::NormalisationCall{op, weight, bias, x.layout.ndim - 1, epsilon}, 1, made);
}

bool layer_norm(const ops::Program&, const Matched& found, Operator* made) {
  made->name = "layer_norm";
  return normalisation(ops::Normalisation::layer_norm, found, made);
}

bool rms_norm(const ops::Program&, const Matched& found, Operator* made) {
  made->name = "rms_norm";
  return normalisation(ops::Normalisation::rms_norm, found, made);
}

void exchange(Layout* layout, int a, int b) {
  std::swap(layout->shape[a], layout->shape[b]);
  std::swap(layout->strides[a], layout->strides[b]);
}

// [heads, rows, columns] and [rows, columns] with axes of size 1 in front.
bool to_four_axes(Layout* layout) {
  if (layout->ndim < 2 || layout->ndim > 4) return false;
  for (; layout->ndim < 4; ++layout->ndim) {
    for (int d = layout->ndim; d > 0; --d) exchange(layout, d, d - 1);
    layout->shape[0] = 1;
    layout->strides[0] = 0;
  }
  return true;
}

// softmax(q k^T * c + mask) v: as attention sees them, rows are before heads.
bool attention(const ops::Program& program, const Matched& found, Operator* made) {
  const auto node = [&](const char* label) -> const ProgramNode& { return program.nodes[found.labelled(label).node]; };
  const auto product = [&](const char* label) { return std::get<ops::MatmulCall>(node(label).call->of); };
  const ops::MatmulCall scores = product("p"), sums = product("o");
  const auto& softmax = std::get<ops::SoftmaxCall>(node("s").call->of);
  const int last = node("s").operands[0].view.layout.ndim - 1;
  if (scores.bias || sums.bias || scores.allow_tf32 || sums.allow_tf32 || scores.activation != RONDO_ACTIVATION_NONE ||
      sums.activation != RONDO_ACTIVATION_NONE || sums.transpose_a || softmax.op != RONDO_SOFTMAX ||
      softmax.temperature != 1 || softmax.axis != last || softmax.lengths)
    return false;
  const double scale = found.number("c", 1) / found.number("d", 1);
  if (!(scale >= 1e-30 && scale <= 1e30)) return false;
  View q = view_of(found, "q"), k = view_of(found, "k"), v = view_of(found, "v");
  for (View* each : {&q, &k, &v, &made->to})
    if (each->layout.ndim != last + 1) return false;
  // A host computes the products of few queries faster by themselves.
  constexpr int64_t kFewQueries = 128;
  if (q.device().is_host() && made->to.layout.shape[last - 1] < kFewQueries) return false;
  if (scores.transpose_a) exchange(&q.layout, last, last - 1);
  if (!scores.transpose_b) exchange(&k.layout, last, last - 1);
  if (sums.transpose_b) exchange(&v.layout, last, last - 1);
  for (View* each : {&q, &k, &v, &made->to}) {
    if (!to_four_axes(&each->layout)) return false;
    exchange(&each->layout, 1, 2);
  }
  made->inputs = {q, k, v};
  const bool masked = found.has("mask");
  if (masked) {
    made->inputs.push_back(view_of(found, "mask"));
    if (!to_four_axes(&made->inputs.back().layout)) return false;
  }
  made->name = "attention";
  return complete(ops::AttentionCall{{scale, 0, 0, -1, -1, false}, masked, false, false}, 2, made);
}

// Makes the operator of the nodes that match a text; false if it is none of that kind after all.
using Build = bool (*)(const ops::Program& program, const Matched& found, Operator* made);

struct Pattern {
  const char* text;
  Build build;
};

#define CENTRED "Sub(x, Mean(x))"
#define SQUARE(a) "[Square(" a ") | Mul(" a ", " a ") | Pow(" a ", 2)]"
#define VARIANCE "[Mean([" SQUARE(CENTRED) " | Squared_difference(x, Mean(x))]) | Var(x)]"
#define OVER_ROOT(a, b)                                                                                             \
  "[Mul(" a ", [Rsqrt(Add(" b ", #e)) | Reciprocal(Sqrt(Add(" b ", #e))) | Div(1, Sqrt(Add(" b ", #e)))]) | Div(" a \
  ", Sqrt(Add(" b ", #e)))]"
#define LAYER OVER_ROOT(CENTRED, VARIANCE)
#define ROOT OVER_ROOT("x", "Mean(" SQUARE("x") ")")
#define SCORES                                                                                                \
  "[Mul(Matmul:p(q, k), #c) | Div(Matmul:p(q, k), #d) | Matmul:p(Mul(q, #c), k) | Matmul:p(Div(q, #d), k) | " \
  "Matmul:p(q, k)]"

// Those with more before those that they begin with.
constexpr Pattern kPatterns[] = {
    {"Add(Mul(" LAYER ", w), b)", layer_norm},
    {"Mul(" LAYER ", w)", layer_norm},
    {LAYER, layer_norm},
    {"Mul(" ROOT ", w)", rms_norm},
    {ROOT, rms_norm},
    {"Matmul:o(Softmax:s([Add(" SCORES ", mask) | " SCORES "]), v)", attention},
};

class PatternPass {
 public:
  explicit PatternPass(ops::Program& program)
      : program_(program), values_(program), groups_(program), match_of_(program.nodes.size()) {}
  Status find();
  Status form_groups();
  void rewrite(PassReport* report);
  bool found_some() const { return !found_.empty(); }
  size_t steps() const { return groups_.steps(); }

 private:
  struct Match {
    Operator made;
    std::vector<uint32_t> nodes;
  };
  bool make(const Pattern& pattern, const Matched& found, uint32_t last, Operator* made) const;
  ProgramNode make_node(const std::vector<uint32_t>& nodes, PassReport* report);

  ops::Program& program_;
  ValueGraph values_;
  Groups groups_;
  std::vector<Match> found_;
  std::vector<size_t> match_of_;  // by node: the number of the match that it is one of, from 1 on; 0: there is none
};

bool PatternPass::make(const Pattern& pattern, const Matched& found, uint32_t last, Operator* made) const {
  const ops::ProgramOperand& result = program_.nodes[last].operands.back();
  made->to = result.view;
  // A leaf that is a value of an expression would have to be stored first.
  for (const auto& [name, value] : found.values)
    if (!Matched::find(found.numbers, name) && (!value.memory || !value.memory->known)) return false;
  return pattern.build(program_, found, made);
}

Status PatternPass::find() {
  const auto taken = [this](uint32_t node) { return match_of_[node] != 0; };
  for (const Pattern& pattern : kPatterns) {
    const Term term = read_term(pattern.text);
    for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
      RONDO_TRY(MakingLimit::check());
      Matched found;
      Match match;
      if (taken(i) || !values_.matches(term, i, &found, &match.nodes) ||
          std::any_of(match.nodes.begin(), match.nodes.end(), taken) || !make(pattern, found, i, &match.made))
        continue;
      found_.push_back(std::move(match));
      for (const uint32_t each : found_.back().nodes) match_of_[each] = found_.size();
    }
  }
  return {};
}

// The nodes of a match become one where the last of them is, if nothing comes between.
Status PatternPass::form_groups() {
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    RONDO_TRY(MakingLimit::check());
    groups_.begin(i);
    const std::vector<uint32_t>* const nodes = match_of_[i] != 0 ? &found_[match_of_[i] - 1].nodes : nullptr;
    if (nodes && nodes->back() == i && nodes->size() > 1) {
      const Groups::Some groups(nodes->rbegin() + 1, nodes->rend());
      const bool open = std::all_of(groups.begin(), groups.end(), [&](uint32_t each) { return groups_.open(each); });
      if (const std::optional<uint32_t> at = open ? groups_.place_for(i, groups) : std::nullopt)
        groups_.join(i, groups, *at);
    }
    groups_.end(i);
  }
  return {};
}

ProgramNode PatternPass::make_node(const std::vector<uint32_t>& nodes, PassReport* report) {
  const Operator& made = found_[match_of_[nodes[0]] - 1].made;
  std::vector<TaskOperand> operands;
  for (const View& each : made.inputs) operands.push_back({each, false});
  operands.push_back({made.to, true});
  if (made.memory) {
    program_.add(*made.memory);
    operands.push_back({made.further, true});
  }
  ProgramNode whole = program_.make_node(made.name, made.call, operands, program_.nodes[nodes[0]].section);
  report->lines.push_back(groups_.line(nodes) + ": " + program_.text(whole));
  return whole;
}

void PatternPass::rewrite(PassReport* report) {
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes) { return make_node(nodes, report); });
}

}  // namespace

Status patterns(ops::Program& program, PassReport* report) {
  if (!program.fewer_roundings) return {};
  PatternPass pass(program);
  RONDO_TRY(pass.find());
  if (!pass.found_some()) return {};
  RONDO_TRY(pass.form_groups());
  pass.rewrite(report);
  report->steps = pass.steps();
  return {};
}

}  // namespace rondo
