// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.List;

/**
 * A text of CUDA C++, compiled for one GPU:
 *
 * <pre>{@code
 * CudaModule module = new CudaModule(engine, device, text, "scale<float>(const float* x, float* y, float a, int n)");
 * module.launch("scale<float>", new LaunchOptions().gridX(4).blockX(256),
 *     Argument.of("x", x), Argument.of("y", y), Argument.of("a", 0.5), Argument.of("n", 1000));
 * }</pre>
 */
public final class CudaModule extends NativeObject {
  private final Engine engine;

  /**
   * Compiles a text. Blocks while it does.
   *
   * @param engine the engine it belongs to
   * @param device a GPU
   * @param text CUDA C++17
   * @param kernels declarations of those that will be launched, separated by semicolons
   * @throws UnsupportedException for a device that is not a GPU
   * @throws CompileFailedException with the compiler's log, whose lines are the text's
   */
  public CudaModule(Engine engine, Device device, String text, String kernels) {
    this(engine, device, text, kernels, new ModuleOptions());
  }

  /**
   * Compiles a text. Blocks while it does.
   *
   * @param engine the engine it belongs to
   * @param device a GPU
   * @param text CUDA C++17
   * @param kernels declarations of those that will be launched, separated by semicolons
   * @param options the text's name in messages, options of the compiler
   * @throws UnsupportedException for a device that is not a GPU
   * @throws CompileFailedException with the compiler's log, whose lines are the text's
   */
  public CudaModule(Engine engine, Device device, String text, String kernels, ModuleOptions options) {
    super("module", create(engine, device, text, kernels, options), engine.gate(), NativeUser::moduleDestroy);
    this.engine = engine;
    Scope.add(this);
  }

  private static long create(Engine engine, Device device, String text, String kernels, ModuleOptions options) {
    final long address = engine.acquire();
    try {
      return NativeUser.moduleCreate(address, device, text, kernels, options);
    } finally {
      engine.release();
    }
  }

  /**
   * The engine it belongs to.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }

  /**
   * Submits a launch. Does not wait.
   *
   * @param kernel the name that the kernel was declared with
   * @param options blocks, threads, shared memory
   * @param arguments the kernel's, in order
   * @throws RondoException if an argument does not fit, or in naive mode if the task failed
   */
  public void launch(String kernel, LaunchOptions options, Argument... arguments) {
    final Argument[] given = arguments.clone();
    final List<NativeObject> used = new ArrayList<>();
    used.add(this);
    Arguments.addTensors(given, used);
    final Uses uses = use(used.toArray(new NativeObject[0]));
    try {
      final Arguments plain = new Arguments(given);
      launch0(address(), Memory.bytes(kernel), plain.names, plain.kinds, plain.scalars, plain.words, new int[] {
          options.gridXValue(), options.gridYValue(), options.gridZValue(), options.blockXValue(), options.blockYValue(),
          options.blockZValue(), options.sharedBytesValue(), options.priorityValue(), options.streamValue(),
          options.flagsValue()});
    } finally {
      uses.end();
    }
  }

  private static native void launch0(long module, byte[] kernel, byte[][] names, int[] kinds, double[] scalars, long[] words,
      int[] options);
}
