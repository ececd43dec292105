// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static dev.rondo.examples.service.ServiceProcess.check;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.rondo.RondoException;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Photographs: files of every kind that comes, what the service answers, and what is in two real ones. */
@Timeout(120)
class PhotographsTest {
  @TempDir
  private Path folder;

  private Path network;

  @BeforeEach
  void writeNetwork() {
    network = folder.resolve("network.safetensors");
    PhotographFiles.write(network);
  }

  /** The square in the middle, whatever the file is: the disc is red, above it is blue, below it yellow. */
  @Test
  void everyKindOfPicture() throws Exception {
    for (final int[] size : new int[][] {{640, 427}, {300, 900}, {1100, 1030}}) {
      for (final String format : new String[] {"png", "jpg", "gif", "bmp"}) {
        for (final int type : new int[] {BufferedImage.TYPE_INT_RGB, BufferedImage.TYPE_INT_ARGB, BufferedImage.TYPE_BYTE_INDEXED}) {
          if (type == BufferedImage.TYPE_INT_RGB || format.equals("png")) {
            final float[] pixels = Photographs.pixels(PhotographFiles.encode(PhotographFiles.picture(size[0], size[1], type), format));
            final int middle = 3 * (Lite0.SIDE / 2 * Lite0.SIDE + Lite0.SIDE / 2);
            final int slack = format.equals("gif") || type == BufferedImage.TYPE_BYTE_INDEXED ? 40 : 12; // JPEG blurs colours
            assertArrayEquals(new float[] {200, 30, 40}, Arrays.copyOfRange(pixels, middle, middle + 3), slack, format);
            assertArrayEquals(new float[] {40, 90, 200}, Arrays.copyOf(pixels, 3), slack, format);
            assertArrayEquals(new float[] {220, 180, 60}, Arrays.copyOfRange(pixels, pixels.length - 3, pixels.length), slack, format);
          }
        }
      }
    }
  }

  /** Grey stays as bright as it is, what is transparent is white, 16 bits are 8. */
  @Test
  void greyAndTransparent() throws Exception {
    final BufferedImage grey = new BufferedImage(256, 256, BufferedImage.TYPE_BYTE_GRAY);
    final BufferedImage deep = new BufferedImage(256, 256, BufferedImage.TYPE_USHORT_GRAY);
    for (int i = 0; i < 256 * 256; ++i) {
      grey.getRaster().setSample(i % 256, i / 256, 0, 60);
      deep.getRaster().setSample(i % 256, i / 256, 0, 60 * 256 + 255);
    }
    final float[] dark = new float[Lite0.SIDE * Lite0.SIDE * 3];
    Arrays.fill(dark, 60);
    assertArrayEquals(dark, Photographs.pixels(PhotographFiles.encode(grey, "png")), 0);
    assertArrayEquals(dark, Photographs.pixels(PhotographFiles.encode(grey, "jpg")), 1);
    assertArrayEquals(dark, Photographs.pixels(PhotographFiles.encode(deep, "png")), 0);
    final float[] white = new float[dark.length];
    Arrays.fill(white, 255);
    final BufferedImage nothing = new BufferedImage(40, 30, BufferedImage.TYPE_INT_ARGB);
    assertArrayEquals(white, Photographs.pixels(PhotographFiles.encode(nothing, "png")), 0);
  }

  /** Files of which the JDK's readers make a picture all the same, or of which only rows that the network does not see are missing. */
  @ParameterizedTest
  @CsvSource(textBlock = """
      jpg, 0.1
      jpg, 0.5
      jpg, 0.98
      png, 0.1
      png, 0.5
      png, 0.98
      gif, 0.1
      gif, 0.5
      gif, 0.98
      bmp, 0.1
      bmp, 0.5
      bmp, 0.98
      """)
  void truncatedPictureIsDamaged(String format, double kept) throws Exception {
    for (final int[] size : new int[][] {{640, 427}, {300, 900}, {1100, 1030}}) {
      final byte[] file = PhotographFiles.encode(PhotographFiles.picture(size[0], size[1], BufferedImage.TYPE_INT_RGB), format);
      assertDamaged(Arrays.copyOf(file, (int) (kept * file.length)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jpg", "png", "gif"})
  void corruptPictureIsDamaged(String format) throws Exception {
    final byte[] file = PhotographFiles.encode(PhotographFiles.picture(640, 427, BufferedImage.TYPE_INT_RGB), format);
    for (int part = 2; part < 8; ++part) {
      final byte[] corrupt = file.clone();
      Arrays.fill(corrupt, part * file.length / 10, (part + 1) * file.length / 10, (byte) 0);
      assertDamaged(corrupt);
    }
  }

  private static void assertDamaged(byte[] file) {
    final var thrown = assertThrows(Images.InvalidException.class, () -> Photographs.pixels(file));
    assertTrue(thrown.getMessage().startsWith("the picture is damaged, or of a kind that is not read here: "), thrown.getMessage());
  }

  @Test
  void answersAndRefuses() throws Exception {
    final byte[] png = PhotographFiles.encode(PhotographFiles.picture(640, 427, BufferedImage.TYPE_INT_RGB), "png");
    final byte[] jpeg = PhotographFiles.encode(PhotographFiles.picture(640, 427, BufferedImage.TYPE_INT_RGB), "jpg");
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--photographs", network.toString())) {
      check(service.get("/readyz"), 200, "\"photographs\":\"cpu:0\"");
      check(service.get("/photograph"), 405, "POST");
      final HttpResponse<String> reply = service.postPhotograph(png);
      check(reply, 200, "\"device\":\"cpu:0\"", "\"batch\":1");
      final JsonArray classes = ServiceProcess.json(reply).getAsJsonArray("classes");
      assertEquals(5, classes.size());
      double sum = 0;
      double last = 1;
      for (final var each : classes) {
        final double probability = each.getAsJsonObject().get("probability").getAsDouble();
        assertTrue(probability <= last && each.getAsJsonObject().get("name").getAsString().startsWith("thing "), reply::body);
        last = probability;
        sum += probability;
      }
      assertTrue(sum > 5.0 / PhotographFiles.CLASSES && sum < 1.0001, reply::body);
      check(service.postPhotograph(jpeg), 200);
      check(service.postPhotograph(Arrays.copyOf(png, png.length / 2)), 400, "damaged");
      check(service.postPhotograph(Arrays.copyOf(jpeg, jpeg.length / 2)), 400, "damaged", "Truncated File");
      check(service.postPhotograph("<svg/>".getBytes()), 400, "no picture: send a JPEG or PNG");
      check(service.postPhotograph(new byte[0]), 400, "no picture");
      final byte[] large = png.clone(); // says that it is 65536 x 65536
      large[17] = 1;
      large[18] = large[19] = 0;
      large[21] = 1;
      large[22] = large[23] = 0;
      check(service.postPhotograph(large), 400, "65536 x 65536");
      check(service.postPhotograph(new byte[Photographs.MOST_BYTES + 1]), 413, "longer than");
      assertEquals(2, service.metric("digits_requests_total{path=\"/photograph\",status=\"200\"}"));
      assertEquals(5, service.metric("digits_requests_total{path=\"/photograph\",status=\"400\"}"));
      assertEquals(2, service.metric("photographs_classify_seconds_count"));
      assertEquals(2, service.metric("photographs_graph_replays_total{rows=\"1\"}"));
      assertEquals(1, service.metric("photographs_ready{device=\"cpu:0\"}"));
      assertEquals(0, service.metric("digits_classify_seconds_count"));
    }
    try (ServiceProcess service = new ServiceProcess("--device", "cpu")) {
      check(service.postPhotograph(png), 404, "without --photographs");
    }
  }

  @Test
  void filesThatAreNoNetwork() throws Exception {
    assertEquals("thing 3", Lite0.read(network).className(3));
    assertThrows(IOException.class, () -> Lite0.read(folder.resolve("missing")));
    final Path part = folder.resolve("part.safetensors");
    PhotographFiles.write(part, "blocks.3.expand.weight");
    final IOException thrown = assertThrows(IOException.class, () -> Lite0.read(part));
    assertTrue(thrown.getMessage().contains("not a file of EfficientNet-Lite0") && thrown.getMessage().contains("blocks.3.expand.weight"),
        thrown.getMessage());
    Files.write(part, Arrays.copyOf(Files.readAllBytes(network), 1000));
    assertThrows(RondoException.class, () -> Lite0.read(part));
    final Path digits = Path.of(System.getProperty("service.model"));
    assertThrows(IOException.class, () -> Lite0.read(digits));
  }

  /** The pretrained network, where examples/data/photographs.py was run. */
  @Test
  void realPhotographs() throws Exception {
    final Optional<Path> files = PhotographFiles.pretrained();
    assumeTrue(files.isPresent(), "the pretrained network was not fetched (examples/data/photographs.py)");
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--photographs",
        files.get().resolve("efficientnet-lite0.safetensors").toString())) {
      for (final String[] each : new String[][] {{"china", "palace"}, {"flower", "daisy"}}) {
        final HttpResponse<String> reply = service.postPhotograph(Files.readAllBytes(files.get().resolve(each[0] + ".jpg")));
        check(reply, 200);
        final JsonObject first = ServiceProcess.json(reply).getAsJsonArray("classes").get(0).getAsJsonObject();
        assertEquals(each[1], first.get("name").getAsString(), reply::body);
      }
    }
  }
}
