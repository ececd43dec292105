// A measured run of a graph: a launch whose tasks are run one after the other, each of them timed: by the host's clock
// where the host runs it, by events of the device around it otherwise. So what a captured segment holds is seen too.
//
// Made by the thread that asks for it, filled by the tasks of the run, which come one after the other, read when they
// are done.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "graph/run/facts.h"

namespace rondo {

class Profile final : public RefCounted {
 public:
  // waits: each task's end waits for the device, so that a fault of it is that task's.
  Profile(const GraphFacts& graph, bool waits);
  ~Profile() override;

  // --- the run. If a time cannot be had, the run is none the worse, and finish() fails.
  // Around a task of the graph, of a body of it, or of a graph that it launches; others are not looked at.
  void begin(const GraphFacts& graph, uint32_t task, const TaskContext& context) noexcept;
  Status end(const GraphFacts& graph, uint32_t task, const TaskContext& context) noexcept;
  // Around a segment that is run as a whole.
  void begin(const SegmentFacts& segment, const TaskContext& context) noexcept;
  Status end(const SegmentFacts& segment, const TaskContext& context) noexcept;
  // A task between those two.
  static Status run(Task& task, const TaskContext& context);
  // The run, or a part of it, has failed.
  void fail(const Status& status) noexcept;

  // --- when it is done
  // Of a task, or a segment: when it first began, and how long all of its runs took.
  struct Times {
    double begin = 0, us = 0;
    int64_t runs = 0;
  };
  // The graph, one of its bodies, or a graph that one of its tasks launches.
  struct Part {
    const GraphFacts* graph;
    std::string body;  // "task 3 'if', then", "task 3 'block'"; empty: the graph
    std::vector<Times> tasks;
    std::vector<Times> segments;  // of the graph's, those that are run as a whole
  };
  // The first failure; else all times are there.
  Status finish();
  const std::vector<Part>& parts() const { return parts_; }  // the graph first
  double start() const { return start_; }

 private:
  struct Events {
    StreamDevice* device;
    Times* times;
    void *begin, *end;
  };
  struct Anchor {  // ties the device's events to the host's clock
    StreamDevice* device;
    void* event;
    double at;
  };
  void add(const GraphFacts& graph, const std::string& body);
  Times* find(const GraphFacts& graph, uint32_t task);
  Times* find(const SegmentFacts& segment);
  void begin(Times* times, const TaskContext& context) noexcept;
  Status end(Times* times, const TaskContext& context) noexcept;
  Status begin_on_device(Times* times, const TaskContext& context);
  Status anchor(StreamDevice& device, void* stream);
  void drop_events() noexcept;

  const bool waits_;
  std::vector<Part> parts_;
  std::vector<Events> events_;  // the last: of the task that runs
  std::vector<Anchor> anchors_;
  double start_ = 0;
  std::mutex mutex_;
  Status failure_;  // guarded by mutex_
};

}  // namespace rondo
