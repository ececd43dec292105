// What a row of the benchmark table is, and where the rows come from. A row compares Rondo with the floor: the same
// work done with the bare driver (on cpu: a plain loop handed to a thread) in the same process, one sample of each in
// turn, so that a drift of the machine falls on both. Peers are measured afterwards in a process of their own
// (peers.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <time.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stats.h"

namespace bench {

struct Options {
  rondo_device device{RONDO_CPU, 0};
  bool quick = false;
  bool processor_time = false;
  std::optional<int> compile_seconds;  // of PyTorch's compiler, for a row in one way; none: as the peers' script has it
  enum { kSubmission, kOperators, kNetworks, kLayers } table = kSubmission;
};

// Takes one sample: microseconds per unit of the row. Owns what it measures.
using Sample = std::function<double()>;

struct Samplers {
  Sample rondo;
  Sample floor;  // empty: there is none
};

struct Goal {
  enum Kind { kNone, kRatio, kAbove, kAtMost, kPeer } kind = kNone;
  // kRatio: at most value times the floor; kAbove: at most floor + value microseconds; kAtMost: value microseconds;
  // kPeer: at most value times NumPy, which is one thread, or onnxruntime, and no more than any other peer
  double value = 0;
};
inline Goal at_most_times(double ratio) {
  return {Goal::kRatio, ratio};
}
inline Goal at_most_above(double us) {
  return {Goal::kAbove, us};
}

inline Goal at_most_of_peer(double ratio) {
  return {Goal::kPeer, ratio};
}
inline Goal at_most(double us) {
  return {Goal::kAtMost, us};
}

struct Row {
  std::string id;     // for --filter, JSON and the peers, e.g. "add.async"
  std::string what;   // for the table
  std::string floor;  // what the floor is, for JSON and the notes under the table
  Goal goal;
  std::function<Samplers()> prepare;  // may throw: then the row cannot run, and the exception says why
};

void add_submission_rows(const Options& options, std::vector<Row>& rows);   // submit.cc
void add_task_rows(const Options& options, std::vector<Row>& rows);         // tasks.cc
void add_graph_rows(const Options& options, std::vector<Row>& rows);        // graph.cc
void add_control_rows(const Options& options, std::vector<Row>& rows);      // control.cc
void add_scaling_rows(const Options& options, std::vector<Row>& rows);      // scale.cc
void add_training_rows(const Options& options, std::vector<Row>& rows);     // train.cc
void add_operator_rows(const Options& options, std::vector<Row>& rows);     // operators.cc
void add_optimizer_rows(const Options& options, std::vector<Row>& rows);    // optimizers.cc
void add_backward_rows(const Options& options, std::vector<Row>& rows);     // backward.cc
void add_attention_rows(const Options& options, std::vector<Row>& rows);    // sequences.cc
void add_recurrent_rows(const Options& options, std::vector<Row>& rows);    // sequences.cc
void add_projection_rows(const Options& options, std::vector<Row>& rows);   // sequences.cc
void add_gate_rows(const Options& options, std::vector<Row>& rows);         // gates.cc
void add_layer_rows(const Options& options, std::vector<Row>& rows);        // layers.cc
void add_network_rows(const Options& options, std::vector<Row>& rows);      // networks.cc
void add_encoder_rows(const Options& options, std::vector<Row>& rows);      // encoders.cc
void add_recommender_rows(const Options& options, std::vector<Row>& rows);  // recommender.cc

// Of the clock, or what all threads of the process have had of the processors (--processor-time).
inline bool counts_processors = false;
inline double now_us() {
  if (counts_processors) {
    timespec time = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
  }
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Host time of one call of `submit` in microseconds: bursts that are short against the device's queue, each on an idle
// device. The median of them: where a virtual machine loses its processor now and then for longer than a burst takes, a
// mean says more about that than about the call.
template <class Submit, class Wait>
double burst_us(int bursts, int size, Submit&& submit, Wait&& wait) {
  std::vector<double> each;
  for (int i = 0; i < bursts; ++i) {
    const double begin = now_us();
    for (int j = 0; j < size; ++j) submit();
    each.push_back((now_us() - begin) / size);
    wait();
  }
  return quantile(std::move(each), 0.5);
}

// Time of `submit` and `wait` together, from an idle device.
template <class Submit, class Wait>
double round_trip_us(int count, Submit&& submit, Wait&& wait) {
  const double begin = now_us();
  for (int i = 0; i < count; ++i) {
    submit();
    wait();
  }
  return (now_us() - begin) / count;
}

// From one of so many launches of a rondo::Graph to the next, until all is done.
template <class Engine, class Graph>
double launch_us(const Engine& engine, const Graph& graph, int launches) {
  const double begin = now_us();
  for (int i = 0; i < launches; ++i) graph.launch();
  engine.wait_all();
  return (now_us() - begin) / launches;
}

}  // namespace bench
