// Facts are all that is known of a graph when it has been compiled: plain data, which does not change any more. Its
// runs, recordings that it becomes a part of, reports, pictures and profiles read it. The graph owns it; any thread may
// read it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/graph.h>

#include <memory>
#include <string>
#include <vector>

#include "base/small_vector.h"
#include "graph/passes/passes.h"

namespace rondo {

// One task of a graph, with all that is known of it.
struct Step {
  // Which operators a pass has made it of, and where it was recorded. Most steps have neither.
  struct Origin {
    std::string operators, site;
  };

  Step(ops::ProgramNode&& node, Ref<ops::OperatorTask> does);
  // The same on other memory, of which nothing is placed yet. Its task can be made again.
  Step again(const Rebinding& memory) const;
  bool is_switched() const { return section != ops::kAlways; }
  bool is_parameter() const { return parameter != ops::kAlways; }
  const std::string& operators() const;
  const std::string& site() const;

  Ref<ops::OperatorTask> task;
  Ref<const ops::Call> call;
  // Its random numbers begin here, from the first that the recording drew on its device, and those of cpu:0 besides.
  uint64_t random_offset, host_random_offset;
  char* workspace = nullptr;  // in its device's arena
  std::unique_ptr<const Origin> origin;
  std::unique_ptr<std::vector<const Storage*>> zeroed;  // before each run of it; mostly null: nothing is
  SmallVector<uint32_t, 2> predecessors;                // ascending
  uint32_t section;                                     // of the settings, the one that switches it
  uint32_t parameter = ops::kAlways;                    // of the settings, the one whose value it writes
  uint32_t segment = 0, branch = 0;
};

// The numbers that a run draws from one sequence of random numbers.
struct Numbers {
  uint64_t count = 0;  // Philox counters that it consumes
  uint64_t begin = 0;  // those that earlier segments consume
};

// Consecutive steps that are run as one task: a captured CUDA graph, or tasks one after the other.
struct SegmentFacts {
  bool captured = false;
  bool conditional = false;        // some of its nodes choose (compile/conditional.cc)
  bool keeps_host_random = false;  // the bodies of those draw, from where the choices are, which the device is told
  bool fell_back = false;          // it was to be captured, and could not be
  Device* device = nullptr;
  uint32_t begin = 0, end = 0;  // steps
  int branches = 0;             // of the capture
  int nodes = 0, edges = 0, programmatic = 0;
  Numbers numbers;        // of the device's sequence
  Numbers host_random;    // of that of cpu:0, for what chooses on a GPU
  std::string why_split;  // why it is not captured; empty if it is

  uint32_t size() const { return end - begin; }
  const char* kind_text() const;  // for people
};

// Graphs keep this of a value once its storage has memory.
struct Made {
  Ref<Storage> storage;
  ops::ValueRole role;
};

struct GraphFacts;

struct BodyFacts {
  std::string name;
  std::unique_ptr<GraphFacts> facts;  // null: there is nothing to do
};

// A step that has bodies.
struct ControlFacts {
  uint32_t step;
  View number;        // what it goes by
  bool node = false;  // it is a node that chooses; else the host decides
  std::vector<BodyFacts> bodies;
};

struct GraphFacts {
  const char* name = "";
  uint64_t number = 0;  // of its recording, among all of the process
  bool callable = false, as_written = false, fewer_roundings = false;
  bool unkept = false;   // something of it is a stranger's: what is compiled for it is not kept (rtc/unkept.h)
  bool body = false;     // of control flow in another graph
  bool in_node = false;  // a body in a node that chooses
  int depth = 0;         // how deep bodies, and launches of other graphs, nest in it
  int in_place = 0;      // temporaries that lie where an operand of their task lay, those of bodies included
  const char* not_inlinable = nullptr;  // why it stays a launch in a recording; null: it becomes nodes of that
  const char* no_replay = nullptr;      // why it cannot be recorded again, for people; null: it can
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;  // all but how often it was launched
  std::vector<PassReport> passes;
  std::vector<Step> steps;
  std::vector<SegmentFacts> segments;
  std::vector<ControlFacts> controls;
  std::vector<Made> made;   // in the recording, and inputs of calls
  std::string why_serial;   // why calls do not overlap though the recording asked for that; empty: as it asked
  int packed = 0;           // products that read packed copies of their weights, those of bodies included
  size_t packed_bytes = 0;  // of these copies, each as often as it is read

  // The place in the program where a task was recorded, of bodies' too, as a part of a sentence; empty if that was not
  // noted.
  std::string recorded_at(const Task& task) const;
  // True if the steps of a segment, in bodies too, are operators on the host that only compute (Task::lendable).
  bool only_computes(const SegmentFacts& segment) const;
  // How many auxiliary streams the steps of a segment need where they are run one by one.
  int most_auxiliaries(const SegmentFacts& segment) const;
};

}  // namespace rondo
