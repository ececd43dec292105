// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.imageio.ImageReadParam;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;

/** Says what is in photographs: decodes files of pictures, in a thread of its own, and asks the batcher. */
final class Photographs implements AutoCloseable {
  /** The longest file. */
  static final int MOST_BYTES = 10 << 20;

  private static final int MOST_PIXELS = 50_000_000;
  private static final int MOST_WAITING = 16;
  private static final int SAID = 5; // classes of an answer
  private static final JsonFactory JSON = new JsonFactory();

  private final Batcher batcher;
  private final Lite0 network;
  private final ThreadPoolExecutor decoder = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING),
      work -> new Thread(work, "decode"));

  /**
   * Starts the thread.
   *
   * @param batcher of a model of this network
   * @param network has the names of the classes
   */
  Photographs(Batcher batcher, Lite0 network) {
    this.batcher = batcher;
    this.network = network;
    ImageIO.setUseCache(false); // no files
  }

  Batcher batcher() {
    return batcher;
  }

  /**
   * Says what is in a picture. Does not block.
   *
   * @param file a JPEG, PNG or other file that the JDK reads
   * @param executor writes the answer
   * @return the answer as JSON; fails with {@link Images.InvalidException} if it is no picture, and as the batcher does
   */
  CompletableFuture<byte[]> classify(byte[] file, Executor executor) {
    try {
      return CompletableFuture.supplyAsync(() -> {
        try {
          return pixels(file);
        } catch (Images.InvalidException e) {
          throw new CompletionException(e);
        }
      }, decoder).thenCompose(batcher::submit).thenApplyAsync(this::write, executor);
    } catch (RejectedExecutionException e) {
      throw decoder.isShutdown() ? new Batcher.UnavailableException("the service is stopping", e)
          : new Batcher.QueueFullException(MOST_WAITING + " photographs wait to be decoded, and no more may");
    }
  }

  /** Decodes what waits; takes no more. */
  @Override
  public void close() {
    decoder.shutdown();
    try {
      decoder.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the network sees: the square in the middle with 7/8 of the shorter side, shrunk. */
  static float[] pixels(byte[] file) throws Images.InvalidException {
    try (ImageInputStream in = ImageIO.createImageInputStream(new ByteArrayInputStream(file))) {
      final Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
      if (!readers.hasNext()) {
        throw new Images.InvalidException("the body is no picture: send a JPEG or PNG file");
      }
      final ImageReader reader = readers.next();
      try {
        Damage.checkFile(file);
        reader.setInput(in, true, true);
        return shrink(square(reader));
      } finally {
        reader.dispose();
      }
    } catch (IOException | RuntimeException e) { // readers throw either for a damaged file
      throw new Images.InvalidException("the picture is damaged, or of a kind that is not read here: " + e.getMessage());
    }
  }

  /**
   * The square. Of a large picture only so many pixels are kept that shrinking still has four of them for each one. The rows below are read too,
   * or nobody would see that the file ends within them.
   */
  private static BufferedImage square(ImageReader reader) throws IOException, Images.InvalidException {
    final int width = reader.getWidth(0);
    final int height = reader.getHeight(0);
    if ((long) width * height > MOST_PIXELS) {
      throw new Images.InvalidException("the picture has " + width + " x " + height + " pixels: at most " + MOST_PIXELS + " are read");
    }
    final int side = Math.max((int) (Math.min(width, height) * 7L / 8), 1);
    final int top = (height - side) / 2;
    final int step = Math.max(side / (2 * Lite0.SIDE), 1);
    final ImageReadParam part = reader.getDefaultReadParam();
    part.setSourceRegion(new Rectangle((width - side) / 2, top, side, height - top));
    part.setSourceSubsampling(step, step, 0, 0);
    final Damage damage = new Damage();
    reader.addIIOReadWarningListener(damage);
    final BufferedImage read = reader.read(0, part);
    damage.checkWarning();
    return read.getSubimage(0, 0, read.getWidth(), Math.min((side + step - 1) / step, read.getHeight()));
  }

  /** Each of the network's pixels is the mean of what it covers. */
  private static float[] shrink(BufferedImage image) {
    final int side = Math.min(image.getWidth(), image.getHeight());
    final int[] rgb = colours(image);
    final float[] pixels = new float[Lite0.SIDE * Lite0.SIDE * 3];
    final double area = (double) side / Lite0.SIDE * side / Lite0.SIDE;
    for (int at = 0; at < Lite0.SIDE * Lite0.SIDE; ++at) {
      final double top = (double) (at / Lite0.SIDE * side) / Lite0.SIDE;
      final double bottom = (double) ((at / Lite0.SIDE + 1) * side) / Lite0.SIDE;
      final double left = (double) (at % Lite0.SIDE * side) / Lite0.SIDE;
      final double right = (double) ((at % Lite0.SIDE + 1) * side) / Lite0.SIDE;
      double red = 0;
      double green = 0;
      double blue = 0;
      for (int y = (int) top; y < bottom; ++y) {
        for (int x = (int) left; x < right; ++x) {
          final double share = (Math.min(y + 1, bottom) - Math.max(y, top)) * (Math.min(x + 1, right) - Math.max(x, left));
          final int colour = rgb[y * image.getWidth() + x];
          red += share * (colour >> 16 & 255);
          green += share * (colour >> 8 & 255);
          blue += share * (colour & 255);
        }
      }
      pixels[3 * at] = (float) Math.floor(red / area + 0.5);
      pixels[3 * at + 1] = (float) Math.floor(green / area + 0.5);
      pixels[3 * at + 2] = (float) Math.floor(blue / area + 0.5);
    }
    return pixels;
  }

  /** Red, green and blue of each pixel, row by row; what is transparent is white. */
  private static int[] colours(BufferedImage image) {
    final int width = image.getWidth();
    final int height = image.getHeight();
    final Raster raster = image.getRaster();
    final boolean grey = raster.getNumBands() == 1 && !(image.getColorModel() instanceof IndexColorModel);
    final int[] rgb = grey ? raster.getSamples(0, 0, width, height, 0, (int[]) null) : image.getRGB(0, 0, width, height, null, 0, width);
    final int surplus = grey ? Math.max(raster.getSampleModel().getSampleSize(0) - 8, 0) : 0; // bits of a deep grey
    for (int i = 0; i < rgb.length; ++i) {
      if (grey) { // the JDK would take it for another brightness
        rgb[i] = (rgb[i] >> surplus) * 0x010101;
      } else if (image.getColorModel().hasAlpha()) {
        final int alpha = rgb[i] >>> 24;
        int mixed = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
          mixed |= ((rgb[i] >> shift & 255) * alpha + 255 * (255 - alpha) + 127) / 255 << shift;
        }
        rgb[i] = mixed;
      }
    }
    return rgb;
  }

  private byte[] write(Batcher.Answer answer) {
    final float[] all = answer.probabilities();
    final int[] best = IntStream.range(0, all.length).boxed().sorted((a, b) -> Float.compare(all[b], all[a])).limit(SAID)
        .mapToInt(Integer::intValue).toArray();
    final var bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeArrayFieldStart("classes");
      for (final int each : best) {
        json.writeStartObject();
        json.writeStringField("name", network.className(each));
        json.writeNumberField("probability", all[each]);
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeStringField("device", batcher.model().device());
      json.writeNumberField("batch", answer.batchImages());
      json.writeNumberField("queued_us", answer.queuedNanos() / 1000);
      json.writeNumberField("ran_us", answer.ranNanos() / 1000);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is none in memory
    }
    return bytes.toByteArray();
  }
}
