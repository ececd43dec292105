// Writes a program anew, also at fixed sizes of its dimensions, and tells how two programs differ.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "tools/program.h"
#include "tools/program_sizes.h"
#include "tools/program_write.h"
#include "tools/usage.h"

namespace rondo::tools {

namespace {

using Json = nlohmann::ordered_json;

std::string shown_name(const std::string& text) {
  return plain(text, false);
}

}  // namespace

std::string read_sizes(const Program& program, const std::string& text, std::vector<int64_t>* sizes) {
  const std::vector<ProgramDim> dims = program.dims();
  std::string names;
  for (const ProgramDim& each : dims) names += (names.empty() ? "" : ",") + each.name + "=...";
  if (dims.empty()) return "the sizes of the program are fixed: it has no dimensions";
  sizes->assign(dims.size(), -1);
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const size_t equal = part.find('=');
    const std::string name = part.substr(0, equal), number = equal == std::string::npos ? "" : part.substr(equal + 1);
    size_t i = 0;
    while (i < dims.size() && dims[i].name != name) ++i;
    if (i == dims.size() || number.empty() || number.size() > 15 ||
        number.find_first_not_of("0123456789") != std::string::npos || (*sizes)[i] >= 0)
      return "--sizes needs " + names + " with a number each, once, not '" + shown_name(text) + "'";
    (*sizes)[i] = std::stoll(number);
    at = end + 1;
  }
  for (const int64_t each : *sizes)
    if (each < 0) return "--sizes needs " + names + ", not '" + shown_name(text) + "'";
  return "";
}

int write_program(const std::string& action, int count, char** arguments) {
  const bool binds = action == "bind";
  std::string file, sizes_text, output, weights;
  for (int i = 0; i < count; ++i) {
    const std::string word = arguments[i];
    std::string* const to = word == "--sizes" && binds ? &sizes_text
                            : word == "--output"       ? &output
                            : word == "--weights"      ? &weights
                                                       : nullptr;
    if (to) {
      if (!to->empty() || ++i == count || !*arguments[i]) return bad_usage("program", word + " needs one value");
      *to = arguments[i];
    } else if (word.empty() || word[0] == '-' || !file.empty()) {
      return bad_usage("program", "'" + word + "' does not follow " + action);
    } else {
      file = word;
    }
  }
  if (file.empty() || output.empty() || (binds && sizes_text.empty()))
    return bad_usage("program", action + " needs a file, " + (binds ? "--sizes and " : "and ") + "--output");
  Program program(file);
  if (binds) {
    std::vector<int64_t> sizes;
    if (const std::string wrong = read_sizes(program, sizes_text, &sizes); !wrong.empty())
      return bad_usage("program", wrong);
    program = program.bind(sizes);
  }
  const Engine engine;
  const Status status = write_with_weights(*program.get(), *engine.get(), output, weights);
  if (!status.ok()) throw Error(status.code(), status.message());
  return 0;
}

namespace {

// One node of a function, or the begin of a body of one, in the order of the file.
struct Line {
  Json node;
  std::string what;  // without the numbers of values
  size_t depth = 0;
  std::vector<int64_t> uses, makes;
};

// Replaces numbers of values by 0, and collects them.
void take_numbers(Json* value, std::vector<int64_t>* numbers) {
  if (value->is_number_integer()) {
    numbers->push_back(value->get<int64_t>());
    *value = 0;
  } else if (value->is_structured()) {
    for (Json& each : *value) take_numbers(&each, numbers);
  }
}

// A result is a number, or one with what it is the number of; operands may be lists of them.
void take_results(Json* result, Line* line) {
  if (result->is_array() && result->size() > 1 && (*result)[1].is_string())
    take_numbers(&(*result)[0], &line->makes);
  else if (result->is_structured())
    for (Json& each : *result) take_results(&each, line);
  else
    take_numbers(result, &line->uses);
}

void add_lines(const Json& nodes, size_t depth, std::vector<Line>* lines) {
  for (const Json& node : nodes) {
    Line line;
    line.depth = depth;
    Json what = node;
    if (node.contains("control")) {
      what.erase("bodies");
      take_numbers(&what["number"], &line.uses);
    } else {
      if (what.contains("in")) take_numbers(&what["in"], &line.uses);
      if (what.contains("view"))
        take_numbers(&what["out"], &line.makes);
      else if (what.contains("out"))
        take_results(&what["out"], &line);
      if (what.contains("empty")) take_numbers(&what["empty"][0], &line.makes);
    }
    line.node = node;
    line.node.erase("bodies");
    line.what = std::to_string(depth) + what.dump();
    lines->push_back(std::move(line));
    if (!node.contains("bodies")) continue;
    for (const Json& body : node["bodies"]) {
      Line begin;
      begin.depth = depth;
      begin.node = body.is_null() ? "nothing" : "body";
      begin.what = std::to_string(depth) + begin.node.dump();
      lines->push_back(std::move(begin));
      if (body.is_array()) add_lines(body, depth + 1, lines);
    }
  }
}

// Pairs of lines that are the same but for numbers of values: a longest common list, or where that would take too long
// what both begin and end with.
std::vector<std::pair<size_t, size_t>> common(const std::vector<Line>& a, const std::vector<Line>& b) {
  size_t begin = 0, end = 0;
  const size_t least = std::min(a.size(), b.size());
  while (begin < least && a[begin].what == b[begin].what) ++begin;
  while (end < least - begin && a[a.size() - 1 - end].what == b[b.size() - 1 - end].what) ++end;
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < begin; ++i) pairs.emplace_back(i, i);
  const size_t rows = a.size() - begin - end, columns = b.size() - begin - end;
  if (rows > 0 && columns > 0 && rows <= 25'000'000 / columns) {
    std::vector<uint32_t> length((rows + 1) * (columns + 1));
    const auto at = [&](size_t i, size_t k) -> uint32_t& { return length[i * (columns + 1) + k]; };
    const auto same = [&](size_t i, size_t k) { return a[begin + i].what == b[begin + k].what; };
    for (size_t i = rows; i-- > 0;)
      for (size_t k = columns; k-- > 0;)
        at(i, k) = same(i, k) ? at(i + 1, k + 1) + 1 : std::max(at(i + 1, k), at(i, k + 1));
    for (size_t i = 0, k = 0; i < rows && k < columns;) {
      if (same(i, k)) {
        pairs.emplace_back(begin + i++, begin + k++);
      } else if (at(i + 1, k) >= at(i, k + 1)) {
        ++i;
      } else {
        ++k;
      }
    }
  }
  for (size_t i = end; i > 0; --i) pairs.emplace_back(a.size() - i, b.size() - i);
  return pairs;
}

class Differences {
 public:
  void say(const std::string& text) {
    if (!function_.empty()) std::printf("function %s\n", std::exchange(function_, "").c_str());
    std::printf("%s\n", shown_name(text).c_str());
    any_ = true;
  }
  void changed(const std::string& what, const std::string& before, const std::string& after) {
    if (before != after) say("  " + what + ": " + before + " -> " + after);
  }
  void in_function(const std::string& name) { function_ = shown_name(name); }
  void in_nothing() { function_.clear(); }
  bool any() const { return any_; }

  // Things with names: those of one program alone, and those that are other things in the other.
  void by_name(const std::string& what, const Json& a, const Json& b) {
    std::map<std::string, std::string> there;
    for (const Json& each : b) there[each[0].get<std::string>()] = each.dump();
    for (const Json& each : a) {
      const auto found = there.find(each[0].get<std::string>());
      if (found == there.end()) {
        say("- " + what + " " + each.dump());
        continue;
      }
      if (found->second != each.dump()) {
        say("- " + what + " " + each.dump());
        say("+ " + what + " " + found->second);
      }
      there.erase(found);
    }
    for (const Json& each : b)
      if (there.count(each[0].get<std::string>())) say("+ " + what + " " + each.dump());
  }

  void nodes(const Json& a, const Json& b, const Json& weights_a, const Json& weights_b) {
    std::vector<Line> before, after;
    add_lines(a["nodes"], 0, &before);
    add_lines(b["nodes"], 0, &after);
    std::map<int64_t, int64_t> value;  // of the second program, by that of the first
    meet(names(a, weights_a), names(b, weights_b), &value);
    size_t i = 0, k = 0;
    const auto only = [&](size_t to_i, size_t to_k) {
      for (; i < to_i; ++i) say("- " + text(before[i]));
      for (; k < to_k; ++k) say("+ " + text(after[k]));
    };
    for (const auto& [from, to] : common(before, after)) {
      only(from, to);
      const Line &x = before[from], &y = after[to];
      bool same = x.uses.size() == y.uses.size() && x.makes.size() == y.makes.size();
      for (size_t n = 0; same && n < x.uses.size(); ++n) {
        const auto found = value.find(x.uses[n]);
        same = found != value.end() && found->second == y.uses[n];
      }
      if (same) {
        for (size_t n = 0; n < x.makes.size(); ++n) value[x.makes[n]] = y.makes[n];
        ++i, ++k;
      } else {
        only(from + 1, to + 1);
      }
    }
    only(before.size(), after.size());
    const auto of = [&](const Json& outputs, bool first) {
      Json list = outputs;
      for (Json& each : list) {
        const auto found = value.find(each[1].get<int64_t>());
        if (first) each[1] = found == value.end() ? -1 : found->second;
      }
      return list;
    };
    by_name("output", of(a["outputs"], true), of(b["outputs"], false));
  }

 private:
  // Inputs and weights are the same where their names are.
  static std::vector<std::string> names(const Json& function, const Json& weights) {
    std::vector<std::string> all;
    for (const Json& each : function["inputs"]) all.push_back("input " + each[0].get<std::string>());
    for (const Json& each : function["weights"])
      all.push_back("weight " + weights[each.get<size_t>()][0].get<std::string>());
    return all;
  }
  static void meet(const std::vector<std::string>& a, const std::vector<std::string>& b,
                   std::map<int64_t, int64_t>* value) {
    for (size_t i = 0; i < a.size(); ++i)
      if (const auto found = std::find(b.begin(), b.end(), a[i]); found != b.end())
        (*value)[static_cast<int64_t>(i)] = found - b.begin();
  }
  static std::string text(const Line& line) { return std::string(2 * line.depth, ' ') + line.node.dump(); }

  std::string function_;  // that is not named yet
  bool any_ = false;
};

const Json* find(const Json& list, const std::string& name) {
  for (const Json& each : list)
    if (each["name"] == name) return &each;
  return nullptr;
}

}  // namespace

int diff_programs(int count, char** arguments) {
  if (count != 2 || arguments[0][0] == '-' || arguments[1][0] == '-')
    return bad_usage("program", "diff needs two files");
  const Program first(arguments[0]), second(arguments[1]);
  const Json a = Json::parse(first.text()), b = Json::parse(second.text());
  Differences found;
  for (const char* key : {"rondo_program", "needs", "dims"}) {
    const auto text = [&](const Json& of) { return of.contains(key) ? of[key].dump() : std::string("none"); };
    found.changed(key, text(a), text(b));
  }
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : second.metadata()) texts[key] = value;
  for (const auto& [key, value] : first.metadata()) {
    const auto there = texts.find(key);
    if (there == texts.end())
      found.say("- text " + key + ": " + value);
    else if (there->second != value)
      found.say("- text " + key + ": " + value), found.say("+ text " + key + ": " + there->second);
    if (there != texts.end()) texts.erase(there);
  }
  for (const auto& [key, value] : texts) found.say("+ text " + key + ": " + value);
  found.by_name("weight", a["weights"], b["weights"]);
  for (const Json& function : a["functions"]) {
    const Json* const other = find(b["functions"], function["name"].get<std::string>());
    if (!other) {
      found.say("- function " + function["name"].get<std::string>());
      continue;
    }
    found.in_function(function["name"].get<std::string>());
    for (const char* key : {"fewer_roundings", "parameters", "sections"}) {
      const auto text = [&](const Json& of) { return of.contains(key) ? of[key].dump() : std::string("none"); };
      found.changed(key, text(function), text(*other));
    }
    found.by_name("input", function["inputs"], (*other)["inputs"]);
    found.nodes(function, *other, a["weights"], b["weights"]);
    found.in_nothing();
  }
  for (const Json& function : b["functions"])
    if (!find(a["functions"], function["name"].get<std::string>()))
      found.say("+ function " + function["name"].get<std::string>());
  return found.any() ? 1 : 0;
}

}  // namespace rondo::tools
