// Settings: what the environment says, what is refused and what is replaced.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <gtest/gtest.h>
#include <rondo/engine.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/files/asked.h"
#include "base/log.h"
#include "base/text.h"

namespace rondo {
namespace {

using Messages = std::vector<std::pair<rondo_log_level, std::string>>;
void collect_line(void* arg, rondo_log_level level, const char* message) {
  static_cast<Messages*>(arg)->emplace_back(level, message);
}

class Settings : public ::testing::Test {
 protected:
  Settings() { set_log(collect_line, &messages, nullptr, RONDO_LOG_WARNING); }
  ~Settings() override {
    unsetenv("RONDO_CACHE_MB");
    set_log(nullptr, nullptr, nullptr, RONDO_LOG_OFF);
  }
  Messages messages;
};

TEST_F(Settings, TheTableIsComplete) {
  EXPECT_FALSE(settings().empty());
  for (const SettingInfo& each : settings()) {
    EXPECT_EQ(std::string(each.name).compare(0, 5, "RONDO"), 0);
    EXPECT_GT(std::strlen(each.doc), 10u) << each.name;
  }
  EXPECT_STREQ(settings()[static_cast<size_t>(Setting::cache_mb)].name, "RONDO_CACHE_MB");
}

TEST_F(Settings, EmptyMeansUnset) {
  setenv("RONDO_CACHE_MB", "", 1);
  EXPECT_FALSE(setting_is_set(Setting::cache_mb));
  EXPECT_EQ(setting(Setting::cache_mb), "256");
  setenv("RONDO_CACHE_MB", "17", 1);
  EXPECT_TRUE(setting_is_set(Setting::cache_mb));
  EXPECT_EQ(setting_number(Setting::cache_mb), 17);
  EXPECT_EQ(setting_problem(Setting::cache_mb), "");
  EXPECT_TRUE(messages.empty());
}

TEST_F(Settings, BadNumbersAreNamedAndReplaced) {
  for (const char* bad : {"x", "12x", "-1", "1048577", "99999999999999999999", "1.5", "0x10", " "}) {
    messages.clear();
    setenv("RONDO_CACHE_MB", bad, 1);
    EXPECT_EQ(setting_number(Setting::cache_mb), 256) << bad;
    EXPECT_EQ(setting_problem(Setting::cache_mb), "not a number from 0 to 1048576") << bad;
    ASSERT_EQ(messages.size(), 1u) << bad;
    EXPECT_EQ(messages[0].first, RONDO_LOG_WARNING);
    for (const char* part : {"RONDO_CACHE_MB", bad, "0 to 1048576", "256"})
      EXPECT_NE(messages[0].second.find(part), std::string::npos) << messages[0].second;
  }
}

TEST_F(Settings, ChoicesAreOneOfTheirNames) {
  const char* const names[] = {"async", "threaded", "naive"};
  for (int i = 0; i < 3; ++i) {
    setenv("RONDO_ENGINE", names[i], 1);
    EXPECT_EQ(setting_choice(Setting::engine), i);
    EXPECT_EQ(setting_problem(Setting::engine), "");
  }
  for (const char* bad : {"fast", "Async", "async ", "async,", "async, threaded", ","}) {
    setenv("RONDO_ENGINE", bad, 1);
    EXPECT_EQ(setting_choice(Setting::engine), -1) << bad;
    EXPECT_EQ(setting_problem(Setting::engine), "none of async, threaded, naive") << bad;
  }
  unsetenv("RONDO_ENGINE");
  EXPECT_EQ(setting_choice(Setting::engine), 0) << "the default";
  EXPECT_EQ(setting_problem(Setting::cuda_path), "") << "any text will do";
}

TEST_F(Settings, EveryDefaultIsOneOfItsValues) {
  for (size_t i = 0; i < settings().size(); ++i) {
    if (setting_is_set(static_cast<Setting>(i))) continue;
    EXPECT_EQ(setting_problem(static_cast<Setting>(i)), "") << settings()[i].name;
  }
}

// What a test sets, and afterwards what was there.
class Environment {
 public:
  explicit Environment(const char* name) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  void set(const std::string& value) const { setenv(name_, value.c_str(), 1); }

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

rondo_status create(const rondo_engine_options& options = RONDO_ENGINE_OPTIONS_INIT) {
  rondo_engine* engine = nullptr;
  const rondo_status status = rondo_engine_create(&options, &engine);
  rondo_engine_destroy(engine);
  return status;
}

TEST_F(Settings, AFolderIsJudgedWithoutBeingMade) {
  const Environment here("RONDO_TRACE");
  std::string folder = ::testing::TempDir() + "rondo-settings-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string wanted = folder + "/wanted";
  for (const std::string& spelled : {wanted, wanted + "//"}) {
    here.set(spelled);
    EXPECT_EQ(setting_problem(Setting::trace), "");
    EXPECT_NE(access(wanted.c_str(), F_OK), 0) << "a judge makes nothing";
  }
  here.set(wanted + "/further");
  EXPECT_EQ(setting_problem(Setting::trace).find("no folder"), 0u) << setting_problem(Setting::trace);
  EXPECT_EQ(make_asked(Setting::trace).find("no folder"), 0u);
  here.set(wanted);
  EXPECT_EQ(make_asked(Setting::trace), "");
  EXPECT_EQ(access(wanted.c_str(), W_OK), 0);
  EXPECT_EQ(make_asked(Setting::trace), "") << "it is there already";
  ASSERT_EQ(rmdir(wanted.c_str()), 0);
  ASSERT_EQ(symlink("nothing", wanted.c_str()), 0);
  EXPECT_EQ(setting_problem(Setting::trace), "a file; a folder is needed") << "a link that leads nowhere";
  unlink(wanted.c_str());
  rmdir(folder.c_str());
}

// Each setting of the table with what its row says, and with what it does not.
TEST_F(Settings, AnEngineRefusesAChoiceThatTheTableLacks) {
  int choices = 0, numbers = 0, folders = 0;
  for (size_t i = 0; i < settings().size(); ++i) {
    const SettingInfo& row = settings()[i];
    const std::string values = row.values;
    if (values.empty()) continue;
    const Environment here(row.name);
    const auto which = static_cast<Setting>(i);
    if (values[0] >= '0' && values[0] <= '9') {
      ++numbers;
      here.set("nonsense");
      EXPECT_EQ(create(), RONDO_OK) << row.name << " is a number: a warning where it is read";
      continue;
    }
    if (setting_is_folder(which)) {
      ++folders;
      here.set("/proc/none");  // none can be made there
      EXPECT_EQ(create(), RONDO_OK) << row.name << " is a folder: a line on standard error";
      const std::string problem = make_asked(which);
      EXPECT_NE(problem.find("no folder"), std::string::npos) << problem;
      continue;
    }
    ++choices;
    std::string_view rest = values, name;
    for (int place = 0; take_part(&rest, ',', &name); ++place) {
      if (name[0] == ' ') name.remove_prefix(1);
      here.set(std::string(name));
      EXPECT_EQ(create(), RONDO_OK) << row.name << "=" << name << ": " << rondo_last_error();
      EXPECT_EQ(setting_choice(which), place) << row.name << "=" << name;
      const char* const same = name == "on" ? "1" : name == "off" ? "0" : nullptr;
      if (!same) continue;
      here.set(same);
      EXPECT_EQ(create(), RONDO_OK) << row.name << "=" << same << ": " << rondo_last_error();
      EXPECT_EQ(setting_choice(which), place) << row.name << "=" << same;
    }
    for (const std::string& wrong : {std::string("nonsense"), std::string(row.fallback) + "l", std::string("2")}) {
      here.set(wrong);
      if (which == Setting::log) {
        EXPECT_EQ(create(), RONDO_OK) << "the log says so itself";
        continue;
      }
      EXPECT_EQ(create(), RONDO_INVALID_ARGUMENT) << row.name << "=" << wrong;
      for (const std::string& part : {row.name + ("=" + wrong), values})
        EXPECT_NE(std::string(rondo_last_error()).find(part), std::string::npos) << rondo_last_error();
    }
  }
  EXPECT_GE(choices, 11);
  EXPECT_EQ(folders, 5);
  EXPECT_GE(numbers, 4);
}

TEST_F(Settings, WhatTheProgramSaysNeedsNoSetting) {
  const Environment engine("RONDO_ENGINE"), check("RONDO_CHECK_INDICES");
  engine.set("fast");
  check.set("perhaps");
  rondo_engine_options said = RONDO_ENGINE_OPTIONS_INIT;
  said.mode = RONDO_ENGINE_NAIVE;
  EXPECT_EQ(create(said), RONDO_INVALID_ARGUMENT) << "of indices it says nothing";
  said.check_indices = -1;
  EXPECT_EQ(create(said), RONDO_OK) << rondo_last_error();
}

}  // namespace
}  // namespace rondo
