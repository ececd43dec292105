// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static dev.rondo.examples.service.ServiceProcess.check;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.ModelFile;
import dev.rondo.Tensor;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Vectors of sentences: what the service answers and refuses, and the pretrained network, where it was fetched. */
@Timeout(120)
class SentencesTest {
  @TempDir
  private Path folder;

  private static String body(Object sentences) {
    return new Gson().toJson(Map.of("sentences", sentences));
  }

  private static List<float[]> vectors(HttpResponse<String> reply) {
    check(reply, 200);
    final List<float[]> all = new ArrayList<>();
    for (final JsonElement each : ServiceProcess.json(reply).getAsJsonArray("vectors")) {
      all.add(new Gson().fromJson(each, float[].class));
    }
    return all;
  }

  private static double product(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; ++i) {
      sum += (double) a[i] * b[i];
    }
    return sum;
  }

  @Test
  void answersWithVectorsOfLengthOne() throws Exception {
    SentenceFiles.write(folder);
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--sentences", folder.toString())) {
      check(service.get("/readyz"), 200, "\"sentences\":\"cpu:0\"");
      check(service.get("/embed"), 405, "POST");
      final HttpResponse<String> reply = service.post("/embed", body(List.of("the cat sat", "a dog", "", "THE CÀT sat", "what? \u0000 \ud83d\ude42"))).get();
      check(reply, 200, "\"device\":\"cpu:0\"", "\"ran_us\":");
      final List<float[]> vectors = vectors(reply);
      assertEquals(5, vectors.size());
      for (final float[] each : vectors) {
        assertEquals(SentenceFiles.WIDTH, each.length);
        assertEquals(1, product(each, each), 1e-5);
      }
      assertArrayEquals(vectors.get(0), vectors.get(3)); // small letters without accents
      assertTrue(product(vectors.get(0), vectors.get(1)) < 0.99999);
      final float[] alone = vectors(service.post("/embed", "{\"sentence\": \"a dog\"}").get()).get(0);
      assertArrayEquals(vectors.get(1), alone, 1e-6f); // whatever came with it
      final List<float[]> many = vectors(service.post("/embed", body(Collections.nCopies(Sentences.MOST_SENTENCES, "a dog"))).get());
      assertEquals(Sentences.MOST_SENTENCES, many.size());
      for (final float[] each : many) {
        assertArrayEquals(alone, each, 1e-6f);
      }
      final String longest = "cat ".repeat(Encoder.MOST_PIECES - 2);
      assertEquals(1, vectors(service.post("/embed", body(List.of(longest))).get()).size());
      assertEquals(4, service.metric("digits_requests_total{path=\"/embed\",status=\"200\"}"));
      assertEquals(5, service.metric("sentences_graph_replays_total{rows=\"16\"}"), service.get("/metrics")::body);
      assertEquals(2, service.metric("sentences_graph_replays_total{rows=\"1\"}"), service.get("/metrics")::body);
    }
  }

  @Test
  void refusesWhatAreNoSentences() throws Exception {
    SentenceFiles.write(folder);
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--sentences", folder.toString())) {
      final String[][] wrong = {{"", "must be a JSON object"}, {"[]", "must be a JSON object"}, {"{", "not JSON"}, {"{}", "no \"sentence\""},
          {"{\"sentences\": []}", "is empty"}, {"{\"sentences\": \"a\"}", "must be an array"}, {"{\"sentences\": [1]}", "sentences[0]"},
          {"{\"sentences\": [\"a\", null]}", "sentences[1]"}, {"{\"sentences\": [[\"a\"]]}", "sentences[0]"}, {"{\"sentence\": 1}", "must be a text"},
          {"{\"sentence\": \"a\", \"sentences\": [\"a\"]}", "one member too many"}, {"{\"text\": \"a\"}", "'text' is unknown"},
          {"{\"sentence\": \"a\"} x", "not JSON"}, {"{\"sentence\": \"a\"} {}", "behind"}, {"{\"sentence\": \"\\ud800\"}", "surrogate"},
          {"{\"sentence\": \"tab\there\"}", "not JSON"}, {"{\"sentence\": " + "[".repeat(100_000), "must be a text"},
          {body(Collections.nCopies(Sentences.MOST_SENTENCES + 1, "a")), "more than 64"},
          {body(List.of("a", "cat ".repeat(Encoder.MOST_PIECES - 1))), "sentence 1 has 257 pieces of words: at most 256"}};
      for (final String[] each : wrong) {
        check(service.post("/embed", each[0]).get(), 400, each[1].replace("\"", "\\\""));
      }
      check(service.post("/embed", body(List.of("a".repeat(Sentences.MOST_BYTES)))).get(), 413, "longer than");
      assertEquals(1, vectors(service.post("/embed", body(List.of("a".repeat(Sentences.MOST_BYTES - 100)))).get()).size()); // one unknown word
      final byte[] latin = "{\"sentence\": \"caf\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);
      try (Visitor visitor = new Visitor(service.port())) {
        final String came = visitor.send(Visitor.post("/embed", latin.length, "Connection: close") + new String(latin, StandardCharsets.ISO_8859_1)).all();
        assertTrue(came.startsWith("HTTP/1.1 400 ") && came.contains("not JSON"), came);
      }
      assertEquals(1, vectors(service.post("/embed", body(List.of("a dog"))).get()).size());
    }
    try (ServiceProcess service = new ServiceProcess("--device", "cpu")) {
      check(service.post("/embed", body(List.of("a dog"))).get(), 404, "without --sentences");
    }
  }

  @Test
  void refusesFilesThatAreNoEncoder() throws Exception {
    final Batcher.Listener nobody = new Batcher.Listener() {
      @Override
      public void launched(int images, int rows, double seconds) {}

      @Override
      public void failed(Throwable cause) {}
    };
    assertThrows(IOException.class, () -> new Encoder(folder.resolve("missing"), Device.CPU).close());
    SentenceFiles.write(folder, "encoder.layer.4.output.dense.bias");
    final IOException part = assertThrows(IOException.class, () -> new Sentences(folder, Device.CPU, false, nobody).close());
    assertTrue(part.getMessage().contains("not a file of MiniLM") && part.getMessage().contains("encoder.layer.4.output.dense.bias"), part.getMessage());
    SentenceFiles.write(folder);
    Files.writeString(folder.resolve("tokenizer.json"), "{}");
    final IOException broken = assertThrows(IOException.class, () -> new Sentences(folder, Device.CPU, false, nobody).close());
    assertTrue(broken.getMessage().contains("is no tokenizer"), broken.getMessage());
    SentenceFiles.writeTokenizer(folder, "one", "two");
    final IOException other = assertThrows(IOException.class, () -> new Sentences(folder, Device.CPU, false, nobody).close());
    assertTrue(other.getMessage().contains("pieces of words of its encoder"), other.getMessage());
    Files.delete(folder.resolve("tokenizer.json"));
    final IOException none = assertThrows(IOException.class, () -> new Sentences(folder, Device.CPU, false, nobody).close());
    assertTrue(none.getMessage().contains("there is no file"), none.getMessage());
  }

  /** The pretrained network, where examples/data/sentences.py was run: pieces as kept, vectors as NumPy makes them. */
  @Test
  void pretrainedNetworkHasTheKeptPiecesAndVectors() throws Exception {
    final String fetched = System.getProperty("service.sentences", "");
    assumeTrue(!fetched.isEmpty(), "the pretrained network was not fetched (examples/data/sentences.py)");
    final JsonArray kept = new Gson().fromJson(Files.readString(Path.of(System.getProperty("service.tokens"))), JsonArray.class);
    try (HuggingFaceTokenizer tokenizer = Sentences.tokenizer(Path.of(fetched).resolve("tokenizer.json"))) {
      assertTrue(kept.size() > 50);
      for (final JsonElement each : kept) {
        final String text = each.getAsJsonArray().get(0).getAsString();
        final long[] expected = new Gson().fromJson(each.getAsJsonArray().get(1), long[].class);
        assertArrayEquals(expected, tokenizer.encode(text).getIds(), text);
      }
    }
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--sentences", fetched);
        ModelFile file = ModelFile.open(Path.of(System.getProperty("service.vectors"))); Engine engine = Engine.create()) {
      final List<String> texts = file.tensors().stream().map(ModelFile.Entry::name).toList();
      assertEquals(31, texts.size());
      final List<float[]> vectors = vectors(service.post("/embed", body(texts)).get());
      for (int i = 0; i < texts.size(); ++i) {
        try (Tensor expected = file.load(texts.get(i), engine, Device.CPU)) {
          assertArrayEquals(expected.toFloatArray(), vectors.get(i), 1e-6f, texts.get(i));
        }
      }
      final String made = System.getProperty("service.asked", ""); // by the C example, of the questions, which are the last ones
      assumeTrue(!made.isEmpty(), "the C example was not built (it needs ICU, libicu-dev): equal bits were not looked at");
      try (ModelFile other = ModelFile.open(Path.of(made)); Tensor asked = other.load("questions", engine, Device.CPU)) {
        final List<String> questions = texts.subList(texts.size() - (int) asked.shape()[0], texts.size());
        final float[] all = new float[(int) (asked.shape()[0] * asked.shape()[1])];
        for (int i = 0; i < questions.size(); ++i) {
          final float[] each = vectors(service.post("/embed", body(List.of(questions.get(i)))).get()).get(0);
          System.arraycopy(each, 0, all, i * each.length, each.length);
        }
        assertArrayEquals(asked.toFloatArray(), all);
      }
    }
  }
}
