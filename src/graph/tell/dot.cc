// The DOT picture: tasks in their segments, and on the edges the tensors that go from one to another. Inputs, outputs
// and parameters are nodes. A dashed edge carries nothing: the later task only waits until the earlier one has read or
// written.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/files/written_file.h"
#include "base/text.h"
#include "engine/operand_text.h"
#include "engine/tensor.h"
#include "graph/tell/tell.h"
#include "ops/program/overlap.h"

namespace rondo {

namespace {

std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// The effect of a task on a variable.
struct Effect {
  const Variable* variable;
  bool storage, read, write;
  std::string text;  // "f32 [64, 10]", or what is known of it
  View view;         // without storage: all of the variable
  // True if both are about some element.
  bool meets(const Effect& other) const {
    return !view.storage || !other.view.storage || ops::overlap(view, other.view);
  }
  // True if nothing of the other is left where this was written.
  bool covers(const Effect& other) const {
    if (!view.storage) return !read;
    if (view.accumulate) return false;
    const bool whole = view.bytes() == view.storage->bytes() && !view.layout.repeats();
    return whole || (other.view.storage && ops::identical(view, other.view));
  }
};

// The roles of the storages that the recording makes.
using Roles = std::unordered_map<const Variable*, ops::ValueRole>;
// How storages are shown, by the tasks of bodies that use them.
using Texts = std::unordered_map<const Variable*, std::string>;

// texts: of what a task uses that lists no operands.
std::vector<Effect> effects_of(const ops::OperatorTask& task, const Texts& texts) {
  std::vector<Effect> effects;
  std::vector<TaskOperand> operands;
  task.list_operands(&operands);
  for (const auto& [view, written] : operands) {
    bool read = !written;
    if (written) {
      // A result that keeps something of what was there reads that, unless it is an input as well, which says so.
      for (const Access& access : task.accesses()) read = read || (access.variable == view.storage && access.input);
      for (const Effect& other : effects) read = read && other.variable != view.storage;
    }
    effects.push_back({view.storage, true, read, written, unbroadcast_text(view), view});
  }
  if (!operands.empty()) return effects;
  // Copies of bytes, and user tasks that name variables.
  for (const Access& access : task.accesses()) {
    const Storage* storage = access.variable->storage();
    const auto known = texts.find(access.variable);
    effects.push_back({access.variable,
                       storage != nullptr,
                       access.read,
                       access.write,
                       known != texts.end() ? known->second
                       : storage            ? format("%zu bytes", storage->bytes())
                                            : "variable",
                       {}});
  }
  return effects;
}

class Picture {
 public:
  // prefix: of the names of all nodes. input: what tensors from outside are called.
  Picture(std::FILE* file, const std::string& prefix, const char* input)
      : file_(file), prefix_(prefix), input_(input) {}

  // Edges into task `i`, from the task that wrote what it reads, or from an input.
  void task(uint32_t i, const ops::OperatorTask& task, const Roles& inside, const Texts& texts) {
    const std::vector<Effect> effects = effects_of(task, texts);
    for (const Effect& effect : effects) {
      if (!effect.read) continue;
      bool carried = false;
      for (const Written& each : writes_[effect.variable]) {
        if (!effect.meets(each.effect)) continue;
        carry(each.task, i, effect.text);
        carried = true;
      }
      if (!carried && effect.storage && !inside.count(effect.variable)) input(effect, i);
    }
    for (const Effect& effect : effects) {
      if (!effect.write) continue;
      std::vector<Written>& writes = writes_[effect.variable];
      if (effect.storage && writes.empty()) written_.push_back(effect.variable);
      std::erase_if(writes, [&](const Written& each) { return effect.covers(each.effect); });
      writes.push_back({i, effect});
    }
  }
  // An edge for order alone, unless a tensor goes the same way.
  void order(uint32_t from, uint32_t to) {
    if (!carried_.count({from, to}))
      std::fprintf(file_, "  %st%u -> %st%u [style=dashed];\n", prefix(), from, prefix(), to);
  }
  // The storages that were written, in the order in which they first were.
  const std::vector<const Variable*>& written() const { return written_; }
  // Draws what a launch leaves to the user.
  void result(const Variable& variable, const char* kind) {
    const std::vector<Written>& writes = writes_[&variable];
    std::fprintf(file_, "  %so%zu [shape=ellipse, fillcolor=\"#eaf5ea\", label=\"%s\\n%s\"];\n", prefix(), results_,
                 kind, quoted(writes.back().effect.text).c_str());
    for (const Written& each : writes)
      std::fprintf(file_, "  %st%u -> %so%zu;\n", prefix(), each.task, prefix(), results_);
    ++results_;
  }

 private:
  // A write of which something is left.
  struct Written {
    uint32_t task;
    Effect effect;
  };
  void carry(uint32_t from, uint32_t to, const std::string& text) {
    std::fprintf(file_, "  %st%u -> %st%u [label=\"%s\"];\n", prefix(), from, prefix(), to, quoted(text).c_str());
    carried_.insert({from, to});
  }
  void input(const Effect& effect, uint32_t to) {
    const auto [found, fresh] = inputs_.emplace(effect.variable, std::pair(inputs_.size(), effect.text));
    const auto& [number, text] = found->second;
    if (fresh)
      std::fprintf(file_, "  %si%zu [shape=ellipse, fillcolor=\"#fff6e0\", label=\"%s\\n%s\"];\n", prefix(), number,
                   input_, quoted(text).c_str());
    // Another view of it says so.
    std::fprintf(file_, "  %si%zu -> %st%u%s;\n", prefix(), number, prefix(), to,
                 text == effect.text ? "" : (" [label=\"" + quoted(effect.text) + "\"]").c_str());
  }

  const char* prefix() const { return prefix_.c_str(); }

  std::FILE* file_;
  const std::string prefix_;
  const char* const input_;
  std::unordered_map<const Variable*, std::vector<Written>> writes_;
  std::unordered_map<const Variable*, std::pair<size_t, std::string>> inputs_;
  std::set<std::pair<uint32_t, uint32_t>> carried_;
  std::vector<const Variable*> written_;
  size_t results_ = 0;
};

// A task of control flow uses what its bodies do, and the number that it goes by.
void add_texts(const ControlFacts& control, Texts* texts) {
  texts->emplace(control.number.storage, unbroadcast_text(control.number));
  for (const BodyFacts& body : control.bodies) {
    if (!body.facts) continue;
    for (const Step& step : body.facts->steps)
      for (const auto& effect : effects_of(*step.task, {}))
        if (effect.storage) texts->emplace(effect.variable, effect.text);
    for (const ControlFacts& inner : body.facts->controls) add_texts(inner, texts);
  }
}

void draw_body(std::FILE* file, const BodyFacts& body, const std::string& from, const std::string& prefix);

// Segments with their tasks, and what goes between them. prefix: of the names of all nodes.
void draw(std::FILE* file, const GraphFacts& graph, const std::string& prefix) {
  std::vector<bool> nodes(graph.steps.size());
  std::unordered_map<uint32_t, Texts> texts;
  for (const ControlFacts& control : graph.controls) {
    nodes[control.step] = control.node;
    add_texts(control, &texts[control.step]);
  }
  for (size_t s = 0; s < graph.segments.size(); ++s) {
    const SegmentFacts& segment = graph.segments[s];
    const std::string what = graph.in_node ? "in a conditional node"
                                           : format("segment %zu on %s: %s", s,
                                                    device_name(segment.device->id()).c_str(), segment.kind_text());
    std::fprintf(file, "  subgraph cluster_%s%zu {\n    label=\"%s\"; color=\"#8899aa\"; fontname=\"sans-serif\";\n",
                 prefix.c_str(), s, what.c_str());
    for (uint32_t i = segment.begin; i < segment.end; ++i) {
      const Step& step = graph.steps[i];
      std::string label = quoted(step.task->name());
      if (nodes[i]) label += "\\nconditional node";
      for (const std::string* each : {&step.operators(), &step.site()})
        if (!each->empty()) label += "\\n" + quoted(*each);
      std::fprintf(file, "    %st%u [label=\"%s\"];\n", prefix.c_str(), i, label.c_str());
    }
    std::fputs("  }\n", file);
  }
  Roles inside;
  for (const Made& each : graph.made) inside.emplace(each.storage.get(), each.role);
  Picture picture(file, prefix, prefix.empty() ? "input" : "from outside");
  const Texts none;
  for (uint32_t i = 0; i < graph.steps.size(); ++i) {
    const auto known = texts.find(i);
    picture.task(i, *graph.steps[i].task, inside, known == texts.end() ? none : known->second);
    for (const uint32_t before : graph.steps[i].predecessors) picture.order(before, i);
  }
  for (const Variable* variable : picture.written()) {
    const auto known = inside.find(variable);
    if (known == inside.end())
      picture.result(*variable, prefix.empty() ? "parameter" : "to outside");
    else if (known->second == ops::ValueRole::output)
      picture.result(*variable, "output");
  }
  for (const ControlFacts& control : graph.controls) {
    const std::string number = std::to_string(control.step);
    for (size_t i = 0; i < control.bodies.size(); ++i)
      draw_body(file, control.bodies[i], prefix + "t" + number, prefix + "b" + number + "_" + std::to_string(i) + "_");
  }
}

// A body stands in a box of its own, to which its task points.
void draw_body(std::FILE* file, const BodyFacts& body, const std::string& from, const std::string& prefix) {
  const char* const box = prefix.c_str();
  const std::string name = quoted(body.name);
  const bool empty = !body.facts || body.facts->steps.empty();
  std::fprintf(file, "  subgraph cluster_%sbody {\n  label=\"%s\"; color=\"#aa8844\"; fontname=\"sans-serif\";\n", box,
               name.c_str());
  std::fprintf(file, "  %sentry [shape=ellipse, label=\"%s%s\"];\n", box, name.c_str(), empty ? ": nothing" : "");
  if (body.facts) draw(file, *body.facts, prefix);
  if (!empty) std::fprintf(file, "  %sentry -> %st0 [style=dotted];\n", box, box);
  std::fprintf(file, "  }\n  %s -> %sentry [style=dotted];\n", from.c_str(), box);
}

}  // namespace

Status write_dot(const GraphFacts& facts, const char* path) {
  return write_file("the file", path, [&facts](std::FILE* file) {
    std::fprintf(file,
                 "digraph \"%s\" {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef3fb\", "
                 "fontname=\"sans-serif\"];\n",
                 quoted(facts.name).c_str());
    draw(file, facts, "");
    std::fputs("}\n", file);
  });
}

}  // namespace rondo
