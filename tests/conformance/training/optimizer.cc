// Optimizers: numbers kept by references/optimizers.py; many tensors at once have the bits of one by one; weights
// behind 16-bit ones, gradients that are not finite, resuming, schedules. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "training/optimizer.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace conformance {
namespace {

using nlohmann::json;

class Optimizers : public OnOptimizer {};
CONFORMANCE_SUITE(Optimizers);

rondo_optimizer_options kept_options(const json& of) {
  static const std::map<std::string, rondo_optimizer_kind> kinds = {{"sgd", RONDO_OPTIMIZER_SGD},
                                                                    {"adam", RONDO_OPTIMIZER_ADAM},
                                                                    {"adamw", RONDO_OPTIMIZER_ADAMW},
                                                                    {"lamb", RONDO_OPTIMIZER_LAMB}};
  static const std::map<std::string, rondo_rate_schedule> schedules = {
      {"linear", RONDO_RATE_LINEAR}, {"cosine", RONDO_RATE_COSINE}, {"step", RONDO_RATE_STEP}};
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  for (const auto& [key, value] : of.items()) {
    if (key == "kind")
      options.kind = kinds.at(value.get<std::string>());
    else if (key == "schedule")
      options.schedule = schedules.at(value.get<std::string>());
    else if (key == "rate")
      options.rate = value.get<double>();
    else if (key == "momentum")
      options.momentum = value.get<double>();
    else if (key == "dampening")
      options.dampening = value.get<double>();
    else if (key == "beta1")
      options.beta1 = value.get<double>();
    else if (key == "beta2")
      options.beta2 = value.get<double>();
    else if (key == "epsilon")
      options.epsilon = value.get<double>();
    else if (key == "weight_decay")
      options.weight_decay = value.get<double>();
    else if (key == "max_norm")
      options.max_norm = value.get<double>();
    else if (key == "rate_decay")
      options.rate_decay = value.get<double>();
    else if (key == "warmup_steps")
      options.warmup_steps = value.get<int64_t>();
    else if (key == "decay_steps")
      options.decay_steps = value.get<int64_t>();
    else if (key == "nesterov")
      options.nesterov = value.get<int32_t>();
    else if (key == "amsgrad")
      options.amsgrad = value.get<int32_t>();
    else
      throw std::logic_error("the options have no " + key);
  }
  return options;
}

std::vector<Array> kept_arrays(const json& kept, rondo_dtype dtype) {
  std::vector<Array> all;
  for (const json& each : kept) {
    const auto values = each.get<std::vector<Real>>();
    all.push_back(array_of(dtype, {static_cast<int64_t>(values.size())}, values));
  }
  return all;
}

TEST_P(Optimizers, AsKept) {
  std::ifstream file(RONDO_OPTIMIZERS);
  ASSERT_TRUE(file) << RONDO_OPTIMIZERS << " is not there";
  const json kept = json::parse(file);
  std::vector<std::string> names;
  for (const auto& [name, _] : kept.at("cases").items()) names.push_back(name);
  EXPECT_EQ(names.size(), 18u);
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64})
    for (const std::string& name :
         dtype == RONDO_F32 || !sparing() ? dealt(names) : std::vector<std::string>{"adamw"}) {
      const json& each = kept.at("cases").at(name);
      const Tensors parameters = up_all(kept_arrays(kept.at("weights"), dtype));
      const Optimizer made = optimizer(parameters, kept_options(each.at("options")));
      Tensors gradients;
      for (const Tensor& parameter : parameters) gradients.push_back(up(full(dtype, {query(parameter).shape[0]}, 0)));
      Repeated steps = repeated([&] { step(made, gradients); });
      for (const json& values : kept.at("gradients")) {
        const std::vector<Array> arrays = kept_arrays(values, dtype);
        for (size_t i = 0; i < arrays.size(); ++i) write(gradients[i], arrays[i]);
        steps.run();
      }
      const std::vector<Array> results = kept_arrays(each.at("result"), RONDO_F64);
      for (size_t i = 0; i < results.size(); ++i) {
        const Array got = download(parameters[i]);
        for (size_t k = 0; k < got.size(); ++k)
          EXPECT_NEAR(static_cast<double>(got[k]), static_cast<double>(results[i][k]),
                      dtype == RONDO_F32 ? 3e-6 : 1e-13)
              << name << ", " << rondo_dtype_name(dtype) << ", parameter " << i << ", element " << k;
      }
      EXPECT_EQ(state(made, "optimizer.step")[0], 5) << name;
    }
}

// 199 tensors of all sizes and dtypes, some of them views that start anywhere.
struct Many {
  Tensors buffers, tensors;
};

TEST_P(Optimizers, ManyAtOnceHaveTheBitsOfOneByOne) {
  const size_t count = 199;
  const auto value_of = [&](bool gradient, size_t i) {
    const int64_t size = i % 29 == 0 ? 0 : i == 7 ? 40001 : i == 8 ? 4096 : static_cast<int64_t>(1 + i * 37 % 523);
    static const rondo_dtype weights[] = {RONDO_F32, RONDO_BF16, RONDO_F32, RONDO_F32};
    static const rondo_dtype changes[] = {RONDO_F32, RONDO_BF16, RONDO_F16, RONDO_F32};
    const rondo_dtype dtype = (gradient ? changes : weights)[i % 4];
    return random_array(dtype, {size}, static_cast<uint32_t>(2 * i + gradient), -1, 1);
  };
  const auto all_of = [&](bool gradient) {
    Many made;
    for (size_t i = 0; i < count; ++i) {
      const Array array = value_of(gradient, i);
      const int64_t size = array.shape[0], before = static_cast<int64_t>(i % (gradient ? 3 : 4));
      Array wide = full(array.dtype, {size + before}, 0);
      std::copy(array.bytes.begin(), array.bytes.end(),
                wide.bytes.begin() + before * static_cast<int64_t>(rondo_dtype_size(array.dtype)));
      made.buffers.push_back(up(wide));
      made.tensors.push_back(slice(made.buffers.back(), 0, before, before + size));
    }
    return made;
  };
  for (const rondo_optimizer_kind kind : dealt(std::vector{RONDO_OPTIMIZER_ADAMW, RONDO_OPTIMIZER_LAMB})) {
    rondo_optimizer_options options = optimizer_options(kind, 0.01);
    options.weight_decay = 0.1;
    options.master_weights = 1;
    const Many together = all_of(false), gradients = all_of(true);
    const Optimizer whole = optimizer(together.tensors, options);
    Repeated steps = repeated([&] { step(whole, gradients.tensors); });
    for (int k = 0; k < 3; ++k) steps.run();
    const Many apart = all_of(false);
    for (size_t i = 0; i < count; ++i) {
      if (sparing() && i % 7 != 0) continue;
      const auto own = [](const Tensor& tensor) {
        Tensors list;
        const int64_t size = query(tensor).shape[0];
        list.push_back(slice(tensor, 0, 0, size));
        return list;
      };
      const Tensors parameter = own(apart.tensors[i]), gradient = own(gradients.tensors[i]);
      const Optimizer single = optimizer(parameter, options);
      for (int k = 0; k < 3; ++k) step(single, gradient);
      expect_same_bits(download(together.tensors[i]), download(parameter[0]), "tensor " + std::to_string(i));
    }
    // What lies before a view is not touched.
    for (size_t i = 0; i < count; i += 5) {
      const int64_t before = static_cast<int64_t>(i % 4);
      const Array wide = download(together.buffers[i]);
      for (int64_t k = 0; k < before; ++k) EXPECT_EQ(wide[static_cast<size_t>(k)], 0) << "before tensor " << i;
    }
  }
}

TEST_P(Optimizers, HalfWeightsAreTheirMastersRounded) {
  for (const rondo_dtype dtype : dealt(std::vector{RONDO_F16, RONDO_BF16})) {
    rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_ADAMW, 1e-4);
    options.weight_decay = 0.01;
    const Array start = random_array(dtype, {1003}, 1, -1, 1), change = random_array(dtype, {1003}, 2, -1, 1);
    Array wide(RONDO_F32, {1003});
    for (size_t i = 0; i < wide.size(); ++i) wide.set(i, start[i]);
    const Tensors plain = up_all({wide}), gradients = up_all({change});
    const Optimizer exact = optimizer(plain, options);
    options.master_weights = 1;
    const Tensors halves = up_all({start});
    const Optimizer made = optimizer(halves, options);
    Repeated steps = repeated([&] { step(made, gradients); }), others = repeated([&] { step(exact, gradients); });
    for (int k = 0; k < 4; ++k) steps.run(), others.run();
    const Array master = state(made, "optimizer.0.master_weights"), half = download(halves[0]);
    expect_same_bits(master, download(plain[0]), "f32 weights");
    for (size_t i = 0; i < half.size() && !HasFailure(); ++i)
      EXPECT_EQ(half[i], rounded(dtype, master[i])) << rondo_dtype_name(dtype) << " at " << i;
  }
}

TEST_P(Optimizers, HalfWeightsAreRoundedEachStep) {
  const Tensors weights = up_all({full(RONDO_BF16, {65}, 1)}), gradients = up_all({full(RONDO_F64, {65}, 1)});
  const Optimizer made = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_SGD, 0.001));  // half an ulp is 0.002
  Repeated steps = repeated([&] { step(made, gradients); });
  for (int k = 0; k < 5; ++k) steps.run();
  const Array got = download(weights[0]);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], 1) << "at " << i;
}

TEST_P(Optimizers, AxesInAnyOrderInMemory) {
  const Array start = random_array(RONDO_F32, {6, 35}, 1, -1, 1), change = random_array(RONDO_F32, {6, 35}, 2, -1, 1);
  Tensors turned, turned_gradients;
  const Tensors bases = up_all({start, change});
  turned.push_back(transpose(bases[0], {1, 0}));
  turned_gradients.push_back(transpose(bases[1], {1, 0}));
  const Tensors plain = up_all({start}), gradients = up_all({change});
  const rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_ADAM, 0.1);
  const Optimizer a = optimizer(turned, options), b = optimizer(plain, options);
  Repeated steps = repeated([&] { step(a, turned_gradients), step(b, gradients); });
  steps.run(), steps.run();
  expect_same_bits(download(bases[0]), download(plain[0]), "transposed");
  const Array moment = state(a, "optimizer.0.exp_avg");
  EXPECT_EQ(moment.shape, (Shape{35, 6}));
}

TEST_P(Optimizers, GradientsNotFiniteAreSkipped) {
  for (const rondo_optimizer_kind kind :
       dealt(std::vector{RONDO_OPTIMIZER_SGD, RONDO_OPTIMIZER_ADAMW, RONDO_OPTIMIZER_LAMB})) {
    rondo_optimizer_options options = optimizer_options(kind, 0.1);
    options.max_norm = 1;
    options.schedule = RONDO_RATE_LINEAR;
    options.decay_steps = 10;
    const Tensors parameters =
        up_all({random_array(RONDO_F32, {300}, 1, -1, 1), random_array(RONDO_F32, {7}, 2, -1, 1)});
    const Array good = random_array(RONDO_F32, {300}, 3, -1, 1);
    const Tensors gradients = up_all({good, random_array(RONDO_F32, {7}, 4, -1, 1)});
    const Optimizer made = optimizer(parameters, options);
    Repeated steps = repeated([&] {
      const Tensor finite = all_finite(gradients);
      step(made, gradients, finite);
    });
    steps.run();
    const std::vector<Array> before = snapshot(made, parameters);
    EXPECT_EQ(state(made, "optimizer.step")[0], 1);
    for (const Real bad : {Real(NAN), Real(INFINITY), -Real(INFINITY)}) {
      Array broken = good;
      broken.set(299, bad);
      write(gradients[0], broken);
      steps.run();
      expect_same(snapshot(made, parameters), before, "after a step that is skipped");
    }
    write(gradients[0], good);
    steps.run();
    EXPECT_EQ(state(made, "optimizer.step")[0], 2);
    EXPECT_NE(download(parameters[1]).bytes, before[1].bytes);
    // Without the flag what is not finite spreads.
    Array broken = good;
    broken.set(0, NAN);
    write(gradients[0], broken);
    step(made, gradients);
    EXPECT_TRUE(std::isnan(download(parameters[0])[0]));
  }
}

TEST_P(Optimizers, ScaleIsWhatGradientsAreMultipliedBy) {
  rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_SGD, 0.1);
  options.max_norm = 0.7;
  const Array start = random_array(RONDO_F32, {511}, 1, -1, 1), change = random_array(RONDO_F32, {511}, 2, -1, 1);
  Array large = change;
  for (size_t i = 0; i < large.size(); ++i) large.set(i, change[i] * 1024);
  const Tensors a = up_all({start}), b = up_all({start});
  const Tensors small = up_all({change}), wide = up_all({large});
  const Tensor scale = up(full(RONDO_F32, {}, Real(1) / 1024));
  const Optimizer one = optimizer(a, options), other = optimizer(b, options);
  Repeated steps = repeated([&] { step(one, small), step(other, wide, nullptr, scale); });
  for (int k = 0; k < 3; ++k) steps.run();
  const Array got = download(b[0]), expected = download(a[0]);
  for (size_t i = 0; i < got.size() && !HasFailure(); ++i)
    EXPECT_NEAR(static_cast<double>(got[i]), static_cast<double>(expected[i]), 1e-6) << "at " << i;
  expect_same_bits(download(wide[0]), large, "gradients are not written");
}

TEST_P(Optimizers, GraphGoesByTheRateOfTheMoment) {
  const Tensors weights = up_all({full(RONDO_F32, {9}, 0)}), gradients = up_all({full(RONDO_F32, {9}, 1)});
  const Optimizer made = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_SGD, 1));
  Repeated steps = repeated([&] { step(made, gradients); });
  steps.run();
  must(rondo_optimizer_set_rate(made.get(), 16));
  steps.run();
  must(rondo_optimizer_set_rate(made.get(), 0));
  steps.run();
  EXPECT_EQ(download(weights[0])[8], -17);
  EXPECT_EQ(state(made, "optimizer.rate")[0], 0);
  EXPECT_EQ(state(made, "optimizer.step")[0], 3);
}

TEST_P(Optimizers, GraphOutlivesItsOptimizer) {
  const Tensors weights = up_all({full(RONDO_F32, {9}, 0)}), gradients = up_all({full(RONDO_F32, {9}, 1)});
  Optimizer made = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_SGD, 1));
  const Graph graph = record(engine(), [&] { step(made, gradients); });
  made.reset();
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(download(weights[0])[0], -2);
}

struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rondo_optimizer_XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no folder");
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TEST_P(Optimizers, ResumesBitForBit) {
  struct Kind {
    rondo_optimizer_options options;
    rondo_dtype dtype;
  };
  std::vector<Kind> kinds;
  rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_SGD, 0.1);
  options.momentum = 0.9, options.dampening = 0.5;
  kinds.push_back({options, RONDO_F32});
  options = optimizer_options(RONDO_OPTIMIZER_ADAMW, 0.1);
  options.amsgrad = 1, options.schedule = RONDO_RATE_COSINE, options.warmup_steps = 2, options.decay_steps = 9;
  kinds.push_back({options, RONDO_F32});
  options = optimizer_options(RONDO_OPTIMIZER_LAMB, 0.1);
  options.master_weights = 1, options.max_norm = 1;
  kinds.push_back({options, RONDO_BF16});
  for (const Kind& kind : dealt(kinds)) {
    const std::vector<Array> start = {random_array(kind.dtype, {3, 100}, 1, -1, 1),
                                      random_array(kind.dtype, {5}, 2, -1, 1)};
    const Tensors gradients =
        up_all({random_array(RONDO_F32, {3, 100}, 3, -1, 1), random_array(RONDO_F32, {5}, 4, -1, 1)});
    const Tensors through = up_all(start);
    const Optimizer whole = optimizer(through, kind.options);
    Repeated steps = repeated([&] { step(whole, gradients); });
    for (int k = 0; k < 3; ++k) steps.run();
    const Folder folder;
    const std::string file = folder.path / "state.safetensors";
    {
      std::vector<const char*> names = {"w", "b"};
      std::vector<rondo_tensor*> tensors = handles(through);
      const std::vector<State> all = states(whole);
      for (const State& each : all) names.push_back(each.name.c_str()), tensors.push_back(each.tensor);
      must(rondo_model_file_write(file.c_str(), names.data(), tensors.data(), names.size(), nullptr, nullptr, 0));
    }
    for (int k = 0; k < 3; ++k) steps.run();

    const Tensors again = up_all({full(kind.dtype, {3, 100}, 0), full(kind.dtype, {5}, 0)});
    const Optimizer resumed = optimizer(again, kind.options);
    rondo_model_file* opened = nullptr;
    must(rondo_model_file_open(file.c_str(), &opened));
    const std::unique_ptr<rondo_model_file, void (*)(rondo_model_file*)> model(opened, rondo_model_file_destroy);
    into(again[0], rondo_model_file_load, opened, "w", engine(), device());
    into(again[1], rondo_model_file_load, opened, "b", engine(), device());
    for (const State& each : states(resumed))
      into(each.tensor, rondo_model_file_load, opened, each.name.c_str(), engine(), device());
    Repeated others = repeated([&] { step(resumed, gradients); });
    for (int k = 0; k < 3; ++k) others.run();
    expect_same(snapshot(resumed, again), snapshot(whole, through), "resumed");
  }
}

TEST_P(Optimizers, StepComesBetweenWhatWritesAndWhatReads) {
  const Tensors weights = up_all({full(RONDO_F32, {5000}, 1)}), gradients = up_all({full(RONDO_F32, {5000}, 0)});
  const Optimizer made = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_SGD, 1));
  Tensor seen = up(full(RONDO_F32, {5000}, 0));
  Repeated steps = repeated([&] {
    into(gradients[0], rondo_binary_scalar, RONDO_MUL, weights[0], 2.0);
    step(made, gradients);
    into(seen, rondo_binary_scalar, RONDO_MUL, weights[0], 10.0);
  });
  for (int k = 1; k <= 3; ++k) {
    steps.run();
    EXPECT_EQ(download(seen)[4999], k % 2 ? -10 : 10);
  }
}

TEST_P(Optimizers, StatesHaveNamesAndShapes) {
  const Tensors weights = up_all({full(RONDO_F32, {2, 3}, 0), full(RONDO_BF16, {4}, 0), full(RONDO_F64, {1}, 0)});
  rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_ADAM, 1);
  options.amsgrad = 1, options.master_weights = 1;
  const Optimizer made = optimizer(weights, options);
  std::vector<std::string> got;
  for (const State& each : states(made)) {
    const rondo_tensor_info info = query(each.tensor);
    got.push_back(each.name + " " + rondo_dtype_name(info.dtype) + " " + std::to_string(info.ndim));
  }
  EXPECT_EQ(got,
            (std::vector<std::string>{
                "optimizer.step i64 0", "optimizer.rate f64 0", "optimizer.0.exp_avg f32 2",
                "optimizer.0.exp_avg_sq f32 2", "optimizer.0.max_exp_avg_sq f32 2", "optimizer.1.exp_avg f32 1",
                "optimizer.1.exp_avg_sq f32 1", "optimizer.1.max_exp_avg_sq f32 1", "optimizer.1.master_weights f32 1",
                "optimizer.2.exp_avg f64 1", "optimizer.2.exp_avg_sq f64 1", "optimizer.2.max_exp_avg_sq f64 1"}));
  rondo_optimizer_info info = RONDO_OPTIMIZER_INFO_INIT;
  must(rondo_optimizer_query(made.get(), &info));
  EXPECT_EQ(info.parameters, 3);
  EXPECT_GT(info.bytes, 0);
}

TEST_P(Optimizers, NormIsThatOfAllElements) {
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64}, 1)) {
    std::vector<Array> arrays;
    Real squares = 0;
    for (const int64_t size : {1, 0, 255, 4097, 70001}) {
      arrays.push_back(random_array(dtype, {size}, static_cast<uint32_t>(size), -3, 3));
      for (size_t i = 0; i < arrays.back().size(); ++i) squares += arrays.back()[i] * arrays.back()[i];
    }
    const Tensors tensors = up_all(arrays);
    run([&](Results& results) {
      results.keep("norm", global_norm(tensors), [&] {
        Expected expected(array_of(RONDO_F32, {}, {std::sqrt(squares)}));
        expected.absolute = {std::sqrt(squares) * 1e-6L};
        return expected;
      });
    });
  }
  // Squares beyond f32 are none beyond f64.
  const Tensors large = up_all({full(RONDO_F32, {4}, 1e30L)});
  EXPECT_EQ(static_cast<float>(download(global_norm(large))[0]), 2e30f);
}

TEST_P(Optimizers, FiniteMeansAllOfThem) {
  for (const rondo_dtype dtype : covering({RONDO_BF16, RONDO_F32, RONDO_F16, RONDO_F64}, 0)) {
    const Tensors buffers = up_all({full(dtype, {5001}, 1), full(dtype, {3}, 2), full(dtype, {0}, 0)});
    Tensors tensors;
    tensors.push_back(slice(buffers[0], 0, 1, 5001));
    tensors.push_back(slice(buffers[1], 0, 0, 3));
    tensors.push_back(slice(buffers[2], 0, 0, 0));
    Tensor out = up(full(RONDO_BOOL, {}, 0));
    Repeated asks = repeated([&] {
      const Tensor now = all_finite(tensors);
      into(out, rondo_copy, now);
    });
    asks.run();
    EXPECT_EQ(download(out)[0], 1);
    for (const Real bad : {Real(NAN), Real(INFINITY), -Real(INFINITY)})
      for (const size_t at : {size_t{1}, size_t{4097}, size_t{5000}}) {
        Array broken = full(dtype, {5001}, 1);
        broken.set(at, bad);
        write(buffers[0], broken);
        asks.run();
        EXPECT_EQ(download(out)[0], 0) << rondo_dtype_name(dtype) << " at " << at;
      }
    // What lies before the view does not count.
    Array outside = full(dtype, {5001}, 1);
    outside.set(0, NAN);
    write(buffers[0], outside);
    asks.run();
    EXPECT_EQ(download(out)[0], 1);
  }
}

TEST_P(Optimizers, ClippingLeavesTheNormThatIsAsked) {
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_F64}, 0)) {
    const std::vector<Array> arrays = {random_array(dtype, {5003}, 1, -1, 1), random_array(dtype, {3}, 2, -1, 1)};
    Real squares = 0;
    for (const Array& each : arrays)
      for (size_t i = 0; i < each.size(); ++i) squares += each[i] * each[i];
    const Tensors tensors = up_all(arrays);
    std::vector<rondo_tensor*> list = handles(tensors);
    Tensor norm = up(full(RONDO_F32, {}, 0));
    double most = 2;
    const auto clip = [&] {
      rondo_tensor* slot = norm;
      must(rondo_clip_global_norm(2, list.data(), most, &slot));
    };
    Repeated clips = repeated(clip);
    clips.run();
    EXPECT_NEAR(static_cast<double>(download(norm)[0]), static_cast<double>(std::sqrt(squares)), 1e-4);
    const Array got = download(tensors[0]);
    const Real factor = 2 / (std::sqrt(squares) + 1e-6L);
    for (size_t i = 0; i < got.size() && !HasFailure(); i += 11)
      EXPECT_NEAR(static_cast<double>(got[i]), static_cast<double>(arrays[0][i] * factor),
                  dtype == RONDO_F16 ? 2e-5 : 1e-7);
    // One that is smaller stays as it is, bit for bit.
    most = 1000;
    clip();
    expect_same_bits(download(tensors[0]), got, "within the norm");
    EXPECT_NEAR(static_cast<double>(download(norm)[0]), 2, 1e-2);
  }
}

}  // namespace
}  // namespace conformance
