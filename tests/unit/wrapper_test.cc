// include/rondo/rondo.hpp: every class and function once, exceptions, tasks that throw, moves. C++17, public headers
// only. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <rondo/rondo.hpp>
#include <thread>

namespace {

using rondo::Tensor;
constexpr rondo_device kCpu = {RONDO_CPU, 0};

rondo_status status_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const rondo::Error& error) {
    EXPECT_NE(std::string(error.what()).find(rondo_status_name(error.status())), std::string::npos);
    return error.status();
  }
  return RONDO_OK;
}

using Floats = std::vector<float>;

TEST(Wrapper, TensorsAndViews) {
  rondo::Engine engine;
  Tensor a = engine.from_host<float>(kCpu, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(a.shape(), (rondo::Shape{2, 3}));
  EXPECT_EQ(a.transpose().read<float>(), (Floats{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(a.transpose({0, 1}).shape(), a.shape());
  EXPECT_EQ(a.reshape({3, -1}).slice(0, 1, 3).read<float>(), (Floats{3, 4, 5, 6}));
  EXPECT_EQ(a.slice(0, 0, 1).broadcast({2, 3}).read<float>(), (Floats{1, 2, 3, 1, 2, 3}));
  rondo::unary_into(RONDO_NEG, a, a.accumulator());
  EXPECT_EQ(a.read<float>(), Floats(6, 0));
  a.fill(7);
  a.wait();
  EXPECT_TRUE(a.wait_for(0));
  EXPECT_EQ(static_cast<float*>(a.data())[5], 7);
  const float other[6] = {6, 5, 4, 3, 2, 1};
  a.write(other, sizeof other);
  EXPECT_EQ(a.read<float>()[0], 6);
  EXPECT_THROW(a.read<double>(), std::invalid_argument);
  EXPECT_THROW(engine.from_host<float>(kCpu, {2}, {1}), std::invalid_argument);
  Tensor wide = engine.tensor(kCpu, RONDO_I64, {});
  EXPECT_EQ(wide.info().elements, 1);
  wide.fill_i64((1ll << 60) + 1);
  EXPECT_EQ(wide.read<int64_t>()[0], (1ll << 60) + 1);
  EXPECT_EQ(engine.from_host<uint64_t>(kCpu, {1}, {UINT64_MAX}).read<uint64_t>()[0], UINT64_MAX);
  EXPECT_EQ(engine.from_host<uint32_t>(kCpu, {1}, {UINT32_MAX}).info().dtype, RONDO_U32);
  EXPECT_EQ(engine.from_host<int16_t>(kCpu, {1}, {-1}).info().dtype, RONDO_I16);
  const Tensor codes = cast(engine.from_host<float>(kCpu, {2}, {1, 500}), RONDO_F8_E4M3);
  EXPECT_EQ(codes.read<uint8_t>(), (std::vector<uint8_t>{0x38, 0x7e}));
  EXPECT_THROW(codes.read<int8_t>(), std::invalid_argument);
  EXPECT_EQ(engine.from_host(kCpu, RONDO_F8_E4M3, {2}, "\x38\x7e").info().bytes, 2);
  EXPECT_EQ(engine.from_host<uint16_t>(kCpu, {1}, {65535}).read<uint16_t>()[0], 65535);

  Tensor moved = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_EQ(moved.read<float>().size(), 6u);
  EXPECT_EQ(status_of([&] { a.wait(); }), RONDO_INVALID_ARGUMENT);
}

TEST(Wrapper, ModelFiles) {
  rondo::Engine engine;
  const Tensor w = engine.from_host<float>(kCpu, {2, 2}, {1, 2, 3, 4}), b = engine.from_host<double>(kCpu, {1}, {5});
  const std::string path = testing::TempDir() + "rondo_wrapper_" + std::to_string(getpid()) + ".safetensors";
  rondo::write_model_file(path, {{"w", w}, {"b", b}}, {{"format", "rondo"}});
  const rondo::ModelFile file(path);
  unlink(path.c_str());
  EXPECT_EQ(file.info().bytes, 24);
  const std::vector<rondo::ModelFile::Entry> entries = file.entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[static_cast<size_t>(file.find("w"))].info.dtype, RONDO_F32);
  EXPECT_EQ(file.metadata().at(0).second, "rondo");
  EXPECT_EQ(file.load("b", engine, kCpu).read<double>(), (std::vector<double>{5}));
  const Tensor out = engine.from_host<float>(kCpu, {2, 2}, {0, 0, 0, 0});
  file.load_into("w", engine, out);
  EXPECT_EQ(out.read<float>(), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(status_of([&] { file.load("c", engine, kCpu); }), RONDO_NOT_FOUND);
  EXPECT_EQ(status_of([&] { rondo::ModelFile missing(path); }), RONDO_NOT_FOUND);
}

// The folder of kernels may be one that others use as well, so what is in it is not known.
TEST(Wrapper, Kernels) {
  const rondo_cache_info info = rondo::cache_info();
  EXPECT_GE(info.bytes, info.files);
  EXPECT_EQ(info.limit % (1 << 20), 0);
  const std::string path = testing::TempDir() + "rondo_wrapper_" + std::to_string(getpid()) + ".kernels";
  const rondo_status refused = status_of([&] { rondo::import_cache(path); });
  EXPECT_TRUE(refused == RONDO_NOT_FOUND || refused == RONDO_INVALID_STATE) << "no such file, or no folder";
  EXPECT_EQ(status_of([&] { rondo::export_cache(path, -1); }), RONDO_INVALID_ARGUMENT);
  auto alive = std::make_shared<int>(0);
  rondo::set_compile_progress([alive](const std::string&, int64_t, int64_t, double) {});
  EXPECT_EQ(alive.use_count(), 2);
  rondo::set_compile_progress(nullptr);
  EXPECT_EQ(alive.use_count(), 1) << "the function is gone";
}

TEST(Wrapper, Reclaim) {
  auto alive = std::make_shared<int>(0);
  rondo::set_reclaim([alive](int64_t, int32_t) { return false; }, int64_t{1} << 40);
  EXPECT_EQ(alive.use_count(), 2);
  rondo::set_reclaim(nullptr);
  EXPECT_EQ(alive.use_count(), 1) << "the function is gone";
  EXPECT_EQ(status_of([&] { rondo::set_reclaim(nullptr, -1); }), RONDO_INVALID_ARGUMENT);
}

TEST(Wrapper, UserCode) {
  rondo::Engine engine;
  const Tensor x = engine.from_host<float>(kCpu, {3}, {1, 2, 3});
  const rondo::Expression text("y = a * x + n; z = sum(x)", "scaled");
  EXPECT_EQ(text.operands(), (std::vector<std::string>{"a", "x", "n"}));
  EXPECT_EQ(text.results(), (std::vector<std::string>{"y", "z"}));
  EXPECT_EQ(text.run({{"a", 0.5}, {"x", x}, {"n", 4}})[0].read<float>(), (Floats{4.5, 5, 5.5}));
  EXPECT_EQ(rondo::Expression("y = x * x")({{"x", x}}).read<float>(), (Floats{1, 4, 9}));
  rondo::Expression("x += 1").run_into({{"x", x}}, {x});
  EXPECT_EQ(x.read<float>(), (Floats{2, 3, 4}));
  const Tensor y = engine.from_host<float>(kCpu, {1}, {8});
  const rondo::Expression halve("p = p * r");
  halve.run_each_into({{{{"p", x}, {"r", 0.5}}, {x}}, {{{"p", y}, {"r", 0.5}}, {y}}});
  EXPECT_EQ(x.read<float>(), (Floats{1, 1.5, 2}));
  EXPECT_EQ(y.read<float>(), (Floats{4}));
  halve.run_each_into({});
  EXPECT_THROW(halve.run_each_into({{{{"p", x}, {"r", 0.5}}, {}}}), std::invalid_argument);
  EXPECT_EQ(status_of([] { rondo::Expression("y = "); }), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { text.run({{"x", x}}); }), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { rondo::Module(engine, kCpu, "", "k(float* y)"); }), RONDO_UNSUPPORTED);
  EXPECT_EQ(rondo::launch_shape(2, 64).block_x, 64u);
}

TEST(Wrapper, Operators) {
  rondo::Engine engine;
  const Tensor a = engine.from_host<float>(kCpu, {3}, {1, 2, 3}), b = engine.from_host<float>(kCpu, {3}, {4, 5, 6});
  EXPECT_EQ((2.0 * (a + b) - a / 1.0 - 1.0).read<float>(), (Floats{8, 11, 14}));
  EXPECT_EQ((-a).read<float>(), (Floats{-1, -2, -3}));
  EXPECT_EQ(rondo::unary(RONDO_CLIP, a, {1.5, 2.5}).read<float>(), (Floats{1.5, 2, 2.5}));
  EXPECT_EQ(rondo::binary(RONDO_SMOOTH_L1, a, b, {0.5}).read<float>(), (Floats{2.75, 2.75, 2.75}));
  EXPECT_EQ(rondo::ternary(RONDO_FMA, a, a, b).read<float>(), (Floats{5, 9, 15}));
  EXPECT_EQ(rondo::add_n({a, b, a}).read<float>(), (Floats{6, 9, 12}));
  EXPECT_EQ(rondo::where(rondo::binary(RONDO_GT, a, 1.5), a, b).read<float>(), (Floats{4, 2, 3}));
  EXPECT_EQ(rondo::binary(RONDO_SUB, 1.0, a).read<float>(), (Floats{0, -1, -2}));
  const Tensor i = rondo::cast(a, RONDO_I64);
  EXPECT_EQ(rondo::binary(RONDO_ADD, i, 1ll << 60).read<int64_t>()[0], (1ll << 60) + 1);
  EXPECT_EQ(rondo::binary(RONDO_SUB, 1ll << 60, i).read<int64_t>()[0], (1ll << 60) - 1);
  Tensor wide = engine.tensor(kCpu, RONDO_I64, {1});
  wide.fill_i64((1ll << 53) + 1);
  EXPECT_EQ(wide.read<int64_t>()[0], (1ll << 53) + 1);
  EXPECT_EQ(rondo::reduce(RONDO_SUM, a).read<float>(), (Floats{6}));
  EXPECT_EQ(rondo::reduce(RONDO_MAX, a, {0}, true).shape(), (rondo::Shape{1}));
  EXPECT_EQ(rondo::matmul(a.reshape({1, 3}), b.reshape({3, 1})).read<float>(), (Floats{32}));
  const Tensor line = a.reshape({1, 1, 3}), kernel = engine.from_host<float>(kCpu, {1, 1, 2}, {10, 1});
  const Tensor sums = rondo::convolution(line, kernel);
  EXPECT_EQ(sums.read<float>(), (Floats{12, 23}));
  EXPECT_EQ(rondo::convolution_filter_grad(line, sums, {2}).read<float>(), (Floats{58, 93}));
  EXPECT_NEAR(rondo::reduce(RONDO_SUM, rondo::softmax(a)).read<float>()[0], 1, 1e-6);
  EXPECT_LT(rondo::log_softmax(a).read<float>()[0], 0);
  EXPECT_EQ(rondo::softmax_grad(rondo::softmax(a), b).shape(), a.shape());
  const Tensor labels = engine.from_host<int64_t>(kCpu, {1}, {2}), logits = a.reshape({1, 3});
  EXPECT_GT(rondo::cross_entropy(logits, labels).read<float>()[0], 0);
  EXPECT_LT(rondo::cross_entropy_grad(logits, labels, 1).read<float>()[2], 0);
  EXPECT_EQ(rondo::one_hot(labels, 3, RONDO_F32).read<float>(), (Floats{0, 0, 1}));
  EXPECT_EQ(rondo::gather_rows(b.reshape({3, 1}), labels).read<float>(), (Floats{6}));
  EXPECT_EQ(rondo::copy(a).read<float>(), rondo::copy_to(a, kCpu).read<float>());
  rondo::copy_into(a, b);
  EXPECT_EQ(b.read<float>(), a.read<float>());
  const rondo::Dropout dropped = rondo::dropout(a, 0.5);
  EXPECT_EQ(rondo::dropout_grad(a, dropped.mask, 0.5).read<float>(), dropped.out.read<float>());
  engine.seed(3);
  const Floats drawn = engine.uniform(kCpu, RONDO_F32, {4}).read<float>();
  engine.seed(3);
  EXPECT_EQ(engine.uniform(kCpu, RONDO_F32, {4}).read<float>(), drawn);
  EXPECT_EQ(engine.normal(kCpu, RONDO_F64, {4}).read<double>().size(), 4u);
  EXPECT_EQ(status_of([&] { a + engine.from_host<float>(kCpu, {2}, {1, 2}); }), RONDO_INVALID_ARGUMENT);
}

TEST(Wrapper, Images) {
  rondo::Engine engine;
  const rondo::Tensor a = engine.from_host<float>({RONDO_CPU, 0}, {1, 2, 2}, {1, 3, 4, 8}),
                      mean = engine.from_host<float>({RONDO_CPU, 0}, {2}, {1, 4}),
                      variance = engine.from_host<float>({RONDO_CPU, 0}, {2}, {4, 16});
  rondo_norm_options exact = rondo::norm_defaults();
  EXPECT_EQ(exact.epsilon, 1e-5);
  exact.epsilon = 0;
  EXPECT_EQ(rondo::batch_norm(a, mean, variance, exact).read<float>(), (Floats{0, 1, 0, 1}));
  const rondo::BatchNorm trained = rondo::batch_norm_training(a, exact, &mean, &variance, 0.5);
  EXPECT_EQ(trained.out.read<float>(), (Floats{-1, 1, -1, 1}));
  EXPECT_EQ(trained.mean.read<float>(), (Floats{2, 6}));
  EXPECT_EQ(trained.inverse_deviation.read<float>(), (Floats{1, 0.5f}));
  EXPECT_EQ(mean.read<float>(), (Floats{1.5f, 5}));
  EXPECT_EQ(variance.read<float>(), (Floats{3, 12}));
  EXPECT_EQ(rondo::batch_norm_training(a, exact).out.read<float>(), (Floats{-1, 1, -1, 1}));
  EXPECT_EQ(rondo::group_norm(a, 2, exact).read<float>(), (Floats{-1, 1, -1, 1}));
  EXPECT_EQ(rondo::instance_norm(a, exact).read<float>(), (Floats{-1, 1, -1, 1}));
  EXPECT_EQ(rondo::max_pool(a, {2}).read<float>(), (Floats{3, 8}));
  EXPECT_EQ(rondo::avg_pool(a, {2}).read<float>(), (Floats{2, 6}));
  EXPECT_EQ(rondo::adaptive_max_pool(a, {1}).read<float>(), (Floats{3, 8}));
  EXPECT_EQ(rondo::adaptive_avg_pool(a, {1}).read<float>(), (Floats{2, 6}));
  EXPECT_EQ(rondo::resize(a, {4}, RONDO_RESIZE_NEAREST).read<float>(), (Floats{1, 1, 3, 3, 4, 4, 8, 8}));
  EXPECT_EQ(rondo::resize(a, {3}, RONDO_RESIZE_LINEAR, RONDO_RESIZE_ALIGN_CORNERS).read<float>(),
            (Floats{1, 2, 3, 4, 6, 8}));
  EXPECT_EQ(rondo::local_response_norm(a, 1, 0, 1, 2).read<float>(), (Floats{0.5f, 1.5f, 2, 4}));
}

TEST(Wrapper, Attention) {
  const rondo::Engine engine;
  const rondo::Tensor q = engine.from_host<float>({RONDO_CPU, 0}, {1, 2, 1, 1}, {0, 0}),
                      v = engine.from_host<float>({RONDO_CPU, 0}, {1, 2, 1, 1}, {1, 3});
  EXPECT_EQ(rondo::attention(q, q, v).read<float>(), (Floats{2, 2}));
  rondo_attention_options options = rondo::attention_defaults();
  options.causal = 1;
  const rondo::Attention made = rondo::attention_with_lse(q, q, v, options);
  EXPECT_EQ(made.out.read<float>(), (Floats{1, 2}));
  EXPECT_EQ(made.lse.read<float>(), (Floats{0, std::log(2.0f)}));
}

TEST(Wrapper, RecurrentLayers) {
  const rondo::Engine engine;
  const rondo_device home = {RONDO_CPU, 0};
  const rondo::Tensor x = engine.from_host<float>(home, {2, 1, 1}, {1, 2}),
                      one = engine.from_host<float>(home, {1, 1}, {1});
  rondo_recurrent_options options = rondo::recurrent_defaults();
  options.relu = 1;
  const rondo::Recurrent plain = rondo::rnn(x, {one, one}, options);
  EXPECT_EQ(plain.out.read<float>(), (Floats{1, 3}));
  EXPECT_EQ(plain.last_h.read<float>(), (Floats{3}));
  // All sums are 0: of a GRU half of the state is left at each step, and nothing comes to it.
  const rondo::Tensor none = engine.from_host<float>(home, {3, 1}, {0, 0, 0}),
                      first = engine.from_host<float>(home, {1, 1, 1}, {8});
  options = rondo::recurrent_defaults();
  options.first_h = first.get();
  EXPECT_EQ(rondo::gru(x, {none, none}, options).out.read<float>(), (Floats{4, 2}));
  const rondo::Tensor four = engine.from_host<float>(home, {4, 1}, {0, 0, 0, 0});
  options = rondo::recurrent_defaults();
  options.first_c = first.get();
  const rondo::Recurrent made = rondo::lstm(x, {four, four}, options);
  EXPECT_EQ(made.last_c.read<float>(), (Floats{2}));
  EXPECT_NEAR(made.last_h.read<float>()[0], 0.5f * std::tanh(2.0f), 1e-6f);
}

TEST(Wrapper, RotaryPositions) {
  const rondo::Engine engine;
  const rondo::Tensor x = engine.from_host<float>({RONDO_CPU, 0}, {1, 1, 1, 2}, {1, 2});
  EXPECT_EQ(rondo::rotary(x).read<float>(), (Floats{1, 2}));
  const rondo::Tensor far = engine.from_host<int32_t>({RONDO_CPU, 0}, {1}, {1});
  rondo_rotary_options options = rondo::rotary_defaults();
  options.positions = far.get();
  const Floats turned = rondo::rotary(x, options).read<float>();
  EXPECT_NEAR(turned[0], std::cos(1.0) - 2 * std::sin(1.0), 1e-6);
  EXPECT_NEAR(turned[1], 2 * std::cos(1.0) + std::sin(1.0), 1e-6);
}

TEST(Wrapper, GatedActivations) {
  const rondo::Engine engine;
  const rondo::Tensor a = engine.from_host<float>({RONDO_CPU, 0}, {2}, {3, 5}),
                      gate = engine.from_host<float>({RONDO_CPU, 0}, {2}, {-1, 2});
  EXPECT_EQ(rondo::gated(RONDO_RELU, a, gate).read<float>(), (Floats{0, 10}));
}

TEST(Wrapper, BagsOfRowsAndProductsOfPairs) {
  const rondo::Engine engine;
  const rondo_device home = {RONDO_CPU, 0};
  const rondo::Tensor a = engine.from_host<float>(home, {2, 1}, {1, 2}),
                      b = engine.from_host<float>(home, {1, 1}, {10}),
                      indices = engine.from_host<int32_t>(home, {2, 1, 2}, {0, 1, 0, 0}),
                      list = engine.from_host<int32_t>(home, {3}, {1, 1, 0}),
                      offsets = engine.from_host<int32_t>(home, {3}, {0, 2, 3}),
                      rate = engine.from_host<float>(home, {1}, {0.5f});
  const rondo::Tensor bags = rondo::embedding_bag({a, b}, indices);
  EXPECT_EQ(bags.read<float>(), (Floats{3, 20}));
  EXPECT_EQ(rondo::embedding_bag({a, b}, list, offsets, RONDO_BAG_MEAN).read<float>(), (Floats{2, 10}));
  EXPECT_EQ(rondo::dot_interaction(bags).read<float>(), (Floats{60}));
  EXPECT_EQ(rondo::dot_interaction(bags, true).read<float>(), (Floats{3, 60}));
  const rondo::Tensor ones = engine.from_host<float>(home, {1, 2, 1}, {1, 1});
  rondo::embedding_bag_descend({a, b}, indices, rondo::Tensor(), RONDO_BAG_SUM, ones, rate);
  EXPECT_EQ(a.read<float>(), (Floats{0.5f, 1.5f}));
  EXPECT_EQ(b.read<float>(), (Floats{9}));
  const rondo::Tensor no = rondo::cast(engine.from_host<float>(home, {1}, {0}), RONDO_BOOL),
                      yes = rondo::cast(rate, RONDO_BOOL);
  rondo_descend_options options = rondo::descend_defaults();
  options.finite = no.get();
  rondo::embedding_bag_descend({a, b}, indices, rondo::Tensor(), RONDO_BAG_SUM, ones, rate, options);
  EXPECT_EQ(b.read<float>(), (Floats{9}));
  options.finite = yes.get(), options.scale = rate.get();
  rondo::embedding_bag_descend({a, b}, indices, rondo::Tensor(), RONDO_BAG_SUM, ones, rate, options);
  EXPECT_EQ(b.read<float>(), (Floats{8.5f}));
}

TEST(Wrapper, ProductsOfWholeNumbers) {
  const rondo::Engine engine;
  const rondo_device home = {RONDO_CPU, 0};
  const rondo::Tensor a = engine.from_host<uint8_t>(home, {1, 2}, {255, 130}),
                      b = engine.from_host<int8_t>(home, {2, 1}, {-128, 2}),
                      zero = engine.from_host<uint8_t>(home, {1}, {128});
  EXPECT_EQ(rondo::matmul_integer(a, b).read<int32_t>(), (std::vector<int32_t>{-32380}));
  EXPECT_EQ(rondo::matmul_integer(a, b, &zero).read<int32_t>(), (std::vector<int32_t>{-16252}));
}

TEST(Wrapper, MovingElements) {
  rondo::Engine engine;
  const rondo::Tensor a = engine.from_host<float>({RONDO_CPU, 0}, {2, 2}, {1, 2, 3, 4}),
                      i = engine.from_host<int64_t>({RONDO_CPU, 0}, {1, 1}, {-1});
  EXPECT_EQ(rondo::concat({a, a}, 1).read<float>(), (Floats{1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(rondo::stack({a, a}).shape(), (rondo::Shape{2, 2, 2}));
  EXPECT_EQ(rondo::pad(a, RONDO_PAD_CONSTANT, {0, 1, 0, 0}, 9).read<float>(), (Floats{1, 2, 3, 4, 9, 9}));
  EXPECT_EQ(rondo::tile(a, {2, 1}).read<float>(), (Floats{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(rondo::repeat(a, 2, 0).read<float>(), (Floats{1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(rondo::roll(a, {0, 1}).read<float>(), (Floats{2, 1, 4, 3}));
  EXPECT_EQ(rondo::tril(a).read<float>(), (Floats{1, 0, 3, 4}));
  EXPECT_EQ(rondo::triu(a).read<float>(), (Floats{1, 2, 0, 4}));
  EXPECT_EQ(engine.eye({RONDO_CPU, 0}, RONDO_F32, 1, 2, 1).read<float>(), (Floats{0, 1}));
  EXPECT_EQ(rondo::take(a, i, 1).shape(), (rondo::Shape{2, 1, 1}));
  EXPECT_EQ(rondo::take_along_axis(a, i, 1).read<float>(), (Floats{2, 4}));
  EXPECT_EQ(a.flip({1}).read<float>(), (Floats{2, 1, 4, 3}));
  EXPECT_EQ(a.split(2)[1].read<float>(), (Floats{3, 4}));
  EXPECT_THROW(a.split(0), rondo::Error);
  const rondo::Tensor b = rondo::copy(a);
  rondo::put(b, i.reshape({1}), engine.from_host<float>({RONDO_CPU, 0}, {2, 1}, {8, 9}), 1);
  EXPECT_EQ(b.read<float>(), (Floats{1, 8, 3, 9}));
  rondo::put_along_axis(b.accumulator(), i, engine.from_host<float>({RONDO_CPU, 0}, {}, {1}), 0);
  EXPECT_EQ(b.read<float>(), (Floats{1, 8, 4, 10}));
  EXPECT_EQ(engine.arange({RONDO_CPU, 0}, RONDO_F32, 1, 2, 0.5).read<float>(), (Floats{1, 1.5}));
  EXPECT_EQ(engine.arange_i64({RONDO_CPU, 0}, RONDO_F32, 5, 1, -2).read<float>(), (Floats{5, 3}));
  EXPECT_EQ(engine.linspace({RONDO_CPU, 0}, RONDO_F32, 1, 2, 2, false).read<float>(), (Floats{1, 1.5}));
  EXPECT_EQ(rondo::sort(a, 1, true).read<float>(), (Floats{2, 1, 4, 3}));
  EXPECT_EQ(rondo::argsort(a, 0, true).read<int64_t>(), (std::vector<int64_t>{1, 1, 0, 0}));
  const rondo::TopK top = rondo::topk(a, 1);
  EXPECT_EQ(top.values.read<float>(), (Floats{2, 4}));
  EXPECT_EQ(top.indices.read<int64_t>(), (std::vector<int64_t>{1, 1}));
  const rondo::Tensor large = rondo::binary(RONDO_GT, a, 2);
  EXPECT_EQ(rondo::nonzero(large).read<int64_t>().size(), rondo::select(a, large).read<float>().size() * 2);
  const rondo::Chosen places = rondo::nonzero_limit(large, 5, -1), parts = rondo::select_limit(a, large, 5, -1);
  EXPECT_EQ(places.count.read<int64_t>(), parts.count.read<int64_t>());
  EXPECT_EQ(places.chosen.read<int64_t>().back(), -1);
  EXPECT_EQ(parts.chosen.read<float>().back(), -1);
  EXPECT_EQ(engine.permutation({RONDO_CPU, 0}, 1).read<int64_t>(), (std::vector<int64_t>{0}));
}

TEST(Wrapper, TasksAndErrors) {
  rondo::Engine engine;
  const rondo::Variable variable = engine.variable();
  int ran = 0;
  engine.push([&](rondo::TaskContext& context) { ran += context.capturing() || context.stream() ? 100 : 1; }, {},
              {variable.get()}, rondo::task_defaults("count"));
  variable.wait();
  EXPECT_TRUE(variable.wait_for(-1));
  EXPECT_TRUE(engine.wait_all_for(-1));
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(variable.version(), 1u);
  engine.push([](rondo::TaskContext&) { throw std::runtime_error("the disk is gone"); }, {}, {variable.get()});
  try {
    variable.wait();
    FAIL() << "the task threw";
  } catch (const rondo::Error& error) {
    EXPECT_EQ(error.status(), RONDO_USER_ERROR);
    EXPECT_NE(std::string(error.what()).find("the disk is gone"), std::string::npos) << error.what();
    EXPECT_STREQ(error.task(), "user");
    EXPECT_EQ(error.device().kind, RONDO_CPU);
  }
  EXPECT_EQ(status_of([&] { engine.wait_all(); }), RONDO_USER_ERROR);
}

TEST(Wrapper, Graphs) {
  rondo::Engine engine;
  Tensor a = engine.from_host<float>(kCpu, {2}, {1, 2});
  const rondo::Graph graph =
      engine.record([&] { rondo::binary_into(RONDO_ADD, a, a, a); }, rondo::record_defaults("twice"));
  graph.launch();
  graph.launch();
  rondo_record_options callable = rondo::record_defaults("called");
  callable.flags = RONDO_RECORD_CALLABLE;
  const rondo::Graph called = engine.record(
      [&] {
        const Tensor in = engine.record_input(kCpu, RONDO_F32, {2});
        engine.record_output(in + in);
      },
      callable);
  const Tensor given = engine.from_host<float>(kCpu, {2}, {1, 2});
  EXPECT_EQ(called.call({given})[0].read<float>(), (Floats{2, 4}));
  const Tensor into = engine.from_host<float>(kCpu, {2}, {0, 0});
  called.call_into({given}, {into});
  EXPECT_EQ(into.read<float>(), (Floats{2, 4}));
  EXPECT_EQ(status_of([&] { called.call({}); }), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(a.read<float>(), (Floats{4, 8}));
  EXPECT_EQ(graph.info().tasks, 1);
  EXPECT_NE(graph.report().find("graph 'twice': 1 task in 1 segment, 0 captured, 0 nodes"), std::string::npos)
      << graph.report();
  EXPECT_NE(graph.report().find("launched 2 times"), std::string::npos) << graph.report();
  EXPECT_EQ(status_of([&] { graph.dot("/dev/null/nowhere/graph.dot"); }), RONDO_IO_ERROR);
  // An exception on the way leaves no recording open.
  EXPECT_THROW(engine.record([] { throw std::logic_error("changed my mind"); }), std::logic_error);
  EXPECT_EQ(status_of([&] { a.write("12345678", 8); }), RONDO_OK);
  EXPECT_EQ(status_of([&] { engine.end_trace("/dev/null/nowhere/trace.json"); }), RONDO_INVALID_STATE);
  engine.begin_trace();
}

TEST(Wrapper, TasksWithTensorsAndNamedOutputs) {
  rondo::Engine engine;
  const Tensor a = engine.from_host<float>(kCpu, {3}, {1, 2, 3});
  Tensor b = engine.tensor(kCpu, RONDO_F32, {3});
  engine.push_tensors(
      [](rondo::TaskContext& context) {
        const auto in = context.operand(0), out = context.operand(1);
        for (int64_t i = 0; i < in.info.elements; ++i)
          static_cast<float*>(out.address)[i] = 10 * static_cast<const float*>(in.address)[i];
        context.operand(2);  // there is none: the task fails, after its work
      },
      {a}, {b});
  EXPECT_EQ(status_of([&] { b.wait(); }), RONDO_INVALID_ARGUMENT);
  b.accept();
  EXPECT_EQ(b.read<float>(), (Floats{10, 20, 30}));

  rondo_record_options options = rondo::record_defaults();
  options.flags = RONDO_RECORD_NAMED_OUTPUTS;
  Tensor named, other;
  EXPECT_FALSE(engine.recording());
  const rondo::Graph graph = engine.record(
      [&] {
        EXPECT_TRUE(engine.recording());
        other = a + a;
        named = -other;
        engine.record_output(named);
      },
      options);
  graph.launch();
  EXPECT_EQ(named.read<float>(), (Floats{-2, -4, -6}));
  EXPECT_EQ(status_of([&] { other.read<float>(); }), RONDO_INVALID_STATE);
}

TEST(Wrapper, TasksThatEndLater) {
  rondo::Engine engine;
  const rondo::Variable variable = engine.variable();
  std::vector<std::thread> threads;
  const auto later = [&](const std::function<void(const rondo::Completion&)>& end) {
    engine.push(
        [&threads, end](rondo::TaskContext& context) {
          EXPECT_EQ(context.auxiliary_stream(0), nullptr);
          threads.emplace_back([end, completion = context.defer()] { end(completion); });
        },
        {}, {variable.get()}, rondo::task_defaults("later"));
    try {
      variable.wait();
      return std::string();
    } catch (const rondo::Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(later([](const rondo::Completion& completion) { completion.complete(); }), "");
  EXPECT_NE(later([](const rondo::Completion& completion) {
              completion.fail("disk gone", RONDO_IO_ERROR);
            }).find("RONDO_IO_ERROR: rondo_variable_wait: task 'later' on cpu:0: disk gone"),
            std::string::npos);
  EXPECT_NE(later([](const rondo::Completion&) {}).find("completion was destroyed"), std::string::npos);
  for (std::thread& each : threads) each.join();
}

TEST(Wrapper, Optimizers) {
  rondo::Engine engine;
  std::vector<Tensor> weights, gradients;
  weights.push_back(engine.from_host<float>(kCpu, {2}, {1, 2}));
  gradients.push_back(engine.from_host<float>(kCpu, {2}, {3, -4}));
  EXPECT_EQ(rondo::global_norm(gradients).read<float>(), Floats{5});
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  options.rate = 1, options.momentum = 0.5;
  const rondo::Optimizer optimizer(weights, options);
  optimizer.step(gradients);
  EXPECT_EQ(weights[0].read<float>(), (Floats{-2, 6}));
  const Tensor finite = rondo::all_finite(gradients), half = engine.from_host<float>(kCpu, {}, {0.5f});
  optimizer.set_rate(2);
  optimizer.step(gradients, finite, half);  // 1.5 + 1.5, -2 - 2
  EXPECT_EQ(weights[0].read<float>(), (Floats{-8, 14}));
  char folder[] = "/tmp/rondo_wrapper_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/state.safetensors";
  rondo::write_model_file(path, optimizer.states());
  const rondo::Optimizer again(weights, options);
  again.load(rondo::ModelFile(path), engine);
  EXPECT_EQ(again.states().at(0).second.read<int64_t>(), std::vector<int64_t>{2});
  EXPECT_EQ(again.states().at(2).second.read<float>(), (Floats{3, -4}));
  EXPECT_EQ(again.info().states, 3);
  unlink(path.c_str());
  rmdir(folder);
  again.step(gradients, rondo::all_finite(gradients));
  EXPECT_FLOAT_EQ(rondo::clip_global_norm(gradients, 1).read<float>().at(0), 5);
  EXPECT_FLOAT_EQ(gradients[0].read<float>().at(0), 0.6f);
}

TEST(Wrapper, MixedPrecision) {
  rondo::Engine engine;
  std::vector<Tensor> weights;
  weights.push_back(engine.from_host<float>(kCpu, {2, 1}, {3, 4}));
  const Tensor x = engine.from_host<float>(kCpu, {1, 2}, {1, 2});
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  options.rate = 0.5;
  const rondo::Optimizer optimizer(weights, options);
  rondo_loss_scaler_options scales = RONDO_LOSS_SCALER_OPTIONS_INIT;
  scales.initial_scale = 1024;  // with more than 65504 the first gradient of 16 bits overflows
  scales.growth_interval = 1;
  const rondo::LossScaler scaler(engine, kCpu, scales);
  const auto round = [&] {
    rondo::Tape tape(engine, {weights[0]});
    Tensor loss;
    {
      const rondo::Autocast scope(engine, RONDO_F16);
      scope.set("sum", RONDO_PRECISION_SINGLE);
      const Tensor product = rondo::matmul(x, weights[0]);
      EXPECT_EQ(product.info().dtype, RONDO_F16);
      loss = rondo::reduce(RONDO_SUM, product);
    }
    scaler.step(optimizer, tape.gradients(scaler.scale(loss), {weights[0]}));
    scaler.update();
  };
  const rondo::Graph graph = engine.record(round);
  graph.launch();
  EXPECT_EQ(weights[0].read<float>(), (Floats{2.5f, 3}));
  const rondo::LossScaler::Judged by = scaler.finite(weights);
  EXPECT_EQ(rondo::cast(by.finite, RONDO_F32).read<float>(), (Floats{1}));
  EXPECT_EQ(by.scale.read<float>(), (Floats{1 / 2048.0f}));
  char folder[] = "/tmp/rondo_wrapper_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/state.safetensors";
  rondo::write_model_file(path, scaler.states());
  const rondo::LossScaler again(engine, kCpu);
  again.load(rondo::ModelFile(path), engine);
  EXPECT_EQ(again.states().at(0).first, "loss_scaler.scale");
  EXPECT_EQ(again.states().at(0).second.read<float>(), Floats{2048});
  unlink(path.c_str());
  rmdir(folder);
}

TEST(Wrapper, Facts) {
  rondo_engine_options options = rondo::engine_defaults();
  options.mode = RONDO_ENGINE_NAIVE;
  rondo::Engine engine(options);
  EXPECT_EQ(engine.mode(), RONDO_ENGINE_NAIVE);
  engine.set_memory_limit(kCpu, 1 << 20);
  engine.trim_memory(kCpu);
  EXPECT_EQ(engine.memory(kCpu).limit, 1 << 20);
  EXPECT_EQ(rondo::device_count(RONDO_CPU), 1);
  EXPECT_GT(rondo::device_info(kCpu).total_memory, 0);
  EXPECT_EQ(rondo::parse_device("cuda:3").index, 3);
  EXPECT_EQ(rondo::to_string({RONDO_CUDA, 3}), "cuda:3");
  EXPECT_FALSE(rondo::feature("blas").reason.empty());
  EXPECT_EQ(status_of([] { rondo::feature("wings"); }), RONDO_INVALID_ARGUMENT);
  const Tensor a = engine.from_host<float>(kCpu, {2}, {1, 2});
  const Tensor same = engine.from_dlpack(a.to_dlpack());
  EXPECT_EQ(engine.from_dlpack_v0(same.to_dlpack_v0()).data(), a.data());
}

TEST(Wrapper, CallablesRecordOncePerShapeAndThrowOn) {
  const rondo::Engine engine;
  const rondo::Tensor w = engine.from_host<float>({RONDO_CPU, 0}, {2}, {2, 3});
  const rondo::Callable scaled(engine, 1, [&](const std::vector<rondo::Tensor>& x) {
    std::vector<rondo::Tensor> y;
    y.push_back(x[0] * w);
    return y;
  });
  const rondo::Tensor x = engine.from_host<float>({RONDO_CPU, 0}, {2}, {5, 7});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(scaled(x).read<float>(), (std::vector<float>{10, 21}));
  EXPECT_EQ(scaled.info().recordings, 1);
  EXPECT_NE(scaled.report().find("1 signatures"), std::string::npos) << scaled.report();
  const rondo::Callable fails(engine, 1, [](const std::vector<rondo::Tensor>&) -> std::vector<rondo::Tensor> {
    throw std::runtime_error("no");
  });
  EXPECT_THROW(fails(x), std::runtime_error);
  const rondo::Callable none(engine, 1, [](const std::vector<rondo::Tensor>&) { return std::vector<rondo::Tensor>(); });
  EXPECT_THROW(none(x), std::length_error);
}

}  // namespace
