// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.nio.FloatBuffer;

/** Classifies batches of images. Belongs to one thread at a time: the one that launches batches. */
interface Model extends AutoCloseable {
  /** Numbers that an image has. */
  int pixels();

  /** Classes that it tells apart. */
  int classes();

  /** The most images of one batch. */
  int largestBatch();

  /** Direct memory with room for the largest batch, where the images of the next one are put, from the beginning on. */
  FloatBuffer input();

  /**
   * Classifies the first images of the input.
   *
   * @param images how many
   * @param probabilities receives {@link #classes} numbers for each image, from its beginning on
   * @return the batch that was launched: the number of images, or more
   */
  int classify(int images, float[] probabilities);

  /** Where it runs. */
  String device();

  /** Bytes of the device's memory that are in use, and that are kept for reuse. */
  Memory memory();

  @Override
  void close();

  /** Memory of a device, in bytes. */
  record Memory(long inUse, long cached) {}
}
