// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The library: its version, what it can use on this machine, its log, and objects that nobody closed. */
public final class Rondo {
  private Rondo() {}

  /**
   * The version of the native library, with the build's flavour.
   *
   * @return for example {@code "0.1.0"}
   */
  public static String version() {
    NativeLibrary.load();
    return NativeStatus.versionString();
  }

  /**
   * Whether a feature can be used in this process, and why. The names are those of {@code rondo_feature}: {@code "cuda"}, {@code
   * "nvrtc"}, {@code "cublaslt"}, {@code "cudnn"}, {@code "blas"}, {@code "onednn"}, {@code "graphs"} and others. The first call for one may load its library.
   *
   * @param name the feature
   * @return what is known of it
   * @throws InvalidArgumentException if there is no such feature
   */
  public static Feature feature(String name) {
    NativeLibrary.load();
    final long[] results = new long[2];
    NativeStatus.feature(name, results);
    return new Feature(name, results[0] != 0, Memory.text(results[1]));
  }

  /**
   * Sends messages of the library to a function instead of stderr. It is called on a thread of its own, one call at a time, shortly
   * after the message was written.
   *
   * @param level the least important level that is wanted
   * @param log takes level and text; null: back to stderr
   */
  public static void setLog(LogLevel level, @Nullable BiConsumer<LogLevel, String> log) {
    NativeLibrary.load();
    NativeEvents.log(level, log);
  }

  /**
   * How many objects were not closed and then freed by the garbage collector. The property {@code dev.rondo.leaks} says what is
   * logged of them: {@code report}, the first of each kind; {@code trace}, each with the place where it was made, which slows
   * down; {@code off}.
   *
   * @return the number so far
   */
  public static long leaks() {
    return Leaks.count();
  }

  /**
   * The size of one element.
   *
   * @param dtype of this type
   * @return the number of bytes
   */
  public static int elementSize(DType dtype) {
    NativeLibrary.load();
    return (int) NativeTensor.dtypeSize(dtype);
  }
}
