// Both gradients of a convolution on one stream and on two: the same bits, in every mode, eager and captured, and
// within 0.01 of Rondo's own kernels. What MXNet's test_convolution_multiple_streams would check, were it not skipped
// there. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Environment = std::map<std::string, std::string>;

struct Lines {
  std::vector<std::string> bits, values, reports;
  std::string text;
};

Lines run(const std::string& arguments, const Environment& more) {
  Environment environment = {{"RONDO_CUDNN", SIMCUDNN_9}, {"RONDO_CACHE", "off"}, {"RONDO_TRIAL_MS", "0"}};
  for (const auto& [name, value] : more) environment[name] = value;
  std::string command;
  for (const auto& [name, value] : environment) command += name + "='" + value + "' ";
  command += std::string("exec ") + STREAMS_PROBE + " " + arguments + " 2>&1";
  Lines lines;
  std::FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe)) {
    const std::string line = buffer;
    lines.text += line;
    std::istringstream parts(line);
    std::string what, first, second;
    std::getline(parts, what, '\t');
    std::getline(parts, first, '\t');
    std::getline(parts, second, '\n');
    if (what == "report") lines.reports.push_back(first + "; " + second);
    if (what.rfind("sizes", 0) == 0) lines.bits.push_back(first), lines.values.push_back(second);
  }
  const int state = pclose(pipe);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0) << command << "\n" << lines.text;
  EXPECT_EQ(lines.text.find("simcuda:"), std::string::npos) << lines.text;
  return lines;
}

TEST(BackwardStreams, SameBitsOnOneAndOnTwo) {
  const Lines expected = run("naive eager", {{"RONDO_BACKWARD_STREAMS", "never"}});
  ASSERT_EQ(expected.bits.size(), 20u) << expected.text;
  int seed = 0;
  for (const char* mode : {"async", "threaded", "naive"})
    for (const char* form : {"eager", "graph"})
      for (const char* streams : {"never", "always"}) {
        const std::string arguments = std::string(mode) + " " + form;
        const Lines found =
            run(arguments, {{"RONDO_BACKWARD_STREAMS", streams}, {"SIMCUDA_SEED", std::to_string(++seed)}});
        EXPECT_EQ(found.bits, expected.bits) << arguments << " " << streams << "\n" << found.text;
        for (const std::string& report : found.reports)
          EXPECT_EQ(report, std::string("1 of 1 captured; gradients ") +
                                (streams == std::string("always") ? "side by side" : "one after the other") +
                                ", as RONDO_BACKWARD_STREAMS says");
        EXPECT_EQ(found.reports.size(), form == std::string("graph") ? 20u : 0u) << found.text;
      }
}

TEST(BackwardStreams, OwnKernelsAgree) {
  const Lines expected = run("async eager", {});
  const Environment own = {{"RONDO_CUDNN", "none"}, {"RONDO_BACKWARD_STREAMS", "always"}, {"SIMCUDA_SEED", "9"}};
  const Lines found = run("async eager", own);
  ASSERT_EQ(found.values.size(), expected.values.size()) << found.text;
  for (size_t i = 0; i < found.values.size(); ++i) {
    std::istringstream ours(found.values[i]), theirs(expected.values[i]);
    for (double a = 0, b = 0; ours >> a && theirs >> b;) EXPECT_NEAR(a, b, 0.01) << "sizes " << i;
  }
}

TEST(BackwardStreams, MeasuredWhereItPays) {
  // Engines that wait leave room for one another. There is no quick one, however many the trial's budget reaches.
  const Environment slow = {{"RONDO_TRIAL_MS", "1"},
                            {"SIMCUDA_TOLD_TIME", "1"},
                            {"SIMCUDNN_ENGINES", "0=slow:3000,1=slow:3000,10=slow:3000"}};
  const Lines found = run("async graph 1", slow);
  ASSERT_EQ(found.reports.size(), 1u) << found.text;
  EXPECT_EQ(found.reports[0].rfind("1 of 1 captured; gradients side by side: ", 0), 0u) << found.reports[0];
  EXPECT_NE(found.reports[0].find("us one after the other"), std::string::npos) << found.reports[0];
}

TEST(BackwardStreams, InTurnWhereWorkspacesAreTooLarge) {
  Environment large = {{"RONDO_TRIAL_MS", "1"},
                       {"RONDO_CONVOLUTION_WORKSPACE_MB", "1"},
                       {"SIMCUDNN_ENGINES", "0=workspace:700000,1=refuse,10=refuse"}};
  const Lines expected = run("naive eager 1", large);
  for (const char* streams : {"measured", "always"}) {
    large["RONDO_BACKWARD_STREAMS"] = streams;
    const Lines found = run("async graph 1", large);
    ASSERT_EQ(found.reports.size(), 1u) << found.text;
    EXPECT_EQ(found.reports[0],
              "1 of 1 captured; gradients one after the other: two workspaces are more than "
              "RONDO_CONVOLUTION_WORKSPACE_MB allows");
    EXPECT_EQ(found.bits, expected.bits) << found.text;
  }
}

// Memory for one workspace, and in a graph for that of the forward one beside it: what two streams want is refused, by
// the pool's limit or by the device, and one stream does it.
TEST(BackwardStreams, InTurnWhereThePoolIsExhausted) {
  Environment engines = {{"SIMCUDNN_ENGINES", "0=workspace:30000000,1=refuse,10=refuse"},
                         {"RONDO_CONVOLUTION_WORKSPACE_MB", "1000"},
                         {"RONDO_BACKWARD_STREAMS", "always"}};
  const Lines expected = run("naive eager 4", engines);
  ASSERT_EQ(expected.bits.size(), 4u) << expected.text;
  for (const char* mode : {"async", "threaded", "naive"}) {
    const Lines eager = run(std::string(mode) + " eager 4 50000000", engines);
    EXPECT_EQ(eager.bits, expected.bits) << mode << "\n" << eager.text;
    // Engines are tried out beside the pool, so of a device's memory one shape alone is sure to come as far.
    for (const bool by_device : {false, true}) {
      engines["SIMCUDA_MEMORY"] = by_device ? "80" : "1024";
      const size_t count = by_device ? 1 : 4;
      const Lines graph = run(std::string(mode) + " graph " + (by_device ? "1" : "4 80000000"), engines);
      EXPECT_EQ(graph.bits, std::vector(expected.bits.begin(), expected.bits.begin() + static_cast<int>(count)))
          << mode << "\n"
          << graph.text;
      EXPECT_EQ(graph.reports.size(), count) << graph.text;
      for (const std::string& report : graph.reports)
        EXPECT_EQ(report, "1 of 1 captured; gradients one after the other: there was no memory for two workspaces");
    }
    engines.erase("SIMCUDA_MEMORY");
  }
}

}  // namespace
