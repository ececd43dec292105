// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An elementwise expression written as text, one kernel on a GPU:
 *
 * <pre>{@code
 * try (Expression axpy = new Expression("y = a * x + y")) {
 *   Tensor sum = axpy.run(Argument.of("a", 2.0), Argument.of("x", x), Argument.of("y", y)).get(0);
 * }
 * }</pre>
 *
 * <p>It belongs to no engine, and any number of threads may run it at once.
 */
public final class Expression extends NativeObject {
  /**
   * Parses a text.
   *
   * @param text statements such as {@code y = a * x + y}, separated by semicolons
   * @throws InvalidArgumentException with line and column for a text that is not right
   */
  public Expression(String text) {
    this(text, null);
  }

  /**
   * Parses a text.
   *
   * @param text statements such as {@code y = a * x + y}, separated by semicolons
   * @param name for errors, traces and reports; null: {@code expression}
   * @throws InvalidArgumentException with line and column for a text that is not right
   */
  public Expression(String text, @Nullable String name) {
    super("expression", NativeUser.expressionCreate(text, name), new Gate(), NativeUser::expressionDestroy);
    Scope.add(this);
  }

  /**
   * Names that are read before they are assigned, in the order of the text.
   *
   * @return the names
   */
  public List<String> operands() {
    return names(NativeUser::expressionOperand);
  }

  /**
   * Names that are assigned, in the order of the text.
   *
   * @return the names
   */
  public List<String> results() {
    return names(NativeUser::expressionResult);
  }

  /**
   * Computes the results into new tensors.
   *
   * @param arguments one per operand, in any order
   * @return one tensor per result
   * @throws RondoException if an argument does not fit, or in naive mode if a task failed
   */
  public List<Tensor> run(Argument... arguments) {
    return run(Collections.emptyList(), arguments);
  }

  /**
   * Computes the results, into tensors that are there.
   *
   * @param out one entry per result, null for a new tensor; none at all: all are new
   * @param arguments one per operand, in any order
   * @return one tensor per result
   * @throws RondoException if an argument does not fit, or in naive mode if a task failed
   */
  public List<Tensor> run(List<@Nullable Tensor> out, Argument... arguments) {
    return runNow(now(out), arguments.clone());
  }

  private List<Tensor> runNow(List<@Nullable Tensor> out, Argument[] arguments) {
    final int count = out.isEmpty() ? results().size() : out.size();
    final List<NativeObject> used = new ArrayList<>();
    final long[] results = new long[count];
    used.add(this);
    Arguments.addTensors(arguments, used);
    final Engine engine = used.size() == 1 ? null : ((Tensor) used.get(1)).engine();
    for (final Tensor each : out) {
      if (each != null) {
        used.add(each);
      }
    }
    final Uses uses = use(used.toArray(new NativeObject[0]));
    try {
      final Arguments plain = new Arguments(arguments);
      for (int i = 0; i < out.size(); ++i) {
        results[i] = out.get(i) == null ? 0 : out.get(i).address();
      }
      run0(address(), plain.names, plain.kinds, plain.scalars, plain.words, results);
    } finally {
      uses.end();
    }
    final List<Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < count; ++i) {
      tensors.add(Tensor.result(engine, results[i], out.isEmpty() ? null : out.get(i)));
    }
    return tensors;
  }

  /** Arguments of {@link #runEach}, and the tensors that take the results. */
  public static final class Set {
    private final List<Tensor> out;
    private final Argument[] arguments;

    /**
     * A set.
     *
     * @param out one tensor per result
     * @param arguments one per operand, in any order
     */
    public Set(List<Tensor> out, Argument... arguments) {
      this.out = new ArrayList<>(out);
      this.arguments = arguments.clone();
    }
  }

  /**
   * Computes the results of each of the sets into tensors that are there, as one task. What a set writes, no other may
   * read or write.
   *
   * @param sets the sets, with the same number of arguments each; of none nothing is done
   * @throws RondoException if an argument does not fit, or in naive mode if a task failed
   */
  public void runEach(List<Set> sets) {
    final int count = results().size();
    if (sets.isEmpty()) {
      return;
    }
    final int operands = sets.get(0).arguments.length;
    final List<NativeObject> used = new ArrayList<>();
    final List<Argument> arguments = new ArrayList<>();
    final List<Tensor> out = new ArrayList<>();
    used.add(this);
    for (final Set set : sets) {
      if (set.arguments.length != operands || set.out.size() != count) {
        throw new InvalidArgumentException(
            "Expression.runEach: each set needs as many arguments as the first, and all results", null);
      }
      Collections.addAll(arguments, set.arguments);
      out.addAll(set.out);
    }
    final Argument[] all = arguments.toArray(new Argument[0]);
    Arguments.addTensors(all, used);
    used.addAll(out);
    final Uses uses = use(used.toArray(new NativeObject[0]));
    try {
      final Arguments plain = new Arguments(all);
      final long[] results = new long[out.size()];
      for (int i = 0; i < results.length; ++i) {
        results[i] = out.get(i).address();
      }
      runEach0(address(), sets.size(), plain.names, plain.kinds, plain.scalars, plain.words, results);
    } finally {
      uses.end();
    }
  }

  private interface NameOf {
    String at(long expression, int index);
  }

  private List<String> names(NameOf name) {
    final long address = acquire();
    try {
      final List<String> names = new ArrayList<>();
      for (String text = name.at(address, 0); text != null; text = name.at(address, names.size())) {
        names.add(text);
      }
      return names;
    } finally {
      release();
    }
  }

  private static native void run0(long expression, byte[][] names, int[] kinds, double[] scalars, long[] words, long[] results);

  private static native void runEach0(long expression, int count, byte[][] names, int[] kinds, double[] scalars, long[] words, long[] results);
}
