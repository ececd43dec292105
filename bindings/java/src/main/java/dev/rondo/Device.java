// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;

/** A device, by kind and index: {@code cpu:0}, {@code cuda:0}. Whether it exists shows where it is used. */
public final class Device {
  /** The processor: {@code cpu:0}. */
  public static final Device CPU = new Device(DeviceKind.CPU, 0);

  private final DeviceKind kind;
  private final int index;

  private Device(DeviceKind kind, int index) {
    this.kind = Objects.requireNonNull(kind, "kind");
    this.index = index;
  }

  /** From a struct rondo_device. */
  Device(byte[] data) {
    final ByteBuffer bytes = ByteBuffer.wrap(data).order(ByteOrder.nativeOrder());
    kind = DeviceKind.of(bytes.getInt());
    index = bytes.getInt();
  }

  /** Kind and index of each, as an array of structs has them. */
  static int[] numbers(Device... devices) {
    return Arrays.stream(devices).flatMapToInt(each -> IntStream.of(each.kind.value(), each.index)).toArray();
  }

  /**
   * The device of a kind with an index.
   *
   * @param kind what it is
   * @param index which one, from 0
   * @return the device
   */
  public static Device of(DeviceKind kind, int index) {
    return new Device(kind, index);
  }

  /**
   * A CUDA device.
   *
   * @param index which one, from 0
   * @return the device
   */
  public static Device cuda(int index) {
    return new Device(DeviceKind.CUDA, index);
  }

  /**
   * The device that a text names.
   *
   * @param text {@code "cpu"}, {@code "cuda:1"} and the like
   * @return the device
   * @throws InvalidArgumentException if the text names none
   */
  public static Device parse(String text) {
    NativeLibrary.load();
    return NativeDevice.deviceParse(text);
  }

  /**
   * How many devices of a kind there are. Loads the driver on first use.
   *
   * @param kind which kind
   * @return the number; 0 for {@link DeviceKind#CUDA} without a driver, which {@link Rondo#feature} explains
   */
  public static int count(DeviceKind kind) {
    NativeLibrary.load();
    return NativeDevice.deviceCount(kind);
  }

  /**
   * What this device is: its name, memory, capability.
   *
   * @return the facts
   * @throws NotFoundException if there is no such device
   */
  public DeviceInfo info() {
    NativeLibrary.load();
    return NativeDevice.deviceQuery(this);
  }

  /**
   * The kind.
   *
   * @return the kind
   */
  public DeviceKind kind() {
    return kind;
  }

  /**
   * Which device of its kind.
   *
   * @return the index, from 0
   */
  public int index() {
    return index;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Device && ((Device) other).kind == kind && ((Device) other).index == index;
  }

  @Override
  public int hashCode() {
    return 31 * kind.hashCode() + index;
  }

  /** The text that {@link #parse} takes. */
  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT) + ":" + index;
  }
}
