// The module of the Java library. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

/** Rondo: a GPU runtime with an asynchronous engine, recorded graphs and operators compiled at run time. */
module dev.rondo {
  exports dev.rondo;

  uses dev.rondo.NativeFiles;
}
