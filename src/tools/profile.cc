// Reads the profiles that graphs write, checks every field, and shows them as text or picture.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/profile.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>

#include "base/machine/decimal.h"
#include "base/text.h"

namespace rondo::tools {

namespace {

using ProfileJson = nlohmann::json;

constexpr double kLongest = 1e12;  // microseconds: more is no time that anybody measured
constexpr int64_t kMost = int64_t{1} << 52;

// A required part of the file, with its place for messages; throws std::runtime_error.
class Field {
 public:
  Field(const ProfileJson& json, std::string place) : json_(json), place_(std::move(place)) {}

  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  Field at(const char* key) const {
    if (!json_.is_object()) fail("no object");
    if (!json_.contains(key)) throw std::runtime_error(place_ + (place_.empty() ? "" : ".") + key + " is missing");
    return {json_.at(key), place_ + (place_.empty() ? "" : ".") + key};
  }
  void check_list() const {
    if (!json_.is_array()) fail("no list");
  }
  size_t list_size() const {
    check_list();
    return json_.size();
  }
  Field element(size_t i) const { return {json_[i], place_ + "[" + std::to_string(i) + "]"}; }
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
  const ProfileJson& json_;
  std::string place_;
};

constexpr size_t kMostDepth = 64, kMostText = size_t{1} << 20;  // of a whole file's; a profile has 4, and some lines

// Before anything is made of it: a parser keeps more than a byte for each bracket, and a text several times.
std::string objection(std::string_view text) {
  size_t depth = 0, begun = 0;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      if (i - begun > kMostText) return "it has a text of more than a MiB";
      inside = c != '"';
    } else if (c == '"') {
      inside = true;
      begun = i;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDepth) return "it is nested deeper than a profile is";
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return {};
}

template <class... Names>
bool one_of(const std::string& key, const Names&... names) {
  return ((key == names) || ...);
}

// "task 4 'while', body, task 2 'if', then": the body `then` of task 2 of what stands around it.
struct BodyName {
  std::string_view around, body;
  int64_t task = -1;
};

BodyName body_name(std::string_view name) {
  constexpr std::string_view kTask = "task ";
  const size_t at = name.rfind(", task ");
  BodyName parts;
  if (at != std::string_view::npos) parts.around = name.substr(0, at);
  std::string_view last = at == std::string_view::npos ? name : name.substr(at + 2);
  if (last.substr(0, kTask.size()) != kTask) return parts;
  last.remove_prefix(kTask.size());
  long long number = 0;
  if (scan(std::string(last.substr(0, 12)).c_str(), "%lld", &number) == 1) parts.task = number;
  if (const size_t end = last.rfind("', "); end != std::string_view::npos) parts.body = last.substr(end + 3);
  return parts;
}

// Takes segments and tasks as they come, so that the parser keeps one at a time.
class Reader {
 public:
  Reader(size_t bytes, Profile* profile) : profile_(*profile) {
    profile_.texts.reserve(bytes);
    profile_.names.emplace_back();
    numbers_[""] = 0;
  }
  // Returns what is wrong; empty: nothing.
  std::string read(const std::string& text) {
    const ProfileJson json = parse(text);
    if (json.is_discarded()) return "it is not whole, or no JSON";
    if (is_trace_) return "it is a trace; open it in Perfetto or chrome://tracing";
    try {
      const Field file(json, "");
      if (const Field version = file.at("rondo_profile"); version.count() != 1)
        version.fail("another than this program's rondo knows; use that of the newer version");
      profile_.graph = file.at("graph").text();
      profile_.total_us = file.at("total_us").time();
      profile_.critical_us = file.at("critical_us").time();
      for (const char* key : {"segments", "tasks", "critical_path"}) file.at(key).check_list();
    } catch (const std::runtime_error& problem) {
      return problem.what();
    }
    return problem_;
  }
  // The same file again: the tasks are known by now.
  std::string read_critical(const std::string& text) {
    critical_ = true;
    (void)parse(text).size();  // it is whole: it was read before
    return problem_;
  }

 private:
  using Event = ProfileJson::parse_event_t;

  ProfileJson parse(const std::string& text) {
    const auto keep = [this](int depth, Event event, ProfileJson& parsed) { return keeps(depth, event, parsed); };
    return ProfileJson::parse(text, keep, false);
  }

  bool keeps(int depth, Event event, ProfileJson& parsed) {
    if (depth <= 1) return keeps_outside(depth, event, parsed);
    const bool whole = event == Event::value || event == Event::object_end || event == Event::array_end;
    if (!listed_) return false;  // what stands in the place of a number or a text is no more than that
    if (depth == 2 && whole) {
      take(parsed);
      return false;
    }
    if (depth == 3 && event == Event::key) {
      key_ = parsed.get<std::string>();
      waits_ = 0;
      return known(key_);
    }
    // In a task: the tasks before it.
    if (depth == 4) return list_ == "tasks" && key_ == "after" && ++waits_ <= profile_.tasks.size() + 1;
    return depth < 4 && problem_.empty();
  }
  bool keeps_outside(int depth, Event event, const ProfileJson& parsed) {
    if (depth == 1 && event == Event::key) {
      list_ = parsed.get<std::string>();
      is_trace_ |= list_ == "traceEvents";
      return one_of(list_, "rondo_profile", "graph", "total_us", "critical_us", "segments", "tasks", "critical_path");
    }
    if (depth == 1 && event == Event::array_start) {
      listed_ = one_of(list_, "segments", "tasks", "critical_path") && (list_ == "critical_path") == critical_;
      number_ = 0;
    }
    if (depth == 1 && event == Event::array_end) listed_ = false;
    return true;
  }
  bool known(const std::string& key) const {
    if (list_ == "segments") return one_of(key, "device", "kind", "tasks", "us");
    return one_of(key, "task", "name", "device", "segment", "branch", "runs", "start_us", "us", "body", "operators",
                  "site", "operands", "kernels", "bytes", "after");
  }

  void take(const ProfileJson& json) {
    if (!problem_.empty()) return;
    const Field from(json, list_ + "[" + std::to_string(number_++) + "]");
    try {
      if (list_ == "tasks")
        take_task(from);
      else if (list_ == "segments")
        take_segment(from);
      else
        profile_.tasks[index(0, from, "no task of the graph")].critical = true;
    } catch (const std::runtime_error& problem) {
      problem_ = problem.what();
    }
  }
  Text keep(const std::string& text) {
    const Text kept{static_cast<uint32_t>(profile_.texts.size()), static_cast<uint32_t>(text.size())};
    profile_.texts += text;
    return kept;
  }
  uint32_t name(const std::string& text) {
    const auto [found, made] = numbers_.emplace(text, static_cast<uint32_t>(profile_.names.size()));
    if (made) profile_.names.push_back(text);
    return found->second;
  }
  static uint64_t place(uint32_t body, int64_t task) {
    // Both are less than what a file has room for, or the task is none that there is.
    return uint64_t{body} << 40 ^ static_cast<uint64_t>(task);
  }
  size_t index(uint32_t body, const Field& number, const char* none) const {
    const auto found = known_.find(place(body, number.count()));
    if (found == known_.end() || profile_.tasks[found->second].task != number.count()) number.fail(none);
    return found->second;
  }

  // When the task that a body belongs to begins, so far as the file says which that is.
  double begin_of(uint32_t body) {
    if (body == 0) return 0;
    const auto [found, fresh] = begins_.emplace(body, 0);
    if (!fresh) return found->second;
    const BodyName parts = body_name(profile_.names[body]);
    const auto around = numbers_.find(std::string(parts.around));
    const auto owner = around == numbers_.end() ? known_.end() : known_.find(place(around->second, parts.task));
    if (owner != known_.end()) found->second = profile_.tasks[owner->second].begin_us;
    return found->second;
  }

  void take_segment(const Field& from) {
    ProfiledSegment& segment = profile_.segments.emplace_back();
    segment.device = keep(from.at("device").text());
    segment.kind = keep(from.at("kind").text());
    segment.tasks = from.at("tasks").count();
    if (from.has("us")) segment.us = from.at("us").time();
  }
  void take_task(const Field& from) {
    ProfiledTask task;
    task.task = from.at("task").count();
    task.name = keep(from.at("name").text());
    task.device = name(from.at("device").text());
    task.segment = from.at("segment").count();
    task.branch = from.at("branch").count();
    task.runs = from.at("runs").count();
    if (task.runs) {
      (void)from.at("start_us").time();
      task.us = from.at("us").time();
      if (task.us < 0) from.at("us").fail("negative");
    }
    if (from.has("body")) task.body = name(from.at("body").text());
    if (from.has("operators")) task.operators = keep(from.at("operators").text());
    if (from.has("site")) task.site = keep(from.at("site").text());
    if (from.has("operands")) task.operands = keep(from.at("operands").text());
    if (from.has("kernels")) task.kernels = from.at("kernels").count();
    if (from.has("bytes")) task.bytes = from.at("bytes").count();
    task.begin_us = begin_of(task.body);
    const Field after = from.at("after");
    for (size_t i = 0; i < after.list_size(); ++i) {
      const ProfiledTask& before = profile_.tasks[index(task.body, after.element(i), "no task before this one")];
      task.begin_us = std::max(task.begin_us, before.begin_us + before.us);
    }
    if (task.task >= int64_t{1} << 40) from.at("task").fail("larger than any task's");
    if (!known_.emplace(place(task.body, task.task), static_cast<uint32_t>(profile_.tasks.size())).second)
      from.at("task").fail("there twice");
    profile_.tasks.push_back(task);
  }

  Profile& profile_;
  std::unordered_map<uint64_t, uint32_t> known_;       // tasks by body and number
  std::unordered_map<std::string, uint32_t> numbers_;  // of names
  std::unordered_map<uint32_t, double> begins_;        // of bodies
  std::string list_, key_, problem_;
  size_t number_ = 0, waits_ = 0;
  bool listed_ = false, is_trace_ = false, critical_ = false;
};

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

std::string escaped(std::string_view text) {
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

std::string harmless(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

std::string read_profile(const std::string& text, Profile* profile) {
  if (std::string wrong = objection(text); !wrong.empty()) return wrong;
  *profile = {};
  Reader reader(text.size(), profile);
  std::string wrong = reader.read(text);
  return wrong.empty() ? reader.read_critical(text) : wrong;
}

void print_profile(const Profile& profile, std::FILE* to) {
  const auto print = [to](const std::string& text) { std::fputs(text.c_str(), to); };
  print(format("graph '%s': %zu tasks, one after the other %.3f us, critical path %.3f us\n",
               harmless(profile.graph).c_str(), profile.tasks.size(), profile.total_us, profile.critical_us));
  for (size_t s = 0; s < profile.segments.size(); ++s) {
    const ProfiledSegment& each = profile.segments[s];
    print(format("segment %zu on %s: %s, %lld tasks%s\n", s, harmless(profile.text(each.device)).c_str(),
                 harmless(profile.text(each.kind)).c_str(), static_cast<long long>(each.tasks),
                 each.us < 0 ? "" : format(", as a whole %.3f us", each.us).c_str()));
  }
  if (profile.tasks.empty()) return;
  const auto cell = [&](const ProfiledTask& each, size_t column) -> std::string {
    const auto part = [&](const char* before, std::string_view text, const char* behind = "") {
      return text.empty() ? std::string() : before + std::string(text) + behind;
    };
    switch (column) {
      case 0: return std::to_string(each.task) + (each.critical ? "*" : " ");
      case 1: return each.runs ? format("%.3f", each.us) : "off";
      case 2: return each.runs && profile.total_us > 0 ? format("%.1f%%", 100 * each.us / profile.total_us) : "";
      case 3: return rate(each);
      case 4: return harmless(profile.names[each.device]);
      case 5: return std::to_string(each.segment);
      case 6: return std::to_string(each.branch);
      case 7: return std::to_string(each.runs);
      case 8: return counted(each.kernels);
      default: break;
    }
    return harmless(std::string(profile.text(each.name)) + part(": ", profile.text(each.operators)) +
                    part(" (", profile.text(each.operands), ")") + part(" in ", profile.names[each.body]) +
                    part(", recorded at ", profile.text(each.site)));
  };
  size_t widths[kColumnCount];
  for (size_t c = 0; c < kColumnCount; ++c) widths[c] = std::char_traits<char>::length(kColumns[c].head);
  for (const ProfiledTask& each : profile.tasks)
    for (size_t c = 0; c + 1 < kColumnCount; ++c) widths[c] = std::max(widths[c], cell(each, c).size());
  const auto line = [&](const auto& value_of) {
    for (size_t c = 0; c < kColumnCount; ++c) {
      const bool last = c + 1 == kColumnCount;
      const std::string value = value_of(c);
      const int width = last ? 0 : static_cast<int>(widths[c]);
      std::fprintf(to, "%s%*s", c ? "  " : "", kColumns[c].right ? width : -width, value.c_str());
    }
    std::fputc('\n', to);
  };
  line([](size_t c) { return std::string(kColumns[c].head); });
  for (const ProfiledTask& each : profile.tasks) line([&](size_t c) { return cell(each, c); });
  std::fputs("* on the critical path\n", to);
}

std::string profile_svg(const Profile& profile) {
  constexpr size_t kRows = 5000;  // a browser shows no more
  constexpr double kWidth = 1000, kLeft = 330, kRow = 18, kTop = 68;
  double longest = 0;
  for (const ProfiledTask& each : profile.tasks) longest = std::max(longest, each.begin_us + each.us);
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
  // The axis: marks at 1, 2 or 5 times a power of ten.
  double step = longest > 0 ? std::pow(10, std::floor(std::log10(longest))) : 1;
  if (longest < 2 * step)
    step /= 5;
  else if (longest < 5 * step)
    step /= 2;
  for (int mark = 0; scale > 0 && mark * step <= longest; ++mark) {
    const double x = kLeft + mark * step * scale;
    svg += format(
        "<line x1=\"%.2f\" y1=\"%.0f\" x2=\"%.2f\" y2=\"%.0f\" stroke=\"#dddddd\"/><text x=\"%.2f\" y=\"%.0f\" "
        "fill=\"#666666\" text-anchor=\"middle\">%g us</text>\n",
        x, kTop - 6, x, height - 30, x, kTop - 10, mark * step);
  }
  for (size_t i = 0; i < rows; ++i) {
    const ProfiledTask& each = profile.tasks[i];
    const double y = kTop + kRow * static_cast<double>(i);
    const double x = kLeft + each.begin_us * scale, width = std::max(1.0, each.us * scale);
    const char* const color = each.critical ? "#cc3333" : each.body == 0 ? "#4477aa" : "#aa8844";
    const BodyName body = body_name(profile.names[each.body]);
    const std::string name =
        std::to_string(each.task) + " " + std::string(profile.text(each.name).substr(0, 40)) +
        (each.body == 0
             ? ""
             : format(" (%s of %lld)", body.body.empty() ? "body" : std::string(body.body.substr(0, 20)).c_str(),
                      static_cast<long long>(body.task)));
    svg += format(
        "<g><title>%s on %s, segment %lld, branch %lld: %.3f us%s</title><text x=\"10\" y=\"%.0f\">%s</text>"
        "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"13\" fill=\"%s\"/><text x=\"%.2f\" y=\"%.0f\" "
        "fill=\"#444444\">%.1f us</text></g>\n",
        escaped(std::string(profile.text(each.name)) + " " + std::string(profile.text(each.operators)) + " " +
                std::string(profile.text(each.operands)) + " " + profile.names[each.body] + " " +
                std::string(profile.text(each.site)))
            .c_str(),
        escaped(profile.names[each.device]).c_str(), static_cast<long long>(each.segment),
        static_cast<long long>(each.branch), each.us, each.runs ? "" : ", did not run", y + 12, escaped(name).c_str(),
        x, y + 2, width, color, x + width + 4, y + 12, each.us);
  }
  if (rows < profile.tasks.size())
    svg += format("<text x=\"10\" y=\"%.0f\">and %zu more</text>\n", height - 12, profile.tasks.size() - rows);
  return svg + "</svg>\n";
}

}  // namespace rondo::tools
