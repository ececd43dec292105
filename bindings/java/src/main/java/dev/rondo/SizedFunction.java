// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** Records a function whose sizes vary, for {@link ProgramWriter#function(String, SizedFunction)}. */
@FunctionalInterface
public interface SizedFunction {
  /**
   * Records it at sizes, as a graph that is called ({@link RecordFlags#CALLABLE}). It has the same operators at all sizes, and uses the same
   * tensors from outside.
   *
   * @param sizes one for each dimension
   * @return the graph, which passes to Rondo and is closed
   * @throws Exception what writing the file fails with
   */
  Graph record(long[] sizes) throws Exception;
}
