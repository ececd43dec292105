// Writes a program as canonical JSON: one node a line, members in one order, nothing that is not needed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"
#include "base/sort_few.h"
#include "base/text.h"
#include "models/json.h"
#include "program_files/attributes.h"
#include "program_files/known_words.h"
#include "program_files/program_text.h"
#include "program_files/words.h"

namespace rondo::program_files {

namespace {

class ProgramWriter {
 public:
  ProgramWriter(std::string* json, const KnownWords& words, std::vector<NodeMark>* marks)
      : json_(*json), words_(words), marks_(marks) {}

  void write(const Program& program) {
    json_ +=
        "{\"rondo_program\":1,\"needs\":" + json_text(program.needs) + ",\"made_by\":" + json_text(program.made_by);
    if (!program.dims.empty()) {
      json_ += ",\"dims\":";
      list(program.dims, false, [this](const Dim& each) {
        json_ += format("[\"%s\",%lld,%lld]", each.name.c_str(), printable(each.least), printable(each.most));
      });
    }
    json_ += ",\"weights\":";
    list(program.weights, true, [this](const Declared& each) { declare(each); });
    json_ += ",\"functions\":";
    list(program.functions, true, [this](const Function& each) { write(each); });
    json_ += '}';
  }

 private:
  template <class List, class Item>
  void list(const List& items, bool lines, const Item& item) {
    json_ += '[';
    bool first = true;
    for (const auto& each : items) {
      json_ += first ? (lines ? "\n" : "") : (lines ? ",\n" : ",");
      first = false;
      item(each);
    }
    json_ += ']';
  }
  void numbers(const int64_t* values, int count) {
    list(std::span(values, static_cast<size_t>(count)), false,
         [this](int64_t each) { json_ += format("%lld", printable(each)); });
  }
  void declare(const Declared& each) {
    json_ += "[" + json_text(each.name) + format(",\"%s\",", dtype_name(each.dtype));
    numbers(each.shape.shape, each.shape.ndim);
    json_ += each.state ? ",\"state\"]" : "]";
  }
  void write(const Function& function) {
    function_ = &function;
    json_ += "{\"name\":" + json_text(function.name);
    if (function.fewer_roundings) json_ += ",\"fewer_roundings\":true";
    json_ += ",\"inputs\":";
    list(function.inputs, false, [this](const Declared& each) { declare(each); });
    json_ += ",\"weights\":";
    list(function.weights, false, [this](uint32_t each) { json_ += format("%u", each); });
    if (!function.parameters.empty()) {
      json_ += ",\"parameters\":";
      list(function.parameters, false, [this](const Function::Parameter& each) {
        json_ += "[" + json_text(each.name) + format(",\"%s\",", dtype_name(each.dtype)) + bits_text(each.word) + "]";
      });
    }
    if (!function.sections.empty()) {
      json_ += ",\"sections\":";
      list(function.sections, false, [this](const Function::Section& each) {
        json_ += "[" + json_text(each.name) + (each.on ? ",true]" : ",false]");
      });
    }
    json_ += ",\"nodes\":";
    write(function.nodes);
    json_ += ",\n\"outputs\":";
    list(function.outputs, false, [this](const Function::Output& each) {
      json_ += "[" + json_text(each.name) + format(",%u,\"%s\",", each.value, dtype_name(each.dtype));
      numbers(each.shape.shape, each.shape.ndim);
      json_ += ']';
    });
    json_ += '}';
  }
  void write(const Written& each) {
    if (!each.made) {
      json_ += format("%u", each.value);
      return;
    }
    const Layout& layout = each.layout;
    json_ += format("[%u,\"%s\",", each.value, dtype_name(each.dtype));
    numbers(layout.shape, layout.ndim);
    if (!layout.contiguous()) {  // the axes as they lie, outermost first
      int64_t order[kMaxDims];
      for (int d = 0; d < layout.ndim; ++d) order[d] = d;
      sort_few(order, layout.ndim, [&](int64_t a, int64_t b) { return layout.strides[a] > layout.strides[b]; });
      json_ += ',';
      numbers(order, layout.ndim);
    }
    json_ += ']';
  }
  void write(const std::vector<Node>& nodes) {
    list(nodes, true, [&](const Node& each) {
      if (marks_) marks_->push_back({json_.size(), function_, &each, static_cast<size_t>(&each - nodes.data())});
      write(each);
    });
  }
  void write(const Node& node) {
    if (node.role == Node::Role::view) {
      json_ += format("{\"view\":\"%s\"", row_of(*node.call).name);
      write_with(node);
      json_ += format(",\"in\":%u,\"out\":%u}", node.inputs[0], node.outputs[0].value);
      return;
    }
    if (node.role == Node::Role::empty) {
      json_ += "{\"empty\":";
      write(node.outputs[0]);
      json_ += '}';
      return;
    }
    if (node.role == Node::Role::control) return write_choice(node);
    const ops::KindRow& row = row_of(*node.call);
    std::string attributes;
    if (const KnownWords::Former* const former = written_as(node, words_, &attributes)) {
      json_ += "{\"kind\":" + json_text(former->name);
      if (attributes != "{}") json_ += ",\"with\":" + attributes;
    } else {
      json_ += format("{\"kind\":\"%s\"", row.name);
      write_with(node);
    }
    std::vector<std::string_view> names;
    name_operands(*node.call, node.inputs.size(), node.outputs.size(), &names);  // it was checked
    if (!node.inputs.empty()) {
      json_ += ",\"in\":";
      operands(row.operands, false, {names.data(), node.inputs.size()},
               [&](size_t i) { json_ += format("%u", node.inputs[i]); });
    }
    json_ += ",\"out\":";
    operands(row.operands, true, {names.data() + node.inputs.size(), node.outputs.size()},
             [&](size_t i) { write(node.outputs[i]); });
    write_section(node);
  }
  void write_with(const Node& node) {
    std::string attributes;
    write_attributes(*node.call, &attributes);
    if (attributes != "{}") json_ += ",\"with\":" + attributes;
  }
  void write_section(const Node& node) {
    if (node.section != kNoSection) json_ += format(",\"section\":%u", node.section);
    json_ += '}';
  }
  void write_choice(const Node& node) {
    const Choice& choice = *node.choice;
    json_ += format("{\"control\":\"%s\"", form_of(choice.kind).name);
    if (choice.limit) json_ += format(",\"limit\":%lld", printable(choice.limit));
    json_ += format(",\"number\":%u,\"bodies\":", node.inputs[0]);
    list(choice.bodies, true, [this](const Choice::Body& each) {
      if (each.there)
        write(each.nodes);
      else
        json_ += "null";
    });
    write_section(node);
  }
  template <class Operand>
  void operands(std::string_view row, bool outputs, std::span<const std::string_view> names, const Operand& operand) {
    json_ += '{';
    size_t at = 0;
    each_operand_word(row, outputs, [&](const OperandWord& word) {
      size_t end = at;
      while (end < names.size() && names[end] == word.name && (word.list || end == at)) ++end;
      if (end == at) return;
      json_ += format("%s\"%.*s\":%s", json_.back() == '{' ? "" : ",", static_cast<int>(word.name.size()),
                      word.name.data(), word.list ? "[" : "");
      for (const size_t begin = at; at < end; ++at) {
        if (at > begin) json_ += ',';
        operand(at);
      }
      if (word.list) json_ += ']';
    });
    json_ += '}';
  }

  std::string& json_;
  const KnownWords& words_;
  std::vector<NodeMark>* const marks_;
  const Function* function_ = nullptr;  // that is written
};

}  // namespace

bool is_view(const ops::Call& call) {
  constexpr bool are[] = {
#define RONDO_KIND(Name, ...) kIsView<ops::Name##Call>,
#include "ops/program/kinds.def"
#undef RONDO_KIND
  };
  return are[call.of.index()];
}

std::string node_name(const Node& node, size_t number) {
  return format("node %zu (%s)", number,
                node.role == Node::Role::control ? form_of(node.choice->kind).name
                : node.role == Node::Role::empty ? "empty"
                                                 : row_of(*node.call).name);
}

void fix_sizes(Program* program) {
  program->dims.clear();
  for (Function& function : program->functions) {
    function.sizes = 0;
    for (Declared& each : function.inputs) each.axes.clear();
    for (Function::Output& each : function.outputs) each.axes.clear();
  }
}

std::string needed_version(const Program& program, const KnownWords& words) {
  Version needed;
  std::vector<NewerWord> newer;
  for (const Function& function : program.functions) list_newer(function.nodes, words, needed, &newer);
  for (const NewerWord& each : newer) needed = std::max(needed, each.since);
  return needed.text();
}

Status check_version(const Program& program, const KnownWords& words) {
  constexpr size_t kShown = 20;
  size_t count = 0;
  std::string text;
  for (const Function& function : program.functions) {
    std::vector<NewerWord> newer;
    list_newer(function.nodes, words, words.version, &newer);
    for (const NewerWord& each : newer)
      if (count++ < kShown)
        text += "\n  function '" + models::excerpt(function.name) + "', " + node_name(*each.node, each.number) + ": " +
                each.text + " needs Rondo " + each.since.text();
  }
  if (count == 0) return {};
  return error(RONDO_UNSUPPORTED, "Rondo %s does not know %zu of the words:%s", words.version.text().c_str(), count,
               text.c_str());
}

std::string write_program(const Program& program, const KnownWords& words, std::vector<NodeMark>* marks) {
  std::string json;
  ProgramWriter(&json, words, marks).write(program);
  return json;
}

}  // namespace rondo::program_files
