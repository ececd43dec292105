// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The files of the native library for one kind of machine: the service that a jar of them provides, so that whoever requires the module
 * of Rondo has the natives that are on the module path. Programs do not use it.
 */
public interface NativeFiles {
  /**
   * Opens a file of the jar.
   *
   * @param resource its name in the jar
   * @return its contents; null if the jar has no such file, as that of another kind of machine
   */
  @Nullable InputStream open(String resource);
}
