// Reads the JSON of a program, strictly: members come in one order, values are made before they are used, and a word
// that is not known is refused, with the version that has it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/control.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "engine/tasks/making_limit.h"
#include "engine/views.h"
#include "models/json.h"
#include "program_files/attributes.h"
#include "program_files/expression_text.h"
#include "program_files/known_words.h"
#include "program_files/program_text.h"
#include "program_files/words.h"

namespace rondo::program_files {

using models::excerpt;
using models::JsonReader;

namespace {

// Bytes of the host at most for each of an attribute's text, in all copies of a node's attributes together: a number of
// a list is a character and a comma.
constexpr int64_t kKeptAttributes = 32;

class ProgramReader {
 public:
  ProgramReader(std::string_view text, const std::vector<int64_t>* sizes, Program* program, const KnownWords& words)
      : json_(text, "its program"), text_bytes_(text.size()), program_(*program), words_(words), given_(sizes) {}

  Status read() {
    // Texts, names and lists of numbers take no more.
    RONDO_TRY(MakingLimit::take(8 * static_cast<int64_t>(text_bytes_)));
    RONDO_TRY(members({"rondo_program", "needs", "made_by", "dims", "weights", "functions"}, 0b1000, [&](size_t i) {
      switch (i) {
        case 0: return read_grammar();
        case 1: return read_needs();
        case 2: return json_.text(&program_.made_by);
        case 3: return read_dims();
        case 4: return json_.array([&] { return declare(&program_.weights, &weight_names_, "weight", true); });
        default:
          if (!program_.dims.empty()) json_.read_texts(&sizes_);
          return json_.array([&] { return read_function(); });
      }
    }));
    RONDO_TRY(json_.end());
    if (program_.functions.empty()) return json_.wrong("it has no function");
    if (words_.version < needs_)
      return error(RONDO_UNSUPPORTED, "it needs Rondo %s, and this is %s", needs_.text().c_str(),
                   words_.version.text().c_str());
    const std::string needed = needed_version(program_, words_);
    return needed == program_.needs  // mutation: needs_believed
               ? Status()
               : json_.wrong("it says that it needs Rondo " + program_.needs + ", and what it uses needs " + needed);
  }
  // The version that has the words, of a file that is newer.
  Status about(const Status& status) const {
    if (status.ok() || needs_ <= words_.version || status.code() != RONDO_IO_ERROR) return status;
    return error(RONDO_UNSUPPORTED, "it needs Rondo %s, and this is %s: %s", needs_.text().c_str(),
                 words_.version.text().c_str(), status.message());
  }

 private:
  // Not templates, so that each of the many places costs the call alone.
  struct Reading {
    Status (*read)(const void* function, size_t i);
    const void* function;
  };
  template <class Function>
  static Reading reading(const Function& function) {
    return {[](const void* each, size_t i) -> Status { return (*static_cast<const Function*>(each))(i); }, &function};
  }
  // An object whose members come in this order; a bit of `optional` for each that may be left out.
  template <class Member>
  Status members(std::initializer_list<const char*> names, uint32_t optional, const Member& member) {
    return read_members(names, optional, reading(member));
  }
  Status read_members(std::initializer_list<const char*> names, uint32_t optional, Reading member) {
    size_t next = 0;
    const auto skip_to = [&](const std::string* key) -> Status {
      for (; next < names.size() && (!key || *key != names.begin()[next]); ++next)
        if (!(optional >> next & 1))
          return json_.wrong(
              key ? format("the member '%s' stands where '%s' is expected", excerpt(*key).c_str(), names.begin()[next])
                  : format("the member '%s' is missing", names.begin()[next]));
      return key && next == names.size() ? json_.wrong("the member '" + excerpt(*key) + "' is not known or comes twice")
                                         : Status();
    };
    RONDO_TRY(json_.object([&](const std::string& key) -> Status {
      RONDO_TRY(skip_to(&key));
      return member.read(member.function, next++);
    }));
    return skip_to(nullptr);
  }
  // A list whose items are of different kinds: at least `least`, at most `most`.
  template <class Item>
  Status tuple(const char* what, size_t least, size_t most, const Item& item) {
    return read_tuple(what, least, most, reading(item));
  }
  Status read_tuple(const char* what, size_t least, size_t most, Reading item) {
    size_t count = 0;
    RONDO_TRY(json_.array([&]() -> Status {
      if (count == most) return json_.wrong(format("%s has more than %zu members", what, most));
      return item.read(item.function, count++);
    }));
    return count < least ? json_.wrong(format("%s has fewer than %zu members", what, least)) : Status();
  }
  Status read_grammar() {
    uint64_t grammar = 0;
    RONDO_TRY(json_.number(&grammar));
    return grammar == 1
               ? Status()
               : json_.wrong(format("its grammar is %llu; 1 is known", static_cast<unsigned long long>(grammar)));
  }
  Status read_needs() {
    RONDO_TRY(json_.text(&program_.needs));
    const std::optional<Version> version = read_version(program_.needs);
    if (!version) return json_.wrong("needs is no version such as \"0.1\"");
    needs_ = *version;
    return {};
  }
  Status read_dims() {
    RONDO_TRY(tuple("the list of sizes", 0, kMostDims, [&](size_t) {
      Dim& each = program_.dims.emplace_back();
      return tuple("a size", 3, 3, [&](size_t i) {
        return i == 0 ? json_.text(&each.name) : json_.integer(i == 1 ? &each.least : &each.most);
      });
    }));
    if (program_.dims.empty()) return json_.wrong("a list of sizes that has none is left out");
    if (const Status wrong = check_dims(program_.dims); !wrong.ok()) return json_.wrong(wrong.message());
    for (const Dim& each : program_.dims) values_of_dims_.push_back(each.most);
    if (given_) values_of_dims_ = *given_;
    return {};
  }
  Status read_name(const char* what, std::unordered_set<std::string>* taken, std::string* name) {
    RONDO_TRY(json_.text(name));
    if (const Status wrong = check_name(what, *name); !wrong.ok()) return json_.wrong(wrong.message());
    return taken->insert(*name).second ? Status()
                                       : json_.wrong(format("the %s '%s' comes twice", what, excerpt(*name).c_str()));
  }
  // axes: null, or given the expressions that stand in it.
  Status read_shape(rondo_dtype dtype, Layout* layout, std::vector<std::string>* axes = nullptr) {
    int64_t shape[kMaxDims];
    int ndim = 0;
    RONDO_TRY(numbers(shape, &ndim, axes));
    const Status checked = check_shape(ndim, shape, dtype, layout);
    if (!checked.ok()) return json_.wrong(checked.message());
    // Larger sizes would overflow in what is computed from them, and no memory holds them.
    constexpr int64_t kMostBytes = int64_t{1} << 47;
    int64_t bytes = static_cast<int64_t>(dtype_size(dtype));
    for (int d = 0; d < ndim; ++d) bytes *= std::max<int64_t>(shape[d], 1);
    return bytes <= kMostBytes ? Status() : json_.wrong("a tensor of more than 2^47 bytes");
  }
  Status numbers(int64_t* values, int* count, std::vector<std::string>* axes = nullptr) {
    return json_.array([&]() -> Status {
      if (*count == kMaxDims) return json_.wrong(format("more than %d numbers", kMaxDims));
      if (axes && json_.texts()) {
        axes->resize(static_cast<size_t>(*count) + 1);
        if (JsonReader ahead = json_; json_.next() == '"') (void)ahead.text(&axes->back());
      }
      return json_.integer(&values[(*count)++]);
    });
  }
  Status declare(std::vector<Declared>* list, std::unordered_set<std::string>* taken, const char* what,
                 bool may_state) {
    Declared each;
    RONDO_TRY(take<Declared>());
    RONDO_TRY(tuple(what, 3, may_state ? 4 : 3, [&](size_t i) -> Status {
      if (i == 0) return read_name(what, taken, &each.name);
      if (i == 1) return read_dtype(&json_, &each.dtype);
      if (i == 2) return read_shape(each.dtype, &each.shape, &each.axes);
      std::string word;
      RONDO_TRY(json_.text(&word));
      each.state = word == "state";
      return each.state ? Status() : json_.wrong("the word '" + excerpt(word) + "' of a weight is not known");
    }));
    list->push_back(std::move(each));
    return {};
  }

  Status read_function() {
    RONDO_TRY(take<Function>());
    function_ = &program_.functions.emplace_back();
    values_ = 0;
    nodes_ = 0;
    input_names_.clear();
    Function& function = *function_;
    sizes_.take_used();
    const Status status = read_members_of(function);
    return (status.ok() ? find_sizes(&function) : status)
        .with_context(format("function '%s'", excerpt(function.name).c_str()));
  }
  // Calls know a size by an axis of an input.
  Status find_sizes(Function* function) {
    function->values = values_;
    function->sizes = sizes_.take_used();
    for (size_t i = 0; i < program_.dims.size(); ++i) {
      const std::string& name = program_.dims[i].name;
      bool found = (function->sizes >> i & 1) == 0;
      for (const Declared& each : function->inputs)
        found = found || std::any_of(each.axes.begin(), each.axes.end(),
                                     [&](const std::string& axis) { return times_of(axis, name) > 0; });
      if (!found) return json_.wrong("no axis of an input has just the size '" + name + "', or a multiple of it");
    }
    return {};
  }
  Status read_members_of(Function& function) {
    return members({"name", "fewer_roundings", "inputs", "weights", "parameters", "sections", "nodes", "outputs"},
                   0b110010, [&](size_t i) -> Status {
                     switch (i) {
                       case 0: return read_name("function", &function_names_, &function.name);
                       case 1: return read_true(&function.fewer_roundings);
                       case 2:
                         return json_.array([&]() -> Status {
                           ++values_;
                           return declare(&function.inputs, &input_names_, "input", false);
                         });
                       case 3: return read_weights();
                       case 4: return read_parameters();
                       case 5: return read_sections();
                       case 6: return json_.array([&] { return read_node(&function.nodes); });
                       default: return read_outputs();
                     }
                   });
  }
  // Bytes of the host for one more of a list, which has the room twice while it grows, and a name among those known.
  template <class Item>
  static Status take() {
    return MakingLimit::take(3 * sizeof(Item) + 64);
  }
  Status read_true(bool* value) {
    RONDO_TRY(json_.boolean(value));
    return *value ? Status() : json_.wrong("what is false is left out");
  }
  Status read_weights() {
    std::unordered_set<uint64_t> taken;
    return json_.array([&]() -> Status {
      uint64_t weight = 0;
      RONDO_TRY(json_.number(&weight));
      if (weight >= program_.weights.size())
        return json_.wrong("a function has a weight that the program does not have");
      if (!taken.insert(weight).second) return json_.wrong("a function has a weight twice");
      function_->weights.push_back(static_cast<uint32_t>(weight));
      ++values_;
      return {};
    });
  }
  Status read_parameters() {
    std::unordered_set<std::string> taken;
    return json_.array([&] {
      RONDO_TRY(take<Function::Parameter>());
      Function::Parameter& each = function_->parameters.emplace_back();
      return tuple("a parameter", 3, 3, [&](size_t i) {
        return i == 0   ? read_name("parameter", &taken, &each.name)
               : i == 1 ? read_dtype(&json_, &each.dtype)
                        : read_bits(&json_, &each.word);
      });
    });
  }
  Status read_sections() {
    std::unordered_set<std::string> taken;
    return json_.array([&] {
      RONDO_TRY(take<Function::Section>());
      Function::Section& each = function_->sections.emplace_back();
      return tuple("a section", 2, 2, [&](size_t i) {
        return i == 0 ? read_name("section", &taken, &each.name) : json_.boolean(&each.on);
      });
    });
  }
  Status read_outputs() {
    std::unordered_set<std::string> taken;
    return json_.array([&] {
      RONDO_TRY(take<Function::Output>());
      Function::Output& each = function_->outputs.emplace_back();
      return tuple("an output", 4, 4, [&](size_t i) {
        return i == 0   ? read_name("output", &taken, &each.name)
               : i == 1 ? read_value(&each.value)
               : i == 2 ? read_dtype(&json_, &each.dtype)
                        : read_shape(each.dtype, &each.shape, &each.axes);
      });
    });
  }
  Status read_value(uint32_t* value) {
    uint64_t number = 0;
    RONDO_TRY(json_.number(&number));
    if (number >= values_)
      return json_.wrong(format("value %llu is used before it is made", static_cast<unsigned long long>(number)));
    *value = static_cast<uint32_t>(number);
    return {};
  }
  // A value that is made has the next number.
  Status read_made(uint32_t* value) {
    uint64_t number = 0;
    RONDO_TRY(json_.number(&number));
    if (number != values_)
      return json_.wrong(
          format("value %llu is made, and %u is the next", static_cast<unsigned long long>(number), values_));
    *value = values_++;
    return {};
  }

  Status read_node(std::vector<Node>* nodes) {
    RONDO_TRY(MakingLimit::check());
    if (nodes_++ == kMostNodes) return json_.wrong(format("more than %zu nodes", kMostNodes));
    const size_t number = nodes->size();
    RONDO_TRY(take<Node>());
    RONDO_TRY(MakingLimit::take(sizeof(ops::Call)));
    Node& node = nodes->emplace_back();
    std::string first;
    JsonReader ahead = json_;
    (void)ahead.object([&](const std::string& key) -> Status {
      first = key;
      return ahead.wrong("");  // nothing more is looked at
    });
    Status status;
    if (first == "control") {
      status = read_control(&node);
    } else {
      std::string_view raw;
      RONDO_TRY(json_.raw(&raw));
      JsonReader whole(raw, "a node", json_.texts());
      std::swap(json_, whole);
      status = first == "view" ? read_view(&node) : first == "empty" ? read_empty(&node) : read_operation(&node);
      std::swap(json_, whole);
    }
    return status.with_context(format("node %zu", number));
  }
  Status read_empty(Node* node) {
    node->role = Node::Role::empty;
    return members({"empty"}, 0, [&](size_t) { return read_written(&node->outputs.emplace_back(), true); });
  }
  Status read_view(Node* node) {
    node->role = Node::Role::view;
    std::string kind;
    std::string_view attributes = "{}";
    RONDO_TRY(members({"view", "with", "in", "out"}, 0b10, [&](size_t i) -> Status {
      return i == 0   ? json_.text(&kind)
             : i == 1 ? json_.raw(&attributes)
             : i == 2 ? read_value(&node->inputs.emplace_back())
                      : read_made(&node->outputs.emplace_back().value);
    }));
    node->attribute_bytes = kKeptAttributes * static_cast<int64_t>(attributes.size());
    RONDO_TRY(read_known(kind, attributes, node));
    return is_view(*node->call) ? Status() : json_.wrong("the kind " + kind + " is no view");
  }
  Status read_control(Node* node) {
    node->role = Node::Role::control;
    node->choice = std::make_unique<Choice>();
    Choice& choice = *node->choice;
    RONDO_TRY(members({"control", "limit", "number", "bodies", "section"}, 0b10010, [&](size_t i) -> Status {
      switch (i) {
        case 0: return read_form(&choice.kind);
        case 1:
          RONDO_TRY(json_.integer(&choice.limit));
          return choice.kind == ControlForm::Kind::loop && choice.limit > 0
                     ? Status()
                     : json_.wrong("a limit is of a loop, and 1 or more");
        case 2: return read_value(&node->inputs.emplace_back());
        case 3: return json_.array([&] { return read_body(&choice); });
        default:
          if (depth_ > 0) return json_.wrong("a section in a body");
          return read_section(node);
      }
    }));
    const size_t count = choice.bodies.size();
    return choice.kind == ControlForm::Kind::index ? (count > 0 ? Status() : json_.wrong("a switch has a body"))
           : count == (choice.kind == ControlForm::Kind::loop ? 1 : 2) && choice.bodies[0].there
               ? Status()
               : json_.wrong("an if has two bodies, of which the second may be null, and a while has one");
  }
  Status read_form(ControlForm::Kind* kind) {
    std::string word;
    RONDO_TRY(json_.text(&word));
    for (const ControlForm& each : kControlForms)
      if (word == each.name) {
        *kind = each.kind;
        return {};
      }
    return json_.wrong("the control flow '" + excerpt(word) +
                       "' is not known to this version of Rondo (" RONDO_VERSION_STRING ")");
  }
  // Values that the body makes are gone after it.
  Status read_body(Choice* choice) {
    if (choice->bodies.size() == kMostBodies) return json_.wrong(format("more than %zu bodies", kMostBodies));
    RONDO_TRY(take<Choice::Body>());
    Choice::Body& body = choice->bodies.emplace_back();
    if (json_.null()) return {};
    body.there = true;
    if (depth_ == RONDO_MAX_NESTED) return json_.wrong(format("bodies nest more than %d deep", RONDO_MAX_NESTED));
    const uint32_t before = values_;
    ++depth_;
    RONDO_TRY(json_.array([&] { return read_node(&body.nodes); }));
    --depth_;
    values_ = before;
    return {};
  }
  Status read_written(Written* written, bool makes) {
    if (!makes && json_.next() != '[') return read_value(&written->value);
    written->made = true;
    return tuple("a result", 3, 4, [&](size_t i) -> Status {
      if (i == 0) return read_made(&written->value);
      if (i == 1) return read_dtype(&json_, &written->dtype);
      if (i == 2) return read_shape(written->dtype, &written->layout);
      return read_order(&written->layout);
    });
  }
  // The axes as they lie in memory, outermost first.
  Status read_order(Layout* layout) {
    int64_t order[kMaxDims];
    int count = 0;
    RONDO_TRY(numbers(order, &count));
    if (count != layout->ndim) return json_.wrong("an order of axes that are not as many");
    int64_t step = 1;
    uint32_t seen = 0;
    for (int i = count - 1; i >= 0; --i) {
      const int64_t d = order[i];
      if (d < 0 || d >= count || (seen >> d & 1)) return json_.wrong("an order of axes that does not have each once");
      seen |= 1u << d;
      layout->strides[d] = step;
      step *= std::max<int64_t>(layout->shape[d], 1);
    }
    return {};
  }

  // The attributes of a kind that the version has, under its name or a former one.
  Status read_known(const std::string& kind, std::string_view attributes, Node* node) {
    const KnownWords::Former* const former = words_.former(kind);
    if (former) {
      node->former = former->name;
      RONDO_TRY(read_attributes(std::string(former->kind), present_attributes(*former, attributes), json_.texts(),
                                &node->call));
    } else {
      if (words_.version < words_.since(kind)) return unknown(json_, "kind", kind);
      RONDO_TRY(read_attributes(kind, attributes, json_.texts(), &node->call));
    }
    if (words_.attributes.empty()) return {};
    std::string json;
    write_attributes(*node->call, &json);
    for (const KnownWords::Attribute& each : words_.attributes)
      if (each.kind == kind && words_.version < each.since &&
          json.find("\"" + std::string(each.name) + "\":") != std::string::npos)
        return unknown(json_, "attribute", std::string(each.name));
    return {};
  }

  struct Named {
    std::string name;
    size_t begin, end;  // of the operands
  };
  Status read_operation(Node* node) {
    std::string kind;
    std::string_view attributes = "{}";
    std::vector<Named> names[2];
    std::vector<uint32_t> inputs;
    std::vector<Written> outputs;
    RONDO_TRY(members({"kind", "with", "in", "out", "section"}, 0b10110, [&](size_t i) -> Status {
      switch (i) {
        case 0: return json_.text(&kind);
        case 1: return json_.raw(&attributes);
        case 2: return read_operands(&names[0], &inputs, [&](uint32_t* value) { return read_value(value); });
        case 3:
          return read_operands(&names[1], &outputs, [&](Written* written) { return read_written(written, false); });
        default: return read_section(node);
      }
    }));
    node->attribute_bytes = kKeptAttributes * static_cast<int64_t>(attributes.size());
    RONDO_TRY(read_known(kind, attributes, node));
    if (is_view(*node->call)) return json_.wrong("the kind " + kind + " is a view");
    if (node->section != kNoSection && depth_ > 0) return json_.wrong("a section in a body");
    RONDO_TRY(in_order(*node->call, false, names[0], inputs, &node->inputs));
    RONDO_TRY(in_order(*node->call, true, names[1], outputs, &node->outputs));
    std::vector<std::string_view> known;
    if (!name_operands(*node->call, node->inputs.size(), node->outputs.size(), &known))
      return json_.wrong(format("%zu inputs and %zu results are not those of the kind %s: %s", node->inputs.size(),
                                node->outputs.size(), kind.c_str(), row_of(*node->call).operands));
    size_t at = 0;
    for (const auto& side : names)
      for (const Named& each : side)
        for (size_t i = each.begin; i < each.end; ++i)
          if (known[at++] != each.name)
            return json_.wrong(
                format("the operand '%s' is not one that its attributes tell of", excerpt(each.name).c_str()));
    return {};
  }
  template <class Operand, class Read>
  Status read_operands(std::vector<Named>* names, std::vector<Operand>* operands, const Read& read) {
    return json_.object([&](const std::string& key) -> Status {
      RONDO_TRY(MakingLimit::take(3 * sizeof(Named)));
      names->push_back({key, operands->size(), operands->size()});
      const auto one = [&]() -> Status {
        if (operands->size() == kMostOperands) return json_.wrong(format("more than %zu operands", kMostOperands));
        RONDO_TRY(MakingLimit::take(3 * sizeof(Operand)));
        return read(&operands->emplace_back());
      };
      RONDO_TRY(is_list() ? json_.array(one) : one());
      names->back().end = operands->size();
      return {};
    });
  }
  // A list of operands of a kind that is not known yet: in none does a list have the name of a single one.
  bool is_list() {
    JsonReader ahead = json_;
    if (ahead.next() != '[') return false;
    // A result that is made is a list as well, whose second member is a text.
    size_t members = 0;
    bool second_is_text = false;
    const Status looked = ahead.array([&]() -> Status {
      if (members++ == 1) second_is_text = ahead.next() == '"';
      return ahead.skip();
    });
    return looked.ok() && !second_is_text;
  }
  Status read_section(Node* node) {
    uint64_t section = 0;
    RONDO_TRY(json_.number(&section));
    if (section >= function_->sections.size()) return json_.wrong("a section that the function does not have");
    node->section = static_cast<uint32_t>(section);
    return {};
  }
  // The operands in the order of the kind's row, which is theirs in the text as well.
  template <class Operand>
  Status in_order(const ops::Call& call, bool outputs, const std::vector<Named>& names, std::vector<Operand>& operands,
                  std::vector<Operand>* result) {
    size_t next = 0;
    bool all = true;
    each_operand_word(row_of(call).operands, outputs, [&](const OperandWord& word) {
      if (next < names.size() && names[next].name == word.name) {
        all = all && (word.list || names[next].end - names[next].begin == 1);
        ++next;
      }
    });
    if (next < names.size() || !all)
      return json_.wrong(
          format("operands of the kind %s are %s, in this order", row_of(call).name, row_of(call).operands));
    *result = std::move(operands);
    return {};
  }

  JsonReader json_;
  const size_t text_bytes_;
  Program& program_;
  const KnownWords& words_;
  const std::vector<int64_t>* const given_;
  std::vector<int64_t> values_of_dims_;
  Sizes sizes_{program_.dims, values_of_dims_};
  Version needs_;
  std::unordered_set<std::string> weight_names_, function_names_, input_names_;
  Function* function_ = nullptr;
  uint32_t values_ = 0;  // of the function, so far
  size_t nodes_ = 0;     // of the function, bodies included
  int depth_ = 0;        // bodies around
};

}  // namespace

Status check_name(const char* what, std::string_view name) {
  if (name.empty()) return error(RONDO_INVALID_ARGUMENT, "the name of a %s is empty", what);
  if (name.size() > kLongestName)
    return error(RONDO_INVALID_ARGUMENT, "the name of a %s has %zu bytes; %zu are the most", what, name.size(),
                 kLongestName);
  if (models::first_not_utf8(name) != std::string_view::npos)
    return error(RONDO_INVALID_ARGUMENT, "the name '%s' of a %s is not UTF-8", excerpt(name).c_str(), what);
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return error(RONDO_INVALID_ARGUMENT, "the name '%s' of a %s has a control character", excerpt(name).c_str(),
                   what);
  return {};
}

Status read_program(std::string_view text, const std::vector<int64_t>* sizes, Program* program,
                    const KnownWords& words) {
  ProgramReader reader(text, sizes, program, words);
  return reader.about(reader.read());
}

}  // namespace rondo::program_files
