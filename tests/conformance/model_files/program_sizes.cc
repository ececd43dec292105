// Programs whose sizes vary: a function is saved from recordings at a few sizes, and has at all others the bits of a
// recording at these. What is no expression of the sizes is refused, by operator and place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "model_files/program_sizes.h"

namespace conformance {
namespace {

CONFORMANCE_ENGINE_SUITE(ProgramSizes);

TEST_P(ProgramSizes, SizesNeverSeenHaveTheBits) {
  const Sized sized = encoder();
  int recordings = 0;
  must(save_sized(sized, encoder_dims(), &recordings));
  EXPECT_LE(recordings, 14);
  same_at(sized, {{1, 1}, {1, 7}, {2, 1}, {3, 33}, {16, 64}, {13, 2}}, 2);
  const std::string program = text(open(path()));
  EXPECT_NE(program.find("\"dims\":[[\"B\",1,16],[\"T\",1,64]]"), program.npos) << program;
  EXPECT_NE(program.find("[\"input0\",\"f32\",[\"B\",\"T\",8]]"), program.npos) << program;
  EXPECT_NE(program.find("\"B*T\""), program.npos) << program;
  EXPECT_NE(program.find("/(T)"), program.npos) << program;
}

TEST_P(ProgramSizes, SizeZeroIsOrdinary) {
  const Tensor w = up(numbers({4})), w2 = up(numbers({4, 3}));
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {dims[0], 4}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims& dims) {
                         Tensor sum = make(rondo_binary, RONDO_ADD, in[0], w);
                         Tensor product = make(rondo_matmul, sum, w2, nullptr);
                         Tensor inner = make(rondo_matmul, transpose(in[0], {1, 0}), product, nullptr);
                         rondo_tensor* const both[] = {sum, sum};
                         Tensor joined = make(rondo_concat, 2, both, 0), sorted = make(rondo_argsort, sum, 1, 0);
                         return list(make(rondo_copy, reshape(sum, {2 * dims[0], 2})), reduce(RONDO_SUM, sum, {0}),
                                     make(rondo_softmax, product, 1), std::move(inner), std::move(joined),
                                     std::move(sorted), make(rondo_cumulative, RONDO_SUM, sum, 0, 0));
                       }};
  must(save_sized(sized, {{"rows", 0, 20}}));
  same_at(sized, {{0}, {1}, {2}, {19}, {20}}, 7);
}

// A map of features becomes rows, which are as many as two quotients.
TEST_P(ProgramSizes, ProductsOfQuotientsAreFound) {
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {1, 2, dims[0], dims[1]}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims& dims) {
                         const int64_t kernel[] = {4, 4};
                         const Tensor pooled = make(rondo_avg_pool, in[0], 2, kernel, nullptr);
                         const Tensor rows = transpose(pooled, {0, 2, 3, 1});
                         const int64_t places = (dims[0] / 4) * (dims[1] / 4);
                         return list(make(rondo_copy, reshape(make(rondo_copy, rows), {places, 2})));
                       }};
  must(save_sized(sized, {{"H", 8, 100}, {"W", 8, 100}}));
  same_at(sized, {{8, 8}, {9, 12}, {31, 33}, {30, 64}}, 1);
}

TEST_P(ProgramSizes, QuotientsOfImagesAreFound) {
  const Tensor w = up(numbers({4, 3, 3, 3})), w2 = up(numbers({4, 4, 3, 3}));
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {2, 3, dims[0], dims[1]}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims&) {
                         rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
                         options.stride[0] = options.stride[1] = 2;
                         options.padding[0] = options.padding[1] = 1;
                         const Tensor half = make(rondo_convolution, in[0], w, &options);
                         return list(make(rondo_convolution, half, w2, &options));
                       }};
  must(save_sized(sized, {{"H", 8, 200}, {"W", 8, 200}}));
  same_at(sized, {{8, 8}, {9, 12}, {31, 33}, {30, 64}}, 1);
}

TEST_P(ProgramSizes, CallsCheckBoundsAndShapes) {
  must(save_sized(encoder(), encoder_dims()));
  const Program program = open(path());
  const Instance made = instance(program);
  const auto refused = [&](const Shape& x, const Shape& mask, const std::string& why) {
    const Tensor a = up(numbers(x)), b = up(numbers(mask));
    rondo_tensor *const in[] = {a, b}, *out[] = {nullptr, nullptr};
    expect_refused(rondo_program_call(made.get(), "f", 2, in, 2, out), RONDO_INVALID_ARGUMENT, "rondo_program_call",
                   why.c_str());
  };
  refused({17, 2, 8}, {17, 1, 1, 2}, "the size 'B' is 17, by inputs[0] ('input0'); 1 to 16 are possible");
  refused({2, 0, 8}, {2, 1, 1, 0}, "the size 'T' is 0");
  refused({2, 3, 9}, {2, 1, 1, 3}, "inputs[0] ('input0') has the shape [2, 3, 9]; with B = 2, T = 3 it is [2, 3, 8]");
  refused({2, 3, 8}, {2, 1, 1, 4}, "inputs[1] ('input1')");
  refused({2, 3, 8}, {2, 3}, "f32 with 4 axes is needed");
  const Tensor one = up(numbers({2, 3, 8}));
  rondo_tensor *const in[] = {one}, *out[] = {nullptr, nullptr};
  expect_refused(rondo_program_call(made.get(), "f", 1, in, 2, out), RONDO_INVALID_ARGUMENT, "rondo_program_call",
                 "n_inputs is 1");
}

TEST_P(ProgramSizes, SizesMayBeMultiplesOnly) {
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {2, 8 * dims[0], 3 * dims[1]}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims& dims) {
                         return list(reduce(RONDO_SUM, reshape(in[0], {2, dims[0], 8, 3 * dims[1]}), {2}));
                       }};
  must(save_sized(sized, {{"H", 1, 20}, {"W", 2, 9}}));
  same_at(sized, {{1, 2}, {7, 5}, {20, 9}}, 1);
  EXPECT_NE(text(open(path())).find("[\"input0\",\"f32\",[2,\"8*H\",\"3*W\"]]"), std::string::npos);
  const Program program = open(path());
  const Instance made = instance(program);
  for (const auto& [shape, why] :
       {std::pair<Shape, const char*>{{2, 12, 9}, "('input0') has 12 along axis 1, which is 8*H; a multiple of 8"},
        {{2, 16, 10}, "has 10 along axis 2, which is 3*W; a multiple of 3 is needed"},
        {{2, 168, 9}, "the size 'H' is 21, by inputs[0] ('input0'), whose axis 1 is 8*H; 1 to 20 are possible"},
        {{3, 16, 9}, "with H = 2, W = 3 it is [2, 16, 9]"}}) {
    const Tensor x = up(numbers(shape));
    rondo_tensor *const in[] = {x}, *out[] = {nullptr};
    expect_refused(rondo_program_call(made.get(), "f", 1, in, 1, out), RONDO_INVALID_ARGUMENT, "rondo_program_call",
                   why);
  }
}

TEST_P(ProgramSizes, BranchesOnSizesAreRefused) {
  Sized sized = {[](const Dims& dims) {
                   return std::vector<Kind>{{RONDO_F32, {dims[0]}}};
                 },
                 [&](const std::vector<Tensor>& in, const Dims& dims) {
                   int32_t notes = 0;
                   must(rondo_record_site("net.c:7", &notes));
                   return list(dims[0] > 30 ? make(rondo_unary, RONDO_NEG, in[0]) : reduce(RONDO_SUM, in[0], {0}));
                 }};
  expect_refused(save_sized(sized, {{"n", 1, 64}}), RONDO_UNSUPPORTED, "rondo_program_save_with_dims",
                 "node 0 (Reduce)");
  // A branch that no recording but the largest takes.
  sized.body = [&](const std::vector<Tensor>& in, const Dims& dims) {
    return list(make(rondo_binary_scalar, RONDO_MUL, in[0], dims[0] == 64 ? 3.0 : 2.0));
  };
  expect_refused(save_sized(sized, {{"n", 1, 64}}), RONDO_UNSUPPORTED, "rondo_program_save_with_dims", "at n = 64");
}

// A layer is several tasks, whose number varies.
TEST_P(ProgramSizes, RecurrentLayersOfAnyLength) {
  std::vector<Tensor> weights;
  for (const Shape& shape : {Shape{12, 4}, {12, 3}, {12}, {12}}) weights.push_back(up(numbers(shape)));
  const auto lstm = [&](const Tensor& x) {
    std::vector<rondo_tensor*> given;
    for (const Tensor& each : weights) given.push_back(each);
    Tensor out, last_h, last_c;
    must(rondo_lstm(x, 4, given.data(), nullptr, out.slot(), last_h.slot(), last_c.slot()));
    return list(std::move(out), std::move(last_h), std::move(last_c));
  };
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {dims[0], dims[1], 4}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims&) { return lstm(in[0]); }};
  must(save_sized(sized, {{"T", 1, 64}, {"B", 1, 8}}));
  same_at(sized, {{1, 1}, {3, 2}, {17, 1}, {64, 8}}, 3);
  // In a recording, and with a tape.
  const Instance made = instance(open(path()));
  const Tensor x = up(numbers({5, 2, 4}));
  const Callable outer =
      callable({{RONDO_F32, {5, 2, 4}}}, [&](const std::vector<Tensor>& in) { return call(made, "f", {in[0]}, 3); });
  const std::vector<Tensor> inlined = call_all(outer, {x}, 3), eager = lstm(x);
  for (size_t i = 0; i < 3; ++i) expect_same_bits(download(inlined[i]), download(eager[i]), "inlined");
  const auto gradient = [&](const std::function<std::vector<Tensor>()>& forward) {
    rondo_tape* tape = nullptr;
    must(rondo_tape_begin(engine(), RONDO_TAPE_DEFAULT, &tape));
    must(rondo_tape_watch(tape, x));
    const Tensor loss = reduce(RONDO_SUM, forward()[0], {0, 1, 2});
    rondo_tensor *const losses[] = {loss}, *const of[] = {x};
    rondo_tensor* found[] = {nullptr};
    must(rondo_tape_gradients(tape, 1, losses, nullptr, 1, of, found));
    rondo_tape_destroy(tape);
    return Tensor(found[0]);
  };
  const Tensor expected = gradient([&] { return lstm(x); }), actual = gradient([&] { return call(made, "f", {x}, 3); });
  expect_same_bits(download(actual), download(expected), "gradient");
}

TEST_P(ProgramSizes, NumbersWithoutExpressionAreRefused) {
  const Tensor table = up(numbers({4096}));
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {dims[0]}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims& dims) {
                         int64_t bits = 1;
                         while (bits < dims[0]) bits *= 2;
                         return list(make(rondo_copy, slice(table, 0, 0, bits)), make(rondo_unary, RONDO_NEG, in[0]));
                       }};
  expect_refused(save_sized(sized, {{"n", 1, 1000}}), RONDO_UNSUPPORTED, "rondo_program_save_with_dims",
                 "no expression of the sizes gives");
  EXPECT_NE(std::string(rondo_last_error()).find("(Slice)"), std::string::npos) << rondo_last_error();
}

TEST_P(ProgramSizes, TensorsMadeAnewAreRefused) {
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {dims[0], 2}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims&) {
                         const Tensor fresh = up(numbers({2}));
                         return list(make(rondo_binary, RONDO_ADD, in[0], fresh));
                       }};
  expect_refused(save_sized(sized, {{"n", 1, 64}}), RONDO_UNSUPPORTED, "rondo_program_save_with_dims",
                 "uses another tensor from outside");
}

TEST_P(ProgramSizes, FailuresOfRecordingsSaySizes) {
  const auto fails = [](void*, int32_t, int32_t, const int64_t*, rondo_graph**) { return RONDO_OUT_OF_MEMORY; };
  const auto gives_none = [](void*, int32_t, int32_t, const int64_t*, rondo_graph**) { return RONDO_OK; };
  const char *const name = "f", *const dim = "B", *const wrong = "2B";
  const int64_t least = 1, most = 64, negative = -1;
  const auto save = [&](const char* const* named, const int64_t* from, rondo_program_record_fn record) {
    return rondo_program_save_with_dims(path().c_str(), 1, &name, 1, named, from, &most, record, nullptr, nullptr);
  };
  const char* const function = "rondo_program_save_with_dims";
  expect_refused(save(&dim, &least, fails), RONDO_OUT_OF_MEMORY, function, "recording function 'f' at B = 5");
  expect_refused(save(&dim, &least, gives_none), RONDO_USER_ERROR, function, "*graph is NULL");
  expect_refused(save(&wrong, &least, fails), RONDO_INVALID_ARGUMENT, function, "'2B' is no name of a size");
  expect_refused(save(&dim, &negative, fails), RONDO_INVALID_ARGUMENT, function, "from -1 to 64");
}

TEST_P(ProgramSizes, DimsAreDescribed) {
  must(save_sized(encoder(), encoder_dims()));
  const Program program = open(path());
  rondo_program_info info = RONDO_PROGRAM_INFO_INIT;
  must(rondo_program_query(program.get(), &info));
  ASSERT_EQ(info.dims, 2);
  const char* name = nullptr;
  int64_t least = 0, most = 0;
  must(rondo_program_dim(program.get(), 1, &name, &least, &most));
  EXPECT_STREQ(name, "T");
  EXPECT_EQ(least, 1);
  EXPECT_EQ(most, 64);
  expect_refused(rondo_program_dim(program.get(), 2, &name, &least, &most), RONDO_INVALID_ARGUMENT, "rondo_program_dim",
                 "2 dimensions");
  rondo_program_tensor_info tensor = RONDO_PROGRAM_TENSOR_INFO_INIT;
  must(rondo_program_input(program.get(), 0, 1, &name, &tensor));
  EXPECT_EQ(std::vector<int32_t>(tensor.dims, tensor.dims + 4), (std::vector<int32_t>{1, 0, 0, 2}));
  EXPECT_EQ(tensor.shape[3], 64);
  rondo_program_function_info function = RONDO_PROGRAM_FUNCTION_INFO_INIT;
  must(rondo_program_function(program.get(), 0, &name, &function));
  EXPECT_EQ(function.varies, 1);
}

TEST_P(ProgramSizes, BoundProgramsHaveOneSize) {
  const Sized sized = encoder();
  must(save_sized(sized, encoder_dims()));
  const Program program = open(path());
  const int64_t dims[] = {3, 5}, outside[] = {3, 65};
  rondo_program* handle = nullptr;
  expect_refused(rondo_program_bind(program.get(), 2, outside, &handle), RONDO_INVALID_ARGUMENT, "rondo_program_bind",
                 "the size 'T' is 65");
  expect_refused(rondo_program_bind(program.get(), 1, dims, &handle), RONDO_INVALID_ARGUMENT, "rondo_program_bind",
                 "n_dims is 1");
  must(rondo_program_bind(program.get(), 2, dims, &handle));
  const Program bound(handle);
  const char* name = nullptr;
  rondo_program_tensor_info tensor = RONDO_PROGRAM_TENSOR_INFO_INIT;
  must(rondo_program_input(bound.get(), 0, 0, &name, &tensor));
  EXPECT_EQ(Shape(tensor.shape, tensor.shape + tensor.ndim), (Shape{3, 5, 8}));
  const Instance made = instance(bound), varying = instance(program);
  rondo_graph* graph = nullptr;
  must(rondo_program_graph(made.get(), "f", &graph));
  const Graph owned(graph);
  must(save(path("again"), graph));
  const Graph recorded = at(sized, {3, 5});
  must(save(path("recorded"), recorded.get()));
  EXPECT_EQ(text(open(path("again"))), text(open(path("recorded"))));
  expect_refused(rondo_program_graph(varying.get(), "f", &graph), RONDO_UNSUPPORTED, "rondo_program_graph",
                 "rondo_program_bind");
  rondo_callable* none = nullptr;
  expect_refused(rondo_program_callable(made.get(), "f", &none), RONDO_UNSUPPORTED, "rondo_program_callable",
                 "one size");
}

TEST_P(ProgramSizes, KeptGraphsAreCountedAndLimited) {
  must(save_sized(encoder(), encoder_dims()));
  const Program program = open(path());
  rondo_callable_options callables = RONDO_CALLABLE_OPTIONS_INIT;
  callables.limit_bytes = 1;
  rondo_program_instance_options options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
  options.callables = &callables;
  rondo_program_instance* handle = nullptr;
  must(rondo_program_create_instance_with(program.get(), engine(), device(), &options, &handle));
  const Instance made(handle);
  for (const int64_t b : {2, 3, 3}) {
    const Tensor x = up(numbers({b, 4, 8})), mask = up(numbers({b, 1, 1, 4}));
    call(made, "f", {x, mask}, 2);
  }
  rondo_callable* callable = nullptr;
  must(rondo_program_callable(handle, "f", &callable));
  rondo_callable_info info = RONDO_CALLABLE_INFO_INIT;
  must(rondo_callable_query(callable, &info));
  EXPECT_EQ(info.recordings, 2);
  EXPECT_EQ(info.hits, 1);
  EXPECT_EQ(info.evictions, 1);
  EXPECT_GT(info.bytes, 0);
  rondo_callable_destroy(callable);
  callables.flags = RONDO_CALLABLE_FALL_BACK;
  expect_refused(rondo_program_create_instance_with(program.get(), engine(), device(), &options, &handle),
                 RONDO_INVALID_ARGUMENT, "rondo_program_create_instance_with", "name or flags");
}

TEST_P(ProgramSizes, OtherLayoutsAreCopied) {
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {dims[0], 4}}};
                       },
                       [](const std::vector<Tensor>& in, const Dims& dims) {
                         return list(make(rondo_copy, reshape(make(rondo_unary, RONDO_NEG, in[0]), {dims[0] * 4})),
                                     make(rondo_copy, reshape(in[0], {4 * dims[0]})));
                       }};
  must(save_sized(sized, {{"n", 1, 64}}));
  const Instance made = instance(open(path()));
  const Tensor wide = up(numbers({4, 5})), x = transpose(wide, {1, 0}), same = make(rondo_copy, x);
  const std::vector<Tensor> a = call(made, "f", {x}, 2), b = call(made, "f", {same}, 2);
  for (size_t i = 0; i < 2; ++i) expect_same_bits(download(a[i]), download(b[i]), "turned");
}

TEST_P(ProgramSizes, GradientsGoThrough) {
  const Tensor w = up(numbers({4, 3}));
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {dims[0], 4}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims&) {
                         return list(make(rondo_unary, RONDO_TANH, make(rondo_matmul, in[0], w, nullptr)));
                       }};
  must(save_sized(sized, {{"n", 1, 64}}));
  const Instance made = instance(open(path()));
  const Tensor x = up(numbers({6, 4}));
  const auto gradient = [&](const std::function<Tensor()>& forward) {
    rondo_tape* tape = nullptr;
    must(rondo_tape_begin(engine(), RONDO_TAPE_DEFAULT, &tape));
    must(rondo_tape_watch(tape, x));
    const Tensor loss = reduce(RONDO_SUM, forward(), {0, 1});
    rondo_tensor *const losses[] = {loss}, *const of[] = {x};
    rondo_tensor* found[] = {nullptr};
    must(rondo_tape_gradients(tape, 1, losses, nullptr, 1, of, found));
    rondo_tape_destroy(tape);
    return Tensor(found[0]);
  };
  const Tensor eager = gradient([&] { return make(rondo_unary, RONDO_TANH, make(rondo_matmul, x, w, nullptr)); }),
               loaded = gradient([&] { return std::move(call(made, "f", {x}, 1)[0]); });
  expect_same_bits(download(loaded), download(eager), "gradient");
}

// They are as the file has them; a program of one size has a graph to set them.
TEST_P(ProgramSizes, StatesLoopsAndSettings) {
  const Tensor count = up(full(RONDO_F32, {1}, 0));
  const Sized sized = {[](const Dims& dims) {
                         return std::vector<Kind>{{RONDO_F32, {dims[0]}}};
                       },
                       [&](const std::vector<Tensor>& in, const Dims& dims) {
                         into(count, rondo_binary_scalar, RONDO_ADD, count, 1.0);
                         const Tensor rate = make(rondo_record_parameter, engine(), "rate", device(), RONDO_F32, 2.0);
                         Tensor out = make(rondo_binary, RONDO_MUL, in[0], rate);
                         for (const int on : {0, 1}) {
                           must(rondo_record_section_begin(engine(), on ? "negates" : "squares", on));
                           into(out, rondo_unary, on ? RONDO_NEG : RONDO_SQUARE, out);
                           must(rondo_record_section_end(engine()));
                         }
                         const Tensor go = make(rondo_binary_scalar, RONDO_LT, reduce(RONDO_SUM, in[0], {}), 1000.0);
                         while_true(
                             go, [&] { into(out, rondo_binary_scalar, RONDO_ADD, out, 100.0); }, dims[0]);
                         return list(std::move(out), make(rondo_copy, count));
                       }};
  must(save_sized(sized, {{"n", 1, 64}}));
  const Program program = open(path());
  const Instance one = instance(program), two = instance(program);
  const Tensor x = ones(3), longer = ones(5);
  EXPECT_EQ(first(call(one, "f", {x}, 2)[0]), 298);  // as many turns as elements
  EXPECT_EQ(first(call(one, "f", {longer}, 2)[1]), 2);
  EXPECT_EQ(first(call(two, "f", {longer}, 2)[1]), 1);
  const int64_t dims[] = {3};
  rondo_program* handle = nullptr;
  must(rondo_program_bind(program.get(), 1, dims, &handle));
  const Instance bound = instance(Program(handle));
  rondo_graph* graph = nullptr;
  must(rondo_program_graph(bound.get(), "f", &graph));
  const Graph owned(graph);
  must(rondo_graph_set(graph, "rate", 3));
  must(rondo_graph_enable(graph, "squares", 1));
  EXPECT_EQ(first(call_all(owned, {x}, 2)[0]), 291);
}

TEST_P(ProgramSizes, CallsInARecordingAndInThreads) {
  const Sized sized = encoder();
  must(save_sized(sized, encoder_dims()));
  const Instance made = instance(open(path()));
  const Tensor x = up(numbers({2, 3, 8})), mask = up(numbers({2, 1, 1, 3}));
  const std::vector<Tensor> expected = call(made, "f", {x, mask}, 2);
  const Callable outer =
      callable({{RONDO_F32, {2, 3, 8}}, {RONDO_F32, {2, 1, 1, 3}}}, [&](const std::vector<Tensor>& in) {
        return call(made, "f", {in[0], in[1]}, 2);
      });
  const std::vector<Tensor> inlined = call_all(outer, {x, mask}, 2);
  for (size_t i = 0; i < 2; ++i) expect_same_bits(download(inlined[i]), download(expected[i]), "inlined");
  from_threads(3, 4, [&](int number) {
    const int64_t t = 1 + number % 4;
    const Tensor rows = up(numbers({2, t, 8})), none = up(numbers({2, 1, 1, t}));
    const std::vector<Tensor> results = call(made, "f", {rows, none}, 2),
                              recorded = call_all(at(sized, {2, t}), {rows, none}, 2);
    for (size_t i = 0; i < 2; ++i) expect_same_bits(download(results[i]), download(recorded[i]), "in threads");
  });
}

TEST_P(ProgramSizes, WrongFilesAreRefused) {
  const auto with = [](const std::string& dims, const std::string& shape, const std::string& out) {
    return "{\"rondo_program\":1,\"needs\":\"0.1\",\"made_by\":\"0.1.0\"," + dims +
           "\"weights\":[],\"functions\":[{\"name\":\"f\",\"inputs\":[[\"x\",\"f32\"," + shape +
           "]],\"weights\":[],\"nodes\":[{\"kind\":\"Elementwise\",\"with\":{\"row\":\"neg\",\"computed\":\"f32\"},"
           "\"in\":{"
           "\"operands\":[0]},\"out\":{\"out\":[1,\"f32\"," +
           out + "]}}],\"outputs\":[[\"y\",1,\"f32\"," + out + "]]}]}";
  };
  const std::string dims = "\"dims\":[[\"B\",1,64]],";
  EXPECT_EQ(refusal(with("", "[4]", "[4]")), "");
  const auto refused = [&](const std::string& text, const std::string& why) {
    EXPECT_NE(refusal(text).find(why), std::string::npos) << refusal(text);
  };
  EXPECT_EQ(refusal(with(dims, "[\"B\"]", "[\"B\"]")), "");
  refused(with("", "[\"B\"]", "[\"B\"]"), "a number is expected");
  std::string nine = "[\"B0\",1,64]";
  for (int i = 1; i < 9; ++i) nine += ",[\"B" + std::to_string(i) + "\",1,64]";
  refused(with("\"dims\":[" + nine + "],", "[\"B0\"]", "[\"B0\"]"), "the list of sizes has more than 8 members");
  refused(with(dims, "[\"C\"]", "[\"C\"]"), "it has a name that is no size of the program");
  EXPECT_EQ(refusal(with(dims, "[\"2*B\"]", "[\"2*B\"]")), "");
  for (const std::string axis : {"B+1", "2*B+1", "0*B", "02*B", "-2*B", "B*2", "2*B*B", "20000000000000*B", "(2*B)"}) {
    const std::string shape = "[\"" + axis + "\"]";
    EXPECT_NE(refusal(with(dims, shape, shape)), "") << axis;
  }
  refused(with(dims, "[\"B+1\"]", "[\"B+1\"]"), "no axis of an input has just the size 'B', or a multiple of it");
  refused(with(dims, "[\"B\"]", "[\"3\"]"), "a sum such as");
  refused(with(dims, "[\"B\"]", "[\"B/0\"]"), "it divides by 0");
  refused(with(dims, "[\"B\"]", "[\"B/B\"]"), "it divides by no number");
  refused(with(dims, "[\"B\"]", "[\"B*9223372036854775807\"]"), "beyond 64 bits");
  refused(with(dims, "[\"B\"]", "[\"1-B\"]"), "is -63");
  refused(with(dims, "[\"B\"]", "[\"((((((((((B))))))))))\"]"), "it nests too deep");
  refused(with("\"dims\":[],", "[4]", "[4]"), "is left out");
  refused(with("\"dims\":[[\"B\",5,4]],", "[4]", "[4]"), "from 5 to 4");
  refused(with("\"dims\":[[\"B\",1,4],[\"B\",1,4]],", "[4]", "[4]"), "two sizes have the name 'B'");
  // What is wrong at some sizes only is an error of their calls.
  const Program program = open(put_text(with(dims, "[\"B\"]", "[\"B+B/64\"]")));
  const Instance made = instance(program);
  call(made, "f", {up(numbers({5}))}, 1);
  const Tensor x = up(numbers({64}));
  rondo_tensor *const in[] = {x}, *out[] = {nullptr};
  expect_refused(rondo_program_call(made.get(), "f", 1, in, 1, out), RONDO_IO_ERROR, "rondo_program_call", "at B = 64");
}

// Texts of one function on x, f32 [B], with a section that is off, or as `more` says.
std::string text_on_sizes(const std::string& more, const std::string& nodes, const std::string& output) {
  return "{\"rondo_program\":1,\"needs\":\"0.1\",\"made_by\":\"0.1.0\",\"dims\":[[\"B\",1,64]],\"weights\":[],"
         "\"functions\":["
         "{\"name\":\"f\",\"inputs\":[[\"x\",\"f32\",[\"B\"]]],\"weights\":[]," +
         more + "\"nodes\":[" + nodes + "],\"outputs\":[[\"y\"," + output + ",\"f32\",[\"B\"]]]}]}";
}

TEST_P(ProgramSizes, ResultsOfNodesThatAreOffAreRefused) {
  const std::string neg =
      R"({"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",["B"]]},"section":0})";
  const std::string why = refusal(text_on_sizes(R"("sections":[["s",false]],)", neg, "1"));
  EXPECT_NE(why.find("written by nothing"), std::string::npos) << why;
}

TEST_P(ProgramSizes, InputsAreNotWritten) {
  const std::string neg =
      R"({"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":0}})";
  const std::string why = refusal(text_on_sizes("", neg, "0"));
  EXPECT_NE(why.find("it writes an input"), std::string::npos) << why;
}

TEST_P(ProgramSizes, InputsAreNoResults) {
  const std::string why = refusal(text_on_sizes("", "", "0"));
  EXPECT_NE(why.find("is input 0 of the recording"), std::string::npos) << why;
}

TEST_P(ProgramSizes, CallablesRefuseInputsOfAnotherDevice) {
  if (!on_cuda()) GTEST_SKIP() << "it has one device: a cuda device is missing";
  must(save_sized(encoder(), encoder_dims()));
  const Instance made = instance(open(path()));
  rondo_callable* handle = nullptr;
  must(rondo_program_callable(made.get(), "f", &handle));
  const Tensor host = upload(engine(), kCpu, numbers({2, 3, 8}));
  const Tensor mask = up(numbers({2, 1, 1, 3}));
  rondo_tensor *in[] = {host, mask}, *out[] = {nullptr, nullptr};
  expect_refused(rondo_callable_call(handle, 2, in, 2, out), RONDO_INVALID_ARGUMENT, "rondo_callable_call",
                 "inputs[0] is on cpu:0");
  rondo_callable_destroy(handle);
}

TEST_P(ProgramSizes, OpenRecordingOfTheCallbackIsTold) {
  const Sized sized = encoder();
  Recorder recorder = {this, &sized, 0};
  const char *const name = "f", *const names[] = {"B", "T"};
  const int64_t least[] = {1, 1}, most[] = {16, 64};
  expect_refused(
      rondo_program_save_with_dims(path().c_str(), 1, &name, 2, names, least, most, leave_open, &recorder, nullptr),
      RONDO_USER_ERROR, "rondo_program_save_with_dims", "has left a recording open");
  must(rondo_record_abort(engine()));
}

}  // namespace
}  // namespace conformance
