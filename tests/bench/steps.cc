// steps: what one call passes, counted and not timed. Single-steps the thread through the call and prints, for each
// library, how many instructions it ran and in how many cache lines and pages of code they lie. Works on any driver,
// the simulated one too (what counts is Rondo's line then), so it says what a change does to the path without a GPU.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <rondo/rondo.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "handles.h"

#ifdef __x86_64__
#include <ucontext.h>
#endif

namespace {

using namespace bench;

// Addresses of the instructions passed; the handler only stores, so its room is taken before.
std::vector<std::uintptr_t> passed(1 << 22);
std::size_t count = 0;

#ifdef __x86_64__
constexpr bool kPossible = true;

void on_step(int, siginfo_t*, void* context) {
  if (count < passed.size())
    passed[count++] = static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}
// The processor's trap flag: it stops after each instruction as long as it is set.
[[gnu::noinline]] void steps_on() {
  asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}
[[gnu::noinline]] void steps_off() {
  asm volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}
#else
constexpr bool kPossible = false;
void on_step(int, siginfo_t*, void*) {}
void steps_on() {}
void steps_off() {}
#endif

struct Code {
  std::size_t instructions = 0;
  std::set<std::uintptr_t> lines, pages;
};

void print(const char* what) {
  std::map<std::string, Code> libraries;
  for (std::size_t i = 0; i < count; ++i) {
    Dl_info info = {};
    const bool known = dladdr(reinterpret_cast<void*>(passed[i]), &info) != 0 && info.dli_fname != nullptr;
    const std::string path = known ? info.dli_fname : "elsewhere";
    Code& code = libraries[path.substr(path.rfind('/') + 1)];
    ++code.instructions;
    code.lines.insert(passed[i] / 64);
    code.pages.insert(passed[i] / 4096);
  }
  for (const auto& [library, code] : libraries)
    std::printf("%-28s %-28s %12zu %6zu %6zu\n", what, library.c_str(), code.instructions, code.lines.size(),
                code.pages.size());
}

// The call a few times unobserved, so that everything is warm, then once in steps.
void follow(const char* what, const std::function<void()>& call) {
  for (int i = 0; i < 5; ++i) call();
  count = 0;
  steps_on();
  call();
  steps_off();
  print(what);
}

// So many parameters, by one call for all and by one for each.
void follow_updates(rondo_engine* engine, rondo_device device) {
  constexpr int kCount = 20, kOperands = 3;
  rondo_expression* made = nullptr;
  check(rondo_expression_create("p = p - r * g", "update", &made), "rondo_expression_create");
  const std::unique_ptr<rondo_expression, Destroy<rondo_expression, rondo_expression_destroy>> update(made);
  std::vector<Tensor> owners;
  std::vector<rondo_argument> arguments;
  std::vector<rondo_tensor*> out;
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; k < 2; ++k) owners.push_back(make_tensor(engine, device, 1024, 1));
    rondo_tensor *const p = owners[owners.size() - 2].get(), *const g = owners.back().get();
    arguments.insert(arguments.end(), {RONDO_TENSOR("p", p), RONDO_TENSOR("g", g), RONDO_SCALAR("r", 0.5)});
    out.push_back(p);
  }
  follow("20 updates, one call", [&] {
    check(rondo_expression_run_each(made, kCount, kOperands, arguments.data(), 1, out.data()),
          "rondo_expression_run_each");
  });
  check(rondo_engine_wait_all(engine), "rondo_engine_wait_all");
  follow("20 updates, 20 calls", [&] {
    for (int i = 0; i < kCount; ++i)
      check(rondo_expression_run(made, kOperands, &arguments[static_cast<std::size_t>(kOperands) * i], 1, &out[i]),
            "rondo_expression_run");
  });
  check(rondo_engine_wait_all(engine), "rondo_engine_wait_all");
}

// A call of ten adds, the first of which reads the caller's tensor and the last of which writes another one: with the
// tensors of the call before, and with others, which changes two kernels of a CUDA graph.
void follow_calls(rondo_engine* engine, rondo_device device) {
  const Tensor b = make_tensor(engine, device, 1024, 1);
  std::vector<Tensor> x, y;
  for (int i = 0; i < 2; ++i) {
    x.push_back(make_tensor(engine, device, 1024, 1));
    y.push_back(make_tensor(engine, device, 1024, 1));
  }
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN | RONDO_RECORD_CALLABLE;
  check(rondo_record_begin(engine, &options), "rondo_record_begin");
  const int64_t elements = 1024;
  rondo_tensor* at = nullptr;
  check(rondo_record_input(engine, device, RONDO_F32, 1, &elements, &at), "rondo_record_input");
  for (int i = 0; i < 10; ++i) {
    const Tensor from(at);
    at = nullptr;
    check(rondo_binary(RONDO_ADD, from.get(), b.get(), &at), "rondo_binary");
  }
  const Tensor last(at);
  check(rondo_record_output(engine, at), "rondo_record_output");
  rondo_graph* recorded = nullptr;
  check(rondo_record_end(engine, &recorded), "rondo_record_end");
  const Graph graph(recorded);
  std::size_t which = 0;
  const auto call = [&](std::size_t with) {
    rondo_tensor *input = x[with].get(), *output = y[with].get();
    check(rondo_graph_call(graph.get(), 1, &input, 1, &output), "rondo_graph_call");
  };
  follow("call, the same tensors", [&] { call(0); });
  check(rondo_engine_wait_all(engine), "rondo_engine_wait_all");
  follow("call, other tensors", [&] { call(which = 1 - which); });
  check(rondo_engine_wait_all(engine), "rondo_engine_wait_all");
}

// What is set between launches costs where it has changed.
void follow_settings(rondo_engine* engine, rondo_device device) {
  const Tensor a = make_tensor(engine, device, 1024, 1);
  check(rondo_record_begin(engine, nullptr), "rondo_record_begin");
  rondo_tensor* made = nullptr;
  check(rondo_record_parameter(engine, "rate", device, RONDO_F32, 1, &made), "rondo_record_parameter");
  {
    const Tensor rate(made);
    add(a, rate, a);
  }
  check(rondo_record_section_begin(engine, "more", 1), "rondo_record_section_begin");
  add(a, a, a);
  check(rondo_record_section_end(engine), "rondo_record_section_end");
  rondo_graph* recorded = nullptr;
  check(rondo_record_end(engine, &recorded), "rondo_record_end");
  const Graph graph(recorded);
  const auto launch = [&] { check(rondo_graph_launch(graph.get()), "rondo_graph_launch"); };
  follow("launch, nothing set", launch);
  check(rondo_engine_wait_all(engine), "rondo_engine_wait_all");
  double value = 1;
  follow("set a parameter", [&] { check(rondo_graph_set(graph.get(), "rate", ++value), "rondo_graph_set"); });
  follow("set and launch", [&] {
    check(rondo_graph_set(graph.get(), "rate", ++value), "rondo_graph_set");
    launch();
  });
  check(rondo_engine_wait_all(engine), "rondo_engine_wait_all");
  int32_t on = 1;
  follow("switch and launch", [&] {
    check(rondo_graph_enable(graph.get(), "more", on = 1 - on), "rondo_graph_enable");
    launch();
  });
  check(rondo_engine_wait_all(engine), "rondo_engine_wait_all");
}

void run(rondo_device device) {
  const Engine engine = make_engine(RONDO_ENGINE_ASYNC);
  const Tensor a = make_tensor(engine.get(), device, 1024, 1);
  const Tensor b = make_tensor(engine.get(), device, 1024, 1);
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  check(rondo_record_begin(engine.get(), &options), "rondo_record_begin");
  for (int i = 0; i < 10; ++i) add(a, b, a);
  rondo_graph* recorded = nullptr;
  check(rondo_record_end(engine.get(), &recorded), "rondo_record_end");
  const Graph graph(recorded);
  std::printf("%-28s %-28s %12s %6s %6s\n", "", "", "instructions", "lines", "pages");
  follow("launch a graph of 10 adds", [&] { check(rondo_graph_launch(graph.get()), "rondo_graph_launch"); });
  check(rondo_engine_wait_all(engine.get()), "rondo_engine_wait_all");
  follow("a = a + b", [&] { add(a, b, a); });
  check(rondo_engine_wait_all(engine.get()), "rondo_engine_wait_all");
  // Room for as many is made at once, so the steps are those of a node alone.
  check(rondo_record_begin(engine.get(), nullptr), "rondo_record_begin");
  for (int i = 0; i < 100; ++i) add(a, b, a);
  follow("record a = a + b", [&] { add(a, b, a); });
  check(rondo_record_abort(engine.get()), "rondo_record_abort");
  follow_updates(engine.get(), device);
  follow_settings(engine.get(), device);
  follow_calls(engine.get(), device);
}

}  // namespace

int main(int argc, char** argv) {
  rondo_device device = {RONDO_CUDA, 0};
  if (argc > 2 || (argc == 2 && rondo_device_parse(argv[1], &device) != RONDO_OK)) {
    std::fprintf(stderr, "usage: steps [cuda:0]\n");
    return 2;
  }
  if (!kPossible) {
    std::fprintf(stderr, "steps: needs an x86-64 processor\n");
    return 1;
  }
  struct sigaction action = {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  try {
    run(device);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "steps: %s\n", error.what());
    return 1;
  }
  return 0;
}
