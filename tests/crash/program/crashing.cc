// A program that dies as it is told: crashing DEVICE HOW [NAME]. After some tasks of other names one called NAME,
// "deadly" as a rule, dies in its function: by segv, bus, fpe, ill or abort; or by segv as a part of a recording
// (recorded), or the main thread's stack overflows (overflow). well: nobody dies. forked: a child of fork() dies of
// abort.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "report.h"

// By its name in the report's stack.
extern "C" void die_here(const char* how) {
  if (std::strcmp(how, "abort") == 0 || std::strcmp(how, "forked") == 0) std::abort();
  if (std::strcmp(how, "bus") == 0) raise(SIGBUS);
  if (std::strcmp(how, "fpe") == 0) raise(SIGFPE);
  if (std::strcmp(how, "ill") == 0) __builtin_trap();
  *reinterpret_cast<volatile int*>(const_cast<volatile char*>(static_cast<const volatile char*>(nullptr)) + 16) = 1;
}

namespace {

const char* how = "well";

void must(rondo_status status) {
  if (status == RONDO_OK) return;
  std::fprintf(stderr, "crashing: %s\n", rondo_last_error());
  std::exit(2);
}

rondo_status nothing(void*, rondo_task_context*) {
  return RONDO_OK;
}
rondo_status die(void*, rondo_task_context*) {
  die_here(how);
  return RONDO_OK;
}

int overflow(int depth, int most) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth < most ? overflow(depth + 1, most) + room[0] : 0;
}

void push(rondo_engine* engine, rondo_device device, const char* name, rondo_task_fn function, rondo_variable* on) {
  rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
  options.name = name;
  options.device = device;
  must(rondo_engine_push(engine, function, nullptr, nullptr, nullptr, 0, &on, 1, &options));
}

void work(rondo_device device, const char* name) {
  rondo_engine* engine = nullptr;
  must(rondo_engine_create(nullptr, &engine));
  rondo_variable* on = nullptr;
  must(rondo_variable_create(engine, &on));
  for (int i = 0; i < 200; ++i) push(engine, device, i < 190 ? "long ago" : "a moment ago", nothing, on);
  if (std::strcmp(how, "recorded") == 0) {
    rondo_graph* graph = nullptr;
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.name = "recording";
    must(rondo_record_begin(engine, &options));
    push(engine, device, name, die, on);
    must(rondo_record_end(engine, &graph));
    must(rondo_graph_launch(graph));
  } else {
    push(engine, device, name, std::strcmp(how, "well") == 0 ? nothing : die, on);
  }
  must(rondo_variable_wait(on));
  rondo_variable_destroy(on);
  rondo_engine_destroy(engine);
}

}  // namespace

int main(int argc, char** argv) {
  rondo_device device = {RONDO_CPU, 0};
  if (argc < 3 || rondo_device_parse(argv[1], &device) != RONDO_OK) return 2;
  how = argv[2];
  crash::keep_last_tasks();
  crash::at("a program", "that dies");
  if (std::strcmp(how, "overflow") == 0) return overflow(0, std::atoi("1000000000"));
  if (std::strcmp(how, "forked") == 0) {
    const char* child_dies = std::exchange(how, "well");
    work(device, "before the fork");
    how = child_dies;
    const pid_t child = fork();
    if (child > 0) return waitpid(child, nullptr, 0) == child ? 0 : 2;
  }
  work(device, argc > 3 ? argv[3] : "deadly");
  return 0;
}
