// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A visitor draws digits on the page, in a real browser. The screenshots are for people; they lie beside the reports. */
@Timeout(180)
class PageTest {
  /** Strokes in a square from 0 to 1, as a hand draws them. */
  private static List<List<double[]>> strokes(int digit) {
    return switch (digit) {
      case 0 -> List.of(arc(.5, .5, .26, .4, -90, 270));
      case 1 -> List.of(lines(.38, .25, .52, .1, .52, .9));
      case 2 -> List.of(join(arc(.48, .32, .24, .22, 180, 385), lines(.66, .46, .24, .9, .8, .9)));
      case 3 -> List.of(join(arc(.46, .3, .24, .2, 200, 440), arc(.46, .7, .27, .2, -80, 160)));
      case 4 -> List.of(lines(.56, .08, .22, .62, .8, .62), lines(.62, .36, .62, .94));
      case 5 -> List.of(join(lines(.74, .1, .32, .1, .3, .45), arc(.46, .65, .26, .25, -115, 150)));
      case 6 -> List.of(join(lines(.62, .08, .4, .36, .3, .6), arc(.5, .7, .2, .2, 180, 540)));
      case 7 -> List.of(lines(.24, .1, .76, .1, .44, .92), lines(.34, .5, .72, .5));
      case 8 -> List.of(loops());
      case 9 -> List.of(join(arc(.5, .3, .22, .21, 0, 360), lines(.72, .3, .68, .6, .5, .93)));
      default -> throw new IllegalArgumentException("no strokes for " + digit);
    };
  }

  private static List<double[]> lines(double... xy) {
    final List<double[]> points = new ArrayList<>();
    for (int i = 0; i + 3 < xy.length; i += 2) {
      for (int step = 0; step <= 8; ++step) {
        points.add(new double[] {xy[i] + (xy[i + 2] - xy[i]) * step / 8, xy[i + 1] + (xy[i + 3] - xy[i + 1]) * step / 8});
      }
    }
    return points;
  }

  private static List<double[]> arc(double x, double y, double width, double height, int from, int to) {
    final List<double[]> points = new ArrayList<>();
    for (int step = 0; step <= 20; ++step) {
      final double angle = Math.toRadians(from + (to - from) * step / 20.0);
      points.add(new double[] {x + width * Math.cos(angle), y + height * Math.sin(angle)});
    }
    return points;
  }

  /** An 8 in one stroke, which crosses itself in the middle. */
  private static List<double[]> loops() {
    final List<double[]> points = new ArrayList<>();
    for (int step = 0; step <= 40; ++step) {
      final double angle = 2 * Math.PI * step / 40;
      points.add(new double[] {.5 + .2 * Math.sin(2 * angle), .5 - .4 * Math.cos(angle)});
    }
    return points;
  }

  private static List<double[]> join(List<double[]> first, List<double[]> second) {
    final List<double[]> points = new ArrayList<>(first);
    points.addAll(second);
    return points;
  }

  /** Where the drawing lies in the page now. */
  private static void draw(Browser browser, int digit) throws Exception {
    final JsonArray box = browser.evaluate("(({x, y, width, height}) => [x, y, width, height])(document.getElementById('canvas')"
        + ".getBoundingClientRect())").getAsJsonArray();
    for (final List<double[]> stroke : strokes(digit)) {
      browser.stroke(stroke.stream().map(point -> new double[] {box.get(0).getAsDouble() + point[0] * box.get(2).getAsDouble(),
          box.get(1).getAsDouble() + point[1] * box.get(3).getAsDouble()}).toList());
    }
    browser.await("!sending && !waiting && document.getElementById('digit').textContent !== '?'");
  }

  private static String text(Browser browser, String id) throws Exception {
    return browser.evaluate("document.getElementById('" + id + "').textContent").getAsString();
  }

  @Test
  void aVisitorDraws() throws Exception {
    final Optional<Path> chromium = Browser.find();
    assumeTrue(chromium.isPresent(), "there is no chromium");
    final Path pictures = Path.of(System.getProperty("service.target"));
    try (ServiceProcess service = new ServiceProcess("--device", "cpu"); Browser browser = new Browser(chromium.get(), 1100, 820)) {
      browser.open(service.url + "/");
      browser.await("document.getElementById('device').textContent === 'cpu:0'");
      browser.screenshot(pictures.resolve("page-empty.png"));
      for (final int digit : new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
        draw(browser, digit);
        assertEquals(digit + "", text(browser, "digit"), () -> "drawn was a " + digit);
        final JsonObject bars = browser.evaluate("({best: bars.findIndex(row => row.classList.contains('best')), "
            + "width: bars.map(row => row.querySelector('i').style.getPropertyValue('--share'))})").getAsJsonObject();
        assertEquals(digit, bars.get("best").getAsInt());
        double sum = 0;
        for (final var width : bars.getAsJsonArray("width")) {
          sum += Double.parseDouble(width.getAsString().replace("%", ""));
        }
        assertEquals(100, sum, 0.1);
        assertTrue(text(browser, "latency").matches("\\d+\\.\\d ms"), text(browser, "latency"));
        assertEquals("", text(browser, "problem"));
        Thread.sleep(250); // the bars have grown
        browser.screenshot(pictures.resolve("page-" + digit + ".png"));
        browser.evaluate("document.getElementById('clear').click()");
        assertEquals("?", text(browser, "digit"));
      }
      browser.look(true, 420, 1040); // a telephone at night
      draw(browser, 3);
      Thread.sleep(250);
      browser.screenshot(pictures.resolve("page-dark.png"));
      assertEquals("3", text(browser, "digit"));
      assertEquals(true, browser.evaluate("document.documentElement.scrollWidth <= innerWidth").getAsBoolean());
      service.terminate();
      service.process.waitFor();
      draw(browser, 1); // adds to what is drawn; nobody answers
      browser.await("document.getElementById('problem').textContent.startsWith('No answer')");
    }
  }
}
