// Two functions over sequences in a program file: a layer of LSTM, and a loop that makes tokens one by one, with keys
// and values of those before in a cache. They are saved here, and called here and by the programs of the same name in
// Rust and Java. usage: sequences save FILE | call FILE [DEVICE]   "cpu" (without an argument) or "cuda:0" Copyright
// 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <rondo/rondo.hpp>
#include <string>
#include <vector>

namespace {

using rondo::Tensor;
constexpr rondo_device kCpu = {RONDO_CPU, 0};
constexpr int64_t kSteps = 5, kInputs = 3, kHidden = 4;  // of the layer
constexpr int64_t kWords = 6, kWidth = 4, kLongest = 8;  // of the loop

// A network that nobody has trained.
struct Weights {
  explicit Weights(const rondo::Engine& engine) {
    engine.seed(11);
    const auto add = [&](const std::string& name, const std::vector<int64_t>& shape) {
      named.emplace_back(name, engine.normal(kCpu, RONDO_F32, shape, 0, 0.7));
    };
    add("lstm.input", {4 * kHidden, kInputs});
    add("lstm.hidden", {4 * kHidden, kHidden});
    for (const char* bias : {"lstm.input_bias", "lstm.hidden_bias"}) add(bias, {4 * kHidden});
    add("words", {kWords, kWidth});
    for (const char* product : {"query", "key", "value"}) add(product, {kWidth, kWidth});
    for (const char* cache : {"keys", "values"})  // states: each instance has its own
      named.emplace_back(cache, engine.zeros(kCpu, RONDO_F32, {kLongest, kWidth}));
    add("next", {kWidth, kWords});
  }
  const Tensor& operator[](size_t i) const { return named[i].second; }
  std::vector<std::pair<std::string, Tensor>> named;
};

rondo::Graph record(const rondo::Engine& engine, const std::function<Tensor()>& body) {
  rondo_record_options options = rondo::record_defaults();
  options.flags = RONDO_RECORD_CALLABLE;
  return engine.record([&] { engine.record_output(body()); }, options);
}

// One word follows another: each turn looks at all words so far, and the one that fits best is the next.
Tensor generate(const rondo::Engine& engine, const Weights& w) {
  const Tensor first = engine.record_input(kCpu, RONDO_I64, {1}), count = engine.record_input(kCpu, RONDO_I64, {1});
  const Tensor &words = w[4], &keys = w[8], &values = w[9];
  const Tensor made = engine.zeros(kCpu, RONDO_I64, {kLongest}), word = first + 0,
               at = engine.zeros(kCpu, RONDO_I64, {1});
  const Tensor places = engine.arange(kCpu, RONDO_I64, kLongest);
  const Tensor more = rondo::reshape(at.lt(count), {});
  const auto turn = [&] {
    const Tensor row = rondo::take(words, word, 0);
    rondo::put(keys, at, matmul(row, w[6]), 0);
    rondo::put(values, at, matmul(row, w[7]), 0);
    const Tensor fits = matmul(matmul(row, w[5]), rondo::transpose(keys, {1, 0})) * 0.5;
    const Tensor seen = softmax(rondo::where(places.le(at), fits, engine.full(kCpu, RONDO_F32, {}, -1e9)), 1);
    const Tensor next = matmul(matmul(seen, values), w[10]).argmax(1);
    word.copy_(next);
    rondo::put(made, at, word, 0);
    at.add_(1);
    more.copy_(rondo::reshape(at.lt(count), {}));
  };
  rondo::while_true(engine, more, turn, kLongest);
  return made;
}

void save(const std::string& path) {
  const rondo::Engine engine;
  const Weights w(engine);
  const rondo::Graph layer = record(engine, [&] {
    return rondo::lstm(engine.record_input(kCpu, RONDO_F32, {kSteps, 1, kInputs}), {w[0], w[1], w[2], w[3]}).out;
  });
  const rondo::Graph loop = record(engine, [&] { return generate(engine, w); });
  rondo::save_program(path, {{"layer", layer, {"x"}, {"y"}}, {"generate", loop, {"first", "count"}, {"words"}}},
                      w.named);
}

void call(const std::string& path, rondo_device device) {
  const rondo::Engine engine;
  const rondo::ProgramInstance instance = rondo::Program(path).instance(engine, device);
  const Tensor x = engine.from_host<float>(kCpu, std::vector<float>(15, 0.5)).reshape({kSteps, 1, kInputs});
  const std::vector<float> y = instance.call("layer", {rondo::copy_to(x, device)}).at(0).read<float>();
  for (size_t i = 0; i < y.size(); ++i)
    std::printf("%.3f%s", static_cast<double>(y[i]), (i + 1) % kHidden ? " " : "\n");
  for (const int64_t first : {1, 4}) {
    const Tensor word = engine.from_host<int64_t>(device, {first}), count = engine.from_host<int64_t>(device, {6});
    const std::vector<int64_t> made = instance.call("generate", {word, count}).at(0).read<int64_t>();
    for (size_t i = 0; i < made.size(); ++i)
      std::printf("%lld%s", static_cast<long long>(made[i]), i + 1 < made.size() ? " " : "\n");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "save") {
    save(words[1]);
  } else if ((words.size() == 2 || words.size() == 3) && words[0] == "call") {
    rondo_device device = kCpu;
    if (words.size() == 3) rondo::throw_on_failure(rondo_device_parse(words[2].c_str(), &device));
    call(words[1], device);
  } else {
    std::fprintf(stderr, "usage: sequences save FILE | call FILE [DEVICE]\n");
    return 2;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "sequences: %s\n", error.what());
  return 1;
}
