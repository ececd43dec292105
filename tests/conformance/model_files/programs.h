// The base of the suites about programs in files: saves what was recorded, loads it on an engine of its own, and
// compares the bits and the text.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <random>

#include "graphs/calls.h"
#include "model_files/model_file.h"

namespace conformance {

struct ProgramDeleter {
  void operator()(rondo_program* program) const { rondo_program_destroy(program); }
};
using Program = std::unique_ptr<rondo_program, ProgramDeleter>;
struct InstanceDeleter {
  void operator()(rondo_program_instance* instance) const { rondo_program_instance_destroy(instance); }
};
using Instance = std::unique_ptr<rondo_program_instance, InstanceDeleter>;

inline Array numbers(const Shape& shape) {
  return random_array(RONDO_F32, shape, 3, -2, 2);
}

// A text with up to three random edits.
inline std::string mutated(std::string text, std::mt19937* random) {
  static const std::string words[] = {
      "-1", "9223372036854775807", "0", "[", "{", "\"", "[0]", "null", "\"f64\"", "3", ",", "1"};
  const unsigned edits = 1 + (*random)() % 3;
  for (unsigned edit = 0; edit < edits; ++edit) {
    const size_t at = (*random)() % text.size();
    if ((*random)() % 2)
      text.replace(at, (*random)() % 8, words[(*random)() % std::size(words)]);
    else
      text[at] = static_cast<char>(32 + (*random)() % 95);
  }
  return text;
}

class ProgramFiles : public OnCalls {
 protected:
  void SetUp() override {
    OnCalls::SetUp();
    std::string pattern = (std::filesystem::temp_directory_path() / "rondo_programs_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    OnCalls::TearDown();
  }
  std::string folder() const { return folder_; }
  std::string path(const std::string& name = "program.safetensors") const { return folder_ / name; }
  static rondo_status save(const std::string& path, rondo_graph* graph,
                           const rondo_program_save_options* options = nullptr) {
    const char* const name = "f";
    return rondo_program_save(path.c_str(), 1, &name, &graph, options);
  }
  static Program open(const std::string& path) {
    rondo_program* program = nullptr;
    must(rondo_program_open(path.c_str(), &program));
    return Program(program);
  }
  static rondo_cache_info cache() {
    rondo_cache_info info = RONDO_CACHE_INFO_INIT;
    must(rondo_cache_query(&info));
    return info;
  }
  rondo_program_kernels_info kernels(const Program& program, const Shape& sizes = {}) const {
    rondo_program_kernels_info info = RONDO_PROGRAM_KERNELS_INFO_INIT;
    must(rondo_program_kernels(program.get(), engine(), device(), static_cast<int32_t>(sizes.size()), sizes.data(),
                               &info));
    EXPECT_EQ(info.needed, info.kept + info.missing);
    return info;
  }
  // An instance on a GPU compiles no kernel that was not counted as missing.
  Instance instance(const Program& program) const {
    rondo_program_info info = RONDO_PROGRAM_INFO_INIT;
    must(rondo_program_query(program.get(), &info));
    const bool counts = on_cuda() && info.dims == 0;
    const int64_t before = cache().compiled, missing = counts ? kernels(program).missing : 0;
    EXPECT_EQ(cache().compiled, before);
    rondo_program_instance* made = nullptr;
    must(rondo_program_create_instance(program.get(), engine(), device(), &made));
    EXPECT_LE(cache().compiled - before, counts ? missing : INT64_MAX);
    return Instance(made);
  }
  static std::vector<Tensor> call(const Instance& instance, const char* function, std::vector<rondo_tensor*> inputs,
                                  size_t outputs) {
    std::vector<rondo_tensor*> made(outputs, nullptr);
    must(rondo_program_call(instance.get(), function, static_cast<int32_t>(inputs.size()), inputs.data(),
                            static_cast<int32_t>(outputs), made.data()));
    std::vector<Tensor> owned;
    for (rondo_tensor* each : made) owned.emplace_back(each);
    return owned;
  }
  static std::string text(const Program& program) {
    size_t length = 0;
    must(rondo_program_text(program.get(), nullptr, 0, &length));
    std::string text(length + 1, '\0');
    must(rondo_program_text(program.get(), text.data(), text.size(), &length));
    text.resize(length);
    return text;
  }
  // A file without weights that has this program.
  std::string put_text(const std::string& text) const {
    const char *const key = "rondo.program", *const value = text.c_str();
    must(rondo_model_file_write(path("edited").c_str(), nullptr, nullptr, 0, &key, &value, 1));
    return path("edited");
  }
  // Calls the first function with ones, whatever comes of it.
  void call_once(rondo_program* program, rondo_program_instance* instance) const {
    rondo_program_function_info info = RONDO_PROGRAM_FUNCTION_INFO_INIT;
    const char* function = nullptr;
    must(rondo_program_function(program, 0, &function, &info));
    std::vector<Tensor> inputs;
    std::vector<rondo_tensor*> given, made(static_cast<size_t>(info.outputs), nullptr);
    for (int32_t i = 0; i < info.inputs; ++i) {
      const char* name = nullptr;
      rondo_program_tensor_info input = RONDO_PROGRAM_TENSOR_INFO_INIT;
      must(rondo_program_input(program, 0, i, &name, &input));
      inputs.push_back(up(full(input.dtype, Shape(input.shape, input.shape + input.ndim), 1)));
      given.push_back(inputs.back());
    }
    (void)rondo_program_call(instance, function, info.inputs, given.data(), info.outputs, made.data());
    for (rondo_tensor* each : made) rondo_tensor_destroy(each);
    (void)rondo_engine_wait_all(engine());
  }
  // What opening a file with this program, or making an instance of it, is told; "" if both succeed.
  std::string refusal(const std::string& text) const {
    rondo_program* program = nullptr;
    if (rondo_program_open(put_text(text).c_str(), &program) != RONDO_OK) return rondo_last_error();
    const Program owned(program);
    rondo_program_instance* made = nullptr;
    if (rondo_program_create_instance(program, engine(), device(), &made) != RONDO_OK) return rondo_last_error();
    const Instance instance(made);
    if (!on_cuda()) call_once(program, made);  // a mutant may have kernels of its own
    return "";
  }
  // Records, saves, calls, loads and calls again; the file of what was loaded has the same text.
  void same_from_file(const std::vector<Kind>& kinds, const std::vector<rondo_tensor*>& inputs, size_t outputs,
                      const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body) const {
    const Graph graph = callable(kinds, body);
    must(save(path(), graph.get()));  // before states change
    const std::vector<Tensor> expected = call_all(graph, inputs, outputs);
    const Program program = open(path());
    const Instance made = instance(program);
    const std::vector<Tensor> actual = call(made, "f", inputs, outputs);
    for (size_t i = 0; i < outputs; ++i)
      expect_same_bits(download(actual[i]), download(expected[i]),
                       "output " + std::to_string(i) + "\n" + text(program));
    rondo_graph* again = nullptr;
    must(rondo_program_graph(made.get(), "f", &again));
    const Graph owned(again);
    must(save(path("again"), again));
    EXPECT_EQ(text(open(path("again"))), text(program));
  }

  std::filesystem::path folder_;
};

}  // namespace conformance
