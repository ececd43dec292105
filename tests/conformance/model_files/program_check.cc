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
  rondo_status check(const Program& program, rondo_program_check_info* info, int64_t most_bytes = 0,
                     int64_t timeout_ms = 0) const {
    return rondo_program_check(program.get(), engine(), device(), most_bytes, timeout_ms, info);
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
  // A file without weights, with a check of its function f that says so of each output.
  Program with_check(const std::string& program, const std::string& sizes, const std::string& outputs) const {
    const std::string asked = R"({"rondo_check":1,"made_by":"0.1.0","on":"other","calls":[
{"function":"f","sizes":[)" + sizes +
                              R"(],"seed":1,"outputs":[)" + outputs + "]}]}";
    const char *const keys[] = {"rondo.check", "rondo.program"}, *const values[] = {asked.c_str(), program.c_str()};
    must(rondo_model_file_write(path("checked").c_str(), nullptr, nullptr, 0, keys, values, 2));
    return open(path("checked"));
  }
  // A loop that never ends, of a size that varies.
  Sized endless() const {
    return {[](const Dims& dims) {
              return std::vector<Kind>{{RONDO_F32, {dims[0]}}};
            },
            [this](const std::vector<Tensor>& in, const Dims&) {
              Tensor sum = make(rondo_unary, RONDO_ABS, in[0]);
              const Tensor go = make(rondo_binary_scalar, RONDO_GE, reduce(RONDO_SUM, sum, {}), 0.0);
              while_true(go, [&] {
                into(sum, rondo_unary, RONDO_ABS, sum);
                into(go, rondo_binary_scalar, RONDO_GE, reduce(RONDO_SUM, sum, {}), 0.0);
              });
              return list(make(rondo_unary, RONDO_NEG, sum));  // in a loop on a GPU there is nothing of the call
            }};
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

// The host decides about turns where a call has a time: a loop on a GPU would not end.
TEST_P(ProgramChecks, LoopsEndWithTheTimeOfACall) {
  const Sized loop = endless();
  const auto ends = [&](const std::string& sizes) {
    const Program program = with_check(text(open(path())), sizes, R"(["","0x0p+0",["0x0p+0","0x0p+0"]])");
    rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
    EXPECT_EQ(check(program, &info, 0, 50), RONDO_TIMED_OUT) << rondo_last_error();
    (void)rondo_engine_wait_all(engine());
  };
  must(save(path(), at(loop, {2}).get()));
  ends("");
  must(save_sized(loop, {{"B", 1, 4}}));
  ends("2");
}

TEST_P(ProgramChecks, RoomIsMadeForOtherSizes) {
  must(save_sized({[](const Dims& dims) {
                     return std::vector<Kind>{{RONDO_F32, {dims[0]}}};
                   },
                   [](const std::vector<Tensor>& in, const Dims&) {
                     const Tensor wide = make(rondo_softmax, in[0], 0);
                     return list(reduce(RONDO_SUM, make(rondo_softmax, wide, 0), {0}));
                   }},
                  {{"B", 1, 4096}}));
  must(add(path(), {4096}));
  rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
  int64_t most = 1 << 12;
  while (check(open(path()), &info, most) != RONDO_OK && most < 1 << 24) most += 1 << 12;
  ASSERT_LT(most, 1 << 24) << rondo_last_error();
  must(add(path(), {4096, 4095, 4094}, 3));
  must(check(open(path()), &info, most));
  EXPECT_EQ(info.calls, 3);
}

TEST_P(ProgramChecks, LargeChecksAreNotWritten) {
  const Graph graph = callable({{RONDO_F64, {16}}}, [&](const std::vector<Tensor>& in) {
    std::vector<Tensor> out;
    for (int i = 0; i < 150; ++i) out.push_back(make(rondo_binary_scalar, RONDO_DIV, in[0], 3.0 + i));
    return out;
  });
  must(save(path(), graph.get()));
  const std::string before = read_bytes(path());
  expect_refused(add(path(), {}, 64), RONDO_INVALID_ARGUMENT, "rondo_program_add_check", "and can have 4194304");
  EXPECT_EQ(read_bytes(path()), before);
}

TEST_P(ProgramChecks, BoundsAreOfFiniteNumbers) {
  const std::string program = R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","dims":[["B",1,2]],"weights":[],
"functions":[{"name":"f","inputs":[["x","f32",["B"]]],"weights":[],"nodes":[
{"kind":"Elementwise","with":{"row":"tanh","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",["B"]]}}],
"outputs":[["y",1,"f32",["B"]]]}]})";
  for (const auto& [sizes, output, word] : std::vector<std::array<std::string, 3>>{
           {"3", R"(["","0x1p+0",["0x0p+0"]])", "the size 'B' is 3; 1 to 2 are possible"},
           {"0", R"(["","0x1p+0",["0x0p+0"]])", "the size 'B' is 0"},
           {"1", R"(["","-0x1p+0",["0x0p+0"]])", "is 0 or more, and finite"},
           {"1", R"(["","inf",["0x0p+0"]])", "is 0 or more, and finite"},
           {"1", R"(["","nan",["0x0p+0"]])", "is 0 or more, and finite"},
           {"1", R"(["","0x1p+0",["0x1p+1"]])", "is larger than its largest one"},
           {"1", R"(["","0x1p+0",["inf"]])", "and was inf"},
           {"1", R"(["","0x1p+0",["nan"]])", "and was nan"}})
    refused(with_check(program, sizes, output), RONDO_IO_ERROR, word.c_str());
  rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
  must(check(with_check(program, "1", R"(["","0x1p+10",["0x0p+0"]])"), &info));
}

TEST_P(ProgramChecks, StatesOfProductsHaveNoBits) {
  const Tensor w = up(numbers({2, 2})), total = up(numbers({2, 2}));
  const Graph product = callable({{RONDO_F32, {2, 2}}}, [&](const std::vector<Tensor>& in) {
    rondo_tensor* state = total;
    must(rondo_binary(RONDO_ADD, total, make(rondo_matmul, in[0], w, nullptr), &state));
    return list(make(rondo_copy, total));
  });
  const Graph reads = callable({{RONDO_F32, {2, 2}}}, [&](const std::vector<Tensor>& in) {
    return list(make(rondo_binary, RONDO_ADD, total, in[0]));
  });
  const char* const names[] = {"product", "reads"};
  rondo_graph* const graphs[] = {product.get(), reads.get()};
  must(rondo_program_save(path().c_str(), 2, names, graphs, nullptr));
  must(add(path()));
  rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
  must(check(open(path()), &info));
  EXPECT_EQ(info.outputs, 2);
  EXPECT_EQ(info.exact, 0);
}

TEST_P(ProgramChecks, RandomProductsHaveNoneEither) {
  const Tensor w = up(numbers({4, 4}));
  const Graph graph = callable({{RONDO_F32, {1, 4}}}, [&](const std::vector<Tensor>& in) {
    const Shape shape = {1, 4};
    const Tensor noise = make(rondo_random_uniform, engine(), device(), RONDO_F32, 2, shape.data(), 0.0, 1e-4);
    return list(make(rondo_matmul, make(rondo_binary, RONDO_ADD, in[0], noise), w, nullptr));
  });
  must(save(path(), graph.get()));
  expect_refused(add(path()), RONDO_UNSUPPORTED, "rondo_program_add_check", "a second run has other results");
}

TEST_P(ProgramChecks, InputsAreFromMinusOneToOne) {
  for (const rondo_dtype dtype : {RONDO_F8_E4M3, RONDO_F8_E5M2, RONDO_F16, RONDO_F64}) {
    const Graph graph = callable({{dtype, {16, 16}}}, [&](const std::vector<Tensor>& in) {
      const Tensor sizes = make(rondo_unary, RONDO_ABS, make(rondo_cast, in[0], RONDO_F32));
      return list(make(rondo_binary_scalar, RONDO_LE, reduce(RONDO_MAX, sizes, {}), 1.0));
    });
    must(save(path(), graph.get()));
    rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
    must(check(with_check(text(open(path())), "", R"(["","0x1p+0",["0x1p+0"]])"), &info));
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
