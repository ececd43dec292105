// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Compiled kernels: what this process compiled, what is kept on disk for the next one (the setting {@code RONDO_CACHE}), and files
 * that carry kernels to machines without NVRTC. It belongs to the process, not to an engine.
 */
public final class KernelCache {
  private KernelCache() {}

  /**
   * Counts since the process began, and the folder as it is now, which is looked through.
   *
   * @return what is kept and what was compiled
   */
  public static CacheInfo info() {
    NativeLibrary.load();
    return NativeCache.cacheQuery();
  }

  /**
   * Writes the kept kernels into one file, for {@link #load} on another machine.
   *
   * @param path the file, which takes the place of a former one when it is complete
   * @param capability of the devices they are for, 90 for 9.0; 0: all
   * @return how many kernels there are in it
   * @throws NotFoundException if there is none to write
   * @throws InvalidStateException where no kernels are kept at all
   * @throws IoException if the file cannot be written
   */
  public static long save(Path path, int capability) {
    NativeLibrary.load();
    return NativeCache.cacheExport(Memory.nameOf(path), capability);
  }

  /**
   * Takes the kernels of such a file into the folder, so that operators use them where there is no NVRTC. All of the file is
   * checked first, which finds damage, not bad intent: a kernel is code.
   *
   * @param path the file
   * @return how many were not there before
   * @throws NotFoundException if there is no such file
   * @throws IoException if it cannot be read or is not valid
   * @throws InvalidStateException where no kernels are kept at all, or the file is larger than the folder may become
   */
  public static long load(Path path) {
    NativeLibrary.load();
    return NativeCache.cacheImport(Memory.nameOf(path));
  }

  /**
   * Has a function told when kernels have been compiled for a second, or probably will be. It is called on a thread of its own, one
   * call at a time.
   *
   * @param progress what is told; null: nobody
   */
  public static void setProgress(@Nullable CompileProgress progress) {
    NativeLibrary.load();
    NativeEvents.compileProgress(progress);
  }
}
