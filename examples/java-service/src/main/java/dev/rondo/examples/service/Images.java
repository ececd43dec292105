// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Images and answers as JSON: {@code {"images": [[numbers], ...]}} comes in, or {@code {"image": [numbers]}}, 64 or 784 of them by the path. */
final class Images {
  private static final JsonFactory JSON = new JsonFactory();

  private Images() {}

  /** What came in is not what is asked for; the message says what would be right. */
  static final class InvalidException extends Exception {
    InvalidException(String message) {
      super(message);
    }
  }

  /**
   * Reads the images of a request.
   *
   * @param body the JSON
   * @param each pixels of an image
   * @param most how many images are allowed
   * @return their pixels, one image behind the other
   * @throws InvalidException if it is not JSON, or not of that form
   */
  static float[] parse(byte[] body, int each, int most) throws InvalidException {
    try (JsonParser json = JSON.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new InvalidException("the body must be a JSON object: {\"images\": [[" + each + " numbers], ...]}");
      }
      float[] images = null;
      while (json.nextToken() != JsonToken.END_OBJECT) {
        final String name = json.currentName();
        json.nextToken();
        if (images != null) {
          throw new InvalidException("'" + name + "' is one member too many: give either \"image\" or \"images\", once");
        }
        images = switch (name) {
          case "image" -> image(json, new float[each], each, 0, "image");
          case "images" -> images(json, each, most);
          default -> throw new InvalidException("'" + name + "' is unknown: give \"image\" or \"images\"");
        };
      }
      if (images == null) {
        throw new InvalidException("there is no \"image\" and no \"images\"");
      }
      if (json.nextToken() != null) {
        throw new InvalidException("there is something behind the JSON object");
      }
      return images;
    } catch (JsonProcessingException e) {
      throw notJson(e);
    } catch (IOException e) {
      throw new InvalidException("not JSON: " + e.getMessage());
    }
  }

  /** What the parser says, and where. */
  static InvalidException notJson(JsonProcessingException e) {
    // What stands behind is for the parser's user.
    final String reason = e.getOriginalMessage().replaceFirst(" \\(.*|: enable .*", "");
    final JsonLocation where = e.getLocation();
    return new InvalidException("not JSON: " + reason + (where == null ? ""
        : ", at line " + where.getLineNr() + ", column " + where.getColumnNr()));
  }

  private static float[] images(JsonParser json, int each, int most) throws IOException, InvalidException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw new InvalidException("\"images\" must be an array of images");
    }
    float[] pixels = new float[each];
    int count = 0;
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (count == most) {
        throw new InvalidException("\"images\" has more than " + most + " images, the most that one request may have");
      }
      if ((count + 1) * each > pixels.length) {
        pixels = Arrays.copyOf(pixels, Math.min(2 * count, most) * each);
      }
      image(json, pixels, each, count, "images[" + count + "]");
      ++count;
    }
    if (count == 0) {
      throw new InvalidException("\"images\" is empty: give at least one image");
    }
    return Arrays.copyOf(pixels, count * each);
  }

  /** One image, to its place among the pixels. */
  private static float[] image(JsonParser json, float[] pixels, int each, int index, String where) throws IOException, InvalidException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw new InvalidException("\"" + where + "\" must be an array of " + each + " numbers, row by row");
    }
    int count = 0;
    for (; json.nextToken() != JsonToken.END_ARRAY; ++count) {
      if (!json.currentToken().isNumeric()) {
        throw new InvalidException("\"" + where + "\" has something at " + count + " that is not a number");
      }
      final double value = json.getDoubleValue();
      if (!(value >= 0 && value <= 1)) {
        throw new InvalidException("\"" + where + "\" has " + json.getText() + " at " + count + ": pixels go from 0 (paper) to 1 (ink)");
      }
      if (count < each) {
        pixels[index * each + count] = (float) value;
      }
    }
    if (count != each) {
      throw new InvalidException("\"" + where + "\" has " + count + " numbers: an image has " + each + ", row by row");
    }
    return pixels;
  }

  /**
   * Writes what the network says.
   *
   * @param answer of the batcher
   * @param classes of the network: the digits, and behind them none of these if it knows that
   * @param sure the probability from which on it is sure
   * @param device where it ran
   * @return the JSON
   */
  static byte[] write(Batcher.Answer answer, int classes, float sure, String device) {
    final float[] all = answer.probabilities();
    final var bytes = new ByteArrayOutputStream(64 + 16 * all.length);
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeArrayFieldStart("results");
      for (int at = 0; at < all.length; at += classes) {
        int best = 0;
        json.writeStartObject();
        json.writeArrayFieldStart("probabilities");
        for (int i = 0; i < Weights.CLASSES; ++i) {
          json.writeNumber(all[at + i]);
          best = all[at + i] > all[at + best] ? i : best;
        }
        json.writeEndArray();
        boolean digit = true;
        if (classes > Weights.CLASSES) {
          json.writeNumberField("none", all[at + Weights.CLASSES]);
          digit = all[at + best] > all[at + Weights.CLASSES];
        }
        json.writeFieldName("digit");
        if (digit) {
          json.writeNumber(best);
        } else {
          json.writeNull();
        }
        json.writeBooleanField("sure", digit && all[at + best] >= sure);
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeStringField("device", device);
      json.writeNumberField("batch", answer.batchImages());
      json.writeNumberField("queued_us", answer.queuedNanos() / 1000);
      json.writeNumberField("ran_us", answer.ranNanos() / 1000);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is none in memory
    }
    return bytes.toByteArray();
  }

  /** {@code {"error": message}}. */
  static byte[] error(String message) {
    return object("error", message);
  }

  /** An object of names and values, which people read. */
  static byte[] object(String... namesAndValues) {
    final var bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = Shown.JSON.createGenerator(bytes)) {
      json.writeStartObject();
      for (int i = 0; i < namesAndValues.length; i += 2) {
        json.writeStringField(namesAndValues[i], Shown.text(namesAndValues[i + 1]));
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
