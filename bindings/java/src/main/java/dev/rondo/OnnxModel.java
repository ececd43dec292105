// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * An ONNX model in a file, and what is said of it before it becomes a program:
 * {@code new OnnxModel(path).size("batch", 8).open()}, which {@link Program#instance} then puts on a device.
 *
 * <p>The library {@code librondo_onnx.so.0} converts it. It is in the jar with the native files, and is loaded with these; otherwise the
 * system's loader looks for it when a model is first converted. For one thread at a time.
 */
public final class OnnxModel {
  private final Path path;
  private final List<String> sizeNames = new ArrayList<>();
  private final List<Long> sizes = new ArrayList<>();
  private final List<String> dimNames = new ArrayList<>();
  private final List<Long> least = new ArrayList<>();
  private final List<Long> most = new ArrayList<>();
  private final List<Long> steps = new ArrayList<>();
  private final List<String> limitNames = new ArrayList<>();
  private final List<Long> limits = new ArrayList<>();
  private final List<String> inputNames = new ArrayList<>();
  private final List<double[]> inputs = new ArrayList<>();
  private String function; // null: "main"
  private long memoryLimit;
  private boolean fewerRoundings;
  private boolean patterns = true;

  /**
   * A model in this file, which is read when it is converted.
   *
   * @param path the file
   */
  public OnnxModel(Path path) {
    this.path = Objects.requireNonNull(path, "path");
  }

  /**
   * Gives a dimension that the model names its size.
   *
   * @param name its name; {@code input:axis} of one that has none
   * @param size 1 or more
   * @return this
   */
  public OnnxModel size(String name, long size) {
    sizeNames.add(Objects.requireNonNull(name, "name"));
    sizes.add(size);
    return this;
  }

  /**
   * Lets the program be called with any size of a dimension between bounds.
   *
   * @param name its name as for {@link #size}; several names with {@code =} between them are of one size
   * @param smallest 1 or more
   * @param largest above the smallest
   * @return this
   */
  public OnnxModel dim(String name, long smallest, long largest) {
    return dim(name, smallest, largest, 1);
  }

  /**
   * Lets the program be called with the multiples of a number between bounds, for networks that take others only. The program's dimension
   * counts the steps.
   *
   * @param name its name as for {@link #size}; several names with {@code =} between them are of one size
   * @param smallest 1 or more, a multiple of the step
   * @param largest above the smallest, a multiple of the step
   * @param step 1 or more
   * @return this
   */
  public OnnxModel dim(String name, long smallest, long largest, long step) {
    dimNames.add(Objects.requireNonNull(name, "name"));
    least.add(smallest);
    most.add(largest);
    steps.add(step);
    return this;
  }

  /**
   * Limits the elements of a result whose number the program computes, as that of NonZero, and the turns of such a loop. How many there are
   * is a further output of the program, the result's name with {@code .count}.
   *
   * @param name the node's first result, or the operator for all its nodes
   * @param most 1 or more
   * @return this
   */
  public OnnxModel limit(String name, long most) {
    limitNames.add(Objects.requireNonNull(name, "name"));
    limits.add(most);
    return this;
  }

  /**
   * Makes an input a constant, such as a sampling rate or a list of sizes. The program does not have it then.
   *
   * @param name its name
   * @param numbers as many as its shape says, row-major
   * @return this
   */
  public OnnxModel input(String name, double... numbers) {
    inputNames.add(Objects.requireNonNull(name, "name"));
    inputs.add(numbers.clone());
    return this;
  }

  /**
   * Names the function in the program, which is {@code main} otherwise.
   *
   * @param name its name
   * @return this
   */
  public OnnxModel function(String name) {
    function = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Limits what weights and constants may take while the model is converted, for models of strangers.
   *
   * @param bytes the most bytes; 0 is no limit
   * @return this
   */
  public OnnxModel memoryLimit(long bytes) {
    memoryLimit = bytes;
    return this;
  }

  /**
   * Says whether the program may leave out roundings between operators that become one.
   *
   * @param fewer whether it may; false otherwise
   * @return this
   */
  public OnnxModel fewerRoundings(boolean fewer) {
    fewerRoundings = fewer;
    return this;
  }

  /**
   * Says whether nodes that are one operator together, such as those of a layer normalisation, become that operator.
   *
   * @param found whether they do; true otherwise
   * @return this
   */
  public OnnxModel patterns(boolean found) {
    patterns = found;
    return this;
  }

  /**
   * Converts the model and opens what it becomes. No file is left: the program's lies in the folder for temporary files without a name,
   * and its room is given back with the program and its instances.
   *
   * @return the program
   * @throws LibraryMissingException if {@code librondo_onnx.so.0} is not found
   * @throws UnsupportedException if something cannot be converted: the message has all such nodes
   * @throws InvalidArgumentException for dimensions that have no size, and for sizes and numbers that are wrong
   * @throws NotFoundException if there is no such file
   * @throws IoException if it cannot be read or is no such model
   */
  public Program open() {
    NativeLibrary.load();
    return Program.adopt(converted(null));
  }

  /**
   * Converts the model to a program file, which appears under its name when it is complete.
   *
   * @param file where the program is written
   * @throws LibraryMissingException if {@code librondo_onnx.so.0} is not found
   * @throws UnsupportedException if something cannot be converted: the message has all such nodes
   * @throws InvalidArgumentException for dimensions that have no size, and for sizes and numbers that are wrong
   * @throws NotFoundException if there is no such file
   * @throws IoException if it cannot be read or is no such model, or the program cannot be written
   */
  public void convert(Path file) {
    Objects.requireNonNull(file, "file");
    NativeLibrary.load();
    converted(Memory.bytes(Memory.nameOf(file)));
  }

  private long converted(byte[] file) {
    return convert0(Memory.bytes(Memory.nameOf(path)), file, texts(sizeNames), numbers(sizes), texts(dimNames), numbers(least), numbers(most), numbers(steps),
        texts(limitNames), numbers(limits), texts(inputNames), inputs.stream().mapToLong(each -> each.length).toArray(),
        inputs.stream().flatMapToDouble(java.util.Arrays::stream).toArray(), function == null ? null : Memory.bytes(function), memoryLimit,
        fewerRoundings, !patterns);
  }

  @Override
  public String toString() {
    return "OnnxModel[" + path + "]";
  }

  private static long[] numbers(List<Long> list) {
    return list.stream().mapToLong(Long::longValue).toArray();
  }

  private static byte[][] texts(List<String> texts) {
    return texts.stream().map(Memory::bytes).toArray(byte[][]::new);
  }

  private static native long convert0(byte[] path, byte[] out, byte[][] sizeNames, long[] sizes, byte[][] dimNames, long[] least, long[] most, long[] steps,
      byte[][] limitNames, long[] limits, byte[][] inputNames, long[] counts, double[] numbers, byte[] function, long memoryLimit, boolean fewerRoundings, boolean noPatterns);
}
