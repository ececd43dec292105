// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.natives;

import dev.rondo.NativeFiles;
import java.io.InputStream;

/** The jar that this class is in: it is packed with the native files, not with the other classes. */
public final class NativeJar implements NativeFiles {
  /** For the loader of services. */
  public NativeJar() {}

  @Override
  public InputStream open(String resource) {
    return NativeJar.class.getResourceAsStream("/" + resource);
  }
}
