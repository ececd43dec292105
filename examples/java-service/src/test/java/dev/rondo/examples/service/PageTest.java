// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A visitor draws digits on the page, in a real browser. The screenshots are for people; they lie beside the reports. */
@Timeout(180)
class PageTest {
  /** Where the drawing lies in the page now. */
  private static void draw(Browser browser, List<List<double[]>> strokes) throws Exception {
    drawUnanswered(browser, strokes);
    browser.await("!sending && !waiting && document.getElementById('digit').textContent !== '?'");
  }

  private static void drawUnanswered(Browser browser, List<List<double[]>> strokes) throws Exception {
    final JsonArray box = browser.evaluate("(({x, y, width, height}) => [x, y, width, height])(document.getElementById('canvas')"
        + ".getBoundingClientRect())").getAsJsonArray();
    for (final List<double[]> stroke : strokes) {
      browser.stroke(stroke.stream().map(point -> new double[] {box.get(0).getAsDouble() + point[0] * box.get(2).getAsDouble(),
          box.get(1).getAsDouble() + point[1] * box.get(3).getAsDouble()}).toList());
    }
  }

  private static String text(Browser browser, String id) throws Exception {
    return browser.evaluate("document.getElementById('" + id + "').textContent").getAsString();
  }

  @Test
  void aVisitorDraws() throws Exception {
    final Optional<Path> chromium = Browser.find();
    assumeTrue(chromium.isPresent(), "there is no chromium");
    final Random hand = new Random(11);
    final Path pictures = Path.of(System.getProperty("service.target"));
    try (ServiceProcess service = new ServiceProcess("--device", "cpu"); Browser browser = new Browser(chromium.get(), 1100, 820)) {
      browser.open(service.url + "/");
      browser.await("document.getElementById('device').textContent === 'cpu:0'");
      browser.screenshot(pictures.resolve("page-empty.png"));
      for (final int digit : new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
        draw(browser, Drawings.strokes(digit));
        assertEquals(digit + "", text(browser, "digit"), () -> "drawn was a " + digit);
        final JsonObject bars = browser.evaluate("({best: bars.findIndex(row => row.classList.contains('best')), "
            + "width: bars.map(row => row.querySelector('i').style.getPropertyValue('--share'))})").getAsJsonObject();
        assertEquals(digit, bars.get("best").getAsInt());
        double sum = 0;
        for (final var width : bars.getAsJsonArray("width")) {
          sum += Double.parseDouble(width.getAsString().replace("%", ""));
        }
        assertEquals(100, sum, 0.2);
        assertTrue(text(browser, "latency").matches("\\d+\\.\\d ms"), text(browser, "latency"));
        assertEquals("", text(browser, "problem"));
        Thread.sleep(250); // the bars have grown
        browser.screenshot(pictures.resolve("page-" + digit + ".png"));
        browser.evaluate("document.getElementById('clear').click()");
        assertEquals("?", text(browser, "digit"));
      }
      for (final String name : new String[] {"4 open", "1 flag and foot", "1 flag and wide foot", "7 hook and bar", "8 two circles", "8 two equal circles"}) {
        for (int i = 0; i < 3; ++i) { // in other places, of other sizes
          draw(browser, JudgedDrawings.drawn(JudgedDrawings.way(name), hand));
          assertEquals(name.substring(0, 1), text(browser, "digit"), name);
          assertTrue(text(browser, "sure").matches("\\d+\\.\\d % sure"), name + ": " + text(browser, "sure"));
          if (i == 0) {
            Thread.sleep(250);
            browser.screenshot(pictures.resolve("page-" + name.replace(' ', '-') + ".png"));
          }
          browser.evaluate("document.getElementById('clear').click()");
        }
      }
      draw(browser, JudgedDrawings.drawn(JudgedDrawings.way("K"), hand));
      assertEquals("–", text(browser, "digit"));
      assertTrue(text(browser, "sure").startsWith("no digit: "), text(browser, "sure"));
      assertEquals(10, browser.evaluate("bars.findIndex(row => row.classList.contains('best'))").getAsInt());
      Thread.sleep(250);
      browser.screenshot(pictures.resolve("page-none.png"));
      browser.evaluate("document.getElementById('clear').click()");
      browser.look(true, 420, 1040); // a telephone at night
      draw(browser, Drawings.strokes(3));
      Thread.sleep(250);
      browser.screenshot(pictures.resolve("page-dark.png"));
      assertEquals("3", text(browser, "digit"));
      assertEquals(true, browser.evaluate("document.documentElement.scrollWidth <= innerWidth").getAsBoolean());
      service.terminate();
      service.process.waitFor();
      drawUnanswered(browser, Drawings.strokes(1)); // adds to what is drawn; nobody answers, and the last answer is not about it
      browser.await("!sending && document.getElementById('problem').textContent.startsWith('No answer')");
      assertEquals("?", text(browser, "digit"));
      assertEquals("no answer", text(browser, "sure"));
    }
  }
}
