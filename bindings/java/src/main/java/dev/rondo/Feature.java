// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** What is known of a feature: see {@link Rondo#feature}. */
public final class Feature {
  private final String name;
  private final boolean available;
  private final String reason;

  Feature(String name, boolean available, String reason) {
    this.name = name;
    this.available = available;
    this.reason = reason;
  }

  /**
   * The name it was asked for by.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Whether it can be used.
   *
   * @return true if so
   */
  public boolean available() {
    return available;
  }

  /**
   * Why, with the path and version in use or the places looked at.
   *
   * @return a sentence
   */
  public String reason() {
    return reason;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Feature)) {
      return false;
    }
    final Feature same = (Feature) other;
    return name.equals(same.name) && available == same.available && reason.equals(same.reason);
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(name, available, reason);
  }

  @Override
  public String toString() {
    return name + ": " + (available ? "yes" : "no") + ": " + reason;
  }
}
