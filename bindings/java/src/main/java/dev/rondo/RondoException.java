// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call of Rondo failed, or a task did and the call is a wait for it. Each {@link Status} has a subclass. The message names the
 * function, the argument and what would be right; for a failure of a task the first cause.
 */
public class RondoException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why it failed. */
  private final Status status;

  /** The task that failed first; null if none did. */
  private @Nullable String operator;

  /** Where, as {@link Device#parse} takes it. */
  private @Nullable String device;

  RondoException(Status status, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  /**
   * Why it failed.
   *
   * @return the status
   */
  public Status status() {
    return status;
  }

  /**
   * The operator or user task that failed first, if a task failed.
   *
   * @return its name; empty if the call was refused, or took longer than its limit
   */
  public Optional<String> operator() {
    return Optional.ofNullable(operator);
  }

  /**
   * The device where it failed, if a task failed.
   *
   * @return the device
   */
  public Optional<Device> device() {
    return Optional.ofNullable(device).map(Device::parse);
  }

  /** The same failure with the cause that is known in this thread. */
  final RondoException with(Throwable cause) {
    return Exceptions.of(status.value(), getMessage(), cause).of(operator, device);
  }

  /** The same failure with the name of the function that the program called, where others stand behind it. */
  final RondoException toldBy(String function, String... behind) {
    for (String name : behind) {
      if (getMessage().startsWith(name + ": ")) {
        return Exceptions.of(status.value(), function + getMessage().substring(name.length()), getCause()).of(operator, device);
      }
    }
    return this;
  }

  private RondoException of(String ofOperator, String onDevice) {
    operator = ofOperator;
    device = onDevice;
    return this;
  }

  /** Called by the native methods: what the thread's last failure was, and what a task of the user threw. */
  static void raise(int status, byte[] message, byte[] operator, int kind, int index, Throwable cause) {
    final RondoException made = Exceptions.of(status, Messages.inJava(new String(message, StandardCharsets.UTF_8)), cause);
    if (operator != null) {
      made.of(new String(operator, StandardCharsets.UTF_8), Device.of(DeviceKind.of(kind), index).toString());
    }
    throw made;
  }
}
