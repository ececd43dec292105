// Programs in files: what was recorded has the same bits when it comes from a file, on an engine of its own; what
// cannot be saved is told all at once; files that are wrong are refused with the place and the reason. Copyright 2026
// the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "model_files/programs.h"
#include "tape/tape.h"

namespace conformance {
namespace {

CONFORMANCE_ENGINE_SUITE(ProgramFiles);

TEST_P(ProgramFiles, LayersHaveTheBitsOfTheRecording) {
  const Tensor x = up(numbers({2, 4})), w = up(numbers({4, 6})), b = up(numbers({6}));
  same_from_file({{RONDO_F32, {2, 4}}}, {x}, 2, [&](const std::vector<Tensor>& in) {
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.bias = b;
    options.activation = RONDO_ACTIVATION_RELU;
    Tensor product = make(rondo_matmul, in[0], w, &options);
    Tensor half = make(rondo_binary_scalar, RONDO_MUL, product, 0.3);
    Tensor sum = reduce(RONDO_SUM, half, {1});
    return list(make(rondo_softmax, half, 1), std::move(sum));
  });
}

TEST_P(ProgramFiles, ViewsBecomeNodes) {
  const Tensor x = up(numbers({4, 6}));
  same_from_file({{RONDO_F32, {4, 6}}}, {x}, 7, [&](const std::vector<Tensor>& in) {
    const auto copy = [](const Tensor& view) { return make(rondo_unary, RONDO_NEG, view); };
    const Tensor third = slice(in[0], 1, 1, 6, 2), turned = transpose(in[0], {1, 0}),
                 flat = reshape(slice(in[0], 0, 1, 3), {12}), wide = broadcast(slice(in[0], 0, 2, 3), {3, 4, 6}),
                 back = slice(in[0], 0, 3, INT64_MIN, -1),
                 split = transpose(reshape(in[0], {2, 2, 3, 2}), {2, 0, 3, 1}), none = slice(in[0], 0, 1, 1);
    return list(copy(third), copy(turned), copy(flat), copy(wide), copy(back), copy(split), copy(none));
  });
}

// What was seen of tensors before the recording leads back to the whole ones, under their names.
TEST_P(ProgramFiles, ViewsOfWeightsFromBefore) {
  const Tensor x = up(numbers({4, 6})), w = up(numbers({5, 4, 6})), turned = transpose(w, {2, 0, 1}),
               part = slice(w, 1, 1, 3), rows = slice(w, 0, 3, 4), flat = reshape(slice(w, 0, 1, 3), {8, 6}),
               wide = broadcast(slice(w, 2, 2, 3), {2, 5, 4, 3}), none = slice(w, 0, 2, 2);
  same_from_file({{RONDO_F32, {4, 6}}}, {x}, 7, [&](const std::vector<Tensor>& in) {
    const auto copy = [](const Tensor& view) { return make(rondo_copy, make(rondo_unary, RONDO_NEG, view)); };
    return list(make(rondo_binary, RONDO_ADD, rows, in[0]), copy(turned), copy(part), copy(transpose(part, {2, 1, 0})),
                copy(flat), copy(wide), copy(none));
  });
  rondo_program_info info = RONDO_PROGRAM_INFO_INIT;
  must(rondo_program_query(open(path()).get(), &info));
  EXPECT_EQ(info.weights, 1);
  EXPECT_EQ(info.weight_bytes, 5 * 4 * 6 * 4);
}

TEST_P(ProgramFiles, PartsOfATensorAreWritten) {
  const Tensor x = up(numbers({2, 3}));
  same_from_file({{RONDO_F32, {2, 3}}}, {x}, 1, [&](const std::vector<Tensor>& in) {
    Tensor both = empty(RONDO_F32, {4, 3});
    into(slice(both, 0, 0, 2), rondo_unary, RONDO_EXP, in[0]);
    into(slice(both, 0, 2, 4), rondo_unary, RONDO_NEG, in[0]);
    return list(std::move(both));
  });
}

TEST_P(ProgramFiles, NamesMetadataAndSharedWeights) {
  const Tensor w = up(numbers({3})), other = up(numbers({3}));
  const Graph add = callable(
      {{RONDO_F32, {3}}}, [&](const std::vector<Tensor>& in) { return list(make(rondo_binary, RONDO_ADD, in[0], w)); });
  const Graph scale = callable({{RONDO_F32, {3}}, {RONDO_F32, {3}}}, [&](const std::vector<Tensor>& in) {
    const Tensor product = make(rondo_binary, RONDO_MUL, in[0], w);
    const Tensor sum = make(rondo_binary, RONDO_ADD, product, in[1]);
    return list(make(rondo_binary, RONDO_SUB, sum, other));
  });
  const char *const names[] = {"add", "scale"}, *const inputs[] = {"x", "left", nullptr}, *const keys[] = {"labels"},
                    *const values[] = {"cat\ndog"}, *const weight_names[] = {"layer.w"};
  rondo_tensor* const weights[] = {w};
  rondo_graph* const graphs[] = {add.get(), scale.get()};
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  options.inputs = inputs;
  options.n_weights = options.n_metadata = 1;
  options.weight_names = weight_names;
  options.weights = weights;
  options.keys = keys;
  options.values = values;
  must(rondo_program_save(path().c_str(), 2, names, graphs, &options));

  const Program program = open(path());
  rondo_program_info info = RONDO_PROGRAM_INFO_INIT;
  must(rondo_program_query(program.get(), &info));
  EXPECT_EQ(info.functions, 2);
  EXPECT_EQ(info.weights, 2);
  EXPECT_EQ(info.weight_bytes, 24);
  EXPECT_EQ(info.state_bytes, 0);
  EXPECT_STREQ(info.needs, "0.1");
  const char *name = nullptr, *value = nullptr;
  rondo_program_tensor_info tensor = RONDO_PROGRAM_TENSOR_INFO_INIT;
  must(rondo_program_input(program.get(), 1, 1, &name, &tensor));
  EXPECT_STREQ(name, "input1");
  EXPECT_EQ(tensor.shape[0], 3);
  must(rondo_program_input(program.get(), 1, 0, &name, &tensor));
  EXPECT_STREQ(name, "left");
  must(rondo_program_output(program.get(), 0, 0, &name, &tensor));
  EXPECT_STREQ(name, "output0");
  must(rondo_program_weight(program.get(), 0, &name, &tensor));
  EXPECT_STREQ(name, "layer.w");
  must(rondo_program_metadata(program.get(), 0, &name, &value));
  EXPECT_STREQ(name, "labels");
  EXPECT_STREQ(value, "cat\ndog");
  int64_t index = 0;
  must(rondo_program_find(program.get(), "scale", &index));
  EXPECT_EQ(index, 1);
  expect_refused(rondo_program_find(program.get(), "none", &index), RONDO_NOT_FOUND, "rondo_program_find", "add");

  const Instance one = instance(program), two = instance(program);
  // Both show the same weight.
  rondo_tensor* shared = nullptr;
  must(rondo_program_instance_weight(one.get(), "layer.w", &shared));
  const Tensor owned(shared);
  must(rondo_fill(shared, 1));
  const Tensor x = up(numbers({3}));
  const std::vector<Tensor> sum = call(two, "add", {x}, 1);
  const Tensor expected = make(rondo_binary_scalar, RONDO_ADD, x, 1.0);
  expect_same_bits(download(sum[0]), download(expected), "add");
}

TEST_P(ProgramFiles, EachInstanceHasItsState) {
  const Tensor count = up(full(RONDO_F32, {2}, 3));
  const Graph step = callable({{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) {
    into(count, rondo_binary, RONDO_ADD, count, in[0]);
    return list(make(rondo_copy, count));
  });
  must(save(path(), step.get()));
  const Program program = open(path());
  rondo_program_info info = RONDO_PROGRAM_INFO_INIT;
  must(rondo_program_query(program.get(), &info));
  EXPECT_EQ(info.state_bytes, 8);
  const Instance one = instance(program), two = instance(program);
  const Tensor x = ones(2);
  call(one, "f", {x}, 1);
  EXPECT_EQ(first(call(one, "f", {x}, 1)[0]), 5);
  EXPECT_EQ(first(call(two, "f", {x}, 1)[0]), 4);
  EXPECT_EQ(first(count), 3);
}

TEST_P(ProgramFiles, ParametersAndSectionsAreSet) {
  const Graph graph = callable({{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) {
    const Tensor rate = make(rondo_record_parameter, engine(), "rate", device(), RONDO_F32, 2.0);
    Tensor out = make(rondo_binary, RONDO_MUL, in[0], rate);
    must(rondo_record_section_begin(engine(), "negate", 0));
    into(out, rondo_unary, RONDO_NEG, out);
    must(rondo_record_section_end(engine()));
    return list(std::move(out));
  });
  must(save(path(), graph.get()));
  const Program program = open(path());
  const Instance made = instance(program);
  rondo_graph* handle = nullptr;
  must(rondo_program_graph(made.get(), "f", &handle));
  const Graph loaded(handle);
  const Tensor x = ones(2);
  EXPECT_EQ(first(call(made, "f", {x}, 1)[0]), 2);
  must(rondo_graph_set(handle, "rate", 5));
  EXPECT_EQ(first(call(made, "f", {x}, 1)[0]), 5);
  must(rondo_graph_enable(handle, "negate", 1));
  EXPECT_EQ(first(call(made, "f", {x}, 1)[0]), -5);
}

TEST_P(ProgramFiles, RandomNumbersAreTheRecordings) {
  const Graph graph = callable({{RONDO_F32, {64}}}, [&](const std::vector<Tensor>& in) {
    const Shape shape = {64};
    const Tensor drawn = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0),
                 more = make(rondo_random_normal, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0);
    const Tensor sum = make(rondo_binary, RONDO_ADD, drawn, more);
    return list(make(rondo_binary, RONDO_ADD, sum, in[0]));
  });
  must(save(path(), graph.get()));
  const Tensor x = ones(64);
  must(rondo_engine_seed(engine(), 7));
  const std::vector<Tensor> expected = call_all(graph, {x}, 1);
  const Instance made = instance(open(path()));
  must(rondo_engine_seed(engine(), 7));
  expect_same_bits(download(call(made, "f", {x}, 1)[0]), download(expected[0]), "random");
}

// Gradients have the bits of the recording, of the first order to the third.
TEST_P(ProgramFiles, GradientsOfALoadedFunction) {
  const Tensor x = up(numbers({3, 4})), w = up(numbers({4, 2})), like = up(numbers({3, 2})), dw = up(numbers({4, 2}));
  const Graph graph = callable({{RONDO_F32, {3, 4}}, {RONDO_F32, {4, 2}}}, [&](const std::vector<Tensor>& in) {
    const Tensor product = make(rondo_matmul, in[0], in[1], nullptr);
    return list(make(rondo_unary, RONDO_TANH, product));
  });
  must(save(path(), graph.get()));
  const Instance made = instance(open(path()));
  const auto gradients = [&](const std::function<Tensor()>& call) {
    const Tape outermost(engine());
    outermost.watch(w);
    Tensor first, second;
    {
      const Tape outer(engine());
      outer.watch(w);
      {
        const Tape inner(engine());
        inner.watch(w);
        const Tensor y = call();
        first = inner.gradient(y, w, like);
      }
      second = outer.gradient(first, w, dw);
    }
    const Tensor third = outermost.gradient(second, w, dw);
    return std::vector{download(first), download(second), download(third)};
  };
  const std::vector<Array> expected = gradients([&] { return std::move(call_all(graph, {x, w}, 1)[0]); });
  const std::vector<Array> actual = gradients([&] { return std::move(call(made, "f", {x, w}, 1)[0]); });
  expect_same_bits(actual[0], expected[0], "gradient");
  expect_same_bits(actual[1], expected[1], "second gradient");
  expect_same_bits(actual[2], expected[2], "third gradient");
}

// The test runs itself in a second process, which has the file and no recording.
TEST_P(ProgramFiles, AnotherProcessHasTheSameBits) {
  constexpr const char* kFolder = "RONDO_TEST_PROGRAM_FOLDER";
  const Tensor x = up(numbers({3, 4}));
  const auto write = [](const std::filesystem::path& to, const std::vector<Tensor>& results) {
    std::ofstream file(to, std::ios::binary);
    for (const Tensor& each : results) {
      const Array array = download(each);
      file.write(reinterpret_cast<const char*>(array.bytes.data()), static_cast<std::streamsize>(array.bytes.size()));
    }
  };
  if (const char* const folder = std::getenv(kFolder)) {
    const Instance made = instance(open((std::filesystem::path(folder) / "program.safetensors").string()));
    write(std::filesystem::path(folder) / "actual", call(made, "f", {x}, 2));
    return;
  }
  const Tensor w = up(numbers({4, 6})), weight = up(numbers({6})), bias = up(numbers({6}));
  const Graph graph = callable({{RONDO_F32, {3, 4}}}, [&](const std::vector<Tensor>& in) {
    const Tensor product = make(rondo_matmul, in[0], w, nullptr);
    const Tensor rows = make(rondo_layer_norm, product, 1, weight, bias, 1e-5);
    const Tensor turned = transpose(rows, {1, 0});
    return list(make(rondo_softmax, turned, 0), reduce(RONDO_MEAN, rows, {0}));
  });
  must(save(path(), graph.get()));
  write(folder_ / "expected", call_all(graph, {x}, 2));

  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter = std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name();
  const std::string setting = std::string(kFolder) + "=" + folder_.string();
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string shards = "GTEST_TOTAL_SHARDS=1", shard = "GTEST_SHARD_INDEX=0";  // of this program, not of the other
  std::vector<char*> environment = {const_cast<char*>(setting.c_str()), shards.data(), shard.data()};
  for (char** each = environ; *each; ++each) environment.push_back(*each);
  environment.push_back(nullptr);
  char* const arguments[] = {program.data(), const_cast<char*>(filter.c_str()), nullptr};
  pid_t child = 0;
  posix_spawn_file_actions_t actions;  // its lines are none of this program's cases
  posix_spawn_file_actions_init(&actions);
  const std::string said = folder_ / "said";
  posix_spawn_file_actions_addopen(&actions, 1, said.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ASSERT_EQ(failed, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const auto read = [&](const char* name) {
    std::ifstream file(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read("said");
  const std::string expected = read("expected");
  EXPECT_EQ(expected.size(), (6 * 3 + 6) * sizeof(float));
  EXPECT_EQ(read("actual"), expected);
}

TEST_P(ProgramFiles, WhatCannotBeSavedIsToldAtOnce) {
  const Graph graph = callable({{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) {
    const rondo_task_options first = task_options("mine", device()), second = task_options("yours", device());
    Tensor a = empty(RONDO_F32, {2}), b = empty(RONDO_F32, {2});
    must(push_tensors(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {in[0]}, {a}, &first));
    must(push_tensors(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {a}, {b}, &second));
    return list(make(rondo_unary, RONDO_NEG, b));
  });
  EXPECT_EQ(save(path(), graph.get()), RONDO_UNSUPPORTED);
  const std::string message = rondo_last_error();
  EXPECT_NE(message.find("2 operators cannot be saved"), std::string::npos) << message;
  EXPECT_TRUE(has_word(message, "mine") && has_word(message, "yours")) << message;
  EXPECT_FALSE(std::filesystem::exists(path()));
}

constexpr const char* kPlain =
    R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[2,3]]],"weights":[],"nodes":[
{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",[2,3]]}},
{"view":"Slice","with":{"axis":1,"stop":2,"step":1},"in":1,"out":2},
{"kind":"Reduce","with":{"op":"sum","axes":2},"in":{"a":2},"out":{"out":[3,"f32",[2]]}}],
"outputs":[["y",3,"f32",[2]]]}]})";

TEST_P(ProgramFiles, WrongProgramsAreRefused) {
  ASSERT_EQ(refusal(kPlain), "");
  struct Edit {
    const char *from, *to, *why;
  };
  const Edit edits[] = {
      {"\"rondo_program\":1", "\"rondo_program\":2", "its grammar is 2"},
      {"\"needs\":\"0.1\",", "\"needs\":\"0.1\",\"needs\":\"0.1\",", "'needs' stands where"},
      {"\"needs\":\"0.1\",", "", "where 'needs' is expected"},
      {"\"needs\":\"0.1\"", "\"needs\":\"0.01\"", "no version"},
      {"\"needs\":\"0.1\"", "\"needs\":\"9.1\"", "it needs Rondo 9.1"},
      {"\"functions\":[", "\"more\":1,\"functions\":[", "'more' stands where"},
      {"Elementwise", "Elementwiser", "kind 'Elementwiser' is not known"},
      {"\"neg\"", "\"negate\"", "operator 'negate' is not known"},
      {"\"row\":\"neg\"", "\"row\":\"neg\",\"row\":\"neg\"", "'row' comes twice"},
      {"\"row\":\"neg\"", "\"row\":\"neg\",\"\\u0072ow\":\"exp\"", "'row' comes twice"},
      {"\"row\":\"neg\",", "", "no operator"},
      {"\"computed\":\"f32\"", "\"computed\":\"f64\"", "computed is f64; with operands of f32"},
      {"\"computed\":\"f32\"", "\"computed\":\"f33\"", "word 'f33' is not known"},
      {"\"axes\":2", "\"axes\":8", "axes is 0x8"},
      {"\"axes\":2", "\"axes\":-1", "out of its range"},
      {"\"axes\":2", "\"axis\":2", "attribute 'axis' is not known"},
      {"\"op\":\"sum\"", "\"op\":\"sum\",\"parameter\":\"0.5\"", "hexadecimal notation"},
      {"\"in\":{\"a\":2}", "\"in\":{\"a\":3}", "value 3 is used before it is made"},
      {"\"in\":{\"a\":2}", "\"in\":{\"b\":2}", "operands of the kind Reduce"},
      {"\"in\":{\"a\":2}", "\"in\":{\"a\":2,\"a\":2}", "operands of the kind Reduce"},
      {"[3,\"f32\",[2]]}", "[4,\"f32\",[2]]}", "value 4 is made, and 3 is the next"},
      {"[3,\"f32\",[2]]}", "[3,\"f32\",[3]]}", "node 2 (Reduce)"},
      {"[3,\"f32\",[2]]}", "[3,\"f64\",[2]]}", "node 2 (Reduce)"},
      {"[3,\"f32\",[2]]}", "0}", "value 3 is used before it is made"},
      {"[1,\"f32\",[2,3]]", "[1,\"f32\",[2,9223372036854775807]]", "63 bits"},
      {"[1,\"f32\",[2,3]]", "[1,\"f32\",[1048576,1048576,1048576]]", "2^47"},
      {"[1,\"f32\",[2,3]]", "[1,\"f32\",[2,3],[0,0]]", "each once"},
      {"[1,\"f32\",[2,3]]", "[1,\"f32\",[2,-3]]", "shape[1] is -3"},
      {"\"axis\":1", "\"axis\":2", "axis is 2"},
      {"\"axis\":1", "\"axis\":3000000000", "out of its range"},
      {",\"step\":1", "", "step is 0"},
      {"\"stop\":2", "\"stop\":2,\"stop\":2", "'stop' comes twice"},
      {"\"stop\":2", "\"end\":2", "attribute 'end' is not known"},
      {"\"Slice\"", "\"Stride\"", "kind 'Stride' is not known"},
      {"\"Slice\",\"with\":{\"axis\":1,\"stop\":2,\"step\":1}", "\"Reshape\",\"with\":{\"shape\":[4]}",
       "holds 4 elements"},
      {"\"Slice\",\"with\":{\"axis\":1,\"stop\":2,\"step\":1}", "\"Transpose\",\"with\":{\"axes\":[0]}", "1 entries"},
      {"\"Slice\",\"with\":{\"axis\":1,\"stop\":2,\"step\":1}", "\"Transpose\",\"with\":{\"axes\":[0,0]}", "twice"},
      {"\"Slice\",\"with\":{\"axis\":1,\"stop\":2,\"step\":1}", "\"Flip\",\"with\":{\"axes\":4}", "axes"},
      {"\"Slice\",\"with\":{\"axis\":1,\"stop\":2,\"step\":1}", "\"Split\",\"with\":{\"axis\":1}", "parts is 0"},
      {"\"Slice\",\"with\":{\"axis\":1,\"stop\":2,\"step\":1}", "\"Broadcast\",\"with\":{\"shape\":[3]}", "broadcast"},
      {"\"view\":\"Slice\",\"with\":{\"axis\":1,\"stop\":2,\"step\":1}", "\"view\":\"AddN\"", "no view"},
      {"\"kind\":\"Reduce\",\"with\":{\"op\":\"sum\",\"axes\":2}", "\"kind\":\"Reshape\",\"with\":{\"shape\":[2]}",
       "is a view"},
      {"\"x\"", "\"\"", "is empty"},
      {"\"x\"", "\"a\\nb\"", "control character"},
      {"\"y\",3,\"f32\",[2]", "\"y\",2,\"f32\",[2,2]", "output 'y'"},
      {"\"y\",3,\"f32\",[2]", "\"y\",3,\"f32\",[3]", "another dtype or shape"},
      {"\"y\",3,\"f32\",[2]", "\"y\",0,\"f32\",[2,3]", "output 'y'"},
      {"\"weights\":[],\"functions\"", "\"weights\":[[\"w\",\"f32\",[1]]],\"functions\"",
       "has 1 weights, and the file 0"},
      {"\"weights\":[],\"nodes\"", "\"weights\":[0],\"nodes\"", "weight that the program does not have"},
      {"]]}]}", "]]}]} ]", "more text"},
  };
  for (const Edit& each : edits) {
    std::string text = kPlain;
    const size_t at = text.find(each.from);
    ASSERT_NE(at, std::string::npos) << each.from;
    text.replace(at, std::strlen(each.from), each.to);
    const std::string why = refusal(text);
    EXPECT_NE(why.find(each.why), std::string::npos) << each.from << " as " << each.to << ": " << why;
  }
}

// Elements replace those of a tensor in its place: the operator does not read another one, whatever a file says.
TEST_P(ProgramFiles, OperandsThatAreNotUsedAreRefused) {
  const std::string put =
      R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["i","i64",[2]],["v","f32",[2,3]],["t","f32",[4,3]]],"weights":[],"nodes":[
{"kind":"Copy","in":{"a":2},"out":{"out":[3,"f32",[4,3]]}},
{"kind":"Put","with":{"replaces":true},"in":{"indices":0,"values":1,"tensor":3},"out":{"out":3}}],
"outputs":[["y",3,"f32",[4,3]]]}]})";
  EXPECT_EQ(refusal(put), "");
  std::string other = put;
  const std::string own = "\"tensor\":3";
  other.replace(other.find(own), own.size(), "\"tensor\":2");
  EXPECT_NE(refusal(other).find("whose elements it replaces is not its result"), std::string::npos);
}

TEST_P(ProgramFiles, RowsOfAnotherLengthAreRefused) {
  const auto gradient = [](const std::string& dy, const std::string& w, int axis) {
    return R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[2,6]],["dy",)" +
           dy + R"(],["w",)" + w + R"(]],"weights":[],"nodes":[
{"kind":"NormalisationGrad","with":{"op":"layer_norm","weight":true,"axis":)" +
           std::to_string(axis) +
           R"(,"epsilon":"0x1p-17"},"in":{"a":0,"dy":1,"weight":2},"out":{"da":[3,"f32",[2,6]]}}],
"outputs":[["y",3,"f32",[2,6]]]}]})";
  };
  EXPECT_EQ(refusal(gradient(R"("f32",[2,6])", R"("f32",[6])", 1)), "");
  EXPECT_NE(refusal(gradient(R"("f32",[2,6])", R"("f32",[2])", 1)), "");
  EXPECT_NE(refusal(gradient(R"("f32",[2,6])", R"("f16",[6])", 1)), "");
  EXPECT_NE(refusal(gradient(R"("f32",[6])", R"("f32",[6])", 1)), "");
  EXPECT_NE(refusal(gradient(R"("f64",[2,6])", R"("f32",[6])", 1)), "");
  EXPECT_NE(refusal(gradient(R"("f32",[2,6])", R"("f32",[6])", 2)), "");
}

TEST_P(ProgramFiles, MutatedProgramsNeverCrash) {
  std::mt19937 random(5);
  const int turns = on_cuda() || naive() ? 100 : 1000;
  for (int turn = 0; turn < turns; ++turn) (void)refusal(mutated(kPlain, &random));
}

}  // namespace
}  // namespace conformance
