// Reading and showing profiles. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/text.h"

namespace rondo::tools {

namespace {

using Json = nlohmann::json;

constexpr double kLongest = 1e12;  // microseconds: more is no time that anybody measured
constexpr int64_t kMost = int64_t{1} << 52;

// What the file is to have, with the place for messages; throws std::runtime_error.
class Field {
 public:
  Field(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  Field at(const char* key) const {
    if (!json_.is_object()) fail("no object");
    if (!json_.contains(key)) throw std::runtime_error(place_ + (place_.empty() ? "" : ".") + key + " is missing");
    return {json_.at(key), place_ + (place_.empty() ? "" : ".") + key};
  }
  std::vector<Field> list() const {
    if (!json_.is_array()) fail("no list");
    std::vector<Field> all;
    for (size_t i = 0; i < json_.size(); ++i) all.push_back({json_[i], place_ + "[" + std::to_string(i) + "]"});
    return all;
  }
  std::string text() const {
    if (!json_.is_string()) fail("no text");
    return json_.get<std::string>();
  }
  double time() const {
    if (!json_.is_number()) fail("no number");
    const double value = json_.get<double>();
    if (!(std::fabs(value) <= kLongest)) fail("no time in microseconds");
    return value;
  }
  int64_t count() const {
    if (!json_.is_number_unsigned()) fail("no count");
    const auto value = json_.get<uint64_t>();
    if (value > static_cast<uint64_t>(kMost)) fail("larger than anything can be");
    return static_cast<int64_t>(value);
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error((place_.empty() ? "the file" : place_) + " is " + why);
  }

 private:
  const Json& json_;
  std::string place_;
};

ProfiledTask read_task(const Field& from) {
  ProfiledTask task;
  task.task = from.at("task").count();
  task.name = from.at("name").text();
  task.device = from.at("device").text();
  task.segment = from.at("segment").count();
  task.branch = from.at("branch").count();
  task.runs = from.at("runs").count();
  if (task.runs) {
    task.start_us = from.at("start_us").time();
    task.us = from.at("us").time();
    if (task.us < 0) from.at("us").fail("negative");
  }
  if (from.has("body")) task.body = from.at("body").text();
  if (from.has("operators")) task.operators = from.at("operators").text();
  if (from.has("site")) task.site = from.at("site").text();
  if (from.has("operands")) task.operands = from.at("operands").text();
  if (from.has("kernels")) task.kernels = from.at("kernels").count();
  if (from.has("bytes")) task.bytes = from.at("bytes").count();
  return task;
}

void read(const Field& from, Profile* profile) {
  if (const Field version = from.at("rondo_profile"); version.count() != 1)
    version.fail("another than this program's rondo knows; use that of the newer version");
  profile->graph = from.at("graph").text();
  profile->total_us = from.at("total_us").time();
  profile->critical_us = from.at("critical_us").time();
  for (const Field& each : from.at("segments").list()) {
    ProfiledSegment& segment = profile->segments.emplace_back();
    segment.device = each.at("device").text();
    segment.kind = each.at("kind").text();
    segment.tasks = each.at("tasks").count();
    if (each.has("us")) segment.us = each.at("us").time();
  }
  std::map<std::pair<std::string, int64_t>, size_t> known;
  for (const Field& each : from.at("tasks").list()) {
    ProfiledTask task = read_task(each);
    for (const Field& before : each.at("after").list()) {
      const auto found = known.find({task.body, before.count()});
      if (found == known.end()) before.fail("no task before this one");
      task.after.push_back(found->second);
    }
    if (!known.emplace(std::pair(task.body, task.task), profile->tasks.size()).second)
      each.at("task").fail("there twice");
    profile->tasks.push_back(std::move(task));
  }
  for (const Field& each : from.at("critical_path").list()) {
    const auto found = known.find({"", each.count()});
    if (found == known.end()) each.fail("no task of the graph");
    profile->tasks[found->second].critical = true;
  }
}

// "12.3 GB/s", or nothing where it is not known.
std::string rate(const ProfiledTask& task) {
  if (!task.bytes || !task.runs || task.us <= 0) return "";
  return format("%.1f", static_cast<double>(task.bytes) * static_cast<double>(task.runs) / task.us / 1e3);
}

std::string counted(int64_t n) {
  return n ? std::to_string(n) : "";
}

struct Column {
  const char* head;
  bool right;
};
constexpr Column kColumns[] = {{"task", true},    {"us", true},       {"share", true},  {"GB/s", true},
                               {"device", false}, {"seg", true},      {"branch", true}, {"runs", true},
                               {"kernels", true}, {"operator", false}};
constexpr size_t kColumnCount = std::size(kColumns);

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : harmless(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string harmless(const std::string& text) {
  std::string out = text;
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

std::string read_profile(const std::string& text, Profile* profile) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return "it is not whole, or no JSON";
  if (json.is_object() && json.contains("traceEvents")) return "it is a trace; open it in Perfetto or chrome://tracing";
  try {
    *profile = {};
    read(Field(json, ""), profile);
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
  return {};
}

std::string profile_text(const Profile& profile) {
  std::string text =
      format("graph '%s': %zu tasks, one after the other %.3f us, critical path %.3f us\n",
             harmless(profile.graph).c_str(), profile.tasks.size(), profile.total_us, profile.critical_us);
  for (size_t s = 0; s < profile.segments.size(); ++s) {
    const ProfiledSegment& each = profile.segments[s];
    text +=
        format("segment %zu on %s: %s, %lld tasks%s\n", s, harmless(each.device).c_str(), harmless(each.kind).c_str(),
               static_cast<long long>(each.tasks), each.us < 0 ? "" : format(", as a whole %.3f us", each.us).c_str());
  }
  std::vector<std::vector<std::string>> rows;
  for (const ProfiledTask& each : profile.tasks) {
    const std::string name = harmless(each.name + (each.operators.empty() ? "" : ": " + each.operators) +
                                      (each.operands.empty() ? "" : " (" + each.operands + ")") +
                                      (each.body.empty() ? "" : " in " + each.body) +
                                      (each.site.empty() ? "" : ", recorded at " + each.site));
    rows.push_back({std::to_string(each.task) + (each.critical ? "*" : " "),
                    each.runs ? format("%.3f", each.us) : "off",
                    each.runs && profile.total_us > 0 ? format("%.1f%%", 100 * each.us / profile.total_us) : "",
                    rate(each), harmless(each.device), std::to_string(each.segment), std::to_string(each.branch),
                    std::to_string(each.runs), counted(each.kernels), name});
  }
  size_t widths[kColumnCount];
  for (size_t c = 0; c < kColumnCount; ++c) {
    widths[c] = std::char_traits<char>::length(kColumns[c].head);
    for (const auto& row : rows) widths[c] = std::max(widths[c], row[c].size());
  }
  const auto line = [&](const auto& cell) {
    std::string whole;
    for (size_t c = 0; c < kColumnCount; ++c) {
      const std::string value = cell(c), space(widths[c] - value.size(), ' ');
      whole += (c ? "  " : "") + (kColumns[c].right ? space + value : c + 1 == kColumnCount ? value : value + space);
    }
    text += whole + "\n";
  };
  if (rows.empty()) return text;
  line([](size_t c) { return std::string(kColumns[c].head); });
  for (const auto& row : rows) line([&](size_t c) { return row[c]; });
  return text + "* on the critical path\n";
}

std::string profile_svg(const Profile& profile) {
  constexpr size_t kRows = 5000;  // a browser shows no more
  constexpr double kWidth = 1000, kLeft = 330, kRow = 18, kTop = 48;
  std::vector<double> begin(profile.tasks.size());
  double longest = 0;
  for (size_t i = 0; i < profile.tasks.size(); ++i) {
    for (const size_t before : profile.tasks[i].after)
      begin[i] = std::max(begin[i], begin[before] + profile.tasks[before].us);
    longest = std::max(longest, begin[i] + profile.tasks[i].us);
  }
  const double scale = longest > 0 ? kWidth / longest : 0;
  const size_t rows = std::min(profile.tasks.size(), kRows);
  const double height = kTop + kRow * static_cast<double>(rows) + 30;
  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
      "<text x=\"10\" y=\"20\" font-size=\"14\">graph '%s': one after the other %.3f us, critical path %.3f us "
      "(red)</text>\n<text x=\"10\" y=\"38\" fill=\"#666666\">each task where it could begin if only what it needs "
      "came "
      "before it</text>\n",
      kLeft + kWidth + 120, height, escaped(profile.graph).c_str(), profile.total_us, profile.critical_us);
  for (size_t i = 0; i < rows; ++i) {
    const ProfiledTask& each = profile.tasks[i];
    const double y = kTop + kRow * static_cast<double>(i);
    const double x = kLeft + begin[i] * scale, width = std::max(1.0, each.us * scale);
    const char* const color = each.critical ? "#cc3333" : each.body.empty() ? "#4477aa" : "#aa8844";
    const std::string name =
        std::to_string(each.task) + " " + each.name.substr(0, 40) + (each.body.empty() ? "" : " (body)");
    svg += format(
        "<g><title>%s on %s, segment %lld, branch %lld: %.3f us%s</title><text x=\"10\" y=\"%.0f\">%s</text>"
        "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"13\" fill=\"%s\"/><text x=\"%.2f\" y=\"%.0f\" "
        "fill=\"#444444\">%.1f</text></g>\n",
        escaped(each.name + " " + each.operators + " " + each.operands + " " + each.body + " " + each.site).c_str(),
        escaped(each.device).c_str(), static_cast<long long>(each.segment), static_cast<long long>(each.branch),
        each.us, each.runs ? "" : ", did not run", y + 12, escaped(name).c_str(), x, y + 2, width, color, x + width + 4,
        y + 12, each.us);
  }
  if (rows < profile.tasks.size())
    svg += format("<text x=\"10\" y=\"%.0f\">and %zu more</text>\n", height - 12, profile.tasks.size() - rows);
  return svg + "</svg>\n";
}

}  // namespace rondo::tools
