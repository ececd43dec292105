// Golden files of programs: every kind that files have, with each of its attributes, stays readable, is written again
// with the same bytes, and runs.
//
// A kind or an attribute that is new needs one: `rondo program show --text` prints the program of a file that has it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rondo/rondo.h>
#include <stdlib.h>

#include <memory>
#include <set>

#include "golden_files.h"
#include "ops/program/kinds.h"
#include "program_files/attributes.h"
#include "program_files/check.h"
#include "program_files/program_text.h"

namespace rondo::program_files {
namespace {

void must(rondo_status status) {
  ASSERT_EQ(status, RONDO_OK) << rondo_last_error();
}

template <class T, void destroy(T*)>
struct Destroy {
  void operator()(T* handle) const { destroy(handle); }
};
template <class T, void destroy(T*)>
using Handle = std::unique_ptr<T, Destroy<T, destroy>>;
using TensorOwner = Handle<rondo_tensor, rondo_tensor_destroy>;

class Golden : public ::testing::Test {
 protected:
  void SetUp() override {
    must(rondo_engine_create(nullptr, &engine_));
    std::string pattern = (std::filesystem::temp_directory_path() / "rondo_golden_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    rondo_engine_destroy(engine_);
    std::filesystem::remove_all(folder_);
  }
  static std::map<std::string, std::string> texts() { return program_texts("golden"); }
  static Program read(const std::string& text) {
    Program program;
    const Status status = read_program(text, nullptr, &program);
    EXPECT_TRUE(status.ok()) << status.message();
    return program;
  }
  TensorOwner zeros(const Declared& like) const {
    rondo_tensor* made = nullptr;
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, like.dtype, like.shape.ndim, like.shape.shape, &made));
    must(rondo_fill(made, 0));
    return TensorOwner(made);
  }
  // Writes a file whose weights are zeros, and opens it.
  Handle<rondo_program, rondo_program_destroy> open(const std::string& text, const Program& program) const {
    std::vector<TensorOwner> owned;
    std::vector<rondo_tensor*> tensors;
    std::vector<const char*> names;
    for (const Declared& each : program.weights) {
      owned.push_back(zeros(each));
      tensors.push_back(owned.back().get());
      names.push_back(each.name.c_str());
    }
    const std::string path = folder_ / "golden.safetensors";
    const char *const key = "rondo.program", *const value = text.c_str();
    must(rondo_model_file_write(path.c_str(), names.data(), tensors.data(), tensors.size(), &key, &value, 1));
    rondo_program* opened = nullptr;
    must(rondo_program_open(path.c_str(), &opened));
    return Handle<rondo_program, rondo_program_destroy>(opened);
  }
  // The text of what an instance's functions have become, saved under the same names.
  std::string saved_again(rondo_program_instance* instance, const Program& program) const {
    std::vector<const char*> functions, inputs, outputs, names;
    std::vector<Handle<rondo_graph, rondo_graph_destroy>> owned;
    std::vector<rondo_graph*> graphs;
    std::vector<TensorOwner> owned_weights;
    std::vector<rondo_tensor*> weights;
    for (const Function& each : program.functions) {
      functions.push_back(each.name.c_str());
      rondo_graph* graph = nullptr;
      must(rondo_program_graph(instance, functions.back(), &graph));
      owned.emplace_back(graph);
      graphs.push_back(graph);
      for (const Declared& input : each.inputs) inputs.push_back(input.name.c_str());
      for (const Function::Output& output : each.outputs) outputs.push_back(output.name.c_str());
    }
    for (const Declared& each : program.weights) {
      names.push_back(each.name.c_str());
      rondo_tensor* weight = nullptr;
      must(rondo_program_instance_weight(instance, names.back(), &weight));
      owned_weights.emplace_back(weight);
      weights.push_back(weight);
    }
    rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    options.inputs = inputs.data();
    options.outputs = outputs.data();
    options.n_weights = weights.size();
    options.weight_names = names.data();
    options.weights = weights.data();
    const std::string path = folder_ / "again.safetensors";
    must(rondo_program_save(path.c_str(), static_cast<int32_t>(graphs.size()), functions.data(), graphs.data(),
                            &options));
    rondo_program* opened = nullptr;
    must(rondo_program_open(path.c_str(), &opened));
    const Handle<rondo_program, rondo_program_destroy> again(opened);
    size_t length = 0;
    must(rondo_program_text(opened, nullptr, 0, &length));
    std::string text(length + 1, '\0');
    must(rondo_program_text(opened, text.data(), text.size(), &length));
    text.resize(length);
    Program made = read(text);
    made.made_by = program.made_by;  // by whatever version
    return write_program(made);
  }
  void call(rondo_program_instance* instance, const Function& function) const {
    std::vector<TensorOwner> owned;
    std::vector<rondo_tensor*> inputs, outputs(function.outputs.size(), nullptr);
    for (const Declared& each : function.inputs) {
      owned.push_back(zeros(each));
      inputs.push_back(owned.back().get());
    }
    must(rondo_program_call(instance, function.name.c_str(), static_cast<int32_t>(inputs.size()), inputs.data(),
                            static_cast<int32_t>(outputs.size()), outputs.data()));
    for (rondo_tensor* each : outputs) {
      const TensorOwner output(each);
      must(rondo_tensor_wait(each));
    }
  }

  rondo_engine* engine_ = nullptr;
  std::filesystem::path folder_;
};

TEST_F(Golden, EachFileIsWrittenAgainAndRuns) {
  const std::map<std::string, std::string> all = texts();
  ASSERT_FALSE(all.empty());
  for (const auto& [name, text] : all) {
    SCOPED_TRACE(name);
    const Program program = read(text);
    if (!program.dims.empty()) continue;
    EXPECT_EQ(write_program(program), text);
    const auto opened = open(text, program);
    rondo_program_instance* made = nullptr;
    must(rondo_program_create_instance(opened.get(), engine_, {RONDO_CPU, 0}, &made));
    const Handle<rondo_program_instance, rondo_program_instance_destroy> instance(made);
    EXPECT_EQ(saved_again(made, program), text);
    for (const Function& each : program.functions) call(made, each);
    if (HasFailure()) return;
  }
}

// Those whose sizes vary: at the largest sizes, at the smallest, and in between.
TEST_F(Golden, FilesWithDimsRunAtEachSize) {
  size_t found = 0;
  for (const auto& [name, text] : texts()) {
    SCOPED_TRACE(name);
    const Program largest = read(text);
    if (largest.dims.empty()) continue;
    ++found;
    const auto opened = open(text, largest);
    for (const int64_t part : {0, 1, 2}) {
      std::vector<int64_t> sizes;
      for (const Dim& each : largest.dims) sizes.push_back(each.least + (each.most - each.least) * part / 2);
      SCOPED_TRACE(sizes_text(largest.dims, sizes));
      rondo_program* handle = nullptr;
      must(rondo_program_bind(opened.get(), static_cast<int32_t>(sizes.size()), sizes.data(), &handle));
      const Handle<rondo_program, rondo_program_destroy> bound(handle);
      rondo_program_instance* made = nullptr;
      must(rondo_program_create_instance(handle, engine_, {RONDO_CPU, 0}, &made));
      const Handle<rondo_program_instance, rondo_program_instance_destroy> instance(made);
      Program program;
      ASSERT_TRUE(read_program(text, &sizes, &program).ok());
      fix_sizes(&program);
      EXPECT_EQ(saved_again(made, program), write_program(program));
      for (const Function& each : program.functions) call(made, each);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(found, 0u) << "no golden file has dims";
}

// What nodes have of kinds, attributes, roles and control flow.
using Seen = std::map<std::string, std::set<std::string>>;
void see(const std::vector<Node>& nodes, Seen* seen) {
  for (const Node& node : nodes) {
    if (node.role == Node::Role::empty) (*seen)["empty"];
    if (node.section != kNoSection) (*seen)["section"];
    if (node.choice) {
      (*seen)[form_of(node.choice->kind).name];
      for (const Choice::Body& each : node.choice->bodies) see(each.nodes, seen);
    }
    if (!node.call) continue;
    std::set<std::string>& attributes = (*seen)[row_of(*node.call).name];
    std::string json;
    ASSERT_TRUE(write_attributes(*node.call, &json));
    for (size_t at = json.find("\":"); at != std::string::npos; at = json.find("\":", at + 1)) {
      const size_t begin = json.rfind('"', at - 1) + 1;
      attributes.insert(json.substr(begin, at - begin));
    }
  }
}

// The attributes that a kind has, those within others too.
template <class Attributes>
void list_attributes(const Attributes& attributes, std::set<std::string>* names) {
  Attributes::each_member(attributes, [&](const char* name, const auto& value) {
    names->insert(name);
    if constexpr (HasMembers<std::decay_t<decltype(value)>>) list_attributes(value, names);
  });
}
template <class OneKind>
void expect_seen(const char* name, const Seen& seen) {
  if constexpr (kInFiles<OneKind> || kIsView<OneKind>) {
    const auto found = seen.find(name);
    ASSERT_NE(found, seen.end()) << "no golden file has a node of the kind " << name;
    std::set<std::string> attributes;
    list_attributes(OneKind{}, &attributes);
    if (std::is_same_v<OneKind, ops::GatedCall>) attributes.erase("words");  // no activation has parameters
    // A transposed convolution's filter has the same gradient, of the image and the result the other way round.
    if (std::is_same_v<OneKind, ops::ConvolutionFilterGradCall>)
      for (const char* each : {"transposed", "output_padding"}) attributes.erase(each);
    for (const std::string& each : attributes)
      EXPECT_TRUE(found->second.count(each)) << "no golden file has a " << name << " with the attribute " << each;
  }
}

TEST_F(Golden, EveryKindAndAttributeHasAFile) {
  Seen seen;
  for (const auto& [name, text] : texts())
    for (const Function& each : read(text).functions) see(each.nodes, &seen);
#define RONDO_KIND(Name, ...) expect_seen<ops::Name##Call>(#Name, seen);
#include "ops/program/kinds.def"
#undef RONDO_KIND
  for (const ControlForm& each : kControlForms) EXPECT_TRUE(seen.count(each.name)) << each.name;
  EXPECT_TRUE(seen.count("empty") && seen.count("section"));
}

}  // namespace
}  // namespace rondo::program_files
