// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What an instance of a {@link Program} has otherwise than the file says. */
public final class ProgramInstanceOptions {
  private final List<String> weightNames = new ArrayList<>();
  final List<Tensor> weights = new ArrayList<>();
  final List<String> extraFunctions = new ArrayList<>();
  private final List<Long> extraValues = new ArrayList<>();
  private GraphFunctionOptions functions = new GraphFunctionOptions();
  private long mostTurns;
  private long mostBytes;

  /** All as the file says. */
  public ProgramInstanceOptions() {}

  /**
   * How functions are called whose sizes vary: memory for the graphs of one, and sizes that inputs are filled up to. Without a name and
   * flags, which are the program's.
   *
   * @param options the options
   * @return this
   */
  public ProgramInstanceOptions functions(GraphFunctionOptions options) {
    functions = new GraphFunctionOptions(Objects.requireNonNull(options, "options"));
    return this;
  }

  /**
   * A tensor in place of a weight of the file, which is not read. It is used as it is at each call; of a state, functions write it.
   *
   * @param name the weight's name
   * @param tensor whole and on the device, of the weight's dtype and shape
   * @return this
   */
  public ProgramInstanceOptions weight(String name, Tensor tensor) {
    Objects.requireNonNull(name, "name");
    weights.add(Objects.requireNonNull(tensor, "tensor"));
    weightNames.add(name);
    return this;
  }

  /**
   * Loops turn at most as often, whatever the file says.
   *
   * @param turns how often; 0: as the file says
   * @return this
   */
  public ProgramInstanceOptions mostTurns(long turns) {
    mostTurns = turns;
    return this;
  }

  /**
   * Memory that the weights of the file, its states and all graphs of the instance may take together; more is refused before it is taken, with
   * the number ({@link Program#memory} tells what is needed). Copies of weights that products on a cpu keep packed do not count.
   *
   * @param bytes how much; 0: any
   * @return this
   */
  public ProgramInstanceOptions mostBytes(long bytes) {
    mostBytes = bytes;
    return this;
  }

  /**
   * A value outside of bodies that is an output of the function too, after its own: for comparing layers.
   *
   * @param function the function's name
   * @param value the value's number in {@link Program#text}
   * @return this
   */
  public ProgramInstanceOptions extra(String function, long value) {
    extraFunctions.add(Objects.requireNonNull(function, "function"));
    extraValues.add(value);
    return this;
  }

  GraphFunctionOptions callablesValue() {
    return functions;
  }

  String[] weightNamesValue() {
    return weightNames.toArray(new String[0]);
  }

  /** Of tensors that are in use. */
  long[] weightsValue() {
    return weights.stream().mapToLong(Tensor::address).toArray();
  }

  long mostTurnsValue() {
    return mostTurns;
  }

  String[] extraFunctionsValue() {
    return extraFunctions.toArray(new String[0]);
  }

  long[] extraValuesValue() {
    return extraValues.stream().mapToLong(each -> each).toArray();
  }

  long mostBytesValue() {
    return mostBytes;
  }

  @Override
  public String toString() {
    return "ProgramInstanceOptions[weights=" + weightNames + ", extra=" + extraFunctions + extraValues + "]";
  }
}
