// What is written for programs and people has decimal points, whatever the process's locale says. A program that calls
// setlocale(LC_ALL, "") has its user's; a Java virtual machine does.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <clocale>
#include <filesystem>
#include <fstream>
#include <regex>

#include "harness.h"

namespace conformance {
namespace {

// One whose numbers have a comma, and dots between thousands, made here: a machine may have none of that kind.
class CommaLocale {
 public:
  CommaLocale() {
    char folder[] = "/tmp/rondo-locale-XXXXXX";
    if (!mkdtemp(folder)) return;
    folder_ = folder;
    std::filesystem::create_directory(folder_ / "xx_XX");
    // The C library's form: magic number and category, the number of entries, where each begins, the entries.
    const uint32_t head[] = {0x20031114, 6, 32, 34, 36, 40, 44, 48};
    std::ofstream file(folder_ / "xx_XX" / "LC_NUMERIC", std::ios::binary);
    file.write(reinterpret_cast<const char*>(head), sizeof head);
    const uint32_t wide[] = {',', '.'};
    file.write(",\0.\0\3\3\0\0", 8).write(reinterpret_cast<const char*>(wide), sizeof wide).write("UTF-8", 6);
    file.close();
    const Setting path("LOCPATH", folder_);
    set_ = setlocale(LC_NUMERIC, "xx_XX") != nullptr;
  }
  ~CommaLocale() {
    setlocale(LC_NUMERIC, "C");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  bool set() const {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f", 1.5);
    return set_ && std::string(text) == "1,5";
  }

 private:
  std::filesystem::path folder_;
  bool set_ = false;
};

class Locale : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    if (IsSkipped()) return;
    comma_.emplace();
    if (!comma_->set()) GTEST_SKIP() << "the C library takes no locale from LOCPATH";
  }
  void TearDown() override {
    comma_.reset();
    out_.reset();
    if (!IsSkipped()) OnEngine::TearDown();
  }
  Graph graph() {
    const Tensor x = up(full(RONDO_F32, {1000}, 1));
    return record(engine(), [&] { out_ = make(rondo_softmax, make(rondo_binary_scalar, RONDO_MUL, x, 0.5), 0); });
  }

 private:
  Tensor out_;
  std::optional<CommaLocale> comma_;
};
CONFORMANCE_ENGINE_SUITE(Locale);

TEST_P(Locale, TracesAndProfilesAreJson) {
  must(rondo_trace_begin(engine()));
  const Graph graph = this->graph();
  must(rondo_graph_launch(graph.get()));
  must(rondo_engine_wait_all(engine()));
  const std::string trace = written([&](const char* path) { return rondo_trace_end(engine(), path); });
  ASSERT_TRUE(nlohmann::json::accept(trace)) << trace;
  EXPECT_FALSE(nlohmann::json::parse(trace).at("traceEvents").empty());
  const std::string profile = written([&](const char* path) { return rondo_graph_profile(graph.get(), path); });
  ASSERT_TRUE(nlohmann::json::accept(profile)) << profile;
  EXPECT_GT(nlohmann::json::parse(profile).at("total_us"), 0);
}

TEST_P(Locale, ReportsAndMessagesHavePoints) {
  const Graph graph = this->graph();
  must(rondo_graph_launch(graph.get()));
  const std::string report = graph_report(graph.get());
  EXPECT_TRUE(std::regex_search(report, std::regex("[0-9]\\.[0-9]+ ms"))) << report;
  EXPECT_FALSE(std::regex_search(report, std::regex("[0-9],[0-9]+ ms"))) << report;
  const Tensor x = up(full(RONDO_F32, {2, 3}, 1));
  Tensor out;
  EXPECT_EQ(rondo_layer_norm(x, -1, nullptr, nullptr, -0.5, out.slot()), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("-0.5"), std::string::npos) << rondo_last_error();
  const int64_t shape[] = {3};
  EXPECT_EQ(rondo_random_uniform(engine(), device(), RONDO_F32, 1, shape, 2.5, 0.25, out.slot()),
            RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("2.5"), std::string::npos) << rondo_last_error();
}

// Numbers that are read, and those that kernels are made of.
TEST_P(Locale, ExpressionsKeepTheirNumbers) {
  rondo_expression* half = nullptr;
  must(rondo_expression_create("y = x * 0.5 + 1.25e-1", nullptr, &half));
  const Tensor x = up(full(RONDO_F32, {3}, 1));
  const rondo_argument arguments[] = {RONDO_TENSOR("x", x)};
  Tensor out;
  const rondo_status status = rondo_expression_run(half, 1, arguments, 1, out.slot());
  rondo_expression_destroy(half);
  if (status == RONDO_UNSUPPORTED) GTEST_SKIP() << rondo_last_error();
  must(status);
  expect_same_bits(download(out), full(RONDO_F32, {3}, Real(0.625)), "x * 0.5 + 0.125");
}

}  // namespace
}  // namespace conformance
