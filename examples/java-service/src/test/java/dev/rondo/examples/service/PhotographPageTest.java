// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A visitor chooses a photograph on the page, and drops another one, in a real browser. With the pretrained network where it was
 * fetched, else with a small one. The screenshots are for people; they lie beside the reports.
 */
@Timeout(180)
class PhotographPageTest {
  @TempDir
  private Path folder;

  /** A file as the browser has it. */
  private static String file(byte[] bytes, String name) {
    return "new File([Uint8Array.from(atob('" + Base64.getEncoder().encodeToString(bytes) + "'), c => c.charCodeAt(0))], '" + name + "')";
  }

  private static void choose(Browser browser, byte[] bytes) throws Exception {
    browser.evaluate("(() => { const all = new DataTransfer(); all.items.add(" + file(bytes, "chosen") + "); "
        + "document.getElementById('file').files = all.files; document.getElementById('file').dispatchEvent(new Event('change')); })()");
  }

  private static void drop(Browser browser, byte[] bytes) throws Exception {
    browser.evaluate("(() => { const all = new DataTransfer(); all.items.add(" + file(bytes, "dropped") + "); "
        + "document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: all, bubbles: true, cancelable: true})); })()");
  }

  private static String first(Browser browser) throws Exception {
    return browser.evaluate("document.querySelector('#things li.best b').textContent").getAsString();
  }

  @Test
  void aVisitorShowsPhotographs() throws Exception {
    final Optional<Path> chromium = Browser.find();
    assumeTrue(chromium.isPresent(), "there is no chromium");
    final Optional<Path> real = PhotographFiles.pretrained();
    final Path network = real.isPresent() ? real.get().resolve("efficientnet-lite0.safetensors") : folder.resolve("network.safetensors");
    if (real.isEmpty()) {
      PhotographFiles.write(network);
    }
    final byte[] wide = real.isPresent() ? Files.readAllBytes(real.get().resolve("china.jpg"))
        : PhotographFiles.encode(PhotographFiles.picture(640, 427, BufferedImage.TYPE_INT_RGB), "jpg");
    final byte[] other = real.isPresent() ? Files.readAllBytes(real.get().resolve("flower.jpg"))
        : PhotographFiles.encode(PhotographFiles.picture(300, 400, BufferedImage.TYPE_INT_ARGB), "png");
    final Path pictures = Path.of(System.getProperty("service.target"));
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--photographs", network.toString());
        Browser browser = new Browser(chromium.get(), 1100, 1400)) {
      browser.open(service.url + "/");
      browser.await("!document.getElementById('photographs').hidden");
      browser.screenshot(pictures.resolve("page-photograph-empty.png"));
      choose(browser, wide);
      browser.await("document.querySelectorAll('#things li').length === 5");
      assertEquals("", browser.evaluate("document.getElementById('photoproblem').textContent").getAsString());
      final JsonArray shares = browser.evaluate("[...document.querySelectorAll('#things i')].map(bar => parseFloat(bar.style.getPropertyValue("
          + "'--share')))").getAsJsonArray();
      for (int i = 1; i < shares.size(); ++i) {
        assertTrue(shares.get(i).getAsDouble() <= shares.get(i - 1).getAsDouble(), shares::toString);
      }
      assertTrue(first(browser).equals(real.isPresent() ? "palace" : first(browser)), first(browser));
      Thread.sleep(250); // the bars have grown
      browser.screenshot(pictures.resolve("page-photograph.png"));

      browser.evaluate("document.getElementById('things').replaceChildren()");
      browser.look(true, 420, 2000); // a telephone at night
      drop(browser, other);
      browser.await("document.querySelectorAll('#things li').length === 5");
      assertTrue(first(browser).equals(real.isPresent() ? "daisy" : first(browser)), first(browser));
      assertEquals(true, browser.evaluate("document.documentElement.scrollWidth <= innerWidth").getAsBoolean());
      Thread.sleep(250);
      browser.screenshot(pictures.resolve("page-photograph-dark.png"));

      for (final String format : new String[] {"jpg", "png", "gif"}) { // none beside the answer to another, and what is wrong is said
        drop(browser, other);
        browser.await("document.querySelectorAll('#things li').length === 5 && document.getElementById('drop').classList.contains('filled')");
        final byte[] whole = PhotographFiles.encode(PhotographFiles.picture(640, 427, BufferedImage.TYPE_INT_RGB), format);
        choose(browser, Arrays.copyOf(whole, whole.length / 2));
        browser.await("document.getElementById('photoproblem').textContent.startsWith('No answer: the picture is damaged')");
        assertEquals(0, browser.evaluate("document.querySelectorAll('#things li').length").getAsInt());
        assertEquals(false, browser.evaluate("document.getElementById('drop').classList.contains('filled')").getAsBoolean());
        browser.screenshot(pictures.resolve("page-photograph-damaged-" + format + ".png"));
      }
      choose(browser, "no picture".getBytes());
      browser.await("document.getElementById('photoproblem').textContent.startsWith('No answer: the body is no picture')");
      assertEquals(0, browser.evaluate("document.querySelectorAll('#things li').length").getAsInt());
    }
    try (ServiceProcess service = new ServiceProcess("--device", "cpu"); Browser browser = new Browser(chromium.get(), 1100, 820)) {
      browser.open(service.url + "/");
      browser.await("document.getElementById('device').textContent === 'cpu:0'");
      assertEquals(true, browser.evaluate("document.getElementById('photographs').hidden").getAsBoolean());
    }
  }
}
