// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Uses against closing, engines that are replaced and a collector that never rests, in a small heap and with -Xcheck:jni. Each case takes two
 * seconds, or as many as RONDO_TEST_LOAD_SECONDS says.
 */
class LoadTest {
  private static final String SECONDS = System.getenv().getOrDefault("RONDO_TEST_LOAD_SECONDS", "2");

  private static void run(String options, int threads, String kind) throws Exception {
    final List<String> all = new ArrayList<>(List.of("-Xcheck:jni", "-XX:TieredStopAtLevel=4", "-Ddev.rondo.leaks=off"));
    all.addAll(Arrays.asList(options.split(" ")));
    final String out = Child.run(Load.class, all, SECONDS, Integer.toString(threads), kind);
    final Matcher uses = Pattern.compile("uses (\\d+)").matcher(out);
    assertTrue(uses.find() && Long.parseLong(uses.group(1)) >= 1000, out);
    for (final String report : new String[] {"in native method", "WARNING: JNI local refs", "Warning: SIG"}) {
      assertFalse(out.contains(report), out);
    }
    System.out.println(options + ", " + threads + " " + kind + " threads: " + out.substring(out.lastIndexOf("uses ")).trim());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-XX:-UseSerialGC -XX:+UseG1GC -Xmx48m", "-Xint -Xmx48m", "-XX:-UseSerialGC -XX:+UseZGC -Xmx96m"})
  void thirtyTwoThreadsUseWhatOthersClose(String options) throws Exception {
    run(options, 32, "platform");
  }

  @Test
  void tenThousandVirtualThreadsUseWhatOthersClose() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "this version of Java has no virtual threads");
    run("-Xmx256m", 10_000, "virtual");
  }
}
