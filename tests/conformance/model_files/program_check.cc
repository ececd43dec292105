// Self-checks that program files carry: what is made here passes, what was changed is named, and what a hostile check
// asks for is bounded.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fstream>

#include "model_files/program_sizes.h"

namespace conformance {
namespace {

class ProgramChecks : public ProgramSizes {
 protected:
  void SetUp() override {
    if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
    ProgramSizes::SetUp();
  }
  rondo_status add(const std::string& file, const Dims& sizes = {}, int32_t calls = 1) const {
    return rondo_program_add_check(file.c_str(), engine(), device(), calls, static_cast<int32_t>(sizes.size()),
                                   sizes.data());
  }
  rondo_status check(const Program& program, rondo_program_check_info* info, int64_t most_bytes = 0) const {
    return rondo_program_check(program.get(), engine(), device(), most_bytes, 0, info);
  }
  void refused(const Program& program, rondo_status status, const char* word, int64_t most_bytes = 0) const {
    rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
    expect_refused(check(program, &info, most_bytes), status, "rondo_program_check", word);
    EXPECT_EQ(info.calls, 0);
  }
  // The softmax of rows, and a function that counts in a state.
  void save_two() const {
    const Tensor w = up(numbers({2, 3})), total = up(numbers({3}));
    const Graph rows = callable({{RONDO_F32, {2, 3}}}, [&](const std::vector<Tensor>& in) {
      return list(make(rondo_softmax, make(rondo_binary, RONDO_MUL, in[0], w), 1));
    });
    const Graph count = callable({{RONDO_F32, {3}}}, [&](const std::vector<Tensor>& in) {
      rondo_tensor* state = total;
      must(rondo_binary(RONDO_ADD, total, in[0], &state));
      return list(make(rondo_unary, RONDO_NEG, total));
    });
    const char* const names[] = {"rows", "count"};
    rondo_graph* const graphs[] = {rows.get(), count.get()};
    must(rondo_program_save(path().c_str(), 2, names, graphs, nullptr));
  }
  // The text of the check of a file, as an older version shows it; and a file with another one.
  static std::string read_bytes(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Program edited(const std::string& from, const std::string& to) const {
    std::string bytes = read_bytes(path());
    const size_t at = bytes.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(from.size(), to.size());
    if (at != std::string::npos) bytes.replace(at, to.size(), to);
    std::ofstream(path("changed"), std::ios::binary) << bytes;
    return open(path("changed"));
  }
};
CONFORMANCE_ENGINE_SUITE(ProgramChecks);

TEST_P(ProgramChecks, WhatWasSavedPasses) {
  save_two();
  refused(open(path()), RONDO_NOT_FOUND, "has no self-check");
  const std::string before = text(open(path()));
  for (int turn = 0; turn < 2; ++turn) {  // a check that is there is replaced
    must(add(path(), {}, 3));
    const Program program = open(path());
    EXPECT_EQ(text(program), before);
    rondo_program_info facts = RONDO_PROGRAM_INFO_INIT;
    must(rondo_program_query(program.get(), &facts));
    EXPECT_EQ(facts.metadata, 0) << "a check is no text of the author's";
    rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
    must(check(program, &info));
    EXPECT_EQ(info.calls, 6);
    EXPECT_EQ(info.outputs, 6);
    EXPECT_EQ(info.exact, 6);
  }
}

TEST_P(ProgramChecks, ProductsAreComparedByBounds) {
  const Tensor w = up(numbers({8, 5}));
  must(save_sized(
      {[](const Dims& dims) {
         return std::vector<Kind>{{RONDO_F32, {dims[0], 8}}};
       },
       [&](const std::vector<Tensor>& in, const Dims&) { return list(make(rondo_matmul, in[0], w, nullptr)); }},
      {{"B", 0, 64}}));
  must(add(path(), {0, 1, 64}, 3));
  rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
  must(check(open(path()), &info));
  EXPECT_EQ(info.outputs, 3);
  EXPECT_EQ(info.exact, 0);
  expect_refused(add(path(), {65}), RONDO_INVALID_ARGUMENT, "rondo_program_add_check", "the size 'B' is 65");
  expect_refused(add(path(), {1, 2}), RONDO_INVALID_ARGUMENT, "rondo_program_add_check", "n_sizes is 2");
}

TEST_P(ProgramChecks, WhatDiffersIsNamed) {
  save_two();
  must(add(path()));
  const std::string bytes = read_bytes(path());
  // The last weight is the state, whose last element is the file's last word.
  std::string other = bytes;
  other[other.size() - 1] ^= 1;
  std::ofstream(path("changed"), std::ios::binary) << other;
  refused(open(path("changed")), RONDO_IO_ERROR, "function 'count': output 'output0': the element [2] is");
  // A digest alone is compared where the class of the device is the same.
  const size_t at = bytes.find("outputs\\\":[\\n[\\\"");
  ASSERT_NE(at, std::string::npos);
  other = bytes;
  char& digit = other[at + 16];
  digit = digit == '0' ? '1' : '0';
  std::ofstream(path("changed"), std::ios::binary) << other;
  refused(open(path("changed")), RONDO_IO_ERROR, "function 'rows': output 'output0': its bytes have the SHA-256");
  const std::string version = "rondo_check\\\":1,\\\"made_by\\\":\\\"";
  const size_t made = bytes.find(version) + version.size();
  other[made] = '9';  // of another version
  std::ofstream(path("changed"), std::ios::binary) << other;
  rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
  must(check(open(path("changed")), &info));
  EXPECT_EQ(info.exact, 0);
}

TEST_P(ProgramChecks, RandomResultsHaveNone) {
  const Graph graph = callable({{RONDO_F32, {4}}}, [&](const std::vector<Tensor>& in) {
    const Shape shape = {4};
    return list(make(rondo_binary, RONDO_ADD, in[0],
                     make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0)));
  });
  must(save(path(), graph.get()));
  const std::string before = read_bytes(path());
  expect_refused(add(path()), RONDO_UNSUPPORTED, "rondo_program_add_check", "a second run has other results");
  EXPECT_EQ(read_bytes(path()), before);
}

TEST_P(ProgramChecks, HostileChecksAreBounded) {
  save_two();
  must(add(path()));
  const Program program = open(path());
  // Inputs and outputs of a gigabyte and a half, by a file of some hundred bytes.
  const std::string large = R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[200000000]]],"weights":[],"nodes":[
{"kind":"Elementwise","with":{"row":"tanh","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",[200000000]]}}],
"outputs":[["y",1,"f32",[200000000]]]}]})",
                    asked = R"({"rondo_check":1,"made_by":"0.1.0","on":"cpu","calls":[
{"function":"f","sizes":[],"seed":1,"outputs":[["","0x0p+0",[]]]}]})";
  const char *const keys[] = {"rondo.check", "rondo.program"}, *const values[] = {asked.c_str(), large.c_str()};
  must(rondo_model_file_write(path("large").c_str(), nullptr, nullptr, 0, keys, values, 2));
  refused(open(path("large")), RONDO_OUT_OF_MEMORY, "have 1600000000 bytes, and may have 1073741824");
  refused(open(path("large")), RONDO_OUT_OF_MEMORY, "may have 1048576", 1 << 20);
  refused(program, RONDO_OUT_OF_MEMORY, "options->most_bytes is 40", 40);
  rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
  expect_refused(check(program, &info, -1), RONDO_INVALID_ARGUMENT, "rondo_program_check", "most_bytes is -1");
  for (const auto& [from, to, word] : std::vector<std::array<std::string, 3>>{
           {"rondo_check\\\":1", "rondo_check\\\":2", "needs a later version"},
           {"\\\"on\\\"", "\\\"no\\\"", "the member 'on' is expected"},
           {"\\\"function\\\":\\\"rows\\\"", "\\\"function\\\":\\\"rosw\\\"", "has no function 'rosw'"},
           {"\\\"sizes\\\":[]", "\\\"sizes\\\":[", "its self-check"},
           {"\\\"seed\\\":1", "\\\"seed\\\":x", "its self-check"}}) {
    std::string padded = to;
    padded.resize(from.size(), ' ');
    const Program changed = edited(from, padded);
    EXPECT_NE(check(changed, &info), RONDO_OK) << to;
    EXPECT_NE(std::string(rondo_last_error()).find(word), std::string::npos) << rondo_last_error();
  }
  // Whatever stands there, it ends with a status.
  std::mt19937 random(7);
  const std::string bytes = read_bytes(path());
  const size_t begin = bytes.find("rondo_check"), end = bytes.find("]]}", begin);
  for (int i = 0; i < (sparing() ? 40 : 400); ++i) {
    std::string other = bytes;
    other[begin + random() % (end - begin)] = static_cast<char>(32 + random() % 95);
    (void)rondo_engine_wait_all(engine());  // the weights of the one before are read
    std::ofstream(path("changed"), std::ios::binary) << other;
    rondo_program* handle = nullptr;
    if (rondo_program_open(path("changed").c_str(), &handle) != RONDO_OK) continue;
    const Program owned(handle);
    (void)check(owned, &info);
  }
}

TEST_P(ProgramChecks, JsonBesideItsWeightsKeepsThem) {
  const Tensor w = up(numbers({3}));
  const Graph graph = callable(
      {{RONDO_F32, {3}}}, [&](const std::vector<Tensor>& in) { return list(make(rondo_binary, RONDO_MUL, in[0], w)); });
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  options.weights_into = "weights.safetensors";
  must(save(path("program.rondo.json"), graph.get(), &options));
  const std::string weights = read_bytes(path("weights.safetensors"));
  must(add(path("program.rondo.json")));
  EXPECT_EQ(read_bytes(path("weights.safetensors")), weights);
  rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
  must(check(open(path("program.rondo.json")), &info));
  EXPECT_EQ(info.exact, 1);
}

}  // namespace
}  // namespace conformance
