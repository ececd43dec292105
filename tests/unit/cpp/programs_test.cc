// Program files in C++: functions are saved with their names and called on another engine; what a file says; what is
// refused. Public headers only. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <rondo/rondo.hpp>

namespace {

using rondo::Graph;
using rondo::Program;
using rondo::Tensor;
using Floats = std::vector<float>;
constexpr rondo_device kCpu = {RONDO_CPU, 0};

class CppPrograms : public ::testing::Test {
 protected:
  void TearDown() override { std::remove(path.c_str()); }

  // A function of vectors of two numbers.
  Graph callable(int inputs, const std::function<Tensor(const std::vector<Tensor>&)>& body) const {
    rondo_record_options options = rondo::record_defaults();
    options.flags = RONDO_RECORD_CALLABLE;
    return engine.record(
        [&] {
          std::vector<Tensor> in;
          for (int i = 0; i < inputs; ++i) in.push_back(engine.record_input(kCpu, RONDO_F32, {2}));
          engine.record_output(body(in));
        },
        options);
  }
  // The message of an error of this status.
  template <class Body>
  static std::string refusal(rondo_status status, const Body& body) {
    try {
      body();
    } catch (const rondo::Error& error) {
      EXPECT_EQ(error.status(), status);
      return error.message();
    }
    return "";
  }

  const std::string path = testing::TempDir() + "rondo_programs_" + std::to_string(getpid()) + ".safetensors";
  const rondo::Engine engine;
  const Tensor w = engine.from_host<float>(kCpu, {2, 3}), total = engine.from_host<float>(kCpu, {0, 1});
  const Graph scale = callable(2, [&](const std::vector<Tensor>& in) { return in[0] * w + in[1]; });
  const Graph count = callable(1, [&](const std::vector<Tensor>& in) {
    total.add_(in[0] * w);
    return total * 1.0;
  });
  const Tensor x = engine.from_host<float>(kCpu, {1, 10}), y = engine.from_host<float>(kCpu, {5, 5});
};

TEST_F(CppPrograms, ReaderIsAVersionThatThisOneKnows) {
  rondo::save_program(path, {{"scale", scale, {}, {}}}, {}, {}, "0.1");
  EXPECT_STREQ(Program(path).info().needs, "0.1");
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT,
                    [&] {
                      rondo::save_program(path, {{"scale", scale, {}, {}}}, {}, {}, "9.0");
                    })
                .find("options->reader is '9.0'"),
            std::string::npos);
}

TEST_F(CppPrograms, CheckedNumbersNameTheOperator) {
  rondo_record_options options = rondo::record_defaults();
  options.flags = RONDO_RECORD_CALLABLE | RONDO_RECORD_CHECK_NUMBERS;
  const Graph roots =
      engine.record([&] { engine.record_output(engine.record_input(kCpu, RONDO_F32, {2}).sqrt() * 2.0); }, options);
  EXPECT_EQ(roots.call({x}).at(0).read<float>()[0], 2);
  const Tensor wrong = engine.from_host<float>(kCpu, {4, -1});
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT, [&] { (void)roots.call({wrong}).at(0).read<float>(); })
                .find("operator 'sqrt' (node 0) on cpu:0 made the first NaN"),
            std::string::npos);
}

TEST_F(CppPrograms, BytesAndNamesStandForFileAndOrder) {
  rondo::save_program(path, {{"scale", scale, {"x", "y"}, {"sum"}}}, {{"w", w}});
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const Program program = Program::from_bytes(bytes), same = Program::from_bytes(bytes.data(), bytes.size());
  EXPECT_EQ(program.text(), Program(path).text());
  EXPECT_EQ(program.text(), same.text());
  std::fill(bytes.begin(), bytes.end(), '?');  // the program has a copy
  const rondo::ProgramInstance instance = program.instance(engine, kCpu);
  for (const int64_t timeout_ms : {0, 60000})
    EXPECT_EQ(instance.call_named("scale", {{"y", y}, {"x", x}}, {"sum"}, timeout_ms).at(0).read<float>(),
              (Floats{7, 35}));
  EXPECT_TRUE(instance.call_named("scale", {{"y", y}, {"x", x}}, {}).empty());
  const auto why = [&](rondo_status status, const std::vector<std::pair<std::string, Tensor>>& inputs) {
    return refusal(status, [&] { (void)instance.call_named("scale", inputs, {"sum"}); });
  };
  EXPECT_NE(why(RONDO_INVALID_ARGUMENT, {{"y", y}}).find("n_inputs is 1; the function has 2"), std::string::npos);
  EXPECT_NE(why(RONDO_NOT_FOUND, {{"y", y}, {"z", x}}).find("input_names[1] is 'z'"), std::string::npos);
  EXPECT_NE(refusal(RONDO_IO_ERROR, [] { (void)Program::from_bytes(std::string()); }).find("it has 0 bytes"),
            std::string::npos);
}

TEST_F(CppPrograms, SavedFunctionsRunOnAnotherEngine) {
  rondo::save_program(path, {{"scale", scale, {"x", ""}, {"sum"}}, {"count", count}}, {{"w", w}, {"total", total}},
                      {{"labels", "cat\ndog"}});
  const rondo::Engine other;
  const Tensor a = other.from_host<float>(kCpu, {1, 10}), b = other.from_host<float>(kCpu, {5, 5});
  const rondo::ProgramInstance instance = Program(path).instance(other, kCpu);  // which keeps the file open
  EXPECT_EQ(instance.call("scale", {a, b}).at(0).read<float>(), (Floats{7, 35}));
  EXPECT_EQ(instance.call("scale", {a, b}).at(0).read<float>(), scale.call({x, y}).at(0).read<float>());
  EXPECT_EQ(instance.call("count", {a}).at(0).read<float>(), (Floats{2, 31}));
  const Tensor out = other.zeros(kCpu, RONDO_F32, {2});
  instance.call_into("count", {a}, {out});
  EXPECT_EQ(out.read<float>(), (Floats{4, 61}));
  EXPECT_EQ(instance.weight("total").read<float>(), (Floats{4, 61}));
  EXPECT_EQ(total.read<float>(), (Floats{0, 1})) << "each instance has its own state";
  const Graph graph = instance.graph("scale");
  EXPECT_EQ(graph.info().inputs, 2);
  EXPECT_EQ(graph.call({b, a}).at(0).read<float>(), (Floats{11, 25}));
}

TEST_F(CppPrograms, JsonBesideItsWeightsIsTheSameProgram) {
  const std::string json = path + ".rondo.json", file = path.substr(path.rfind('/') + 1) + ".weights",
                    ready = path.substr(0, path.rfind('/') + 1) + file;
  rondo::save_program(json, {{"scale", scale}, {"count", count}}, {{"w", w}, {"total", total}}, {}, nullptr,
                      {file, {}});
  const rondo::ProgramInstance instance = Program(json).instance(engine, kCpu);
  EXPECT_EQ(instance.call("scale", {x, y}).at(0).read<float>(), (Floats{7, 35}));
  EXPECT_EQ(instance.call("count", {x}).at(0).read<float>(), (Floats{2, 31}));
  instance.save(path);
  const rondo::ProgramInstance again = Program(path).instance(engine, kCpu);
  EXPECT_EQ(again.weight("total").read<float>(), (Floats{2, 31})) << "states are saved as they are now";
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT,
                    [&] {
                      instance.save(json, {"", {file}});
                    })
                .find("another dtype, shape or contents"),
            std::string::npos);
  Program(json).instance(engine, kCpu).save(json, {"", {file}});  // nothing is written but the JSON
  rondo::write_model_file(ready, {{"w", x}, {"total", total}});
  EXPECT_NE(refusal(RONDO_IO_ERROR, [&] { (void)Program(json).instance(engine, kCpu); }).find("its SHA-256 is"),
            std::string::npos);
  std::remove(json.c_str());
  std::remove(ready.c_str());
}

TEST_F(CppPrograms, AFileCanBeChecked) {
  rondo::save_program(path, {{"scale", scale}, {"count", count}}, {{"w", w}, {"total", total}});
  EXPECT_NE(refusal(RONDO_NOT_FOUND, [&] { (void)Program(path).check(engine, kCpu); }).find("no self-check"),
            std::string::npos);
  rondo::add_program_check(path, engine, kCpu);
  const Program program(path);
  program.trust();
  const rondo_program_check_info checked = program.check(engine, kCpu);
  EXPECT_EQ(checked.calls, 2);
  EXPECT_EQ(checked.exact, checked.outputs);
  EXPECT_NE(
      refusal(RONDO_INVALID_ARGUMENT, [&] { rondo::add_program_check(path, engine, kCpu, {{1}}); }).find("n_sizes"),
      std::string::npos);
}

TEST_F(CppPrograms, MemoryAndTimeAreLimited) {
  rondo::save_program(path, {{"scale", scale}, {"count", count}}, {{"w", w}, {"total", total}});
  const Program program(path);
  const rondo_program_memory_info memory = program.memory(engine, kCpu);
  EXPECT_EQ(memory.weight_bytes, 8);
  EXPECT_EQ(memory.state_bytes, 8);
  EXPECT_GT(memory.graph_bytes, 0);
  EXPECT_EQ(program.kernels(engine, kCpu).needed, 0);
  EXPECT_EQ(program.missing_kernels(engine, kCpu), "");
  rondo::ProgramInstanceOptions options;
  options.most_bytes = memory.weight_bytes + memory.state_bytes + memory.graph_bytes;
  const rondo::ProgramInstance instance = program.instance(engine, kCpu, options);
  EXPECT_EQ(instance.call_within(60000, "scale", {x, y}).at(0).read<float>(), (Floats{7, 35}));
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT,
                    [&] {
                      (void)instance.call_within(0, "scale", {x, y});
                    })
                .find("timeout_ms"),
            std::string::npos);
  EXPECT_NE(refusal(RONDO_NOT_FOUND, [&] { (void)instance.call_within(1, "none", {x}); }).find("'none'"),
            std::string::npos);
  --options.most_bytes;
  EXPECT_NE(refusal(RONDO_OUT_OF_MEMORY, [&] { (void)program.instance(engine, kCpu, options); }).find("most_bytes is"),
            std::string::npos);
}

TEST_F(CppPrograms, MakingEndsWithItsTime) {
  const Graph long_one = callable(1, [](const std::vector<Tensor>& in) {
    Tensor last = -in[0];
    for (int i = 0; i < 3000; ++i) last = -last;
    return last;
  });
  rondo::save_program(path, {{"long", long_one}});
  const Program program(path);
  program.limit_making(1);
  EXPECT_NE(refusal(RONDO_TIMED_OUT, [&] { (void)program.instance(engine, kCpu); }).find("1 ms"), std::string::npos);
  program.limit_making(600000);
  (void)program.instance(engine, kCpu);
  program.limit_making(0);
  EXPECT_EQ(program.instance(engine, kCpu).call("long", {x}).at(0).read<float>(), (-x).read<float>());
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT, [&] { program.limit_making(-1); }).find("most_ms is -1"),
            std::string::npos);
}

TEST_F(CppPrograms, MakingHasALimitOfHostMemory) {
  rondo::save_program(path, {{"scale", scale}});
  const Program program(path);
  program.limit_host_memory(1);
  EXPECT_NE(refusal(RONDO_OUT_OF_MEMORY, [&] { (void)program.instance(engine, kCpu); }).find("than 1 bytes"),
            std::string::npos);
  program.limit_host_memory(64 << 20);
  (void)program.instance(engine, kCpu);
  program.limit_host_memory(0);
  (void)program.instance(engine, kCpu);
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT, [&] { program.limit_host_memory(-1); }).find("most_bytes is -1"),
            std::string::npos);
}

TEST_F(CppPrograms, FileSaysWhatIsInIt) {
  rondo::save_program(path, {{"scale", scale, {"x", ""}, {"sum"}}, {"count", count}}, {{"w", w}, {"total", total}},
                      {{"labels", "cat\ndog"}});
  const Program program(path);
  const rondo_program_info info = program.info();
  EXPECT_EQ(info.functions, 2);
  EXPECT_EQ(info.weight_bytes, 8);
  EXPECT_EQ(info.state_bytes, 8);
  const std::vector<Program::Function> functions = program.functions();
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].name, "scale");
  ASSERT_EQ(functions[0].inputs.size(), 2u);
  EXPECT_EQ(functions[0].inputs[0].name, "x");
  EXPECT_EQ(functions[0].inputs[1].name, "input1");
  EXPECT_EQ(functions[0].inputs[1].info.dtype, RONDO_F32);
  EXPECT_EQ(functions[0].outputs.at(0).name, "sum");
  EXPECT_EQ(functions[0].outputs[0].info.shape[0], 2);
  EXPECT_EQ(functions[1].inputs.at(0).name, "input0");
  EXPECT_EQ(functions[1].outputs.at(0).name, "output0");
  EXPECT_EQ(program.find("count"), 1);
  const std::vector<Program::Value> weights = program.weights();
  ASSERT_EQ(weights.size(), 2u);
  for (const Program::Value& each : weights) EXPECT_EQ(each.info.state, each.name == "total" ? 1 : 0) << each.name;
  EXPECT_EQ(program.metadata(), (std::vector<std::pair<std::string, std::string>>{{"labels", "cat\ndog"}}));
  EXPECT_EQ(program.text().rfind("{\"rondo_program\":1", 0), 0u) << program.text();
}

TEST_F(CppPrograms, FunctionsWhoseSizesVary) {
  const rondo::SizedFunction rows = {
      "rows",
      [&](const std::vector<int64_t>& sizes) {
        rondo_record_options options = rondo::record_defaults();
        options.flags = RONDO_RECORD_CALLABLE;
        return engine.record(
            [&] {
              const Tensor in = engine.record_input(kCpu, RONDO_F32, {sizes[0], 2});
              engine.record_output(rondo::reshape(in * w, {2 * sizes[0]}) * (1.0 / static_cast<double>(sizes[0])));
            },
            options);
      },
      {"x"},
      {"y"}};
  rondo::save_program_with_dims(path, {{"n", 1, 100}}, {rows}, {{"w", w}});
  const Program program(path);
  ASSERT_EQ(program.dims().size(), 1u);
  EXPECT_EQ(program.dims()[0].name, "n");
  EXPECT_EQ(program.dims()[0].most, 100);
  EXPECT_EQ(program.functions().at(0).inputs.at(0).info.dims[0], 1);
  rondo::ProgramInstanceOptions options;
  options.weights = {{"w", engine.from_host<float>(kCpu, {1, 2})}};
  options.callables.limit_bytes = 1 << 20;
  const rondo::ProgramInstance plain = program.instance(engine, kCpu), other = program.instance(engine, kCpu, options);
  const Tensor one = rondo::reshape(x, {1, 2}), both = rondo::reshape(rondo::concat({x, y}, 0), {2, 2});
  EXPECT_EQ(plain.call("rows", {one}).at(0).read<float>(), (Floats{2, 30}));
  EXPECT_EQ(plain.call("rows", {both}).at(0).read<float>(), (Floats{1, 15, 5, 7.5}));
  EXPECT_EQ(other.call("rows", {one}).at(0).read<float>(), (Floats{1, 20}));
  EXPECT_EQ(plain.callable("rows").info().recordings, 2);
  EXPECT_NE(plain.callable("rows").report(), "");
  const rondo::ProgramInstance bound = program.bind({2}).instance(engine, kCpu);
  EXPECT_EQ(bound.graph("rows").call({both}).at(0).read<float>(), (Floats{1, 15, 5, 7.5}));
  // What is thrown while it records comes to who saves.
  rondo::SizedFunction throws = rows;
  throws.record = [](const std::vector<int64_t>&) -> Graph { throw std::runtime_error("no such layer"); };
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT,
                    [&] {
                      rondo::save_program_with_dims(path, {{"n", 1, 100}}, {rows}, {}, {}, "9.0");
                    })
                .find("options->reader is '9.0'"),
            std::string::npos);
  EXPECT_THROW(rondo::save_program_with_dims(path, {{"n", 1, 100}}, {throws}), std::runtime_error);
  throws = rows;
  throws.inputs.push_back("more");
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT,
                    [&] {
                      rondo::save_program_with_dims(path, {{"n", 1, 100}}, {throws});
                    }),
            "");
}

TEST_F(CppPrograms, ValuesInsideAreOutputsToo) {
  rondo::save_program(path, {{"scale", scale}});
  rondo::ProgramInstanceOptions options;
  options.extra = {{"scale", 3}};  // x * w
  const rondo::ProgramInstance instance = Program(path).instance(engine, kCpu, options);
  const std::vector<Tensor> outputs = instance.call("scale", {x, y});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].read<float>(), (Floats{2, 30}));
}

TEST_F(CppPrograms, WhatIsWrongIsRefused) {
  EXPECT_EQ(refusal(RONDO_INVALID_ARGUMENT,
                    [&] {
                      rondo::save_program(path, {{"scale", scale, {"x"}}});
                    }),
            "save_program: function 'scale' has 2 inputs, not 1: names are given for each of them, or for none");
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT, [&] { rondo::save_program(path, {{"f", scale}}, {{"x", x}}); }), "");
  EXPECT_NE(refusal(RONDO_NOT_FOUND, [&] { const Program missing(path); }), "") << "nothing was written";
  rondo::save_program(path, {{"scale", scale}});
  const Program program(path);
  const rondo::ProgramInstance instance = program.instance(engine, kCpu);
  EXPECT_NE(refusal(RONDO_NOT_FOUND, [&] { program.find("none"); }).find("scale"), std::string::npos);
  EXPECT_NE(refusal(RONDO_NOT_FOUND, [&] { instance.call("none", {x}); }).find("scale"), std::string::npos);
  EXPECT_NE(refusal(RONDO_NOT_FOUND, [&] { instance.weight("none"); }), "");
  EXPECT_NE(refusal(RONDO_INVALID_ARGUMENT, [&] { instance.call("scale", {x}); }), "");
}

}  // namespace
