// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON that is right, and the reasons that what is wrong gets. */
class ImagesTest {
  static String image(String pixel, int count) {
    return "[" + String.join(",", Collections.nCopies(count, pixel)) + "]";
  }

  private static float[] parse(String body) throws Images.InvalidException {
    return Images.parse(body.getBytes(StandardCharsets.UTF_8), 64, 3);
  }

  @Test
  void oneAndMany() throws Exception {
    final float[] quarter = new float[64];
    Arrays.fill(quarter, 0.25f);
    assertArrayEquals(quarter, parse("{\"image\": " + image("0.25", 64) + "}"));
    final float[] three = parse("{\"images\": [" + image("0", 64) + "," + image("0.25", 64) + "," + image("1e0", 64) + "]}");
    assertEquals(192, three.length);
    assertArrayEquals(quarter, Arrays.copyOfRange(three, 64, 128));
    assertEquals(1, three[191]);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      ''                             | must be a JSON object
      [1]                            | must be a JSON object
      {"image": [0, 1               | not JSON
      {"image": [0, 1}              | not JSON
      {image: 1}                     | not JSON
      {}                             | no "image" and no "images"
      {"picture": 1}                 | 'picture' is unknown
      {"image": 7}                   | must be an array of 64 numbers
      {"image": [[0]]}               | at 0 that is not a number
      {"image": [0, "1"]}            | at 1 that is not a number
      {"image": [0, null]}           | at 1 that is not a number
      {"image": [0, 1]}              | has 2 numbers: an image has 64
      {"image": [0, 1.5]}            | has 1.5 at 1: pixels go from 0 (paper) to 1 (ink)
      {"image": [-0.1]}              | has -0.1 at 0
      {"image": [1e999]}             | has 1e999 at 0
      {"image": [NaN]}               | not JSON
      {"images": []}                 | is empty
      {"images": 1}                  | must be an array of images
      {"images": [1]}                | "images[0]" must be an array
      {"image": IMAGE, "image": 1}   | one member too many
      {"image": IMAGE} 1             | behind the JSON object
      {"images": [IMAGE, [1]]}       | "images[1]" has 1 numbers
      {"images": [IMAGE,IMAGE,IMAGE,IMAGE]} | more than 3 images
      """)
  void reasons(String body, String reason) {
    final var thrown = assertThrows(Images.InvalidException.class, () -> parse(body.replace("IMAGE", image("0", 64))));
    assertTrue(thrown.getMessage().contains(reason), thrown.getMessage());
    assertTrue(!thrown.getMessage().contains("REDACTED"), thrown.getMessage());
  }

  @Test
  void bytesThatAreNoText() {
    assertThrows(Images.InvalidException.class, () -> Images.parse(new byte[] {'{', '"', (byte) 0xff, '"'}, 64, 3));
    assertThrows(Images.InvalidException.class, () -> parse("[".repeat(100_000)));
    assertThrows(Images.InvalidException.class, () -> parse("{\"image\":" + "[".repeat(100_000)));
    assertThrows(Images.InvalidException.class, () -> parse("{\"image\": [0." + "0".repeat(100_000) + "]}"));
  }
}
