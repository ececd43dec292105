// Programs that no writer wrote: texts that are cut, doubled and mixed, and whole JSON whose numbers and words are
// others than were meant. Reading ends with a program or a status, and a program is written and read the same. What can
// be made runs, in every mode with the same bits. FUZZ_ROUNDS says how long, FUZZ_SEED where it begins.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rondo/rondo.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "base/json_text.h"
#include "golden_files.h"
#include "models/header.h"
#include "program_files/load.h"
#include "program_files/program_text.h"

namespace rondo::program_files {
namespace {

unsigned number_of(const char* setting, unsigned usual) {
  const char* const text = std::getenv(setting);
  return text ? static_cast<unsigned>(std::atoi(text)) : usual;
}

class ProgramFuzz : public ::testing::Test {
 protected:
  ProgramFuzz() {
    for (const char* folder : {"golden", "corpus"})
      for (auto& [name, text] : program_texts(folder)) texts_.push_back(text);
  }
  size_t below(size_t end) { return end ? random_() % end : 0; }
  const std::string& any() { return texts_[below(texts_.size())]; }

  // --- any bytes
  std::string damaged() {
    std::string text = any();
    for (size_t edits = 1 + below(4); edits-- > 0;) {
      const size_t at = below(text.size()), length = below(1 + std::min<size_t>(text.size() - at, 40));
      switch (below(5)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(below(text.size()), text.substr(at, length)); break;
        case 2:
          if (at < text.size()) text[at] = static_cast<char>(random_());
          break;
        case 3: {
          const std::string& other = any();
          text.replace(at, length, other.substr(below(other.size()), below(60)));
          break;
        }
        default: text.replace(at, length, token());
      }
    }
    return text;
  }
  std::string token() {
    static const char* const tokens[] = {"-1",
                                         "0",
                                         "1",
                                         "9223372036854775807",
                                         "18446744073709551616",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         "\"",
                                         ",",
                                         ":",
                                         "[]",
                                         "null",
                                         "true",
                                         "\"\\u0000\"",
                                         "1e9",
                                         "\\"};
    return tokens[below(std::size(tokens))];
  }

  // --- whole JSON with other numbers and words
  std::string meant_otherwise() {
    std::string text = any();
    for (size_t edits = 1 + below(3); edits-- > 0;) {
      const std::vector<std::pair<size_t, size_t>> parts = parts_of(text);
      if (parts.empty()) break;
      const auto [at, length] = parts[below(parts.size())];
      text.replace(at, length, text[at] == '"' ? word(text, parts) : number(text.substr(at, length)));
    }
    return text;
  }
  // Numbers and words behind the head of the file.
  static std::vector<std::pair<size_t, size_t>> parts_of(const std::string& text) {
    std::vector<std::pair<size_t, size_t>> parts;
    for (size_t at = std::min(text.find("\"weights\""), text.size()); at < text.size();) {
      size_t end = at + 1;
      if (text[at] == '"') {
        end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
        if (end >= text.size() || text[end] != ':') parts.emplace_back(at, end - at);
      } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        parts.emplace_back(at, end - at);
      }
      at = end;
    }
    return parts;
  }
  std::string number(const std::string& old) {
    static const char* const edges[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "7",
                                        "-1",
                                        "-2",
                                        "64",
                                        "255",
                                        "65536",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483648",
                                        "4294967295",
                                        "9223372036854775807",
                                        "-9223372036854775808"};
    if (below(3) == 0) return edges[below(std::size(edges))];
    // Wraps around at the ends.
    return std::to_string(static_cast<int64_t>(static_cast<uint64_t>(std::atoll(old.c_str())) + below(5) - 2));
  }
  std::string word(const std::string& text, const std::vector<std::pair<size_t, size_t>>& parts) {
    static const char* const words[] = {"f32",    "f64",     "f16",     "bf16", "i32",        "i64",
                                        "u8",     "bool",    "f8_e4m3", "0x0",  "0x7fc00000", "0xffffffffffffffff",
                                        "0x1p+0", "-0x1p+0", "nan",     "inf",  "0x1p+1000"};
    if (below(2) == 0) return std::string("\"") + words[below(std::size(words))] + "\"";
    const auto [at, length] = parts[below(parts.size())];
    return text[at] == '"' ? text.substr(at, length) : "\"relu\"";
  }

  // A program that is read is written and read again as it is.
  static bool read(const std::string& text, Program* program) {
    if (!read_program(text, nullptr, program).ok()) return false;
    const std::string written = write_program(*program);
    Program again;
    const Status status = read_program(written, nullptr, &again);
    EXPECT_TRUE(status.ok()) << status.message() << "\n" << text;
    EXPECT_EQ(write_program(again), written) << text;
    return true;
  }
  // Small, and soon done.
  static bool is_small(const std::vector<Node>& nodes, int64_t* bytes, int64_t turns) {
    constexpr int64_t kMost = 1 << 20;
    const auto count = [&](rondo_dtype dtype, const Layout& layout) {
      *bytes += layout.elements() * static_cast<int64_t>(dtype_size(dtype));
      return *bytes <= kMost;
    };
    for (const Node& node : nodes) {
      for (const Written& each : node.outputs)
        if (each.made && !count(each.dtype, each.layout)) return false;
      if (!node.choice) continue;
      const bool loop = node.choice->kind == ControlForm::Kind::loop;
      if (loop && (node.choice->limit < 1 || node.choice->limit > 8 || turns * node.choice->limit > 64)) return false;
      for (const Choice::Body& each : node.choice->bodies)
        if (!is_small(each.nodes, bytes, loop ? turns * node.choice->limit : turns)) return false;
    }
    return true;
  }
  static bool is_small(const Program& program) {
    int64_t bytes = 0;
    for (const Declared& each : program.weights)
      bytes += each.shape.elements() * static_cast<int64_t>(dtype_size(each.dtype));
    for (const Function& function : program.functions) {
      for (const Declared& each : function.inputs)
        bytes += each.shape.elements() * static_cast<int64_t>(dtype_size(each.dtype));
      if (bytes > 1 << 20 || !is_small(function.nodes, &bytes, 1)) return false;
    }
    return true;
  }

  std::mt19937 random_{number_of("FUZZ_SEED", 1)};
  std::vector<std::string> texts_;
};

TEST_F(ProgramFuzz, DamagedTextsEndWithAStatus) {
  const unsigned rounds = number_of("FUZZ_ROUNDS", 20000);
  for (unsigned i = 0; i < rounds && !HasFailure(); ++i) {
    Program program;
    (void)read(damaged(), &program);
  }
}

class ProgramFuzzRuns : public ProgramFuzz {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < 2; ++i) {
      rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
      options.mode = i ? RONDO_ENGINE_NAIVE : RONDO_ENGINE_ASYNC;
      options.workers = 1;
      options.memory_limit = 64 << 20;
      ASSERT_EQ(rondo_engine_create(&options, &engines_[i]), RONDO_OK) << rondo_last_error();
    }
  }
  void TearDown() override {
    for (rondo_engine* each : engines_) rondo_engine_destroy(each);
  }
  // Numbers of all sizes, the same for each engine: places that operators do not have among them.
  static std::string bytes_of(const Declared& like, unsigned seed) {
    std::minstd_rand random(seed);
    std::string bytes(static_cast<size_t>(like.shape.elements()) * dtype_size(like.dtype), '\0');
    for (char& each : bytes) {
      const auto drawn = static_cast<unsigned>(random()) >> 8;
      each = static_cast<char>(drawn % 3 ? (drawn >> 2) % 3 : drawn >> 4);
    }
    if (like.dtype == RONDO_BOOL)
      for (char& each : bytes) each &= 1;
    return bytes;
  }
  rondo_tensor* filled(rondo_engine* engine, const Declared& like, unsigned seed) {
    rondo_tensor* made = nullptr;
    if (rondo_tensor_create(engine, {RONDO_CPU, 0}, like.dtype, like.shape.ndim, like.shape.shape, &made) != RONDO_OK)
      return nullptr;
    const std::string bytes = bytes_of(like, seed);
    EXPECT_EQ(rondo_tensor_write(made, bytes.data(), bytes.size()), RONDO_OK) << rondo_last_error();
    return made;
  }
  // The file with the text and weights, as bytes: to write files takes longer than all that is done with them.
  static rondo_program* opened(const std::string& text, const Program& program, unsigned seed) {
    std::string header = "{\"__metadata__\":{\"" + std::string(kProgramKey) + "\":" + json_text(text) + "}", data;
    for (const Declared& each : program.weights) {
      const std::string shape = shape_text(each.shape), bytes = bytes_of(each, seed);
      header += "," + json_text(each.name) + ":{\"dtype\":\"" + models::format_name(each.dtype) +
                "\",\"shape\":" + shape + ",\"data_offsets\":[" + std::to_string(data.size()) + "," +
                std::to_string(data.size() + bytes.size()) + "]}";
      data += bytes;
    }
    header += "}";
    const uint64_t length = header.size();
    std::string file(reinterpret_cast<const char*>(&length), sizeof length);
    file += header + data;
    rondo_program* made = nullptr;
    return rondo_program_open_bytes(file.data(), file.size(), &made) == RONDO_OK ? made : nullptr;
  }
  // The bytes of all outputs of all functions; a status where something fails.
  std::string run(rondo_engine* engine, rondo_program* opened, const Program& program, unsigned seed) {
    rondo_program_instance* instance = nullptr;
    rondo_status status = rondo_program_create_instance(opened, engine, {RONDO_CPU, 0}, &instance);
    std::string results = std::to_string(status) + " ";
    if (status == RONDO_OK) {
      ++made_;
      EXPECT_EQ(rondo_engine_seed(engine, 7), RONDO_OK);
    }
    for (size_t f = 0; status == RONDO_OK && f < program.functions.size(); ++f) {
      const Function& function = program.functions[f];
      std::vector<rondo_tensor*> inputs, outputs(function.outputs.size(), nullptr);
      for (const Declared& each : function.inputs) inputs.push_back(filled(engine, each, ++seed));
      const rondo_status called =
          rondo_program_call(instance, function.name.c_str(), static_cast<int32_t>(inputs.size()), inputs.data(),
                             static_cast<int32_t>(outputs.size()), outputs.data());
      for (rondo_tensor* each : inputs) rondo_tensor_destroy(each);
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i]) continue;
        const Function::Output& each = function.outputs[i];
        std::string bytes(static_cast<size_t>(each.shape.elements()) * dtype_size(each.dtype), '\0');
        if (called == RONDO_OK && rondo_tensor_read(outputs[i], bytes.data(), bytes.size()) == RONDO_OK)
          results += bytes;
        rondo_tensor_destroy(outputs[i]);
      }
    }
    rondo_program_instance_destroy(instance);
    return results;
  }

  rondo_engine* engines_[2] = {};
  unsigned made_ = 0;
};

TEST_F(ProgramFuzzRuns, OtherMeaningsHaveNaiveModesBits) {
  const unsigned rounds = number_of("FUZZ_ROUNDS", 20000) / 20;
  for (unsigned i = 0; i < rounds && !HasFailure(); ++i) {
    const std::string text = meant_otherwise();
    Program program;
    if (!read(text, &program) || !is_small(program)) continue;
    const unsigned seed = static_cast<unsigned>(random_());
    rondo_program* const file = opened(text, program, seed);
    if (!file) continue;  // a weight has a name that no tensor of a file has
    const std::string usual = run(engines_[0], file, program, seed);
    EXPECT_TRUE(run(engines_[1], file, program, seed) == usual) << text;
    rondo_program_destroy(file);
  }
  EXPECT_GT(made_, rounds / 50) << "most of them were refused";
}

}  // namespace
}  // namespace rondo::program_files
