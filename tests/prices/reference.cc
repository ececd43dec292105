// What a run's processor time is told in: compilations of this file, in the same run, so that a slower machine or a
// busy one costs the same. It includes nothing of Rondo, and stays as it is: changed, all prices in prices.txt would
// have to be measured anew. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

using Value = std::variant<long, double, std::string, std::vector<std::string>>;

std::map<std::string, Value> read(const std::string& text) {
  static const std::regex line("\\s*(\\w+)\\s*=\\s*(\"[^\"]*\"|[-+.0-9e]+)\\s*");
  std::map<std::string, Value> values;
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
    const std::string value = (*at)[2];
    if (value.front() == '"') {
      values[(*at)[1]] = value.substr(1, value.size() - 2);
    } else if (value.find_first_of(".e") != std::string::npos) {
      values[(*at)[1]] = std::stod(value);
    } else {
      values[(*at)[1]] = std::stol(value);
    }
  }
  return values;
}

std::vector<std::pair<std::string, size_t>> counted(const std::map<std::string, Value>& values) {
  std::unordered_map<std::string, size_t> counts;
  for (const auto& [name, value] : values)
    std::visit(
        [&, &name = name](const auto& each) {
          using Each = std::decay_t<decltype(each)>;
          if constexpr (std::is_same_v<Each, std::vector<std::string>>) {
            for (const std::string& one : each) ++counts[one];
          } else if constexpr (std::is_same_v<Each, std::string>) {
            ++counts[each];
          } else {
            ++counts[name];
          }
        },
        value);
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::function<std::unique_ptr<std::string>(std::string)> replacing(std::string from, std::string to) {
  return [pattern = std::regex(from), to = std::move(to)](std::string text) {
    std::string made;
    std::regex_replace(std::back_inserter(made), text.begin(), text.end(), pattern, to);
    return std::make_unique<std::string>(std::move(made));
  };
}
