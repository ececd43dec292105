// Plans of cuDNN against the simulated one: what is asked for is what the library takes, sums are right, promises about
// numbers hold, and whatever fails gives way to the next. Each case is a process of its own (plans_probe). Copyright
// 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rondo/base.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

struct Outcome {
  int code = -1;
  std::vector<std::pair<std::string, std::string>> lines;
  std::string text;
  std::vector<std::string> all(const std::string& key) const {
    std::vector<std::string> found;
    for (const auto& [name, value] : lines)
      if (name == key) found.push_back(value);
    return found;
  }
  std::string operator[](const std::string& key) const {
    const std::vector<std::string> found = all(key);
    return found.empty() ? "" : found.back();
  }
};

class Plans : public ::testing::Test {
 protected:
  Plans() {
    std::string name = (fs::temp_directory_path() / "rondo-plans-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~Plans() override { fs::remove_all(folder); }

  Outcome run(const std::string& words, Environment more = {}) {
    Environment environment = {{"RONDO_CACHE", "off"}, {"RONDO_CUDNN", SIMCUDNN_9}, {"RONDO_TRIAL_MS", "0"}};
    for (const auto& [name, value] : more) environment[name] = value;
    if (environment["SIMCUDNN_VERSION"].rfind("8.", 0) == 0) environment["RONDO_CUDNN"] = SIMCUDNN_8;
    std::string command;
    for (const auto& [name, value] : environment) command += name + "='" + value + "' ";
    command += std::string("exec ") + PLANS_PROBE + " " + words + " 2>&1";
    Outcome outcome;
    std::FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) outcome.text.append(buffer, n);
    const int state = pclose(pipe);
    outcome.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    size_t begin = 0;
    for (size_t end; (end = outcome.text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string line = outcome.text.substr(begin, end - begin);
      if (const size_t tab = line.find('\t'); tab != std::string::npos)
        outcome.lines.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    }
    return outcome;
  }
  // Chosen, run eagerly and captured with the same bits, and right up to `bound`.
  void computes(const std::string& problem, double bound, const Environment& environment = {}) {
    SCOPED_TRACE(problem);
    const Outcome outcome = run("problem " + problem + " choose run reports", environment);
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    for (const std::string& status : outcome.all("status")) EXPECT_EQ(status, "0") << outcome.text;
    EXPECT_EQ(outcome["capturable"], "yes") << outcome.text;
    EXPECT_EQ(outcome["nodes"], "1") << outcome.text;
    EXPECT_EQ(outcome["bits"], "equal") << outcome.text;
    ASSERT_NE(outcome["worst"], "") << outcome.text;
    EXPECT_LE(std::stod(outcome["worst"]), bound) << outcome.text;
    EXPECT_EQ(outcome["reports"], "0") << outcome.text;
  }
  fs::path folder;
};

TEST_F(Plans, EveryWayInEveryDtype) {
  const std::map<std::string, double> bounds = {{"f16", 0.02}, {"bf16", 0.15}, {"f32", 1e-4}, {"f64", 1e-12}};
  for (const auto& [dtype, bound] : bounds)
    for (const char* way : {"forward", "data", "filter"})
      for (const char* shape : {"", ",strided", ",groups,nchw", ",3d,odd", ",beta"})
        computes(way + ("," + dtype) + shape, bound);
}

TEST_F(Plans, WhatFollowsTheSumIsFused) {
  for (const char* dtype : {"f16", "bf16", "f32"})
    for (const char* what : {"bias", "bias,relu", "residual,bias,relu", "residual,bias", "residual", "residual,relu"})
      computes(std::string("forward,") + dtype + "," + what, dtype == std::string("f32") ? 1e-4 : 0.15);
  // Before 8.9 there is no such engine that is compiled ahead.
  const Outcome old = run("problem forward,f16,bias,relu choose", {{"SIMCUDNN_VERSION", "8.2"}});
  EXPECT_EQ(old["status"], "0") << old.text;
  EXPECT_EQ(old["count"], "0") << old.text;
}

TEST_F(Plans, EveryVersion) {
  for (const char* version : {"8.2", "8.9", "9.0", "9.6", "9.19", "9.28"})
    for (const char* problem : {"forward,f16", "data,f32", "filter,bf16"})
      computes(problem, 0.15, {{"SIMCUDNN_VERSION", version}});
}

TEST_F(Plans, OrderOfProposalsDoesNotMatter) {
  for (const char* seed : {"1", "2", "3"}) computes("forward,f32,bias,relu", 1e-4, {{"SIMCUDNN_SEED", seed}});
}

// The engines that were chosen, as numbers.
std::vector<std::string> engines_of(const Outcome& outcome) {
  std::vector<std::string> found = outcome.all("plan");
  for (std::string& each : found) each = each.substr(0, each.find(' '));
  return found;
}

bool has(const std::vector<std::string>& list, const std::string& what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

TEST_F(Plans, PromisesAboutNumbersExcludeEngines) {
  const Environment timed = {{"RONDO_TRIAL_MS", "5000"},
                             {"SIMCUDA_TOLD_TIME", "1"},
                             // What will not do would be the quickest.
                             {"SIMCUDNN_ENGINES", "0=slow:400,1=slow:400,10=slow:400"}};
  // Of single precision neither tensor cores, nor engines that compile, nor other algorithms.
  Outcome outcome = run("problem data,small,f32 choose", timed);
  EXPECT_EQ(engines_of(outcome).size(), 3u) << outcome.text;
  for (const char* each : {"41", "23", "25", "5", "7", "30"})
    EXPECT_FALSE(has(engines_of(outcome), each)) << outcome.text;
  // If asked for, tensor cores.
  outcome = run("problem data,small,f32,tf32 choose", timed);
  EXPECT_TRUE(has(engines_of(outcome), "41") || has(engines_of(outcome), "23")) << outcome.text;
  // Of halves tensor cores always, never sums that are rounded on the way or come out in any order.
  outcome = run("problem data,small,f16 choose", timed);
  EXPECT_TRUE(has(engines_of(outcome), "41") || has(engines_of(outcome), "23")) << outcome.text;
  for (const char* each : {"25", "5", "7", "30"}) EXPECT_FALSE(has(engines_of(outcome), each)) << outcome.text;
}

TEST_F(Plans, FixedBitsUnlessNothingElseWorks) {
  const Environment only_unsteady = {{"SIMCUDNN_ENGINES", "0=refuse,1=refuse,23=refuse,41=refuse"}};
  EXPECT_EQ(engines_of(run("problem data,f16 choose", only_unsteady)), std::vector<std::string>{"25"});
  EXPECT_EQ(run("problem data,f16,deterministic choose", only_unsteady)["count"], "0");
}

TEST_F(Plans, AReluThatLosesNanIsNotTaken) {
  for (const char* problem :
       {"forward,f16,bias,relu", "forward,bf16,residual,relu", "forward,f32,residual,bias,relu"}) {
    const std::string words = std::string("problem ") + problem + " choose nan run";
    const Outcome outcome = run(words, {{"SIMCUDNN_ENGINES", "23=losesnan,41=losesnan"}});
    EXPECT_EQ(outcome["nan"], "kept") << outcome.text;
    EXPECT_EQ(outcome["bits"], "equal") << outcome.text;
    for (const std::string& engine : engines_of(outcome)) EXPECT_TRUE(engine != "23" && engine != "41") << outcome.text;
    // All of them: none with a ReLU, but those without one are as good as before.
    const Environment all = {{"SIMCUDNN_ENGINES", "0=losesnan,1=losesnan,10=losesnan,23=losesnan,41=losesnan"}};
    EXPECT_EQ(run(words, all)["count"], "0");
    EXPECT_NE(run("problem forward,f16,bias choose", all)["count"], "0");
  }
  // Without memory nobody has seen it.
  const Environment poor = {{"SIMCUDA_FAULT", "cuMemAlloc_v2:1:2"}};
  EXPECT_EQ(run("problem forward,f16,bias,relu choose", poor)["count"], "0");
  EXPECT_NE(run("problem forward,f16,bias choose", poor)["count"], "0");
}

// A status of success says nothing of the numbers.
TEST_F(Plans, WhatComputesOtherwiseIsNotTaken) {
  for (const char* problem : {"data,f16,beta", "filter,bf16,beta", "forward,f16,beta"}) {
    const std::string words = std::string("problem ") + problem + " choose run";
    const Outcome outcome = run(words, {{"RONDO_TRIAL_MS", "1000"}});
    EXPECT_NE(outcome["count"], "0") << outcome.text;
    for (const std::string& engine : engines_of(outcome)) EXPECT_TRUE(engine == "0" || engine == "1") << outcome.text;
    EXPECT_EQ(run(words, {{"SIMCUDNN_ENGINES", "0=roundsfirst,1=roundsfirst"}})["count"], "0");
  }
  for (const char* problem : {"forward,f32", "filter,f64", "forward,bf16,residual,bias,relu"}) {
    const std::string words = std::string("problem ") + problem + " choose run";
    const Environment some = {{"SIMCUDNN_ENGINES", "10=miscounts,23=miscounts,41=miscounts"}};
    EXPECT_EQ(engines_of(run(words, some)).at(0), "0");
    const Environment all = {{"SIMCUDNN_ENGINES", "0=miscounts,1=miscounts,10=miscounts,23=miscounts,41=miscounts"}};
    EXPECT_EQ(run(words, all)["count"], "0");
  }
  // Memory that is not the operand's.
  EXPECT_EQ(run("problem filter,f32 choose run",
                {{"SIMCUDNN_ENGINES",
                  "0=overreads,1=overreads,5=overreads,10=overreads,23=overreads,41=overreads"}})["count"],
            "0");
  // A bias, or a residual, that is added to what was rounded.
  for (const char* problem : {"forward,f16,bias", "forward,bf16,residual", "forward,f16,residual,bias,relu"}) {
    const std::string words = std::string("problem ") + problem + " choose run";
    EXPECT_NE(run(words, {})["count"], "0");
    EXPECT_EQ(
        run(words,
            {{"SIMCUDNN_ENGINES",
              "0=roundsfirst,1=roundsfirst,5=roundsfirst,7=roundsfirst,23=roundsfirst,30=roundsfirst,41=roundsfirst"}})
            ["count"],
        "0");
  }
  // Bias and residual that are added to each other, and rounded, before the sum.
  EXPECT_EQ(run("problem forward,bf16,residual,bias,relu choose run",
                {{"SIMCUDNN_ENGINES",
                  "0=addsfirst,1=addsfirst,5=addsfirst,7=addsfirst,23=addsfirst,30=addsfirst,41=addsfirst"}})["count"],
            "0");
  // As many terms as there should be, but others.
  const std::string mistaken = "problem filter,f16,3d,groups,nchw choose run";
  EXPECT_EQ(engines_of(run(mistaken, {})), std::vector<std::string>{"1"});
  EXPECT_EQ(run(mistaken, {{"SIMCUDNN_ENGINES", "1=misplaces"}})["count"], "0");
  // Without memory nobody has seen it.
  for (const char* problem : {"data,f16,beta", "filter,f16,3d,groups,nchw"})
    EXPECT_EQ(run("problem " + std::string(problem) + " choose", {{"SIMCUDA_FAULT", "cuMemAlloc_v2:1:2"}})["count"],
              "0");
}

TEST_F(Plans, AShapeIsTriedOnce) {
  const Outcome outcome =
      run("problem forward,f16,small choose calls cudnnBackendFinalize problem data,f16,small problem "
          "forward,f16,small choose calls cudnnBackendFinalize",
          {{"RONDO_TRIAL_MS", "1000"}});
  const std::vector<std::string> calls = outcome.all("calls");
  ASSERT_EQ(calls.size(), 2u) << outcome.text;
  EXPECT_EQ(calls[0], calls[1]) << outcome.text;
}

TEST_F(Plans, AllShapesTogetherHaveABudget) {
  // The first one spends it, so the second takes the first engine that works; the next process does that one's trials.
  const Environment little = {{"RONDO_CACHE", folder.string()},
                              {"RONDO_TRIAL_MS", "5000"},
                              {"RONDO_TRIAL_TOTAL_MS", "20"},
                              {"SIMCUDNN_ENGINES", "0=slow:1000,1=slow:1000,23=slow:1000,41=slow:1000"}};
  const std::string words =
      "problem forward,f16,small choose problem data,f16,small calls cudnnBackendExecute choose calls "
      "cudnnBackendExecute";
  const auto trials = [](const Outcome& outcome) {
    const std::vector<std::string> calls = outcome.all("calls");
    return calls.size() == 2 ? std::stoi(calls[1]) - std::stoi(calls[0]) : -1;
  };
  const Outcome first = run(words, little);
  EXPECT_EQ(trials(first), 2) << first.text;  // one eager, one captured
  const Outcome second = run(words, little);
  EXPECT_GT(trials(second), 2) << second.text;
  const Outcome third = run("problem data,f16,small choose calls cudnnBackendExecute", little);
  EXPECT_EQ(third["plan"], second["plan"]) << third.text << second.text;
}

TEST_F(Plans, TheQuickestIsTaken) {
  const auto told = [](const char* engines) {
    return Environment{{"RONDO_TRIAL_MS", "5000"}, {"SIMCUDA_TOLD_TIME", "1"}, {"SIMCUDNN_ENGINES", engines}};
  };
  const Environment first = told("0=slow:8000,1=slow:8000,23=slow:8000,41=slow:50");
  EXPECT_EQ(engines_of(run("problem forward,f16,small choose", first)).at(0), "41");
  const Environment second = told("0=slow:50,1=slow:8000,23=slow:8000,41=slow:8000");
  EXPECT_EQ(engines_of(run("problem forward,f16,small choose", second)).at(0), "0");
}

TEST_F(Plans, WhatRefusesAtFinalizeIsPassedOver) {
  const Outcome outcome = run("problem forward,f16 choose run", {{"SIMCUDNN_ENGINES", "23=refuse,41=refuse"}});
  EXPECT_EQ(engines_of(outcome).at(0), "0") << outcome.text;
  EXPECT_EQ(outcome["status"], "0") << outcome.text;
  const Outcome none =
      run("problem forward,f16 choose", {{"SIMCUDNN_ENGINES", "0=refuse,1=refuse,23=refuse,41=refuse"}});
  EXPECT_EQ(none["status"], "0") << none.text;
  EXPECT_EQ(none["count"], "0") << none.text;
}

TEST_F(Plans, WorkspaceHasALimit) {
  const Environment small = {{"RONDO_CONVOLUTION_WORKSPACE_MB", "1"},
                             {"SIMCUDNN_ENGINES", "23=workspace:2000000,41=workspace:1048577"}};
  EXPECT_EQ(engines_of(run("problem forward,f16 choose", small)).at(0), "0");
  // More than the device has is no matter of a limit.
  const Environment huge = {{"RONDO_CONVOLUTION_WORKSPACE_MB", "60000"},
                            {"SIMCUDNN_ENGINES", "23=workspace:8000000000,41=workspace:4000000000"}};
  const Outcome outcome = run("problem forward,f16 choose run", huge);
  EXPECT_EQ(engines_of(outcome).at(0), "0") << outcome.text;
  EXPECT_EQ(outcome["status"], "0") << outcome.text;
}

TEST_F(Plans, OnlyWhatCanBeCapturedUnlessNothingElseWorks) {
  const Outcome outcome =
      run("problem forward,f16 choose run", {{"SIMCUDNN_ENGINES", "23=uncapturable,41=uncapturable"}});
  EXPECT_EQ(engines_of(outcome).at(0), "0") << outcome.text;
  EXPECT_EQ(outcome["bits"], "equal") << outcome.text;
  const Outcome none = run("problem forward,f16 choose",
                           {{"SIMCUDNN_ENGINES", "0=uncapturable,1=uncapturable,23=uncapturable,41=uncapturable"}});
  EXPECT_EQ(none["capturable"], "no") << none.text;
  EXPECT_NE(none["count"], "0") << none.text;
}

TEST_F(Plans, WhatFailsWhenItRunsGivesWayOnceAndSaysSo) {
  const Environment warned = {{"RONDO_LOG", "warning"}, {"RONDO_TRIAL_MS", "5000"}};
  // Chosen while it worked; then every run of the first fails.
  const Outcome outcome = run("problem forward,f16,small choose fault cudnnBackendExecute:1:8 run run run", warned);
  EXPECT_EQ(outcome.all("status").size(), 4u) << outcome.text;
  for (const std::string& status : outcome.all("status")) EXPECT_EQ(status, "0") << outcome.text;
  size_t said = 0;
  for (size_t at = 0; (at = outcome.text.find("is not used any more", at)) != std::string::npos; ++at) ++said;
  EXPECT_EQ(said, 1u) << outcome.text;
}

TEST_F(Plans, LessWorkspaceThanTheBestWantsTakesAnother) {
  const Environment timed = {{"RONDO_TRIAL_MS", "5000"},
                             {"SIMCUDA_TOLD_TIME", "1"},
                             {"SIMCUDNN_ENGINES", "0=slow:8000,1=slow:8000,41=slow:8000"}};
  const Outcome outcome = run("problem forward,f16,small choose workspace 0", timed);
  EXPECT_EQ(engines_of(outcome).at(0), "23") << outcome.text;
  EXPECT_EQ(outcome["status"], "0") << outcome.text;
}

TEST_F(Plans, RecipesAreKeptForTheNextProcess) {
  const Environment kept = {{"RONDO_CACHE", folder.string()}, {"RONDO_TRIAL_MS", "5000"}};
  const Outcome first = run("problem forward,f16,small choose run calls cudnnBackendGetAttribute", kept);
  const Outcome second = run("problem forward,f16,small choose run calls cudnnBackendGetAttribute", kept);
  EXPECT_EQ(first.all("plan"), second.all("plan")) << first.text << second.text;
  EXPECT_EQ(second["bits"], "equal") << second.text;
  // No heuristics: of each plan only its workspace was asked for.
  EXPECT_EQ(second["calls"], second["count"]) << second.text;
  EXPECT_GT(std::stoi(first["calls"]), 10) << first.text;

  // Another version, another limit, or a plan that will not do any more: chosen anew.
  Environment other = kept;
  other["SIMCUDNN_VERSION"] = "9.28";
  EXPECT_GT(std::stoi(run("problem forward,f16,small choose calls cudnnBackendGetAttribute", other)["calls"]), 10);
  other = kept;
  other["SIMCUDNN_ENGINES"] = "0=refuse,41=refuse";
  const Outcome third = run("problem forward,f16,small choose run", other);
  EXPECT_FALSE(has(engines_of(third), "0") || has(engines_of(third), "41")) << third.text;
  EXPECT_EQ(third["status"], "0") << third.text;

  // A damaged file is no choice.
  for (const auto& file : fs::recursive_directory_iterator(folder))
    if (file.is_regular_file()) fs::resize_file(file.path(), file.file_size() - 1);
  EXPECT_EQ(run("problem forward,f16,small choose run", kept)["status"], "0");
}

TEST_F(Plans, NothingIsLeftOfWhatWasNotChosen) {
  const Environment timed = {{"RONDO_TRIAL_MS", "1000"}};
  const Outcome outcome = run("problem forward,f16,small choose run live descriptors live handles", timed);
  // A plan has its engine, configuration, itself and at most one knob here; their graph six parts and itself.
  const std::vector<std::string> live = outcome.all("live");
  ASSERT_EQ(live.size(), 2u) << outcome.text;
  EXPECT_LE(std::stoi(live[0]), 4 * 3 + 7) << outcome.text;
  // One makes plans and one runs them: the thread that chose has handed its own on.
  EXPECT_EQ(live[1], "2") << outcome.text;
}

// A handle remembers its stream's event: shared by threads, one would disturb what another captures.
TEST_F(Plans, AHandleForEachThread) {
  const Outcome outcome = run("problem forward,f16,small choose run thread live handles thread live handles");
  const std::vector<std::string> live = outcome.all("live");
  ASSERT_EQ(live.size(), 2u) << outcome.text;
  EXPECT_EQ(live[0], "3") << outcome.text;
  EXPECT_EQ(live[1], "3") << "the handle of a thread that has ended is used again: " << outcome.text;
  for (const std::string& status : outcome.all("status")) EXPECT_EQ(status, "0") << outcome.text;
}

TEST_F(Plans, AFaultAtEveryCall) {
  const char* const entries[] = {
      "cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendFinalize", "cudnnBackendGetAttribute",
      "cudnnBackendExecute",          "cudnnSetStream",           "cudnnCreate"};
  // With a ReLU each engine is tried with NaN as well.
  for (const std::string problem : {"data,f32,beta", "forward,f32,bias,relu"}) {
    std::string counts = "problem " + problem + " choose run";
    for (const char* entry : entries) counts += std::string(" calls ") + entry;
    const Outcome clean = run(counts);
    const std::vector<std::string> calls = clean.all("calls");
    ASSERT_EQ(calls.size(), std::size(entries)) << clean.text;
    for (size_t e = 0; e < std::size(entries); ++e) {
      const int count = std::stoi(calls[e]);
      ASSERT_GT(count, 0) << entries[e];
      // Every call of the rare ones; of the others those at the beginning and some of the rest.
      for (int n = 1; n <= count; n += n < 4 ? 1 : 1 + count / 6)
        for (const int code : {3000, 4004}) {
          const std::string fault = std::string(entries[e]) + ":" + std::to_string(n) + ":" + std::to_string(code);
          const Outcome outcome = run("problem " + problem + " choose run reports", {{"SIMCUDNN_FAULT", fault}});
          SCOPED_TRACE(fault + "\n" + outcome.text);
          ASSERT_EQ(outcome.code, 0);
          // Either there is no plan, or another one did it, or the run says what failed; a number is never wrong.
          EXPECT_TRUE(outcome["worst"] == "" || std::stod(outcome["worst"]) <= 1e-4);
          EXPECT_NE(outcome["bits"], "different");
          EXPECT_TRUE(outcome["status"] == "0" || outcome["message"] != "");
          EXPECT_EQ(outcome["reports"], "0");
        }
    }
  }
}

// --- attention ---

TEST_F(Plans, AttentionOfEveryKind) {
  for (const char* way : {"f16", "gradient"})
    for (const char* what :
         {"", ",causal", ",causal,last", ",window,shared", ",strided", ",shared,large", ",window,large,last"}) {
      const Outcome outcome = run(std::string("attention ") + way + what + " choose", {{"SIMCUDNN_VERSION", "9.28"}});
      EXPECT_EQ(outcome.code, 0) << outcome.text;
      EXPECT_EQ(outcome["count"], "1") << way << what << outcome.text;  // the first that works: nothing is timed
      EXPECT_EQ(outcome["capturable"], "yes") << outcome.text;
      EXPECT_FALSE(has(engines_of(outcome), "11")) << outcome.text;  // bits that change
    }
}

TEST_F(Plans, AttentionByVersion) {
  struct {
    const char *version, *what, *count;
  } const cases[] = {{"9.6", "f16", "0"},       {"9.19", "f16", "1"},      {"9.19", "causal", "0"},
                     {"9.19", "gradient", "0"}, {"9.28", "gradient", "1"}, {"9.28", "causal", "1"}};
  for (const auto& each : cases) {
    const Outcome outcome =
        run(std::string("attention ") + each.what + " choose", {{"SIMCUDNN_VERSION", each.version}});
    EXPECT_EQ(outcome["status"], "0") << outcome.text;
    EXPECT_EQ(outcome["count"], each.count) << each.version << " " << each.what << outcome.text;
  }
}

TEST_F(Plans, AttentionThatIsWrongIsNotTaken) {
  const char* const flaws[] = {"miscounts", "misplaces", "overreads", "wavers"};
  for (const char* way : {"f16", "gradient"}) {
    const bool gradient = way == std::string("gradient");
    const std::string first = gradient ? "13" : "9", second = gradient ? "12" : "8";
    for (const char* flaw : flaws)
      for (const char* what : {"", ",causal", ",window,last", ",strided,large", ",causal,large"}) {
        const std::string words = std::string("attention ") + way + ",shared" + what + " choose";
        const Outcome outcome = run(words, {{"SIMCUDNN_VERSION", "9.28"}, {"SIMCUDNN_ENGINES", first + "=" + flaw}});
        EXPECT_EQ(engines_of(outcome), std::vector<std::string>{second}) << flaw << " " << words << outcome.text;
      }
    // Where all are, there is none.
    const Outcome none =
        run(std::string("attention ") + way + " choose",
            {{"SIMCUDNN_VERSION", "9.28"}, {"SIMCUDNN_ENGINES", first + "=miscounts," + second + "=refuse"}});
    EXPECT_EQ(none["status"], "0") << none.text;
    EXPECT_EQ(none["count"], "0") << none.text;
  }
}

TEST_F(Plans, AttentionIsKeptOnDisk) {
  const Environment kept = {{"SIMCUDNN_VERSION", "9.28"},
                            {"RONDO_CACHE", folder.string()},
                            {"RONDO_TRIAL_MS", "5000"},
                            {"SIMCUDA_TOLD_TIME", "1"},
                            {"SIMCUDNN_ENGINES", "9=slow:20000"}};
  const Outcome first = run("attention causal choose", kept);
  ASSERT_EQ(first["count"], "2") << first.text;
  Environment again = kept;
  again["RONDO_LOG"] = "debug";
  const Outcome second = run("attention causal choose calls cudnnBackendGetAttribute", again);
  EXPECT_EQ(engines_of(second), engines_of(first)) << second.text;
  EXPECT_EQ(engines_of(first)[0], "8") << first.text;
}

}  // namespace
