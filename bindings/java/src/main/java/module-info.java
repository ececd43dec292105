// The module of the Java library. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

/** Rondo: a GPU runtime with an asynchronous engine, recorded graphs and operators compiled at run time. */
module dev.rondo {
  requires static org.jspecify; // annotations: nothing needs them at run time

  exports dev.rondo;

  uses dev.rondo.NativeFiles;
}
