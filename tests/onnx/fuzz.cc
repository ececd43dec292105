// Reads damaged ONNX models: bytes of given files are changed at random, and each ends as a model or with a failure.
//
//    onnx_fuzz RUNS SEED MODEL...
//
// A run that takes long, or more memory than the file explains, is a fault that the tests' limits show.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/file/model.h"
#include "onnx/patterns/patterns.h"

namespace {

using rondo_onnx::GraphProto;

constexpr int64_t kMostBytes = 1 << 20;

struct Counts {
  int64_t models = 0, failures = 0, tensors = 0;
};

// Changes one to eight places: bits, bytes that are ends of what a byte holds, parts left out, repeated, or of another
// model.
std::string damaged(const std::vector<std::string>& models, std::mt19937_64& draw) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : static_cast<size_t>(draw() % n); };
  std::string data = models[below(models.size())];
  for (size_t changes = 1 + below(8); changes > 0 && !data.empty(); --changes) {
    const size_t at = below(data.size()), length = 1 + below(16);
    static constexpr unsigned char kEnds[] = {0, 1, 0x7f, 0x80, 0xff};
    switch (below(6)) {
      case 0: data[at] = static_cast<char>(data[at] ^ (1 << below(8))); break;
      case 1: data[at] = static_cast<char>(kEnds[below(sizeof kEnds)]); break;
      case 2: data[at] = static_cast<char>(draw()); break;
      case 3: data.erase(at, length); break;
      case 4: data.insert(at, data.substr(below(data.size()), length)); break;
      default: {
        const std::string& other = models[below(models.size())];
        data.replace(at, length, other, below(other.size()), length);
      }
    }
  }
  return data;
}

void read_tensors(const GraphProto& graph, Counts* counts) {
  for (const rondo_onnx::TensorProto& each : graph.initializers) {
    try {
      rondo_onnx::Contents contents;
      read_contents(each, "none/model.onnx", kMostBytes, &contents);
      ++counts->tensors;
    } catch (const rondo_onnx::Failure&) {
      ++counts->failures;
    }
  }
}

void read_one(const std::string& data, Counts* counts) {
  try {
    const rondo_onnx::Model model = rondo_onnx::read_model(data);
    ++counts->models;
    read_tensors(model.graph, counts);
    rondo_onnx::Findings findings;
    find_patterns(model.graph, 17, "none/model.onnx", kMostBytes, &findings);
  } catch (const rondo_onnx::Failure& failure) {
    ++counts->failures;
    if (*failure.what() == '\0') {
      std::puts("a failure without a message");
      std::exit(1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::puts("usage: onnx_fuzz RUNS SEED MODEL...");
    return 2;
  }
  std::vector<std::string> models;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    models.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (models.back().empty()) {
      std::printf("%s cannot be read, or is empty\n", argv[i]);
      return 2;
    }
  }
  const int64_t runs = std::atoll(argv[1]);
  std::mt19937_64 draw(static_cast<uint64_t>(std::atoll(argv[2])));
  Counts counts;
  for (const std::string& each : models) read_one(each, &counts);
  const int64_t whole = counts.models;
  for (int64_t i = 0; i < runs; ++i) read_one(damaged(models, draw), &counts);
  std::printf("%lld models of %lld runs, %lld failures, %lld tensors\n", static_cast<long long>(counts.models - whole),
              static_cast<long long>(runs), static_cast<long long>(counts.failures),
              static_cast<long long>(counts.tensors));
  // A reader that refuses all, or takes all, is none.
  return whole == static_cast<int64_t>(models.size()) && counts.models > whole && counts.failures > 0 ? 0 : 1;
}
