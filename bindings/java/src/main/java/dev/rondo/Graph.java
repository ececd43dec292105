// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.file.Path;

/** A compiled recording: replayed as often as wanted. Made by {@link Engine#record}. */
public class Graph extends NativeObject {
  private final Engine engine;

  Graph(Engine engine, long address) {
    super("graph", address, engine.gate(), NativeGraph::graphDestroy);
    this.engine = engine;
    Scope.add(this);
  }

  /**
   * The engine it belongs to.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }

  /** Submits one run. Does not wait: launches are ordered with everything else by what they read and write. */
  public void launch() {
    final long address = acquire();
    try {
      NativeGraph.graphLaunch(address);
    } finally {
      release();
    }
  }

  /**
   * Figures: tasks, segments, nodes, memory, times.
   *
   * @return the figures
   */
  public GraphInfo info() {
    final long address = acquire();
    try {
      return NativeGraph.graphQuery(address);
    } finally {
      release();
    }
  }

  /**
   * A report for people: what was captured, what split the graph, where and why, memory and times.
   *
   * @return the text
   */
  public String report() {
    final long address = acquire();
    try {
      final long capacity = NativeGraph.graphReport(address, 0, 0) + 1;
      final long buffer = Memory.allocate(capacity);
      try {
        NativeGraph.graphReport(address, buffer, capacity);
        return Memory.text(buffer);
      } finally {
        Memory.free(buffer);
      }
    } finally {
      release();
    }
  }

  /**
   * Writes the graph as Graphviz DOT.
   *
   * @param path the file
   * @throws IoException if it cannot be written
   */
  public void dot(Path path) {
    final long address = acquire();
    try {
      NativeGraph.graphDot(address, path.toString());
    } finally {
      release();
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "Graph[closed]" : info().toString();
  }
}
