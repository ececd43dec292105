// A program as a file has it: functions of numbered values, each made by a node, with weights that the functions share.
// It is plain data, without devices, memory, strides or tasks; written as canonical JSON, the same program gives the
// same bytes.
//
// docs/program-files.md has the grammar.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/run/control.h"
#include "ops/program/kinds.h"
#include "program_files/sizes.h"

namespace rondo::program_files {

inline constexpr const char* kProgramKey = "rondo.program";
inline constexpr const char* kCheckKey = "rondo.check";
inline constexpr size_t kMostNodes = 1u << 20, kMostOperands = 1u << 16, kLongestName = 1024;

// A tensor with a name: an input, or a weight.
struct Declared {
  std::string name;
  rondo_dtype dtype = RONDO_F32;
  Layout shape;                   // row-major
  bool state = false;             // of a weight: functions write it, and each instance has its own
  std::vector<std::string> axes;  // of an input: expressions of sizes, an empty one where an axis is fixed; or none
};

// A result of a node: a value that it makes, or one that is there.
struct Written {
  uint32_t value = 0;
  bool made = false;
  rondo_dtype dtype = RONDO_F32;
  Layout layout;  // of one that is made: dense, its axes in any order
};

inline constexpr uint32_t kNoSection = UINT32_MAX;

struct Choice;

struct Node {
  enum class Role : uint8_t { operation, view, empty, control } role = Role::operation;
  Ref<const ops::Call> call;       // of an operation, or of a view, which has one input and makes one value
  std::vector<uint32_t> inputs;    // values; of control flow the number that decides
  std::vector<Written> outputs;    // of an empty tensor: the one that is made
  std::unique_ptr<Choice> choice;  // of control flow
  uint32_t section = kNoSection;
  int64_t attribute_bytes = 0;  // that lists and texts of them take of the host at most, wherever they are kept
  std::string_view former;      // of an operation: the name that its kind had when the file was written; mostly empty
  std::string site;             // where it was recorded, if that was noted; files do not have it
};

// Control flow chooses one of these bodies. A body has all values that there are before it; those that it makes are its
// own.
struct Choice {
  struct Body {
    bool there = false;  // else there is nothing to do
    std::vector<Node> nodes;
  };
  ControlForm::Kind kind;
  int64_t limit = 0;  // of a loop: the most turns; 0: none
  std::vector<Body> bodies;
};

template <class Kind>
inline constexpr bool kIsView = std::is_constructible_v<decltype(ViewForm::of), Kind>;

struct Function {
  struct Parameter {
    std::string name;
    rondo_dtype dtype;
    uint64_t word;
  };
  struct Section {
    std::string name;
    bool on;
  };
  struct Output {
    std::string name;
    uint32_t value;
    rondo_dtype dtype;
    Layout shape;                   // row-major
    std::vector<std::string> axes;  // as those of an input
  };
  std::string name;
  bool fewer_roundings = false;
  std::vector<Declared> inputs;   // the first values
  std::vector<uint32_t> weights;  // of the program's; the values that follow
  std::vector<Parameter> parameters;
  std::vector<Section> sections;
  std::vector<Node> nodes;
  std::vector<Output> outputs;
  uint32_t values = 0;  // outside of bodies
  uint32_t sizes = 0;   // a bit for each dim of the program that something in it varies with
};

// Its shapes and attributes are those at some sizes, one for each dim.
struct Program {
  std::string needs, made_by;
  std::vector<Dim> dims;
  std::vector<Declared> weights;
  std::vector<Function> functions;
};

struct KnownWords;
const KnownWords& known_words();

// The version of the library that reads what the program uses: the newest of its words.
std::string needed_version(const Program& program, const KnownWords& words = known_words());
// RONDO_UNSUPPORTED with all words that the version which `words` are of does not know.
Status check_version(const Program& program, const KnownWords& words);

// Marks the place where the text of a node begins.
struct NodeMark {
  size_t at;
  const Function* function;
  const Node* node;
  size_t number;  // in its list
};
// As the version reads it that `words` are of. marks: null, or given one for each node, in the order of the text.
std::string write_program(const Program& program, const KnownWords& words = known_words(),
                          std::vector<NodeMark>* marks = nullptr);
// Everything is checked that can be without tensors: words, numbers of values, order, names. sizes: one for each dim,
// within its bounds; null: the largest.
Status read_program(std::string_view text, const std::vector<int64_t>* sizes, Program* program,
                    const KnownWords& words = known_words());
// The program at the sizes that it was read at, and no others.
void fix_sizes(Program* program);
// How messages call a node: "node 3 (Matmul)".
std::string node_name(const Node& node, size_t number);
// True if the kind is one of views.
bool is_view(const ops::Call& call);
// UTF-8 without control characters, not empty, not too long.
Status check_name(const char* what, std::string_view name);

}  // namespace rondo::program_files
