// Programs in files, kind by kind: operators over images, attention, bags of rows and optimizers have the bits of what
// was recorded, their gradients and the states that they write too; attributes and operands of a file that do not go
// together are refused.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "model_files/program_kinds.h"

namespace conformance {
namespace {

CONFORMANCE_ENGINE_SUITE(ProgramKinds);

// What one call does for several sets of tensors is one node, of sets of unlike shapes and dtypes too.
TEST_P(ProgramKinds, TextsOverSeveralSets) {
  rondo_expression* text = nullptr;
  must(rondo_expression_create("d = p - g; s = p * g", nullptr, &text));
  const Tensor a = up(numbers({7})), b = up(numbers({3, 5})), c = up(array_of(RONDO_F64, {2}, {1.5L, -3}));
  const std::vector<Kind> kinds = {{RONDO_F32, {7}}, {RONDO_F32, {3, 5}}, {RONDO_F64, {2}}};
  same_from_file(kinds, {a, b, c}, 6, [&](const std::vector<Tensor>& in) {
    std::vector<rondo_argument> arguments;
    for (const Tensor& each : in) {
      arguments.push_back(RONDO_TENSOR("p", each));
      arguments.push_back(RONDO_TENSOR("g", each));
    }
    std::vector<rondo_tensor*> made(6, nullptr);
    must(rondo_expression_run_each(text, 3, 2, arguments.data(), 2, made.data()));
    std::vector<Tensor> owned;
    for (rondo_tensor* each : made) owned.emplace_back(each);
    return owned;
  });
  rondo_expression_destroy(text);
}

TEST_P(ProgramKinds, Attention) {
  const std::vector<Tensor> inputs =
      list(up(numbers({2, 3, 4, 8})), up(numbers({2, 5, 2, 8})), up(numbers({2, 5, 2, 8})));
  const Tensor mask = up(numbers({3, 5})), lengths = up(array_of(RONDO_I32, {2}, {5, 3}));
  same_with_gradients(inputs, [&](const std::vector<Tensor>& in) {
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
    options.mask = mask;
    options.key_lengths = lengths;
    options.soft_cap = 3;
    options.causal = options.aligned_last = 1;
    Tensor y;
    must(rondo_attention(in[0], in[1], in[2], &options, y.slot(), nullptr));
    return y;
  });
}

TEST_P(ProgramKinds, Pooling) {
  const std::vector<Tensor> x = list(up(numbers({2, 3, 7, 6})));
  const int64_t kernel[] = {3, 2}, sizes[] = {3, 4};
  rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
  options.stride[0] = 2;
  options.padding[0] = 1;
  options.ceil_mode = 1;
  same_with_gradients(x, [&](const std::vector<Tensor>& in) {
    const Tensor largest = make(rondo_max_pool, in[0], 2, kernel, &options);
    const Tensor mean = make(rondo_avg_pool, in[0], 2, kernel, &options);
    return make(rondo_binary, RONDO_MUL, largest, mean);
  });
  same_with_gradients(x, [&](const std::vector<Tensor>& in) {
    const Tensor largest = make(rondo_adaptive_max_pool, in[0], 2, sizes);
    const Tensor mean = make(rondo_adaptive_avg_pool, in[0], 2, sizes);
    return make(rondo_binary, RONDO_MUL, largest, mean);
  });
}

TEST_P(ProgramKinds, ResizingAndLocalResponses) {
  const std::vector<Tensor> x = list(up(numbers({1, 4, 3, 5})));
  const int64_t sizes[] = {6, 7};
  for (const rondo_resize_mode mode : {RONDO_RESIZE_NEAREST, RONDO_RESIZE_LINEAR, RONDO_RESIZE_NEAREST_EXACT})
    same_with_gradients(x, [&](const std::vector<Tensor>& in) {
      return make(rondo_resize, in[0], 2, sizes, mode, RONDO_RESIZE_HALF_PIXEL);
    });
  same_with_gradients(
      x, [&](const std::vector<Tensor>& in) { return make(rondo_local_response_norm, in[0], 3, 0.5, 0.75, 1.0); });
}

TEST_P(ProgramKinds, NormalisationOfGroups) {
  const std::vector<Tensor> x = list(up(numbers({3, 4, 5})), up(numbers({4})), up(numbers({4})));
  const auto options_of = [](const std::vector<Tensor>& in) {
    rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
    options.weight = in[1];
    options.bias = in[2];
    options.activation = RONDO_ACTIVATION_RELU;
    return options;
  };
  same_with_gradients(x, [&](const std::vector<Tensor>& in) {
    const rondo_norm_options options = options_of(in);
    return make(rondo_group_norm, in[0], 2, &options);
  });
  same_with_gradients(x, [&](const std::vector<Tensor>& in) {
    const rondo_norm_options options = options_of(in);
    const Tensor mean = reduce(RONDO_MEAN, in[0], {0, 2}), variance = reduce(RONDO_VAR, in[0], {0, 2});
    return make(rondo_batch_norm, in[0], mean, variance, &options);
  });
  // In training the running statistics are a state.
  const Tensor running = up(numbers({4})), spread = up(full(RONDO_F32, {4}, 1));
  same_from_file({{RONDO_F32, {3, 4, 5}}}, {x[0]}, 5, [&](const std::vector<Tensor>& in) {
    const Tensor w = make(rondo_copy, x[1]), b = make(rondo_copy, x[2]);
    rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
    options.weight = w;
    options.bias = b;
    std::vector<Tensor> made = gradients({in[0], w, b}, [&] {
      Tensor y;
      must(rondo_batch_norm_training(in[0], running, spread, 0.25, &options, y.slot(), nullptr, nullptr));
      return make(rondo_unary, RONDO_SQUARE, y);
    });
    made.push_back(make(rondo_copy, running));
    made.push_back(make(rondo_copy, spread));
    return made;
  });
}

// On a GPU both gradients at once are a task of their own.
TEST_P(ProgramKinds, ConvolutionAndItsFilter) {
  const std::vector<Tensor> x = list(up(numbers({2, 4, 6, 5}))), w = list(up(numbers({6, 2, 3, 3})));
  const auto convolve = [](rondo_tensor* image, rondo_tensor* filter) {
    rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
    options.groups = 2;
    options.stride[0] = 2;
    options.padding[1] = 1;
    return make(rondo_convolution, image, filter, &options);
  };
  same_with_gradients(x, [&](const std::vector<Tensor>& in) { return convolve(in[0], w[0]); });
  same_with_gradients(w, [&](const std::vector<Tensor>& in) { return convolve(x[0], in[0]); });
}

TEST_P(ProgramKinds, BagsOfRows) {
  const std::vector<Tensor> both = list(up(numbers({5, 3})), up(numbers({4, 3})));
  const Tensor indices = up(array_of(RONDO_I32, {2, 2, 3}, {0, 1, 4, 2, 2, 3, 0, 3, 1, 1, 2, 0}));
  const Tensor places = up(array_of(RONDO_I32, {6}, {0, 1, 4, 2, 2, 3})),
               offsets = up(array_of(RONDO_I32, {5}, {0, 2, 3, 3, 6}));
  for (const rondo_bag_mode mode : {RONDO_BAG_SUM, RONDO_BAG_MEAN})
    for (const bool has_offsets : {false, true})
      same_with_gradients(both, [&](const std::vector<Tensor>& in) {
        rondo_tensor* const tables[] = {in[0], in[1]};
        return make(rondo_embedding_bag, 2, tables, static_cast<rondo_tensor*>(has_offsets ? places : indices),
                    has_offsets ? static_cast<rondo_tensor*>(offsets) : nullptr, mode);
      });
}

TEST_P(ProgramKinds, StepsOfRows) {
  const Tensor table = up(numbers({5, 3})), rate = up(full(RONDO_F32, {}, 0.5));
  const Tensor indices = up(array_of(RONDO_I64, {1, 2, 2}, {0, 3, 3, 4}));
  same_from_file({{RONDO_F32, {2, 1, 3}}}, {up(numbers({2, 1, 3}))}, 1, [&](const std::vector<Tensor>& in) {
    rondo_tensor* const tables[] = {table};
    must(rondo_embedding_bag_descend(1, tables, indices, nullptr, RONDO_BAG_SUM, in[0], rate, nullptr));
    return list(make(rondo_copy, table));
  });
}

TEST_P(ProgramKinds, DotInteraction) {
  same_with_gradients(list(up(numbers({2, 4, 3}))),
                      [&](const std::vector<Tensor>& in) { return make(rondo_dot_interaction, in[0], 1); });
}

TEST_P(ProgramKinds, PlacesOfWhatIsNotZero) {
  const Tensor x = up(array_of(RONDO_F32, {2, 3}, {0, 1, 0, 2, 0, 3}));
  same_from_file({{RONDO_F32, {2, 3}}}, {x}, 2, [&](const std::vector<Tensor>& in) {
    rondo_tensor *places = nullptr, *count = nullptr;
    must(rondo_nonzero_limit(in[0], 4, -1, &places, &count));
    return list(Tensor(places), Tensor(count));
  });
}

struct Rule {
  rondo_optimizer_kind kind;
  rondo_dtype dtype;
};

TEST_P(ProgramKinds, TrainingStepsKeepTheirState) {
  for (const Rule& rule : {Rule{RONDO_OPTIMIZER_SGD, RONDO_F32},
                           {RONDO_OPTIMIZER_ADAM, RONDO_F32},
                           {RONDO_OPTIMIZER_ADAMW, RONDO_F16},
                           {RONDO_OPTIMIZER_LAMB, RONDO_F64}}) {
    const Tensor w = up(random_array(rule.dtype, {4, 3}, 5, -1, 1)), b = up(random_array(rule.dtype, {3}, 6, -1, 1));
    rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
    options.kind = rule.kind;
    options.momentum = rule.kind == RONDO_OPTIMIZER_SGD ? 0.5 : 0;
    options.amsgrad = rule.kind == RONDO_OPTIMIZER_ADAM;
    options.schedule = RONDO_RATE_COSINE;
    options.decay_steps = 5;
    options.max_norm = 0.5;
    options.master_weights = 1;
    rondo_tensor* const parameters[] = {w, b};
    rondo_optimizer* optimizer = nullptr;
    must(rondo_optimizer_create(2, parameters, &options, &optimizer));
    const Kind kind = {rule.dtype, {2, 4}};
    const Tensor x = up(random_array(rule.dtype, {2, 4}, 7, -1, 1));
    same_from_file({kind}, {x}, 4, [&](const std::vector<Tensor>& in) {
      const std::vector<Tensor> made = gradients({w, b}, [&] {
        rondo_matmul_options with_bias = RONDO_MATMUL_OPTIONS_INIT;
        with_bias.bias = b;
        const Tensor product = make(rondo_matmul, in[0], w, &with_bias);
        return make(rondo_unary, RONDO_SQUARE, product);
      });
      rondo_tensor* const changes[] = {made[0], made[1]};
      Tensor norm = make(rondo_global_norm, 2, changes), finite = make(rondo_all_finite, 2, changes);
      const Tensor clipped = make(rondo_clip_global_norm, 2, changes, 0.75);
      must(rondo_optimizer_step(optimizer, 2, changes, finite, nullptr));
      return list(make(rondo_copy, w), make(rondo_copy, b), std::move(norm), std::move(finite));
    });
    rondo_optimizer_destroy(optimizer);
  }
}

// Programs of one node, and what each edit of its text is told.
struct Edit {
  const char *from, *to, *why;
};
struct Wrong {
  const char* kind;
  const char *inputs, *nodes, *output;
  std::vector<Edit> edits;
};

class WrongKinds : public ProgramFiles {
 protected:
  void refuses(const Wrong& wrong) const {
    const std::string text = std::string(
                                 R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[)") + wrong.inputs +
                             R"(],"weights":[],"nodes":[
)" + wrong.nodes + R"(],
"outputs":[)" + wrong.output +
                             "]}]}";
    ASSERT_EQ(refusal(text), "") << wrong.kind;
    std::mt19937 random(7);  // no edit makes it crash
    for (int turn = on_cuda() || naive() ? 50 : 0; turn < 60; ++turn) (void)refusal(mutated(text, &random));
    for (const Edit& each : wrong.edits) {
      std::string edited = text;
      const size_t at = edited.find(each.from);
      ASSERT_NE(at, std::string::npos) << wrong.kind << ": " << each.from;
      edited.replace(at, std::strlen(each.from), each.to);
      const std::string why = refusal(edited);
      EXPECT_NE(why.find(each.why), std::string::npos)
          << wrong.kind << ": " << each.from << " as " << each.to << ": " << why;
    }
  }
};
CONFORMANCE_ENGINE_SUITE(WrongKinds);

// One launch does all sets of a text, in no order.
TEST_P(WrongKinds, TextsWhoseSetsTouchEachOther) {
  refuses(
      {"Text",
       R"(["x","f32",[3]])",
       R"({"kind":"Elementwise","with":{"row":"relu","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",[3]]}},
{"kind":"Elementwise","with":{"row":"exp","computed":"f32"},"in":{"operands":[0]},"out":{"out":[2,"f32",[3]]}},
{"kind":"Text","with":{"expressions":[{"inputs":["f32","f32"],"scalars":[],"steps":[["sub","f32",0,1]],"outputs":[[32,"f32"]]},{"inputs":["f32","f32"],"scalars":[],"steps":[["sub","f32",0,1]],"outputs":[[32,"f32"]]}]},"in":{"inputs":[1,0,2,0]},"out":{"outputs":[1,2]}})",
       R"(["y",1,"f32",[3]])",
       {{"[1,0,2,0]", "[1,2,2,0]", "a result overlaps an input"},
        {"[1,0,2,0]", "[1,0,2]", "2 expressions of 4 inputs and 2 results have 3 and 2"},
        {"\"outputs\":[1,2]", "\"outputs\":[1,1]", "two results overlap"}}});
}

TEST_P(WrongKinds, WindowsThatDoNotGoTogether) {
  refuses(
      {"Window",
       R"(["x","f32",[1,1,4,6]])",
       R"({"kind":"Window","with":{"windows":{"first":2,"count":2,"axis":[{"rule":"fixed","origin":"half_pixel","in":4,"out":2,"size":2,"stride":2,"dilation":1},{"rule":"fixed","origin":"half_pixel","in":6,"out":3,"size":3,"stride":2,"padding":1,"dilation":1,"counts_padding":1}]},"image":[1,1,4,6]},"in":{"a":0},"out":{"out":[1,"f32",[1,1,2,3]]}})",
       R"(["y",1,"f32",[1,1,2,3]])",
       {{"\"stride\":2", "\"stride\":0", "do not go together"},
        {"\"stride\":2", "\"stride\":-2", "do not go together"},
        {"\"stride\":2", "\"stride\":9223372036854775807", "do not go together"},
        {"\"dilation\":1", "\"dilation\":0", "do not go together"},
        {"\"dilation\":1", "\"dilation\":2", "do not go together"},
        {"\"size\":2", "\"size\":0", "do not go together"},
        {"\"size\":2", "\"size\":5", "do not go together"},
        {"\"in\":4", "\"in\":5", "do not go together"},
        {"\"out\":2", "\"out\":3", "do not go together"},
        {"\"padding\":1", "\"padding\":3", "do not go together"},
        {"\"padding\":1", "\"padding\":-1", "do not go together"},
        {"\"counts_padding\":1", "\"counts_padding\":2", "do not go together"},
        {"\"rule\":\"fixed\"", "\"rule\":\"adaptive\"", "do not go together"},
        {"\"rule\":\"fixed\"", "\"rule\":\"linear\"", "do not go together"},
        {"\"rule\":\"fixed\"", "\"rule\":\"cubic\"", "'cubic' is not known"},
        {"\"origin\":\"half_pixel\"", "\"origin\":\"asymmetric\"", "do not go together"},
        {"\"first\":2", "\"first\":3", "has not as many"},
        {"\"first\":2", "\"first\":-1", "has not as many"},
        {"\"count\":2", "\"count\":1", "a list of more than 1"},
        {"\"count\":2", "\"count\":4", "has not as many"},
        {"\"image\":[1,1,4,6]", "\"image\":[1,1,4,7]", "a is f32"},
        {"\"image\":[1,1,4,6]", "\"places\":true,\"image\":[1,1,4,6]", "are not those of the kind Window"}}});
}

TEST_P(WrongKinds, NumbersOfAttention) {
  refuses(
      {"Attention",
       R"(["q","f32",[1,2,4,8]],["k","f32",[1,3,2,8]],["v","f32",[1,3,2,8]])",
       R"({"kind":"Attention","with":{"numbers":{"scale":"0x1p-1","before":-1,"after":2}},"in":{"q":0,"k":1,"v":2},"out":{"out":[3,"f32",[1,2,4,8]],"lse":[4,"f32",[1,4,2]]}})",
       R"(["y",3,"f32",[1,2,4,8]])",
       {{"\"0x1p-1\"", "\"nan\"", "scale is nan"},
        {"\"0x1p-1\"", "\"inf\"", "scale is inf"},
        {"\"scale\"", "\"cap\":\"-0x1p+0\",\"scale\"", "soft_cap is -1"},
        {"\"scale\"", "\"dropped\":\"nan\",\"scale\"", "are not those of the kind Attention"},
        {"\"before\":-1", "\"before\":-2", "before is -2"},
        {"\"after\":2", "\"after\":-9", "after is -9"},
        {"{\"numbers\"", "{\"mask\":true,\"numbers\"", "are not those of the kind Attention"},
        {"\"k\":1", "\"k\":0", "v has shape"},
        {"[1,3,2,8]],[\"v\"", "[1,3,3,8]],[\"v\"", "must be a multiple"},
        {"[4,\"f32\",[1,4,2]]", "[4,\"f32\",[1,2,4]]", "result 1 is f32 [1, 2, 4]"},
        {"[4,\"f32\",[1,4,2]]", "[4,\"f64\",[1,4,2]]", "result 1 is f64 [1, 4, 2]"}}});
}

TEST_P(WrongKinds, PartsThatDropoutLeavesOut) {
  refuses({"Dropout",
           R"(["x","f32",[2]])",
           R"({"kind":"Dropout","with":{"p":"0x1p-2"},"in":{"a":0},"out":{"out":[1,"f32",[2]],"mask":[2,"u8",[2]]}})",
           R"(["y",1,"f32",[2]])",
           {{"\"0x1p-2\"", "\"nan\"", "nan"},
            {"\"0x1p-2\"", "\"0x1p+0\"", "p is 1"},
            {"\"0x1p-2\"", "\"-0x1p-2\"", "p is -0.25"},
            {"[2,\"u8\",[2]]", "[2,\"u8\",[3]]", "result 1 is u8 [3]"},
            {"[2,\"u8\",[2]]", "[2,\"f32\",[2]]", "result 1 is f32 [2]"}}});
}

TEST_P(WrongKinds, OptionsOfConvolutions) {
  refuses(
      {"Convolution",
       R"(["x","f32",[1,2,4]],["w","f32",[2,1,3]])",
       R"({"kind":"Convolution","with":{"options":{"stride":[1],"dilation":[1],"groups":2,"activation":"none"}},"in":{"x":0,"w":1},"out":{"out":[2,"f32",[1,2,2]]}})",
       R"(["y",2,"f32",[1,2,2]])",
       {{"\"stride\":[1]", "\"stride\":[0]", "stride[0] is 0"},
        {"\"dilation\":[1]", "\"dilation\":[0]", "dilation[0] is 0"},
        {"\"groups\":2", "\"groups\":0", "groups is 0"},
        {"\"groups\":2", "\"groups\":-2", "groups is -2"},
        {"\"groups\":2", "\"groups\":9223372036854775807", "groups"},
        {"\"groups\":2", "\"before\":[-1],\"groups\":2", "padding[0] is -1"}}});
  refuses(
      {"ConvolutionFilterGrad",
       R"(["x","f32",[1,2,4]],["dy","f32",[1,2,2]])",
       R"({"kind":"ConvolutionFilterGrad","with":{"options":{"stride":[1],"dilation":[1],"groups":2,"activation":"none"},"kernel":[3]},"in":{"x":0,"dy":1},"out":{"dw":[2,"f32",[2,1,3]]}})",
       R"(["y",2,"f32",[2,1,3]])",
       {{"\"kernel\":[3]", "\"kernel\":[0]", "the kernel has size 0"},
        {"\"kernel\":[3]", "\"kernel\":[9]", "the kernel is larger"},
        {"\"groups\":2", "\"groups\":0", "groups is 0"},
        {"\"stride\":[1]", "\"stride\":[0]", "stride[0] is 0"}}});
}

TEST_P(WrongKinds, BagsOfRows) {
  refuses({"EmbeddingBag",
           R"(["a","f32",[5,3]],["b","f32",[4,3]],["i","i32",[2,2,1]])",
           R"({"kind":"EmbeddingBag","in":{"indices":2,"tables":[0,1]},"out":{"out":[3,"f32",[2,2,3]]}})",
           R"(["y",3,"f32",[2,2,3]])",
           {{"[4,3]", "[4,2]", "one width is needed"},
            {"\"i32\"", "\"f32\"", "indices has dtype f32"},
            {"[2,2,1]", "[3,2,1]", "indices has shape"},
            {"[0,1]", "[]", "EmbeddingBag"},
            {"[2,2,3]]}", "[2,2,4]]}", "result 0 is f32"}}});
  refuses(
      {"EmbeddingBagGrad",
       R"(["i","i32",[2,2,1]],["dy","f32",[2,2,3]])",
       R"({"kind":"EmbeddingBagGrad","with":{"rows":[5,4],"made":[true,false]},"in":{"indices":0,"dy":1},"out":{"dtables":[[2,"f32",[5,3]]]}})",
       R"(["y",2,"f32",[5,3]])",
       {{"\"rows\":[5,4]", "\"rows\":[5,-4]", "rows"},
        {"\"rows\":[5,4]", "\"rows\":[9223372036854775807,9223372036854775807]", "2^63 rows"},
        {"\"rows\":[5,4]", "\"rows\":[5]", "one for each table"},
        {"\"made\":[true,false]", "\"made\":[true,true]", "2 are made"},
        {"\"made\":[true,false]", "\"made\":[false,false]", "0 are made"}}});
}

TEST_P(WrongKinds, StatisticsOfGroups) {
  refuses(
      {"BatchNormStatistics",
       R"(["x","f32",[2,3,4]])",
       R"({"kind":"BatchNormStatistics","with":{"axes":5,"epsilon":"0x1p-10"},"in":{"a":0},"out":{"results":[[1,"f32",[1,3,1]],[2,"f32",[1,3,1]],[3,"f32",[1,3,1]]]}},
{"kind":"BatchNorm","with":{"axes":5,"channels":2,"epsilon":"0x1p-10","activation":"none"},"in":{"a":0,"mean":1,"second":2,"rest":3},"out":{"out":[4,"f32",[2,3,4]]}})",
       R"(["y",4,"f32",[2,3,4]])",
       {{"\"axes\":5", "\"axes\":13", "axes is 0xd"},
        {"\"axes\":5", "\"axes\":4", "result 0 is f32 [1, 3, 1]"},
        {"\"0x1p-10\"", "\"nan\"", "epsilon is nan"},
        {"\"0x1p-10\"", "\"-0x1p-10\"", "epsilon is -"},
        {"\"epsilon\"", "\"momentum\":\"0x1p+1\",\"epsilon\"", "momentum is 2"},
        {"\"channels\":2", "\"channels\":8", "axes is 0xd"},
        {"\"activation\":\"none\"", "\"activation\":\"gelu\"", "activation is"},
        {"\"channels\":2", "\"given\":true,\"channels\":2", "are not those of the kind BatchNorm"}}});
}

TEST_P(WrongKinds, StepsOfOptimizers) {
  refuses({"OptimizerStep",
           R"(["g","f32",[3]])",
           R"({"kind":"Fill","in":{},"out":{"out":[1,"f32",[3]]}},
{"kind":"Fill","in":{},"out":{"out":[2,"u8",[256]]}},
{"kind":"Fill","in":{},"out":{"out":[3,"i64",[]]}},
{"kind":"Fill","in":{},"out":{"out":[4,"f64",[]]}},
{"kind":"Fill","in":{},"out":{"out":[5,"f32",[3]]}},
{"kind":"OptimizerStep","with":{"kind":"sgd","schedule":"constant","momentum":"0x1p-1","beta1":"0x1p-1","beta2":"0x1p-1","epsilon":"0x1p-10","decay_steps":1,"tensors":1,"first":true},"in":{"weights":[1],"gradients":[0],"first":2,"step":3,"rate":4},"out":{"weights":[1],"first":2,"step":3}},
{"kind":"Copy","in":{"a":1},"out":{"out":[6,"f32",[3]]}})",
           R"(["y",6,"f32",[3]])",
           {{"\"kind\":\"sgd\"", "\"kind\":\"adam\"", "momentum"},
            {"\"momentum\":\"0x1p-1\"", "\"momentum\":\"nan\"", "momentum is nan"},
            {"\"momentum\":\"0x1p-1\",", "", "'momentum_buffer' is there"},
            {"\"beta1\":\"0x1p-1\"", "\"beta1\":\"0x1p+0\"", "beta1 is 1"},
            {"\"epsilon\":\"0x1p-10\"", "\"epsilon\":\"nan\"", "epsilon is nan"},
            {"\"schedule\":\"constant\"", "\"schedule\":\"linear\",\"warmup_steps\":-1", "warmup_steps is -1"},
            {"\"tensors\":1", "\"tensors\":2", "are not those of the kind OptimizerStep"},
            {"\"tensors\":1", "\"tensors\":-1", "are not those of the kind OptimizerStep"},
            {"\"tensors\":1", "\"tensors\":9223372036854775807", "are not those of the kind OptimizerStep"},
            {"[2,\"u8\",[256]]", "[2,\"u8\",[255]]", "momentum_buffer is u8 [255]"},
            {"[2,\"u8\",[256]]", "[2,\"f32\",[256]]", "momentum_buffer is f32"},
            {"[3,\"i64\",[]]", "[3,\"i32\",[]]", "step is i32"},
            {"[4,\"f64\",[]]", "[4,\"f32\",[]]", "rate is f32"},
            {"\"g\",\"f32\",[3]", "\"g\",\"f32\",[4]", "gradients[0] is f32 [4]"},
            {"\"out\":{\"weights\":[1]", "\"out\":{\"weights\":[5]", "in place"},
            {"\"weights\":[1],\"first\":2", "\"weights\":[1],\"first\":4", "in place"}}});
  refuses({"ClipGlobalNorm",
           R"(["x","f32",[3]])",
           R"({"kind":"Copy","in":{"a":0},"out":{"out":[1,"f32",[3]]}},
{"kind":"ClipGlobalNorm","with":{"max_norm":"0x1p+0"},"in":{"tensors":[1]},"out":{"tensors":[1],"norm":[2,"f32",[]]}})",
           R"(["y",2,"f32",[]])",
           {{"\"0x1p+0\"", "\"nan\"", "max_norm is nan"},
            {"\"0x1p+0\"", "\"-0x1p+0\"", "max_norm is -1"},
            {"\"tensors\":[1],\"norm\":[2,\"f32\",[]]", "\"tensors\":[],\"norm\":[2,\"f32\",[]]", "ClipGlobalNorm"}}});
}

TEST_P(WrongKinds, OperandsThatDoNotGoTogether) {
  refuses(
      {"NormalisationGrad",
       R"(["x","f32",[2,4]],["dy","f32",[2,4]])",
       R"({"kind":"NormalisationGrad","with":{"op":"layer_norm","axis":1,"epsilon":"0x1p-10"},"in":{"a":0,"dy":1},"out":{"da":[2,"f32",[2,4]]}})",
       R"(["y",2,"f32",[2,4]])",
       {{"\"dy\",\"f32\",[2,4]", "\"dy\",\"f32\",[2,3]", "dy is f32 [2, 3]"},
        {"\"dy\",\"f32\"", "\"dy\",\"f64\"", "dy is f64"},
        {"\"axis\":1", "\"axis\":2", "axis is 2"},
        {"\"axis\":1", "\"axis\":-1", "axis is -1"},
        {"\"0x1p-10\"", "\"nan\"", "epsilon is nan"}}});
  refuses(
      {"Sort",
       R"(["x","f32",[4]])",
       R"({"kind":"Sort","with":{"descending":true,"values":true,"indices":true},"in":{"a":0},"out":{"values":[1,"f32",[3]],"indices":[2,"i64",[3]]}})",
       R"(["y",1,"f32",[3]])",
       {{"[1,\"f32\",[3]],\"indices\":[2,\"i64\",[3]]", "[1,\"f32\",[5]],\"indices\":[2,\"i64\",[5]]", "k is 5"},
        {"\"descending\":true", "\"axis\":1", "axis is 1"}}});
  refuses({"DotInteractionGrad",
           R"(["x","f32",[2,3,4]],["dy","f32",[2,3]])",
           R"({"kind":"DotInteractionGrad","in":{"x":0,"dy":1},"out":{"dx":[2,"f32",[2,3,4]]}})",
           R"(["y",2,"f32",[2,3,4]])",
           {{"\"dy\",\"f32\",[2,3]", "\"dy\",\"f32\",[2,4]", "dy is f32 [2, 4]"}}});
}

TEST_P(WrongKinds, KindsThatFilesDoNotHave) {
  const char* const node =
      R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[2]]],"weights":[],"nodes":[
{"kind":"WindowPick","in":{"a":0,"places":0},"out":{"out":[1,"f32",[2]]}}],
"outputs":[["y",1,"f32",[2]]]}]})";
  EXPECT_NE(refusal(node).find("a node of the kind WindowPick cannot be in a file"), std::string::npos);
}

}  // namespace
}  // namespace conformance
