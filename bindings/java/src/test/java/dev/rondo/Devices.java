// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.function.Executable;

/** The devices that tests run on, and what several tests need. */
final class Devices {
  private Devices() {}

  /** The cpu, and the first CUDA device where there is one; RONDO_TEST_NEEDS_CUDA says that there must be. */
  static Stream<Device> all() {
    final List<Device> devices = new ArrayList<>();
    devices.add(Device.CPU);
    if (Device.count(DeviceKind.CUDA) > 0) {
      devices.add(Device.cuda(0));
    } else {
      assertTrue(System.getenv("RONDO_TEST_NEEDS_CUDA") == null, () -> Rondo.feature("cuda").reason());
    }
    return devices.stream();
  }

  /** The devices of two ranks of one process: the cpu for both, and the first two CUDA devices where there are two. */
  static Stream<List<Device>> pairs() {
    final List<List<Device>> pairs = new ArrayList<>(List.of(List.of(Device.CPU, Device.CPU)));
    if (Device.count(DeviceKind.CUDA) > 1) {
      pairs.add(List.of(Device.cuda(0), Device.cuda(1)));
    } else {
      assertTrue(System.getenv("RONDO_TEST_NEEDS_CUDA") == null, "two CUDA devices are needed");
    }
    return pairs.stream();
  }

  /** Every device with every mode. */
  static Stream<Object[]> modes() {
    return all().flatMap(device -> Stream.of(EngineMode.ASYNC, EngineMode.THREADED, EngineMode.NAIVE).map(mode -> new Object[] {device, mode}));
  }

  /** Asserts that a call throws and that the message has these words. */
  static <T extends Throwable> T fails(Class<T> kind, Executable call, String... words) {
    final T thrown = assertThrows(kind, call);
    for (final String word : words) {
      assertTrue(thrown.getMessage().contains(word), () -> "'" + word + "' is not in: " + thrown.getMessage());
    }
    return thrown;
  }
}
