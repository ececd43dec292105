// The module of a jar of native files. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

/** The native library of Rondo for one kind of machine. */
module dev.rondo.natives {
  requires dev.rondo;

  provides dev.rondo.NativeFiles with dev.rondo.natives.NativeJar;
}
