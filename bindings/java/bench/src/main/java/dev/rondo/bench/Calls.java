// What the layers between Java and C add to a call: the same calls as calls.c, which run.py subtracts.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.bench;

import dev.rondo.BinaryOp;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.EngineMode;
import dev.rondo.EngineOptions;
import dev.rondo.Operators;
import dev.rondo.Tensor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** In naive mode the caller does all of the work, so that no other thread's time is in the figure. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 30, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(2)
public class Calls {
  private Engine engine;
  private Tensor a;
  private Tensor b;
  private Tensor c;

  /** Two small operands and an output. */
  @Setup
  public void open() {
    engine = Engine.create(new EngineOptions().mode(EngineMode.NAIVE));
    a = engine.tensor(Device.CPU, new float[] {1, 2, 3, 4});
    b = engine.tensor(Device.CPU, new float[] {4, 3, 2, 1});
    c = a.add(b);
  }

  /** All of it. */
  @TearDown
  public void close() {
    c.close();
    b.close();
    a.close();
    engine.close();
  }

  @Benchmark
  public Tensor binaryInto() {
    return Operators.binary(BinaryOp.ADD, a, b, c);
  }

  @Benchmark
  public void binaryNew() {
    a.add(b).close();
  }

  @Benchmark
  public void view() {
    a.reshape(2, 2).close();
  }
}
