// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/**
 * An open recording, as {@link Engine#record(java.util.function.Consumer)} hands it to what records. It is a scope as well: tensors made
 * in it are temporaries of the graph and closed at its end, except those that are kept, which are its outputs.
 */
public final class Recording {
  private final Engine engine;
  private final Scope scope;

  Recording(Engine engine, Scope scope) {
    this.engine = engine;
    this.scope = scope;
  }

  /**
   * Makes an input of a recording whose options have {@link RecordFlags#CALLABLE}: a tensor that stands for what each {@link
   * Graph#call} is given. The recording may read it, not write it. It is closed at the recording's end.
   *
   * @param device where the tensors are
   * @param dtype their element type
   * @param shape their shape
   * @return the input
   * @throws InvalidStateException if the recording is over, or its graph is launched
   */
  public Tensor input(Device device, DType dtype, long... shape) {
    final long address = engine.acquire();
    try {
      return Tensor.made(engine, NativeGraph.recordInput(address, device, dtype, shape));
    } finally {
      engine.release();
    }
  }

  /**
   * Records a parameter: a number that each launch is given, such as a learning rate. It is a tensor without axes, into which a
   * launch writes what {@link Graph#set} said last, and {@code value} before that. It is closed at the recording's end.
   *
   * <pre>{@code
   * Graph step = engine.record(recording -> {
   *   Tensor rate = recording.parameter("rate", w.device(), DType.F32, 0.1);
   *   w.subInto(gradient.mul(rate), w);
   * });
   * step.launch();
   * step.set("rate", 0.05);
   * step.launch();
   * }</pre>
   *
   * @param name one of its own in the recording
   * @param device where the tensor is
   * @param dtype its element type
   * @param value what it is at first
   * @return the tensor
   * @throws InvalidStateException if the recording is over
   * @throws InvalidArgumentException for a name that is empty or taken, or a value that the dtype does not hold
   */
  public Tensor parameter(String name, Device device, DType dtype, double value) {
    final long address = engine.acquire();
    try {
      return Tensor.made(engine, NativeGraph.recordParameter(address, name, device, dtype, value));
    } finally {
      engine.release();
    }
  }

  /**
   * What {@code body} records is a section, which {@link Graph#enable} switches: where it is off, none of it runs, and what it
   * would write stays as it was.
   *
   * @param name what it is called; several parts of a recording may be one section
   * @param on whether it is on before anything else is said
   * @param body what records
   * @throws InvalidStateException if the recording is over, or in a section
   * @throws InvalidArgumentException for an empty name, or another {@code on} than that of a part of the same name
   */
  public void section(String name, boolean on, Runnable body) {
    final long address = engine.acquire();
    try {
      NativeGraph.recordSectionBegin(address, name, on ? 1 : 0);
      try {
        body.run();
      } finally {
        NativeGraph.recordSectionEnd(address);
      }
    } finally {
      engine.release();
    }
  }

  /**
   * Makes a tensor an output: each launch of the graph writes it, and it outlives the recording. The caller closes it. Of a view
   * the whole tensor is an output, and the view outlives the recording.
   *
   * @param tensor a tensor made in this recording; one from outside has its contents anyway
   * @return the tensor
   * @throws InvalidStateException if the recording is over, or the tensor closed
   * @throws InvalidArgumentException for a tensor of another engine
   */
  public Tensor keep(Tensor tensor) {
    output(tensor);
    return scope.keep(tensor);
  }

  /**
   * Names the next output of a recording whose options have {@link RecordFlags#CALLABLE}: each {@link Graph#call} leaves a tensor of
   * its dtype and shape.
   *
   * @param tensor a whole tensor that was made in this recording, and is not one of its inputs
   * @throws InvalidStateException if the recording is over
   * @throws InvalidArgumentException for another tensor; a copy can be named
   */
  public void output(Tensor tensor) {
    final long address = engine.acquire();
    try {
      final long output = tensor.acquire();
      try {
        NativeGraph.recordOutput(address, output);
      } finally {
        tensor.release();
      }
    } finally {
      engine.release();
    }
  }

  /** Keeps the tensors in a value. */
  <T> T keepAll(T value) {
    Tensors.in(value).forEach(this::keep);
    return value;
  }

  /**
   * The engine that records.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }
}
