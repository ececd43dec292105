// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.embedding;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.rondo.Device;
import dev.rondo.RondoException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Prints the vector of each line of its input: {@code Main MODEL.onnx tokenizer.json [DEVICE]}. */
public final class Main {
  private Main() {}

  public static void main(String[] words) {
    if (words.length < 2 || words.length > 3) {
      System.err.println("usage: Main MODEL.onnx tokenizer.json [DEVICE]");
      System.exit(2);
    }
    final List<TextSegment> lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).lines()
        .filter(line -> !line.isBlank()).map(TextSegment::from).toList();
    try (RondoEmbeddingModel model = new RondoEmbeddingModel(Path.of(words[0]), Path.of(words[1]), Device.parse(words.length > 2 ? words[2] : "cpu:0"))) {
      for (final Embedding each : model.embedAll(lines).content()) {
        System.out.println(Arrays.toString(each.vector()));
      }
    } catch (RondoException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }
}
