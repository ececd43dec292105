// Compares a term with the nodes that make a value, in a graph of any kind.
//
// A graph has values, which can be copied and compared, and nodes:
//   using Value, Node;
//   bool given(value)                  it is there: an input may be left out
//   bool number(value, double*, int*)  it is a constant of one element: its number, and the bits of its significand if
//                                      they are fewer than f32's, else 0
//   bool is_constant(value)
//   bool makes(value, type, Node*)     a node of that type makes it, as its first result
//   size_t inputs(node)                how many it has
//   Value input(node, i)
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "terms/term.h"

namespace rondo {

// Tells which values and nodes stand for the names of a text.
template <class Graph>
struct TermMatch {
  template <class Thing>
  struct Named {
    std::string_view name;
    Thing thing;
  };
  template <class Thing>
  static const Thing* find(const std::vector<Named<Thing>>& all, std::string_view name) {
    for (const Named<Thing>& each : all)
      if (each.name == name) return &each.thing;
    return nullptr;
  }
  bool has(std::string_view name) const { return find(values, name) != nullptr; }
  const typename Graph::Value& value(std::string_view name) const { return *find(values, name); }
  typename Graph::Node labelled(std::string_view name) const { return *find(labels, name); }
  // The number of a name with a #, or `otherwise`.
  double number(std::string_view name, double otherwise) const {
    const double* const found = find(numbers, name);
    return found ? *found : otherwise;
  }

  std::vector<Named<typename Graph::Value>> values;
  std::vector<Named<double>> numbers;
  std::vector<Named<typename Graph::Node>> labels;
  std::vector<typename Graph::Node> nodes;  // all that the term has, the last one first; some may stand there twice
};

// Forgets what was found since there were so many.
template <class Graph>
class Undo {
 public:
  explicit Undo(TermMatch<Graph>* match)
      : match_(match),
        values_(match->values.size()),
        numbers_(match->numbers.size()),
        labels_(match->labels.size()),
        nodes_(match->nodes.size()) {}
  void operator()() const {
    match_->values.erase(match_->values.begin() + values_, match_->values.end());
    match_->numbers.erase(match_->numbers.begin() + numbers_, match_->numbers.end());
    match_->labels.erase(match_->labels.begin() + labels_, match_->labels.end());
    match_->nodes.erase(match_->nodes.begin() + nodes_, match_->nodes.end());
  }

 private:
  TermMatch<Graph>* const match_;
  const ptrdiff_t values_, numbers_, labels_, nodes_;
};

// True if the value is what the term describes, whatever the order of operands of sums and products: the first order
// that fits a sum counts, so a text begins with what binds its values. Else what is found is of no use.
template <class Graph>
bool match_term(const Graph& graph, const Term& term, const typename Graph::Value& value, TermMatch<Graph>* found) {
  const Undo<Graph> undo(found);
  double number = 0;
  int bits = 0;
  switch (term.kind) {
    case Term::kChoice:
      for (const Term& each : term.parts) {
        if (match_term(graph, each, value, found)) return true;
        undo();
      }
      return false;
    case Term::kNumber: return graph.number(value, &number, &bits) && is_number(term, number, bits);
    case Term::kValue:
      if (!graph.given(value) || (term.constant && !graph.number(value, &number, &bits))) return false;
      if (found->has(term.name)) return found->value(term.name) == value;
      found->values.push_back({term.name, value});
      if (term.constant) found->numbers.push_back({term.name, number});
      return true;
    default: break;
  }
  typename Graph::Node node = {};
  if (!graph.makes(value, term.name, &node)) return false;
  const size_t inputs = graph.inputs(node), parts = term.parts.size();
  if (term.rest ? inputs < parts : inputs != parts) return false;
  for (size_t i = parts; i < inputs; ++i)
    if (!graph.is_constant(graph.input(node, i))) return false;
  const bool commutes = term.name == "Add" || term.name == "Mul";
  for (const bool exchanged : {false, true}) {
    if (exchanged && !commutes) break;
    found->nodes.push_back(node);
    if (!term.label.empty()) found->labels.push_back({term.label, node});
    bool all = true;
    for (size_t i = 0; i < parts && all; ++i)
      all = match_term(graph, term.parts[i], graph.input(node, exchanged ? 1 - i : i), found);
    if (all) return true;
    undo();
  }
  return false;
}

}  // namespace rondo
