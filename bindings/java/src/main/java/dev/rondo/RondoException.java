// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A call of Rondo failed, or a task did and the call is a wait for it. Each {@link Status} has a subclass. The message names the
 * function, the argument and what would be right; for a failure of a task the first cause.
 */
public class RondoException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final Pattern TASK = Pattern.compile("\\b(?:operator|task) '([^']*)'(?: on ((?:cpu|cuda):\\d+))?");
  private static final Pattern DEVICE = Pattern.compile("\\b(?:cpu|cuda):\\d+");

  /** Why it failed. */
  private final Status status;

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
   * The operator or user task that failed, where the message names one.
   *
   * @return its name
   */
  public Optional<String> operator() {
    final Matcher matcher = TASK.matcher(message());
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /**
   * The device where it failed, where the message names one.
   *
   * @return the device
   */
  public Optional<Device> device() {
    final Matcher task = TASK.matcher(message());
    if (task.find() && task.group(2) != null) {
      return Optional.of(Device.parse(task.group(2)));
    }
    final Matcher device = DEVICE.matcher(message());
    return device.find() ? Optional.of(Device.parse(device.group())) : Optional.empty();
  }

  private String message() {
    return getMessage() == null ? "" : getMessage();
  }

  /** Called by the native methods. */
  static void raise(int status, byte[] message) {
    final String text = new String(message, StandardCharsets.UTF_8);
    throw Exceptions.of(status, text, status == Status.USER_ERROR.value() ? Tasks.failure(text) : null);
  }
}
