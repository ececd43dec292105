// Reading SIMCUDNN_*; numbers of statuses.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace simcudnn {
namespace {

// Versions that differ from those before in something Rondo meets.
constexpr int kKnown[] = {802, 809, 900, 906, 919, 928};

[[noreturn]] void refuse(const char* name, const char* value, const char* wanted) {
  std::fprintf(stderr, "simcudnn: %s=%s is not %s\n", name, value, wanted);
  std::exit(2);
}

Settings read() {
  Settings s;
  s.version = SIMCUDNN_MAJOR >= 9 ? 919 : 809;
  if (const char* text = std::getenv("SIMCUDNN_VERSION"); text != nullptr && *text != 0) {
    int major = 0, minor = 0;
    const bool read = std::sscanf(text, "%d.%d", &major, &minor) == 2;
    bool known = false;
    for (int each : kKnown) known |= each == major * 100 + minor;
    if (!read || !known || major != SIMCUDNN_MAJOR)
      refuse("SIMCUDNN_VERSION", text, "a version this library can claim");
    s.version = major * 100 + minor;
  }
  if (const char* text = std::getenv("SIMCUDNN_SEED")) s.seed = std::strtoull(text, nullptr, 10);
  if (const char* text = std::getenv("SIMCUDNN_ENGINES"); text != nullptr && !parse_moods(text, &s.engines))
    refuse("SIMCUDNN_ENGINES", text, "engine=mood,...");
  if (const char* text = std::getenv("SIMCUDNN_RECORD")) s.record = text;
  return s;
}

}  // namespace

bool parse_moods(const std::string& text, std::map<std::int64_t, Mood>* moods) {
  std::stringstream list(text);
  std::string item;
  while (std::getline(list, item, ',')) {
    char* end = nullptr;
    Mood& mood = (*moods)[std::strtoll(item.c_str(), &end, 10)];
    if (end == item.c_str() || *end != '=') return false;
    const std::string word = end + 1;
    const long long number = word.find(':') == std::string::npos ? -1 : std::atoll(word.c_str() + word.find(':') + 1);
    const std::string name = word.substr(0, word.find(':'));
    if (name == "refuse")
      mood.refuses = true;
    else if (name == "losesnan")
      mood.loses_nan = true;
    else if (name == "roundsfirst")
      mood.rounds_first = true;
    else if (name == "addsfirst")
      mood.adds_first = true;
    else if (name == "miscounts")
      mood.miscounts = true;
    else if (name == "overreads")
      mood.overreads = true;
    else if (name == "misplaces")
      mood.misplaces = true;
    else if (name == "wavers")
      mood.wavers = true;
    else if (name == "uncapturable")
      mood.uncapturable = true;
    else if (name == "workspace" && number >= 0)
      mood.workspace = number;
    else if (name == "fail" && number > 0)
      mood.fails_at = static_cast<std::uint64_t>(number);
    else if (name == "slow" && number > 0)
      mood.slow_us = static_cast<int>(number);
    else
      return false;
  }
  return true;
}

Settings& settings() {
  static auto* instance = new Settings(read());
  return *instance;
}

int code_of(Problem problem) {
  const bool older = settings().older();
  switch (problem) {
    case Problem::none: return 0;
    case Problem::bad_param: return older ? 3 : 2000;
    case Problem::null: return older ? 3 : 2002;
    case Problem::not_finalized: return older ? 3 : 2004;
    case Problem::attribute_type: return older ? 3 : 2010;
    case Problem::descriptor_type: return older ? 3 : settings().version < 906 ? 2000 : 2012;
    case Problem::size: return older ? 3 : 2006;
    case Problem::out_of_bound: return older ? 3 : 2005;
    case Problem::misaligned: return older ? 7 : 2003;
    case Problem::shape: return older ? 3 : 2008;
    case Problem::unsupported: return older ? 9 : 3000;
    case Problem::unsupported_pattern: return older ? 9 : 3001;
    case Problem::execution: return older ? 8 : 5000;
    case Problem::device_memory: return older ? 2 : 4004;
  }
  return older ? 4 : 4000;
}

}  // namespace simcudnn
