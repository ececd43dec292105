// Operators in files that are several tasks when they are recorded: recurrent layers, and both gradients of a
// convolution at once, are saved as the nodes that they are, and have the bits of the recording. Copyright 2026 the
// Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "control/control.h"
#include "model_files/program_kinds.h"

namespace conformance {
namespace {

using Layer = rondo_status (*)(rondo_tensor* x, int32_t n, rondo_tensor* const* weights,
                               const rondo_recurrent_options* options, rondo_tensor** out, rondo_tensor** last_h,
                               rondo_tensor** last_c);
rondo_status gru(rondo_tensor* x, int32_t n, rondo_tensor* const* weights, const rondo_recurrent_options* options,
                 rondo_tensor** out, rondo_tensor** last_h, rondo_tensor**) {
  return rondo_gru(x, n, weights, options, out, last_h);
}
rondo_status rnn(rondo_tensor* x, int32_t n, rondo_tensor* const* weights, const rondo_recurrent_options* options,
                 rondo_tensor** out, rondo_tensor** last_h, rondo_tensor**) {
  return rondo_rnn(x, n, weights, options, out, last_h);
}

struct Form {
  Layer layer;
  int64_t gates;
  rondo_dtype dtype = RONDO_F32;
  int64_t layers = 1;
  bool both = false, biased = true, batch_first = false, relu = false, lengths = false, first = false, last = false;
};

class ProgramLayers : public ProgramKinds {
 protected:
  static constexpr int64_t kSteps = 3, kBatch = 2, kInputs = 4, kHidden = 3;

  Tensor values(const Form& form, const Shape& shape, uint32_t seed) const {
    return up(random_array(form.dtype, shape, seed, -0.5, 0.5));
  }
  // x, first states and cells, the weights.
  std::vector<Tensor> operands(const Form& form) const {
    const int64_t directions = form.both ? 2 : 1, lines = form.layers * directions;
    uint32_t seed = 1;
    std::vector<Tensor> all;
    const auto add = [&](const Shape& shape) { all.push_back(values(form, shape, ++seed)); };
    add(form.batch_first ? Shape{kBatch, kSteps, kInputs} : Shape{kSteps, kBatch, kInputs});
    for (int i = 0; form.first && i < (form.layer == rondo_lstm ? 2 : 1); ++i) add({lines, kBatch, kHidden});
    for (int64_t line = 0; line < lines; ++line) {
      add({form.gates * kHidden, line < directions ? kInputs : directions * kHidden});
      add({form.gates * kHidden, kHidden});
      for (int i = 0; form.biased && i < 2; ++i) add({form.gates * kHidden});
    }
    return all;
  }
  std::vector<Tensor> run(const Form& form, const std::vector<Tensor>& in, const Tensor& lengths) const {
    const bool lstm = form.layer == rondo_lstm;
    rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
    options.layers = static_cast<int32_t>(form.layers);
    options.bidirectional = form.both ? 1 : 0;
    options.batch_first = form.batch_first ? 1 : 0;
    options.relu = form.relu ? 1 : 0;
    if (form.lengths) options.lengths = lengths;
    if (form.first) options.first_h = in[1];
    if (form.first && lstm) options.first_c = in[2];
    std::vector<rondo_tensor*> weights;
    for (size_t i = form.first ? (lstm ? 3 : 2) : 1; i < in.size(); ++i) weights.push_back(in[i]);
    Tensor out, last_h, last_c;
    must(form.layer(in[0], static_cast<int32_t>(weights.size()), weights.data(), &options, out.slot(),
                    form.last ? last_h.slot() : nullptr, form.last && lstm ? last_c.slot() : nullptr));
    std::vector<Tensor> made = list(std::move(out));
    if (form.last) made.push_back(std::move(last_h));
    if (form.last && lstm) made.push_back(std::move(last_c));
    return made;
  }
  static Shape shape_of(rondo_tensor* tensor) {
    const rondo_tensor_info info = query(tensor);
    return Shape(info.shape, info.shape + info.ndim);
  }
  static std::vector<Kind> kinds_of(const std::vector<Tensor>& inputs) {
    std::vector<Kind> kinds;
    for (const Tensor& each : inputs) {
      const rondo_tensor_info info = query(each);
      kinds.push_back({info.dtype, Shape(info.shape, info.shape + info.ndim)});
    }
    return kinds;
  }
  void same_layer(const Form& form) const {
    const std::vector<Tensor> inputs = operands(form);
    const Tensor lengths = up(array_of(RONDO_I32, {kBatch}, {2, 3}));
    std::vector<rondo_tensor*> given;
    for (const Tensor& each : inputs) given.push_back(each);
    const size_t results = form.last ? (form.layer == rondo_lstm ? 3 : 2) : 1;
    same_from_file(kinds_of(inputs), given, results,
                   [&](const std::vector<Tensor>& in) { return run(form, in, lengths); });
    EXPECT_EQ(nodes("Recurrent"), 1u);
    EXPECT_EQ(text(open(path())).find("\"left\""), std::string::npos) << "an inference keeps what no gradient needs";
    // With the gradients of all that comes in, by what all results give.
    same_with_gradients(inputs, [&](const std::vector<Tensor>& in) {
      const std::vector<Tensor> made = run(form, in, lengths);
      Tensor sum = reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, made[0]), {});
      for (size_t i = 1; i < made.size(); ++i)
        sum = make(rondo_binary, RONDO_ADD, sum, reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, made[i]), {}));
      return sum;
    });
    EXPECT_EQ(nodes("RecurrentGrad"), 1u);
  }
  // How many of a kind the file has.
  size_t nodes(const std::string& kind) const {
    const std::string all = text(open(path())), node = "{\"kind\":\"" + kind + "\"";
    size_t count = 0;
    for (size_t at = all.find(node); at != std::string::npos; at = all.find(node, at + 1)) ++count;
    return count;
  }
};
CONFORMANCE_ENGINE_SUITE(ProgramLayers);

TEST_P(ProgramLayers, Lstm) {
  same_layer({.layer = rondo_lstm, .gates = 4});
  same_layer({.layer = rondo_lstm,
              .gates = 4,
              .layers = 2,
              .both = true,
              .batch_first = true,
              .lengths = true,
              .first = true,
              .last = true});
}

TEST_P(ProgramLayers, Gru) {
  same_layer({.layer = gru, .gates = 3, .dtype = RONDO_F16, .biased = false, .lengths = true});
  same_layer({.layer = gru, .gates = 3, .layers = 2, .first = true, .last = true});
}

TEST_P(ProgramLayers, PlainRecurrence) {
  same_layer({.layer = rnn, .gates = 1, .both = true, .biased = false});
  same_layer({.layer = rnn, .gates = 1, .batch_first = true, .relu = true, .first = true});
}

// A layer whose weights are the file's, and whose gradients are taken of the loaded function.
TEST_P(ProgramLayers, WeightsOfLayersStayWhole) {
  const Form form = {.layer = rondo_lstm, .gates = 4, .first = true};
  std::vector<Tensor> inputs = operands(form);
  const Tensor lengths;
  const Tensor x = std::move(inputs[0]);
  same_from_file({{RONDO_F32, {kSteps, kBatch, kInputs}}}, {x}, 1, [&](const std::vector<Tensor>& in) {
    std::vector<Tensor> all;
    all.push_back(slice(in[0], 0, 0, kSteps));
    for (size_t i = 1; i < inputs.size(); ++i) all.push_back(reshape(inputs[i], shape_of(inputs[i])));
    return run(form, all, lengths);
  });
  rondo_program_tensor_info info = RONDO_PROGRAM_TENSOR_INFO_INIT;
  const char* name = nullptr;
  must(rondo_program_weight(open(path()).get(), 0, &name, &info));
  EXPECT_EQ(info.ndim, 3) << "the first states lost their shape";
}

TEST_P(ProgramLayers, LayersInABody) {
  const Form form = {.layer = gru, .gates = 3, .first = true};
  std::vector<Tensor> inputs = operands(form);
  const Tensor lengths, yes = up(full(RONDO_BOOL, {}, 1));
  const Tensor x = std::move(inputs[0]);
  same_from_file({{RONDO_F32, {kSteps, kBatch, kInputs}}}, {x}, 1, [&](const std::vector<Tensor>& in) {
    Tensor result = empty(RONDO_F32, {kSteps, kBatch, kHidden});
    must(rondo_fill(result, 0));
    Issue body = [&] {
      std::vector<Tensor> all;
      all.push_back(slice(in[0], 0, 0, kSteps));
      for (size_t i = 1; i < inputs.size(); ++i) all.push_back(reshape(inputs[i], shape_of(inputs[i])));
      const std::vector<Tensor> made = run(form, all, lengths);
      into(result, rondo_unary, RONDO_NEG, made[0]);
    };
    must(rondo_if(engine(), yes, call_issue, nullptr, &body));
    return list(std::move(result));
  });
  EXPECT_EQ(nodes("Recurrent"), 1u);
}

// On a GPU they are one task.
TEST_P(ProgramLayers, BothGradientsOfAConvolution) {
  const std::vector<Tensor> inputs = list(up(numbers({2, 4, 6, 5})), up(numbers({6, 2, 3, 3})));
  same_with_gradients(inputs, [&](const std::vector<Tensor>& in) {
    rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
    options.groups = 2;
    options.stride[0] = 2;
    options.padding[1] = 1;
    return make(rondo_convolution, in[0], in[1], &options);
  });
  EXPECT_EQ(nodes("ConvolutionFilterGrad"), 1u);
}

TEST_P(ProgramLayers, NeedsIsTheNewestWord) {
  const auto program = [](const std::string& needs) {
    return R"({"rondo_program":1,"needs":")" + needs + R"(","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[2]]],"weights":[],"nodes":[
{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",[2]]}}],
"outputs":[["y",1,"f32",[2]]]}]})";
  };
  EXPECT_EQ(refusal(program("0.1")), "");
  const std::string why = refusal(program("0.0"));
  EXPECT_NE(why.find("it says that it needs Rondo 0.0, and what it uses needs 0.1"), std::string::npos) << why;
}

TEST_P(ProgramLayers, FilesForAnotherReader) {
  const Graph graph = callable({{RONDO_F32, {2}}},
                               [](const std::vector<Tensor>& in) { return list(make(rondo_unary, RONDO_NEG, in[0])); });
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  options.reader = "0.1";
  must(save(path(), graph.get(), &options));
  for (const char* each : {"0.0", "9.1", "1", "0.1.0", ""}) {
    options.reader = each;
    expect_refused(save(path("other"), graph.get(), &options), RONDO_INVALID_ARGUMENT, "rondo_program_save",
                   "options->reader");
    EXPECT_FALSE(std::filesystem::exists(path("other")));
  }
}

TEST_P(ProgramLayers, WrongLayersAreRefused) {
  const std::string plain =
      R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[3,2,4]],["w","f32",[9,4]],["v","f32",[9,3]],["n","i32",[2]]],"weights":[],"nodes":[
{"kind":"Recurrent","with":{"form":{"kind":"gru","layers":1},"lengths":true},"in":{"x":0,"lengths":3,"weights":[1,2]},"out":{"out":[4,"f32",[3,2,3]]}}],
"outputs":[["y",4,"f32",[3,2,3]]]}]})";
  ASSERT_EQ(refusal(plain), "");
  std::mt19937 random(7);  // no edit makes it crash
  for (int turn = on_cuda() || naive() ? 50 : 0; turn < 60; ++turn) (void)refusal(mutated(plain, &random));
  const struct {
    const char *from, *to, *why;
  } edits[] = {
      {"\"kind\":\"gru\"", "\"kind\":\"lstm\"", "weights[0] has shape [9, 4]; [12, 4]"},
      {"\"kind\":\"gru\"", "\"kind\":\"gru2\"", "'gru2' is not known"},
      {"\"layers\":1", "\"layers\":2", "n_weights is 2"},
      {"\"layers\":1", "\"layers\":0", "options->layers is 0"},
      {"\"layers\":1", "\"layers\":2147483647", "more than 32768 steps"},
      {"\"layers\":1", "\"layers\":1,\"relu\":true", "relu"},
      {"\"kind\":\"gru\"", "\"kind\":\"gru\",\"biased\":true", "attributes are not those"},
      {"\"lengths\":true},", "\"lengths\":true,\"last_c\":true},", "Recurrent"},
      {"[\"n\",\"i32\",[2]]", "[\"n\",\"i64\",[2]]", "lengths has dtype i64"},
      {"[\"n\",\"i32\",[2]]", "[\"n\",\"i32\",[3]]", "lengths has shape [3]"},
      {"[3,2,4]]", "[9000000,2,4]]", "more than 32768 steps"},
      {"{\"out\":[4,\"f32\",[3,2,3]]}", "{\"out\":[4,\"f32\",[3,2,3]],\"left\":[[5,\"f32\",[3,2,9]]]}", "needed"},
  };
  for (const auto& each : edits) {
    std::string text = plain;
    const size_t at = text.find(each.from);
    ASSERT_NE(at, std::string::npos) << each.from;
    text.replace(at, std::strlen(each.from), each.to);
    const std::string why = refusal(text);
    EXPECT_NE(why.find(each.why), std::string::npos) << each.from << " as " << each.to << ": " << why;
  }
}

}  // namespace
}  // namespace conformance
