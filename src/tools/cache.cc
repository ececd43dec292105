// Shows, checks, removes, exports and imports the kernels that are kept on disk.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/cache.h"

#include <unistd.h>

#include <rondo/status.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/machine/decimal.h"
#include "base/text.h"
#include "rtc/cache_file.h"
#include "tools/program.h"

namespace rondo::tools {

namespace {

using Json = nlohmann::ordered_json;

struct CacheOptions {
  std::string action, file;
  rtc::CacheFilter filter;
  bool json = false;
  // An export takes only kernels of this program file, on a described device or cuda:0, at these sizes.
  std::string program, device;
  std::vector<std::string> sizes;
};

int usage_error(const std::string& what) {
  std::fprintf(stderr, "rondo: cache: %s; `rondo --help` lists the commands\n", what.c_str());
  return 2;
}

int failure(const std::string& what) {
  std::fprintf(stderr, "rondo: cache: %s\n", what.c_str());
  return 1;
}

std::string version_text(int32_t version) {
  return format("%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
}

// "sm_90", "compute_90" or "90".
bool read_architecture(const std::string& text, int32_t* architecture) {
  const size_t digits = text.rfind("sm_", 0) == 0 ? 3 : text.rfind("compute_", 0) == 0 ? 8 : 0;
  char* end = nullptr;
  const long value = std::strtol(text.c_str() + digits, &end, 10);
  *architecture = static_cast<int32_t>(value);
  return end != text.c_str() + digits && *end == '\0' && value >= 10 && value <= 999;
}

int read_option(const std::string& option, const char* text, CacheOptions* wish) {
  int major = 0, minor = 0, patch = 0, end = 0;
  const int length = static_cast<int>(std::strlen(text));
  if (option == "--architecture") {
    if (!read_architecture(text, &wish->filter.architecture))
      return usage_error("--architecture needs one like 90 or sm_90, not '" + std::string(text) + "'");
  } else if (option == "--nvrtc") {
    if (scan(text, "%2d.%2d%n", &major, &minor, &end) != 2 || end != length || major < 1 || minor < 0)
      return usage_error("--nvrtc needs a version like 12.8, not '" + std::string(text) + "'");
    wish->filter.nvrtc = format("%d.%d", major, minor);
  } else if (option == "--rondo") {
    if (scan(text, "%2d.%2d.%2d%n", &major, &minor, &patch, &end) != 3 || end != length)
      return usage_error("--rondo needs a version like 0.1.0, not '" + std::string(text) + "'");
    wish->filter.rondo = major * 10000 + minor * 100 + patch;
  } else {
    const char* behind = nullptr;
    const double days = read_decimal(text, &behind);
    if (behind == text || *behind != '\0' || !(days >= 0 && days <= 36500))
      return usage_error("--older-than needs days from 0 to 36500, not '" + std::string(text) + "'");
    // One second later than now for 0: kernels that were used in this second are older than no day as well.
    wish->filter.used_before_s = static_cast<int64_t>(time(nullptr)) + 1 - static_cast<int64_t>(days * 86400);
  }
  return 0;
}

int read_arguments(int count, char** arguments, CacheOptions* wish) {
  if (count == 0) return usage_error("show, verify, clear, export or import is needed");
  wish->action = arguments[0];
  const std::string& action = wish->action;
  const bool with_file = action == "export" || action == "import";
  if (!with_file && action != "show" && action != "verify" && action != "clear")
    return usage_error("'" + action + "' is none of show, verify, clear, export, import");
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const bool filters = action == "clear" || action == "export";
    if (word == "--json" && action == "show") {
      wish->json = true;
    } else if (filters &&
               (word == "--architecture" || word == "--nvrtc" || word == "--rondo" || word == "--older-than")) {
      if (const int status = read_option(word, ++i < count ? arguments[i] : "", wish); status != 0) return status;
    } else if (action == "export" && (word == "--program" || word == "--for" || word == "--sizes")) {
      if (++i == count || !*arguments[i]) return usage_error(word + " needs a value");
      if (word == "--sizes")
        wish->sizes.emplace_back(arguments[i]);
      else
        (word == "--program" ? wish->program : wish->device) = arguments[i];
    } else if (word[0] == '-' || !with_file || !wish->file.empty()) {
      return usage_error("'" + word + "' does not follow " + action);
    } else {
      wish->file = word;
    }
  }
  if (with_file && wish->file.empty()) return usage_error(action + " needs a file");
  if (wish->program.empty() && (!wish->device.empty() || !wish->sizes.empty()))
    return usage_error("--for and --sizes belong to --program");
  return 0;
}

std::string nvrtc_text(const rtc::Origin& origin) {
  return origin.architecture == 0 ? "" : format("%d.%d", origin.nvrtc_major, origin.nvrtc_minor);
}

// Choices are named where there are some.
std::string carried_text(const rtc::CarriedCount& count) {
  const std::string kernels = format("%lld kernels", static_cast<long long>(count.kernels));
  return count.choices ? kernels + format(" and %lld choices", static_cast<long long>(count.choices)) : kernels;
}

std::string time_text(int64_t seconds) {
  const auto when = static_cast<time_t>(seconds);
  struct tm parts = {};
  char text[32] = "";
  if (localtime_r(&when, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

// Names come from programs of users, and what is damaged may hold anything.
std::string printable(std::string text) {
  for (char& each : text)
    if (static_cast<unsigned char>(each) < ' ' || each == 127) each = '?';
  return text;
}

Json facts_of(const rtc::KeptFile& file) {
  Json facts = {{"file", file.path}, {"bytes", file.bytes}, {"used", file.used_s}, {"problem", file.problem}};
  if (!file.problem.empty()) return facts;
  const rtc::Origin& origin = file.entry.origin;
  facts["name"] = file.entry.name;
  facts["architecture"] = origin.architecture == 0 ? "" : rtc::architecture_text(origin);
  facts["nvrtc"] = nvrtc_text(origin);
  facts["rondo"] = version_text(file.entry.rondo);
  return facts;
}

int show(rtc::DiskCache& cache, bool json) {
  std::vector<rtc::KeptFile> files;
  int64_t bytes = 0;
  cache.visit(false, [&](const rtc::KeptFile& file) {
    files.push_back(file);
    bytes += file.bytes;
  });
  if (json) {
    Json list = Json::array();
    for (const rtc::KeptFile& each : files) list.push_back(facts_of(each));
    const Json all = {{"folder", cache.folder()},
                      {"reason", cache.why_off()},
                      {"limit", cache.limit_bytes()},
                      {"bytes", bytes},
                      {"kernels", list}};
    std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    return 0;
  }
  if (cache.folder().empty()) {
    std::printf("No kernels are kept: %s\n", cache.why_off().c_str());
    return 0;
  }
  if (!files.empty())
    std::printf("%-32s %-12s %-6s %-8s %10s  %s\n", "kernel", "for", "NVRTC", "Rondo", "bytes", "last used");
  for (const rtc::KeptFile& each : files) {
    const rtc::Origin& origin = each.entry.origin;
    if (!each.problem.empty())
      std::printf("%-32s %-12s %-6s %-8s %10lld  %s: not used, %s\n", "?", "?", "?", "?",
                  static_cast<long long>(each.bytes), each.path.c_str(), each.problem.c_str());
    else
      std::printf("%-32s %-12s %-6s %-8s %10lld  %s\n", printable(each.entry.name).c_str(),
                  origin.architecture == 0 ? "-" : rtc::architecture_text(origin).c_str(),
                  origin.architecture == 0 ? "-" : nvrtc_text(origin).c_str(), version_text(each.entry.rondo).c_str(),
                  static_cast<long long>(each.bytes), time_text(each.used_s).c_str());
  }
  std::printf("%s: %zu files, %lld bytes of at most %lld\n", cache.folder().c_str(), files.size(),
              static_cast<long long>(bytes), static_cast<long long>(cache.limit_bytes()));
  return 0;
}

int verify(rtc::DiskCache& cache) {
  size_t all = 0, bad = 0;
  cache.visit(true, [&](const rtc::KeptFile& file) {
    ++all;
    if (file.problem.empty()) return;
    ++bad;
    std::printf("%s/%s: %s\n", cache.folder().c_str(), file.path.c_str(), file.problem.c_str());
  });
  std::printf("%zu files, %zu of them not as they were written\n", all, bad);
  return bad == 0 ? 0 : 1;
}

int clear(rtc::DiskCache& cache, const rtc::CacheFilter& filter) {
  size_t removed = 0, kept = 0;
  int64_t bytes = 0;
  cache.visit(false, [&](const rtc::KeptFile& file) {
    if (!filter.takes(file)) return;
    if (cache.remove(file)) {
      ++removed;
      bytes += file.bytes;
    } else {
      ++kept;
      failure(cache.folder() + "/" + file.path + " cannot be removed: " + std::strerror(errno));
    }
  });
  std::printf("%zu files with %lld bytes removed\n", removed, static_cast<long long>(bytes));
  return kept == 0 ? 0 : 1;
}

}  // namespace

int cache(int count, char** arguments) {
  CacheOptions wish;
  if (const int status = read_arguments(count, arguments, &wish); status != 0) return status;
  rtc::DiskCache& cache = rtc::DiskCache::instance();
  if (wish.action == "show") return show(cache, wish.json);
  if (cache.folder().empty()) return failure("no kernels are kept: " + cache.why_off());
  if (wish.action == "verify") return verify(cache);
  if (wish.action == "clear") return clear(cache, wish.filter);
  rtc::CarriedCount carried, all;
  const bool exports = wish.action == "export";
  if (!wish.program.empty()) {
    // Times of use have seconds: what is used from the next one on is what the program uses.
    const time_t before = time(nullptr);
    while (time(nullptr) == before) usleep(10000);
    wish.filter.used_since_s = static_cast<int64_t>(time(nullptr));
    if (const int status = find_kernels(wish.program, wish.device, wish.sizes)) return status;
  }
  const Status status = exports ? rtc::export_kernels(cache, wish.filter, wish.file, &carried)
                                : rtc::import_kernels(cache, wish.file, &carried, &all);
  if (!status.ok()) return failure(status.message());
  if (exports)
    std::printf("%s written to %s\n", carried_text(carried).c_str(), wish.file.c_str());
  else
    std::printf("%s taken into %s, %lld were there\n", carried_text(carried).c_str(), cache.folder().c_str(),
                static_cast<long long>(all.kernels + all.choices - carried.kernels - carried.choices));
  return 0;
}

}  // namespace rondo::tools
