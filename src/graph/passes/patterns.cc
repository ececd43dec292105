// One node of several that are an operator together, in a recording that asks for fewer roundings: operators round each
// of the results that these hand over. The table has a text for each (terms/term.h).
//
// After `cse`, so that what is computed twice is one node, and before `epilogue` and `fuse`, which join others to them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include "engine/tasks/making_limit.h"
#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "graph/passes/pattern_nodes.h"
#include "terms/texts.h"

namespace rondo {

namespace {

using ops::ProgramNode;
using Matched = ValueGraph::Matched;

struct Pattern {
  const char* text;    // ^ stands for the next one without a ^
  BuildPattern build;  // null: a text for ^ alone
  int other = 0;       // rows from here to that of a node that is a part of it too, and comes before; 0: there is none
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

#define FIRST_HALF "Sub:y(Mul(a, c), Mul(b, s))"
#define SECOND_HALF "Add:z(Mul(d, e), Mul(f, g))"

// Those with more before those that they begin with.
constexpr Pattern kPatterns[] = {
    {"Add(Mul(^, w), b)", layer_norm_pattern},
    {"Mul(^, w)", layer_norm_pattern},
    {LAYER, layer_norm_pattern},
    {"Mul(^, w)", rms_norm_pattern},
    {ROOT, rms_norm_pattern},
    {"Matmul:o(Softmax:s([Add(^, mask) | ^]), v)", attention_pattern},
    {SCORES, nullptr},
    {RONDO_HALF_OF("^"), gelu_pattern},
    {"[" RONDO_ERF_FACTOR " | " RONDO_TANH_FACTOR "]", nullptr},
    {RONDO_ROTARY_TEXT("h", "l"), rotary_pattern},
    {"Concat:t(" FIRST_HALF ", " SECOND_HALF ")", rotary_pattern},
    {SECOND_HALF, rotary_pattern, 1},
    {FIRST_HALF, rotary_pattern, -1},
    {"Batch_norm:o(Convolution:n(i))", batch_norm_pattern},
    {"Add(Mul(^, w), b)", batch_norm_pattern},
    {"Add(^, b)", batch_norm_pattern},
    {"Mul(^, w)", batch_norm_pattern},
    {"[Mul(Sub(Convolution:n(i), m), r) | Div(Sub(Convolution:n(i), m), d)]", batch_norm_pattern},
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
    PatternNodes made;
    std::vector<uint32_t> nodes;
  };
  bool matches(const Term& term, uint32_t i, Matched* found, std::vector<uint32_t>* nodes) const;
  bool add_other(const Term& other, uint32_t last, Match* match) const;
  ProgramNode make_node(const std::vector<uint32_t>& nodes, std::vector<ProgramNode>* before, PassReport* report);

  ops::Program& program_;
  ValueGraph values_;
  Groups groups_;
  std::vector<std::unique_ptr<Match>> found_;
  std::vector<const Match*> match_of_;  // by node: the match that it is one of; null: there is none
};

bool PatternPass::matches(const Term& term, uint32_t i, Matched* found, std::vector<uint32_t>* nodes) const {
  if (match_of_[i] || !values_.matches(term, i, found, nodes)) return false;
  for (const uint32_t each : *nodes)
    if (match_of_[each]) return false;
  // A leaf that is a value of an expression would have to be stored first.
  for (const auto& [name, value] : found->values)
    if (!Matched::find(found->numbers, name) && (!value.memory || !value.memory->known)) return false;
  return true;
}

// The nearest node before the last one that another text describes.
bool PatternPass::add_other(const Term& other, uint32_t last, Match* match) const {
  constexpr uint32_t kFarthest = 8;
  std::vector<uint32_t> nodes;
  for (uint32_t i = last; i > 0 && last - i < kFarthest;) {
    if (!matches(other, --i, &match->made.other, &nodes)) continue;
    for (const uint32_t each : nodes) match->nodes.push_back(each);
    std::sort(match->nodes.begin(), match->nodes.end());
    return true;
  }
  return false;
}

Status PatternPass::find() {
  for (const Pattern& pattern : kPatterns) {
    if (!pattern.build) continue;
    const Pattern* inner = &pattern;
    while (std::strchr(inner->text, '^')) ++inner;
    const Term term = read_term(pattern.text, inner->text),
               other = read_term((&pattern)[pattern.other].text, inner->text);
    auto match = std::make_unique<Match>();
    for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
      RONDO_TRY(MakingLimit::check());
      Matched found;
      if (!matches(term, i, &found, &match->nodes)) continue;
      match->made.program = &program_;
      match->made.to = program_.nodes[i].operands.back().view;
      if ((pattern.other == 0 || add_other(other, i, match.get())) && pattern.build(found, &match->made)) {
        for (const uint32_t each : match->nodes) match_of_[each] = match.get();
        found_.push_back(std::move(match));
      }
      match = std::make_unique<Match>();
    }
  }
  return {};
}

// The nodes of a match become one where the last of them is, if nothing comes between.
Status PatternPass::form_groups() {
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    RONDO_TRY(MakingLimit::check());
    groups_.begin(i);
    const std::vector<uint32_t>* const nodes = match_of_[i] ? &match_of_[i]->nodes : nullptr;
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

ProgramNode PatternPass::make_node(const std::vector<uint32_t>& nodes, std::vector<ProgramNode>* before,
                                   PassReport* report) {
  const PatternNodes& made = match_of_[nodes[0]]->made;
  for (const Ref<Storage>& each : made.memory) program_.add(*each);
  const auto make = [&](const PatternNodes::NewNode& node) {
    return program_.make_node(node.name, node.call, node.operands, program_.nodes[nodes[0]].section);
  };
  if (made.before.call) before->push_back(make(made.before));
  ProgramNode last = make(made.last);
  report->lines.push_back(groups_.line(nodes) + ": " + program_.text(last));
  return last;
}

void PatternPass::rewrite(PassReport* report) {
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes, std::vector<ProgramNode>* before) {
    return make_node(nodes, before, report);
  });
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
