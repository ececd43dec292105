// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.Device;
import dev.rondo.DeviceKind;
import dev.rondo.Rondo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the command line says. */
record Options(String model, Map<String, Served> programs, boolean trust, String photographs, String sentences, String device, String host, int port, int maxBatch, int maxWaitMicros, int queue,
    int patience, int connections, boolean cpuWhenLost, String train, boolean help) {
  static final String USAGE = """
      usage: service --model FILE [options], or service --program FILE [options]
        --model FILE              the trained network for digits, a safetensors file with w1, b1, w2, b2
        --program FILE            a program file, whose functions are called by POST /call (none)
        --program NAME=FILE       one of several, whose functions are called by POST /call/NAME; once for each
        --batch DIM               the dimension of the program file whose rows do not see each other: calls that wait are joined along it (none)
        --batch NAME=DIM          that of the program with this name; once for each
        --trust yes|no            the program files are yours: what is compiled for them is kept for the next start (no)
        --photographs FILE        the pretrained network for photographs, which examples/data/photographs.py makes (none)
        --sentences FOLDER        the pretrained network for sentences, which examples/data/sentences.py fetches (none)
        --device cpu|cuda:0|auto  where they run (auto: the first CUDA device, else cpu)
        --host NAME               the address to listen on (127.0.0.1; 0.0.0.0: all)
        --port N                  the port to listen on (8080; 0: a free one)
        --max-batch N             the most images of one launch, and of one request (256)
        --max-wait US             microseconds that the first request of a batch waits for others (200)
        --queue N                 images that may wait; beyond them requests get status 429 (16384)
        --patience S              seconds that the body of a request may take, and one more for each 64 KiB (30)
        --connections N           connections that may be open at a time; others get status 503 (256)
        --when-lost fail|cpu      what a lost device does: requests get status 503, or the cpu goes on (fail)
        --train FILE              trains the network for sketches, some ten minutes on two processors, writes it there, and ends
        --help                    this text
      """;

  private static final Pattern NAMED = Pattern.compile("(?:([A-Za-z][A-Za-z0-9_]*)=)?(.*)", Pattern.DOTALL);

  /** A program file, and the dimension along which its calls are joined; null: they are not. */
  record Served(String file, String batch) {}

  static Options parse(String... arguments) {
    String model = null;
    final Map<String, String> programs = new LinkedHashMap<>(); // by name, "" without one
    final Map<String, String> batches = new LinkedHashMap<>();
    boolean trust = false;
    String photographs = null;
    String sentences = null;
    String device = "auto";
    String host = "127.0.0.1";
    int port = 8080;
    int maxBatch = 256;
    int maxWait = 200;
    int queue = 16384;
    int patience = 30;
    int connections = 256;
    boolean cpuWhenLost = false;
    String train = null;
    for (int i = 0; i < arguments.length; i += 2) {
      final String option = arguments[i];
      if (option.equals("--help")) {
        return new Options("", Map.of(), false, null, null, device, host, port, maxBatch, maxWait, queue, patience, connections, cpuWhenLost, null, true);
      }
      if (!USAGE.contains("  " + option + " ")) {
        throw new IllegalArgumentException("there is no option '" + option + "'");
      }
      if (i + 1 == arguments.length) {
        throw new IllegalArgumentException(option + " needs a value");
      }
      final String value = arguments[i + 1];
      switch (option) {
        case "--train" -> train = value;
        case "--model" -> model = value;
        case "--program" -> put(programs, option, value);
        case "--batch" -> put(batches, option, value);
        case "--trust" -> trust = one(option, value, "yes", "no");
        case "--photographs" -> photographs = value;
        case "--sentences" -> sentences = value;
        case "--device" -> device = value;
        case "--host" -> host = value;
        case "--port" -> port = number(option, value, 0, 65535);
        case "--max-batch" -> maxBatch = number(option, value, 1, 4096);
        case "--max-wait" -> maxWait = number(option, value, 0, 10_000_000);
        case "--queue" -> queue = number(option, value, 1, 10_000_000);
        case "--connections" -> connections = number(option, value, 1, 1_000_000);
        case "--patience" -> patience = number(option, value, 1, 3600);
        default -> cpuWhenLost = one(option, value, "cpu", "fail");
      }
    }
    if (model == null && programs.isEmpty() && train == null) {
      throw new IllegalArgumentException("--model FILE or --program FILE is missing");
    }
    for (final String name : batches.keySet()) {
      if (!programs.containsKey(name)) {
        throw new IllegalArgumentException("--batch names a dimension of a program file: --program " + (name.isEmpty() ? "FILE" : name + "=FILE") + " is missing");
      }
    }
    final Map<String, Served> served = new LinkedHashMap<>();
    programs.forEach((name, file) -> served.put(name, new Served(file, batches.get(name))));
    final Path trained = train == null ? null : Path.of(train).toAbsolutePath();
    if (trained != null && (Files.isDirectory(trained) || !Files.isDirectory(trained.getParent()))) { // or it would come out behind the training
      throw new IllegalArgumentException("--train must name a file in a folder that is there, not '" + train + "'");
    }
    if (queue < maxBatch) {
      throw new IllegalArgumentException("--queue must be at least --max-batch, " + maxBatch + ", not " + queue);
    }
    return new Options(model, served, trust, photographs, sentences, device, host, port, maxBatch, maxWait, queue, patience, connections, cpuWhenLost, train, false);
  }

  /** Keeps a value under the name before its sign, or under "". */
  private static void put(Map<String, String> values, String option, String value) {
    final Matcher parts = NAMED.matcher(value);
    parts.matches();
    final String name = parts.group(1) == null ? "" : parts.group(1);
    if (parts.group(2).isEmpty()) {
      throw new IllegalArgumentException(option + " is '" + value + "': there is nothing behind the name");
    }
    if (values.put(name, parts.group(2)) != null) {
      throw new IllegalArgumentException(option + " is given twice" + (name.isEmpty() ? ": of several programs each needs a name, NAME=FILE" : " for '" + name + "'"));
    }
  }

  /** True for the first of two words. */
  private static boolean one(String option, String text, String first, String second) {
    if (!text.equals(first) && !text.equals(second)) {
      throw new IllegalArgumentException(option + " must be " + second + " or " + first + ", not '" + text + "'");
    }
    return text.equals(first);
  }

  private static int number(String option, String text, int low, int high) {
    try {
      final int value = Integer.parseInt(text);
      if (value >= low && value <= high) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException(option + " must be a whole number from " + low + " to " + high + ", not '" + text + "'");
  }

  Device chooseDevice() {
    if (!device.equals("auto")) {
      return Device.parse(device);
    }
    if (Device.count(DeviceKind.CUDA) > 0) {
      return Device.cuda(0);
    }
    final String why = Rondo.feature("cuda").reason().split("; ", 2)[0]; // what is missing; the rest lists what was tried
    System.out.println("on the cpu, without CUDA: " + why + " (the command rondo doctor says more)");
    return Device.CPU;
  }
}
