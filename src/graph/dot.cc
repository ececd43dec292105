// The DOT picture: tasks in their segments, and on the edges the tensors that go from one to another. Inputs, outputs
// and parameters are nodes. A dashed edge carries nothing: the later task only waits until the earlier one has read or
// written.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "base/written_file.h"
#include "engine/shown.h"
#include "engine/tensor.h"
#include "graph/control.h"

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

// What a task does to a variable.
struct Effect {
  const Variable* variable;
  bool storage, read, write;
  std::string text;  // "f32 [64, 10]", or what is known of it
};

// How storages are shown, by the tasks of bodies that use them.
using Texts = std::unordered_map<const Variable*, std::string>;

// texts: of what a task uses that lists no operands.
std::vector<Effect> effects_of(const Task& task, const Texts& texts) {
  std::vector<Effect> effects;
  std::vector<TaskOperand> operands;
  task.list_operands(&operands);
  for (const auto& [view, written] : operands) {
    bool read = !written;
    if (written) {
      // What is written in part, or added to, is of what was there; unless it is an input as well, which says so.
      for (const Access& access : task.accesses()) read = read || (access.variable == view.storage && access.read);
      for (const Effect& other : effects) read = read && other.variable != view.storage;
    }
    effects.push_back({view.storage, true, read, written, shown_text(view)});
  }
  if (!operands.empty()) return effects;
  // Copies of bytes, and user tasks that name variables.
  for (const Access& access : task.accesses()) {
    const Storage* storage = access.variable->storage();
    const auto known = texts.find(access.variable);
    effects.push_back({access.variable, storage != nullptr, access.read, access.write,
                       known != texts.end() ? known->second
                       : storage            ? format("%zu bytes", storage->bytes())
                                            : "variable"});
  }
  return effects;
}

class Picture {
 public:
  // prefix: of the names of all nodes. input: what tensors from outside are called.
  Picture(std::FILE* file, const std::string& prefix, const char* input)
      : file_(file), prefix_(prefix), input_(input) {}

  // Edges into task `i`, from whoever wrote what it reads, or from an input.
  void task(uint32_t i, const Task& task, const std::unordered_set<const Variable*>& inside, const Texts& texts) {
    const std::vector<Effect> effects = effects_of(task, texts);
    for (const Effect& effect : effects) {
      if (!effect.read) continue;
      const State& state = states_[effect.variable];
      if (state.writer >= 0)
        carry(static_cast<uint32_t>(state.writer), i, effect.text);
      else if (effect.storage && !inside.count(effect.variable))
        input(effect, i);
    }
    for (const Effect& effect : effects) {
      if (!effect.write) continue;
      State& state = states_[effect.variable];
      if (effect.storage && state.writer < 0) written_.push_back(effect.variable);
      state = {i, effect.text};
    }
  }
  // An edge for order alone, unless a tensor goes the same way.
  void order(uint32_t from, uint32_t to) {
    if (!carried_.count({from, to}))
      std::fprintf(file_, "  %st%u -> %st%u [style=dashed];\n", prefix(), from, prefix(), to);
  }
  // Of the storages, in the order in which they were first written.
  const std::vector<const Variable*>& written() const { return written_; }
  // What a launch leaves to the user.
  void result(const Variable& variable, const char* kind) {
    const State& state = states_[&variable];
    std::fprintf(file_, "  %so%zu [shape=ellipse, fillcolor=\"#eaf5ea\", label=\"%s\\n%s\"];\n  %st%lld -> %so%zu;\n",
                 prefix(), results_, kind, quoted(state.text).c_str(), prefix(), static_cast<long long>(state.writer),
                 prefix(), results_);
    ++results_;
  }

 private:
  struct State {
    int64_t writer = -1;  // the last task that wrote it
    std::string text;
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
  std::unordered_map<const Variable*, State> states_;
  std::unordered_map<const Variable*, std::pair<size_t, std::string>> inputs_;
  std::set<std::pair<uint32_t, uint32_t>> carried_;
  std::vector<const Variable*> written_;
  size_t results_ = 0;
};

}  // namespace

// Segments with their tasks, and what goes between them.
void Graph::draw(std::FILE* file, const std::string& prefix) const {
  for (size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    const std::string what =
        inside_ ? "in a conditional node"
                : format("segment %zu on %s: %s", s, device_name(segment.device->id()).c_str(), segment.kind_text());
    std::fprintf(file, "  subgraph cluster_%s%zu {\n    label=\"%s\"; color=\"#8899aa\"; fontname=\"sans-serif\";\n",
                 prefix.c_str(), s, what.c_str());
    for (const uint32_t i : segment.tasks) {
      std::string label = quoted(steps_[i].task->name());
      if (node(i)) label += "\\nconditional node";
      for (const std::string& text : {steps_[i].operators(), steps_[i].site()})
        if (!text.empty()) label += "\\n" + quoted(text);
      std::fprintf(file, "    %st%u [label=\"%s\"];\n", prefix.c_str(), i, label.c_str());
    }
    std::fputs("  }\n", file);
  }
  std::unordered_set<const Variable*> inside;
  for (const Ref<Storage>& storage : storages_) inside.insert(storage.get());
  Picture picture(file, prefix, prefix.empty() ? "input" : "from outside");
  // What a task of control flow uses is what its bodies do, and the number that it goes by.
  const auto add_texts = [](const auto& self, const Control& control, Texts* texts) -> void {
    texts->emplace(control.number().storage, shown_text(control.number()));
    for (const Body& body : control.bodies()) {
      if (!body.graph) continue;
      for (const Step& step : body.graph->steps_)
        for (const auto& effect : effects_of(*step.task, {}))
          if (effect.storage) texts->emplace(effect.variable, effect.text);
      for (const auto& [number, inner] : body.graph->controls_) self(self, *inner, texts);
    }
  };
  std::unordered_map<uint32_t, Texts> texts;
  for (const auto& [number, control] : controls_) add_texts(add_texts, *control, &texts[number]);
  const Texts none;
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    const auto known = texts.find(i);
    picture.task(i, *steps_[i].task, inside, known == texts.end() ? none : known->second);
    for (const uint32_t before : steps_[i].predecessors) picture.order(before, i);
  }
  for (const Variable* variable : picture.written()) {
    if (!inside.count(variable))
      picture.result(*variable, prefix.empty() ? "parameter" : "to outside");
    else if (outputs_.count(static_cast<const Storage*>(variable)))
      picture.result(*variable, "output");
  }
  for (const auto& [task, inner] : controls_)
    for (size_t i = 0; i < inner->bodies().size(); ++i)
      draw_body(file, inner->bodies()[i], prefix + "t" + std::to_string(task),
                prefix + "b" + std::to_string(task) + "_" + std::to_string(i) + "_");
}

// A body stands in a box of its own, to which its task points.
void Graph::draw_body(std::FILE* file, const Body& body, const std::string& from, const std::string& prefix) {
  const char* const box = prefix.c_str();
  const std::string name = quoted(body.name);
  std::fprintf(file, "  subgraph cluster_%sbody {\n  label=\"%s\"; color=\"#aa8844\"; fontname=\"sans-serif\";\n", box,
               name.c_str());
  std::fprintf(file, "  %sentry [shape=ellipse, label=\"%s%s\"];\n", box, name.c_str(),
               body.graph && !body.graph->steps_.empty() ? "" : ": nothing");
  if (body.graph) {
    body.graph->draw(file, prefix);
    if (!body.graph->steps_.empty()) std::fprintf(file, "  %sentry -> %st0 [style=dotted];\n", box, box);
  }
  std::fprintf(file, "  }\n  %s -> %sentry [style=dotted];\n", from.c_str(), box);
}

Status Graph::write_dot(const char* path) const {
  return write_file("the file", path, [this](std::FILE* file) {
    std::fprintf(file,
                 "digraph \"%s\" {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef3fb\", "
                 "fontname=\"sans-serif\"];\n",
                 quoted(name_).c_str());
    draw(file, "");
    std::fputs("}\n", file);
  });
}

}  // namespace rondo
