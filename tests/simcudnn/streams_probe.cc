// Gradients of twenty convolutions of sizes drawn by chance, printed so that two runs can be compared bit by bit: a
// line for each with its sizes, a number made of all bits, and the first values. streams_test starts it with the
// settings of each case.
//
//   streams_probe async|threaded|naive eager|graph [COUNT [LIMIT]]
//
// LIMIT: of the engine's memory on the device, in bytes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

void must(rondo_status status) {
  if (status == RONDO_OK) return;
  std::printf("failed\t%s\n", rondo_last_error());
  std::exit(1);
}

uint32_t g_state = 12345;
uint32_t draw(uint32_t below) {
  g_state = g_state * 1664525u + 1013904223u;
  return (g_state >> 8) % below;
}

rondo_tensor* tensor(rondo_engine* engine, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t each : shape) count *= each;
  std::vector<float> data(static_cast<size_t>(count));
  for (float& each : data) each = static_cast<float>(draw(2000)) / 1000 - 1;
  rondo_tensor* made = nullptr;
  must(rondo_tensor_from_host(engine, {RONDO_CUDA, 0}, RONDO_F32, static_cast<int32_t>(shape.size()), shape.data(),
                              data.data(), &made));
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string mode = argv[1];
  const bool recorded = std::strcmp(argv[2], "graph") == 0;
  const int count = argc > 3 ? std::atoi(argv[3]) : 20;
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  options.mode = mode == "async" ? RONDO_ENGINE_ASYNC : mode == "threaded" ? RONDO_ENGINE_THREADED : RONDO_ENGINE_NAIVE;
  if (argc > 4) options.memory_limit = std::atoll(argv[4]);
  rondo_engine* engine = nullptr;
  must(rondo_engine_create(&options, &engine));
  for (int i = 0; i < count; ++i) {
    const int64_t n = 1 + draw(2), c = 1 + draw(6), k = 1 + draw(6), h = 3 + draw(6), w = 3 + draw(6);
    const int64_t kernel = 1 + 2 * draw(2);
    rondo_convolution_options how = RONDO_CONVOLUTION_OPTIONS_INIT;
    how.padding[0] = how.padding[1] = kernel / 2;
    how.stride[0] = how.stride[1] = 1 + draw(2);
    rondo_tensor* x = tensor(engine, {n, c, h, w});
    rondo_tensor* f = tensor(engine, {k, c, kernel, kernel});
    const int64_t out_h = (h - 1) / how.stride[0] + 1, out_w = (w - 1) / how.stride[1] + 1;
    rondo_tensor* dy = tensor(engine, {n, k, out_h, out_w});
    rondo_tensor* y = nullptr;
    rondo_tensor* const sources[2] = {x, f};
    rondo_tensor* gradients[2] = {};
    rondo_graph* graph = nullptr;
    if (recorded) must(rondo_record_begin(engine, nullptr));
    rondo_tape* tape = nullptr;
    must(rondo_tape_begin(engine, RONDO_TAPE_DEFAULT, &tape));
    must(rondo_tape_watch(tape, x));
    must(rondo_tape_watch(tape, f));
    must(rondo_convolution(x, f, &how, &y));
    must(rondo_tape_gradients(tape, 1, &y, &dy, 2, sources, gradients));
    rondo_tape_destroy(tape);
    if (recorded) {
      must(rondo_record_end(engine, &graph));
      must(rondo_graph_launch(graph));
      must(rondo_graph_launch(graph));
      rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
      must(rondo_graph_query(graph, &info));
      std::vector<char> report(4096);
      size_t length = 0;
      must(rondo_graph_report(graph, report.data(), report.size(), &length));
      const char* said = std::strstr(report.data(), "gradients ");
      std::printf("report\t%d of %d captured\t%.*s\n", info.captured, info.segments,
                  said ? static_cast<int>(std::strcspn(said, "\n")) : 0, said ? said : "");
    }
    uint64_t bits = 14695981039346656037u;
    std::string first;
    for (int g = 0; g < 2; ++g) {
      std::vector<float> values(static_cast<size_t>(g == 0 ? n * c * h * w : k * c * kernel * kernel));
      must(rondo_tensor_read(gradients[g], values.data(), values.size() * sizeof(float)));
      std::vector<unsigned char> bytes(values.size() * sizeof(float));
      std::memcpy(bytes.data(), values.data(), bytes.size());
      for (const unsigned char each : bytes) bits = (bits ^ each) * 1099511628211u;
      for (size_t v = 0; v < values.size() && v < 16; ++v) first += " " + std::to_string(values[v]);
    }
    std::printf("sizes %d\t%016llx\t%s\n", i, static_cast<unsigned long long>(bits), first.c_str());
    for (rondo_tensor* each : {x, f, dy, y, gradients[0], gradients[1]}) rondo_tensor_destroy(each);
    rondo_graph_destroy(graph);
  }
  rondo_engine_destroy(engine);
  return 0;
}
