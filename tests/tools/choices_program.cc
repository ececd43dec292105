// Multiplies matrices on cuda:0 and says which kernels made the products, whether eager calls and graphs have the same
// bits, and what that took: choices_program WORD...
//
// graph-first: each product is recorded before it is called. threads=N: so many threads want each at once. time: each
// is timed in a chain of twelve with another one in one graph. M,K,N[,f16|bf16|f32][,gelu][,bias][,flat|,apart=STEP]:
// a product of M x K by K x N; flat: the matrix is contiguous along N; apart: its lines along K begin so many elements
// after each other. Each product gets a line of JSON, and the last line has the counts of the cache.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr rondo_device kDevice = {RONDO_CUDA, 0};
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Problem {
  std::string text;
  int64_t m = 1, k = 1, n = 1, apart = 0;
  rondo_dtype dtype = RONDO_F16;
  bool gelu = false, bias = false, flat = false;
};

Problem read_problem(const std::string& text) {
  Problem problem;
  problem.text = text;
  std::istringstream parts(text);
  int64_t* const sizes[] = {&problem.m, &problem.k, &problem.n};
  std::string part;
  for (int i = 0; std::getline(parts, part, ','); ++i) {
    if (i < 3)
      *sizes[i] = std::atoll(part.c_str());
    else if (part == "f16" || part == "bf16" || part == "f32")
      problem.dtype = part == "f16" ? RONDO_F16 : part == "bf16" ? RONDO_BF16 : RONDO_F32;
    else if (part == "gelu")
      problem.gelu = true;
    else if (part == "bias")
      problem.bias = true;
    else if (part == "flat")
      problem.flat = true;
    else if (part.rfind("apart=", 0) == 0)
      problem.apart = std::atoll(part.c_str() + 6);
    else
      throw std::runtime_error("no such word: " + part);
  }
  return problem;
}

rondo::Tensor numbers(const rondo::Engine& engine, const std::vector<int64_t>& shape, rondo_dtype dtype, double scale) {
  int64_t count = 1;
  for (const int64_t each : shape) count *= each;
  std::vector<float> values(static_cast<size_t>(count));
  uint32_t state = 12345;
  for (float& each : values) {
    state = state * 1664525u + 1013904223u;
    each = static_cast<float>((static_cast<double>(state >> 8) / (1 << 24) - 0.5) * scale);
  }
  const rondo::Tensor made = engine.from_host<float>(kDevice, shape, values);
  return dtype == RONDO_F32 ? made : rondo::cast(made, dtype);
}

// The operands of a product, and what makes it.
class Product {
 public:
  Product(const rondo::Engine& engine, const Problem& problem)
      : problem_(problem),
        a_(numbers(engine, {problem.m, problem.k}, problem.dtype, 2)),
        b_(numbers(engine, problem.flat ? std::vector{problem.k, problem.n} : std::vector{problem.n, problem.k},
                   problem.dtype, 4 / std::sqrt(static_cast<double>(problem.k)))) {
    if (problem.apart) {
      const rondo::Tensor large = engine.empty(kDevice, problem.dtype, {problem.n, problem.apart});
      const rondo::Tensor part = large.slice(1, 0, problem.k);
      rondo::copy_into(b_, part);
      b_ = part;
    }
    if (problem.bias) bias_.push_back(numbers(engine, {problem.n}, problem.dtype, 1));
    engine.wait_all();
  }
  rondo::Tensor make() const { return make(a_); }
  rondo::Tensor make(const rondo::Tensor& a) const {
    rondo_matmul_options options = rondo::matmul_defaults();
    options.transpose_b = problem_.flat ? 0 : 1;
    options.activation = problem_.gelu ? RONDO_ACTIVATION_GELU : RONDO_ACTIVATION_NONE;
    if (!bias_.empty()) options.bias = bias_[0].get();
    return rondo::matmul(a, b_, options);
  }
  const rondo::Tensor& a() const { return a_; }

 private:
  const Problem problem_;
  const rondo::Tensor a_;
  rondo::Tensor b_;
  std::vector<rondo::Tensor> bias_;
};

uint64_t bits(const rondo::Tensor& tensor) {
  uint64_t hash = 14695981039346656037u;
  for (const float each : rondo::cast(tensor, RONDO_F32).read<float>()) {
    uint32_t word = 0;
    std::memcpy(&word, &each, sizeof word);
    hash = (hash ^ word) * 1099511628211u;
  }
  return hash;
}

// "by cuBLASLt (3.40 us in a chain, Rondo's small tiles 3.51)" of a graph's report.
std::string made_by(const rondo::Graph& graph) {
  const std::string report = graph.report();
  const size_t at = report.find("'matmul': ");
  return at == std::string::npos ? "" : report.substr(at + 10, report.find('\n', at) - at - 10);
}

uint64_t in_graph(const rondo::Engine& engine, const Product& product, std::string* by) {
  rondo::Tensor result;
  const rondo::Graph graph = engine.record([&] { result = product.make(); });
  graph.launch();
  *by = made_by(graph);
  return bits(result);
}

// Microseconds of one product, half of them the other way round, so that each reads what the one before has written.
double chain_us(const rondo::Engine& engine, const Problem& problem) {
  constexpr int kPairs = 12;
  Problem back = problem;
  std::swap(back.k, back.n);
  back.gelu = false;
  std::vector<Product> there, again;
  for (int i = 0; i < kPairs; ++i) {
    there.emplace_back(engine, problem);
    again.emplace_back(engine, back);
  }
  rondo::Tensor result;
  const rondo::Graph graph = engine.record([&] {
    result = there[0].a();
    for (int i = 0; i < kPairs; ++i) {
      const auto at = static_cast<size_t>(i);
      result = again[at].make(there[at].make(result));
    }
  });
  const auto time = [&](int launches) {
    const auto start = Clock::now();
    for (int launch = 0; launch < launches; ++launch) graph.launch();
    engine.wait_all();
    return milliseconds_since(start) * 1000 / launches / (2 * kPairs);
  };
  time(1);
  const double once = time(1);
  if (once > 1000) return once;  // no GPU
  std::vector<double> times(9);
  for (double& each : times) each = time(20);
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

struct Wish {
  bool graph_first = false, time = false;
  int threads = 1;
};

void run(const rondo::Engine& engine, const Problem& problem, const Wish& wish) {
  const Product product(engine, problem);
  std::string by;
  uint64_t graph = 0;
  auto start = Clock::now();
  if (wish.graph_first) graph = in_graph(engine, product, &by);
  std::vector<uint64_t> eager(static_cast<size_t>(wish.threads));
  std::vector<double> first(eager.size());
  std::vector<std::thread> threads;
  if (!wish.graph_first) start = Clock::now();
  for (size_t i = 0; i < eager.size(); ++i)
    threads.emplace_back([&, i] {
      const rondo::Tensor result = product.make();
      result.wait();
      first[i] = milliseconds_since(start);
      eager[i] = bits(result);
    });
  for (std::thread& each : threads) each.join();
  if (!wish.graph_first) graph = in_graph(engine, product, &by);
  const bool equal = std::all_of(eager.begin(), eager.end(), [&](uint64_t each) { return each == graph; });
  std::printf("{\"product\": \"%s\", \"equal\": %s, \"bits\": \"%016llx\", \"by\": \"%s\", \"first_ms\": %.3f",
              problem.text.c_str(), equal ? "true" : "false", static_cast<unsigned long long>(graph), by.c_str(),
              first[0]);
  if (wish.time) std::printf(", \"chain_us\": %.3f", chain_us(engine, problem));
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const rondo::Engine engine;
    Wish wish;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "graph-first")
        wish.graph_first = true;
      else if (word == "time")
        wish.time = true;
      else if (word.rfind("threads=", 0) == 0)
        wish.threads = std::max(1, std::atoi(word.c_str() + 8));
      else
        run(engine, read_problem(word), wish);
    }
    const rondo_cache_info info = rondo::cache_info();
    std::printf("{\"files\": %lld, \"compiled\": %lld, \"disk_hits\": %lld, \"damaged\": %lld, \"trials\": %lld}\n",
                static_cast<long long>(info.files), static_cast<long long>(info.compiled),
                static_cast<long long>(info.disk_hits), static_cast<long long>(info.damaged),
                static_cast<long long>(info.trials));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
  return 0;
}
