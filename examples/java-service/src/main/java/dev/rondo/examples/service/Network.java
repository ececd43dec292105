// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.Tensor;
import java.util.List;

/** A network with its trained weights, in the host's memory, so that it can be put on another device when one is lost. */
interface Network {
  /** For graphs and metrics. */
  String name();

  /** Numbers that an image has. */
  int pixels();

  /** Classes that it tells apart. */
  int classes();

  /** Puts the weights on a device. */
  List<Tensor> upload(Engine engine, Device device);

  /**
   * Operators from images to probabilities. Is recorded.
   *
   * @param weights what {@link #upload} made
   * @param images [rows, pixels]
   * @return [rows, classes]
   */
  Tensor probabilities(List<Tensor> weights, Tensor images);
}
