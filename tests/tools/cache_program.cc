// Runs operators on cuda:0 and says what came of each, and what the cache of kernels counted: cache_program WORD...
//
// add, mul, neg, graph (several of them at once), module (a kernel of the user's), files (one that takes in files),
// program=FILE (its functions of floats and fixed sizes, called with zeros), stranger=FILE (the same, not trusted),
// export=FILE, import=FILE. Each gets a line: "add ok", or its status and message. The last line is the counts, as
// JSON. "slowly" in front: the progress of compiling is told on stderr. host_memory=BYTES in front: what programs may
// take of the host.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>

namespace {

constexpr rondo_device kDevice = {RONDO_CUDA, 0};
using Floats = std::vector<float>;

// Whether something was told that is not over yet.
std::mutex mutex;
std::condition_variable changed;
bool compiling = false;

int64_t host_memory = 0;  // 0: any

void told(const std::string& kernel, int64_t done, int64_t known, double seconds) {
  std::fprintf(stderr, "progress '%s' %lld of %lld after %.3f s\n", kernel.c_str(), static_cast<long long>(done),
               static_cast<long long>(known), seconds);
  const std::lock_guard<std::mutex> lock(mutex);
  compiling = !kernel.empty();
  changed.notify_all();
}

void expect(const rondo::Tensor& result, const Floats& values) {
  if (result.read<float>() != values) throw std::runtime_error("wrong values");
}

void make_module(const rondo::Engine& engine, const char* compiler_options) {
  rondo_module_options options = RONDO_MODULE_OPTIONS_INIT;
  options.options = compiler_options;
  rondo_module* module = nullptr;
  rondo::throw_on_failure(rondo_module_create(
      engine.get(), kDevice, "extern \"C\" __global__ void twice(const float* x, float* y) { *y = 2 * *x; }",
      "twice(const float* x, float* y)", &options, &module));
  rondo_module_destroy(module);
}

void call_program(const rondo::Engine& engine, const std::string& file, bool trusted) {
  rondo::Program program(file);
  if (trusted) program.trust();
  program.limit_host_memory(host_memory);
  const rondo::ProgramInstance instance = program.instance(engine, kDevice);
  for (const auto& function : program.functions()) {
    std::vector<rondo::Tensor> inputs;
    for (const auto& [name, info] : function.inputs) {
      const std::vector<int64_t> shape(info.shape, info.shape + info.ndim);
      int64_t count = 1;
      for (const int64_t each : shape) count *= each;
      inputs.push_back(
          engine.from_host<float>(kDevice, shape, Floats(static_cast<size_t>(count))));  // without a kernel
    }
    for (const rondo::Tensor& each : instance.call(function.name, inputs)) each.wait();
  }
}

void run(const rondo::Engine& engine, const std::string& word) {
  const rondo::Tensor a = engine.from_host<float>(kDevice, {2}, {1, 2}),
                      b = engine.from_host<float>(kDevice, {2}, {3, 4});
  if (word == "add") {
    expect(rondo::binary(RONDO_ADD, a, b), {4, 6});
  } else if (word == "mul") {
    expect(rondo::binary(RONDO_MUL, a, b), {3, 8});
  } else if (word == "neg") {
    expect(rondo::unary(RONDO_NEG, a), {-1, -2});
  } else if (word == "graph") {
    rondo::Tensor sum, product, negated;
    const rondo::Graph graph = engine.record([&] {
      sum = rondo::binary(RONDO_ADD, a, b);
      product = rondo::binary(RONDO_MUL, a, b);
      negated = rondo::unary(RONDO_NEG, a);
    });
    graph.launch();
    expect(sum, {4, 6});
    expect(product, {3, 8});
    expect(negated, {-1, -2});
  } else if (word == "module") {
    make_module(engine, nullptr);
  } else if (word == "files") {
    make_module(engine, "-I/dev/null/nowhere");
  } else if (word.rfind("program=", 0) == 0) {
    call_program(engine, word.substr(8), true);
  } else if (word.rfind("stranger=", 0) == 0) {
    call_program(engine, word.substr(9), false);
  } else if (word.rfind("host_memory=", 0) == 0) {
    host_memory = std::stoll(word.substr(12));
  } else if (word.rfind("export=", 0) == 0) {
    rondo::export_cache(word.substr(7));
  } else if (word.rfind("import=", 0) == 0) {
    rondo::import_cache(word.substr(7));
  } else if (word == "slowly") {
    rondo::set_compile_progress(told);
  } else {
    throw std::runtime_error("no such word");
  }
}

}  // namespace

int main(int argc, char** argv) {
  int result = 0;
  const rondo::Engine engine;
  for (int i = 1; i < argc; ++i) {
    try {
      run(engine, argv[i]);
      std::printf("%s ok\n", argv[i]);
    } catch (const std::exception& problem) {
      std::printf("%s %s\n", argv[i], problem.what());
      result = 1;
    }
  }
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return !compiling; });
  }
  rondo::set_compile_progress(nullptr);
  const rondo_cache_info info = rondo::cache_info();
  std::printf(
      "{\"files\": %lld, \"disk_hits\": %lld, \"without_compiler\": %lld, \"compiled\": %lld, \"damaged\": %lld, "
      "\"refused\": %lld, \"failed_writes\": %lld, \"memory_hits\": %lld, \"trials\": %lld}\n",
      static_cast<long long>(info.files), static_cast<long long>(info.disk_hits),
      static_cast<long long>(info.without_compiler), static_cast<long long>(info.compiled),
      static_cast<long long>(info.damaged), static_cast<long long>(info.refused),
      static_cast<long long>(info.failed_writes), static_cast<long long>(info.memory_hits),
      static_cast<long long>(info.trials));
  return result;
}
