// Table and JSON; see report.h.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>

#include "handles.h"

namespace bench {
namespace {

constexpr const char* kPeers[] = {"torch", "cupy", "numpy", "onnxruntime"};

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Three or four digits that mean something, whatever the size.
std::string microseconds(double value) {
  return number(value, value < 1 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
}

std::string goal_text(const Goal& goal) {
  switch (goal.kind) {
    case Goal::kRatio: return "<= " + number(goal.value, 2) + " x";
    case Goal::kAbove: return "<= +" + number(goal.value, 1) + " us";
    case Goal::kAtMost: return "<= " + number(goal.value, 0) + " us";
    case Goal::kPeer: return "<= " + number(goal.value, 2) + " p";
    case Goal::kNone: break;
  }
  return "-";
}

std::string verdict_text(Verdict verdict) {
  return verdict == Verdict::kMet ? "met" : verdict == Verdict::kMissed ? "MISSED" : "-";
}

std::optional<double> fastest_peer(const Result& result) {
  std::optional<double> best;
  for (const auto& [name, value] : result.peers) best = best ? std::min(*best, value) : value;
  return best;
}

// The measured way of a peer that takes the least time, of those whose name contains the text.
const std::pair<const std::string, Way>* fastest_way(const std::map<std::string, Way>& ways, const char* text = "") {
  const std::pair<const std::string, Way>* best = nullptr;
  for (const auto& way : ways) {
    const bool counts = way.second.left_out.empty() && way.first.find(text) != std::string::npos;
    if (counts && (best == nullptr || way.second.median < best->second.median)) best = &way;
  }
  return best;
}

// "torch, compiled": the peer that takes the least time, and how.
std::string fastest_name(const Result& result) {
  const auto least = std::min_element(result.peers.begin(), result.peers.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  if (least == result.peers.end()) return "-";
  const auto ways = result.ways.find(least->first);
  const auto* way = ways == result.ways.end() ? nullptr : fastest_way(ways->second);
  return way == nullptr ? least->first : least->first + ", " + way->first;
}

constexpr const char* kSameBits = "deterministic";

// Every way of every peer that has several, of each row.
void print_ways(const std::vector<Result>& results) {
  bool first = true;
  for (const Result& r : results) {
    for (const auto& [peer, ways] : r.ways) {
      if (first) std::printf("\nways of the peers, microseconds, and how long their compilers took\n");
      first = false;
      std::printf("%-32s %s:", r.row.id.c_str(), peer.c_str());
      const char* between = " ";
      for (const auto& [name, way] : ways) {
        if (!way.left_out.empty()) continue;
        std::printf("%s%s %s", between, name.c_str(), microseconds(way.median).c_str());
        if (way.compile_seconds > 0) std::printf(" (%s s)", number(way.compile_seconds, 1).c_str());
        between = "; ";
      }
      const auto* same = fastest_way(ways, kSameBits);
      if (same != nullptr && r.cannot.empty())
        std::printf("%sRondo takes %s of %s", between, number(r.rondo.median / same->second.median, 2).c_str(),
                    same->first.c_str());
      std::printf("\n");
      for (const auto& [name, way] : ways) {
        if (!way.left_out.empty()) std::printf("    without %s: %s\n", name.c_str(), way.left_out.c_str());
      }
    }
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string object(const std::map<std::string, std::string>& fields) {
  std::string out = "{";
  for (const auto& [name, value] : fields) out += (out.size() > 1 ? ", " : "") + quoted(name) + ": " + quoted(value);
  return out + "}";
}

std::string summary_json(const Summary& s) {
  std::string out =
      "{\"median_us\": " + number(s.median, 4) + ", \"spread\": " + number(s.spread, 4) + ", \"samples_us\": [";
  for (std::size_t i = 0; i < s.samples.size(); ++i) out += (i > 0 ? ", " : "") + number(s.samples[i], 4);
  return out + "]}";
}

std::string ways_json(const std::map<std::string, Way>& ways) {
  std::string out, between;
  if (const auto* way = fastest_way(ways)) out += ", \"way\": " + quoted(way->first);
  if (const auto* same = fastest_way(ways, kSameBits))
    out += ", \"deterministic_us\": " + number(same->second.median, 4);
  out += ", \"ways\": {";
  for (const auto& [name, way] : ways) {
    out += between + quoted(name) + ": {";
    if (way.left_out.empty()) {
      out += "\"median_us\": " + number(way.median, 4);
      if (way.compile_seconds > 0) out += ", \"compile_seconds\": " + number(way.compile_seconds, 1);
    } else {
      out += "\"left_out\": " + quoted(way.left_out);
    }
    out += "}";
    between = ", ";
  }
  return out + "}";
}

std::string result_json(const Result& r) {
  std::string out = "    {\"id\": " + quoted(r.row.id) + ", \"what\": " + quoted(r.row.what);
  if (!r.cannot.empty()) return out + ", \"cannot_run\": " + quoted(r.cannot) + "}";
  out += ", \"rondo\": " + summary_json(r.rondo);
  if (r.floor) {
    out += ",\n     \"floor_is\": " + quoted(r.row.floor) + ", \"floor\": " + summary_json(*r.floor) +
           ", \"times_floor\": " + number(r.rondo.median / r.floor->median, 4);
  }
  for (const auto& [name, value] : r.peers) {
    const auto ways = r.ways.find(name);
    out += ",\n     " + quoted(name) + ": {\"median_us\": " + number(value, 4) +
           (ways == r.ways.end() ? "" : ways_json(ways->second)) + "}";
  }
  if (const auto peer = fastest_peer(r)) out += ", \"times_fastest_peer\": " + number(r.rondo.median / *peer, 4);
  if (r.row.goal.kind != Goal::kNone) {
    out += ",\n     \"goal\": " + quoted(goal_text(r.row.goal)) +
           ", \"met\": " + (judge(r) == Verdict::kMet ? "true" : "false");
  }
  return out + "}";
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace

Verdict judge(const Result& r) {
  const Goal& goal = r.row.goal;
  const bool known = goal.kind == Goal::kPeer ? !r.peers.empty() : goal.kind == Goal::kAtMost || r.floor.has_value();
  if (goal.kind == Goal::kNone || !r.cannot.empty() || !known) return Verdict::kNone;
  double limit = std::numeric_limits<double>::infinity();
  switch (goal.kind) {
    case Goal::kNone: break;
    case Goal::kAtMost: limit = goal.value; break;
    case Goal::kRatio: limit = goal.value * r.floor->median; break;
    case Goal::kAbove: limit = goal.value + r.floor->median; break;
    case Goal::kPeer:
      for (const auto& [name, value] : r.peers)
        limit = std::min(limit, name == "numpy" || name == "onnxruntime" ? goal.value * value : value);
  }
  return r.rondo.median <= limit ? Verdict::kMet : Verdict::kMissed;
}

Setting describe(const Options& options, int repetitions) {
  Setting s;
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  BENCH_CHECK(rondo_device_query(options.device, &info));
  rondo_device_info host = RONDO_DEVICE_INFO_INIT;
  BENCH_CHECK(rondo_device_query({RONDO_CPU, 0}, &host));
  char name[16];
  BENCH_CHECK(rondo_device_format(options.device, name, sizeof name));
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  s.date = date;
  s.rondo = rondo_version_string();
  s.device = std::string(name) + " " + info.name;
  s.host = processor() + ", " + std::to_string(host.processors) + " threads";
  s.capability = info.capability;
  s.driver = info.driver;
  s.repetitions = repetitions;
  s.quick = options.quick;
  return s;
}

void print_table(const Setting& setting, const std::vector<Result>& results) {
  std::printf("rondo %s on %s; host %s; %s\n", setting.rondo.c_str(), setting.device.c_str(), setting.host.c_str(),
              setting.date.c_str());
  if (setting.driver > 0) {
    std::printf("driver for CUDA %d.%d\n", setting.driver / 1000, setting.driver % 1000 / 10);
  }
  for (const char* peer : kPeers) {
    const auto version = setting.peers.find(peer);
    const auto why = setting.absent.find(peer);
    if (version != setting.peers.end()) std::printf("%s %s\n", peer, version->second.c_str());
    if (why != setting.absent.end()) std::printf("%s not measured: %s\n", peer, why->second.c_str());
  }
  std::printf("microseconds, medians of %d; +- is half the distance of the quartiles%s\n\n", setting.repetitions,
              setting.quick ? "; --quick: not for claims" : "");
  // CuPy has no cpu device, and NumPy no other.
  const bool on_cpu = setting.peers.count("numpy") != 0;
  const char *third = on_cpu ? "numpy" : "cupy", *third_name = on_cpu ? "NumPy/ORT" : "CuPy";
  std::printf("%-51s %8s %5s %8s %7s %8s %8s %7s %9s %-6s %s\n", "", "Rondo", "+-", "floor", "x floor", "PyTorch",
              third_name, "x peer", "goal", "met", "fastest peer");
  for (const Result& r : results) {
    if (!r.cannot.empty()) {
      std::printf("%-51s cannot run: %s\n", r.row.what.c_str(), r.cannot.c_str());
      continue;
    }
    const auto peer_text = [&](const char* name) {
      const auto it = r.peers.find(name);
      return it == r.peers.end() ? std::string("-") : microseconds(it->second);
    };
    const auto best = fastest_peer(r);
    const char* const other = r.peers.count("onnxruntime") != 0 ? "onnxruntime" : third;
    std::printf("%-51s %8s %4.0f%% %8s %7s %8s %8s %7s %9s %-6s %s\n", r.row.what.c_str(),
                microseconds(r.rondo.median).c_str(), 100 * r.rondo.spread,
                r.floor ? microseconds(r.floor->median).c_str() : "-",
                r.floor ? number(r.rondo.median / r.floor->median, 2).c_str() : "-", peer_text("torch").c_str(),
                peer_text(other).c_str(), best ? number(r.rondo.median / *best, 2).c_str() : "-",
                goal_text(r.row.goal).c_str(), verdict_text(judge(r)).c_str(), fastest_name(r).c_str());
  }
  print_ways(results);
}

bool write_json(const std::string& path, const Setting& s, const std::vector<Result>& results) {
  std::ofstream file(path);
  file << "{\n  \"date\": " << quoted(s.date) << ",\n  \"rondo\": " << quoted(s.rondo)
       << ",\n  \"device\": " << quoted(s.device) << ",\n  \"capability\": " << s.capability
       << ",\n  \"driver\": " << s.driver << ",\n  \"host\": " << quoted(s.host)
       << ",\n  \"time\": " << quoted(counts_processors ? "of the processors" : "of the clock")
       << ",\n  \"repetitions\": " << s.repetitions << ",\n  \"quick\": " << (s.quick ? "true" : "false")
       << ",\n  \"peers\": " << object(s.peers) << ",\n  \"peers_absent\": " << object(s.absent)
       << ",\n  \"rows\": [\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    file << result_json(results[i]) << (i + 1 < results.size() ? ",\n" : "\n");
  }
  file << "  ]\n}\n";
  file.close();
  return !file.fail();
}

}  // namespace bench
