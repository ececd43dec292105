// The choice of kernels is made here: all of them, each of them once, or a sample that has every line of theirs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "nvrtc_sample.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace toolkits {

namespace {

// One in so many of those kernels that a sample has for no line of theirs.
constexpr uint64_t kOneIn = 64;
constexpr uint64_t kOneInOfChanged = 16;

constexpr std::string_view kTypes[] = {"b8", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8e4m3"};

bool is_inside(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The words and numbers of a text and, one by one, the characters between them.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t i = 0, end; i < text.size(); i = end) {
    end = i + 1;
    if (is_inside(text[i]))
      while (end < text.size() && (is_inside(text[end]) || (text[end] == '.' && std::isdigit(text[i])))) ++end;
    words.push_back(text.substr(i, end - i));
  }
  return words;
}

size_t type_of(std::string_view word) {
  return static_cast<size_t>(std::find(std::begin(kTypes), std::end(kTypes), word) - std::begin(kTypes));
}

// A number that a text decides, and that says nothing about the text.
uint64_t drawn(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  return hash ^ (hash >> 33);
}

// Of several operators, made by chance.
bool fused(const Kernel& kernel) {
  return kernel.name.find('+') != std::string::npos;
}

bool compiles_with(const Kernel& kernel, const Pair& pair) {
  // It calls a function of the driver's that the compiler has to know; where it does not, the host decides.
  if (kernel.name == "chooser" && (pair.major < 12 || (pair.major == 12 && pair.minor < 3))) return false;
  // Tensor cores are asked for from 8.0 on.
  return pair.architecture >= 80 || kernel.text.find("ldmatrix") == std::string::npos;
}

// Numbers for the patterns of lines.
class Patterns {
 public:
  explicit Patterns(bool types_count) : types_count_(types_count) {}
  uint32_t of(std::string_view line) {
    const auto [known, added] = lines_.emplace(line, 0);
    if (added) known->second = number(pattern_of(line, types_count_));
    return known->second;
  }
  uint32_t number(const std::string& pattern) {
    return numbers_.emplace(pattern, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  const bool types_count_;
  std::unordered_map<std::string_view, uint32_t> lines_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

class Chooser {
 public:
  Chooser(const Wish& wish, const std::vector<Kernel>& kernels, const std::vector<Pair>& pairs)
      : wish_(wish), kernels_(kernels), pairs_(pairs), chosen_(pairs.size()) {
    for (const Pair& pair : pairs) architectures_.insert(pair.architecture);
    for (const Kernel& kernel : kernels) has_headers_.push_back(!headers_of(kernel).empty());
  }

  void all() {
    for (size_t kernel = 0; kernel < kernels_.size(); ++kernel)
      for (size_t pair = 0; pair < pairs_.size(); ++pair)
        if (compiles_with(kernels_[kernel], pairs_[pair])) chosen_[pair].insert(kernel);
  }
  void each() {
    for (size_t kernel = 0; kernel < kernels_.size(); ++kernel) once(kernel);
  }
  // For one architecture, by turns, kernels of every operator with device headers, with every line of these and of such
  // kernels, and for each other one those of headers that have changed; once those that together have every line of all
  // kernels with its types; and of the others some. Kernels without a device header do nothing that depends on the
  // architecture.
  void sample() {
    const std::vector<std::vector<uint32_t>> plain = patterns(false), typed = patterns(true);
    const uint64_t turn = drawn(wish_.turn + " architecture") % std::max<size_t>(architectures_.size(), 1);
    uint64_t at = 0;
    for (const int architecture : architectures_) cover(plain, &architecture, at++ != turn);
    cover(typed, nullptr, false);
    for (size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      const uint64_t one_in = has_changed(headers_of(kernels_[kernel])) ? kOneInOfChanged : kOneIn;
      if (draw(kernel, "others") % one_in == 0) once(kernel);
    }
  }
  std::vector<std::vector<size_t>> made() const {
    std::vector<std::vector<size_t>> lists;
    for (const std::set<size_t>& each : chosen_) lists.emplace_back(each.begin(), each.end());
    return lists;
  }

 private:
  uint64_t draw(size_t kernel, const char* what) const {
    return drawn(wish_.turn + ' ' + what + ' ' + kernels_[kernel].id);
  }
  // In an order by chance, those first that are compiled anyway.
  std::vector<size_t> shuffled(const char* what) const {
    std::vector<std::tuple<bool, uint64_t, size_t>> order;
    for (size_t kernel = 0; kernel < kernels_.size(); ++kernel)
      order.emplace_back(taken_.count(kernel) == 0, draw(kernel, what), kernel);
    std::sort(order.begin(), order.end());
    std::vector<size_t> places;
    for (const auto& [is_new, number, kernel] : order) places.push_back(kernel);
    return places;
  }
  // For each kernel the patterns of its lines and its operator, unless it is fused.
  std::vector<std::vector<uint32_t>> patterns(bool types_count) const {
    Patterns known(types_count);
    std::vector<std::vector<uint32_t>> all;
    for (const Kernel& kernel : kernels_) {
      std::vector<uint32_t>& its = all.emplace_back();
      std::string_view rest = kernel.text;
      while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size() - 1);
        its.push_back(known.of(rest.substr(0, end)));
        rest.remove_prefix(end + 1);
      }
      if (!fused(kernel)) its.push_back(known.number("operator " + kernel.name));
    }
    return all;
  }
  // Takes kernels that have every line; those of which the others have every line are left out again.
  void cover(const std::vector<std::vector<uint32_t>>& patterns, const int* architecture, bool only_changed) {
    std::unordered_map<uint32_t, int> having;
    std::vector<size_t> picked;
    for (const size_t kernel : shuffled(architecture ? std::to_string(*architecture).c_str() : "types")) {
      const std::vector<uint32_t>& its = patterns[kernel];
      if (architecture && !has_headers_[kernel]) continue;
      if (only_changed && !has_changed(headers_of(kernels_[kernel]))) continue;
      if (std::all_of(its.begin(), its.end(), [&](uint32_t each) { return having.count(each) > 0; })) continue;
      if (fitting(kernel, architecture).empty()) continue;
      picked.push_back(kernel);
      for (const uint32_t each : its) ++having[each];
    }
    for (const size_t kernel : picked) {
      if (!architecture && taken_.count(kernel) > 0) continue;
      const std::vector<uint32_t>& its = patterns[kernel];
      for (const uint32_t each : its) --having[each];
      if (std::all_of(its.begin(), its.end(), [&](uint32_t each) { return having[each] > 0; })) continue;
      for (const uint32_t each : its) ++having[each];
      add(kernel, architecture);
    }
  }
  bool has_changed(const std::string& headers) {
    const auto [known, added] = changed_.emplace(headers, false);
    if (added)
      known->second = std::any_of(wish_.changed.begin(), wish_.changed.end(), [&](const std::string& header) {
        return !header.empty() && headers.find(header) != std::string::npos;
      });
    return known->second;
  }
  // The pairs that compile it, of those with the architecture where one is given.
  std::vector<size_t> fitting(size_t kernel, const int* architecture) const {
    std::vector<size_t> fit;
    for (size_t pair = 0; pair < pairs_.size(); ++pair)
      if ((!architecture || pairs_[pair].architecture == *architecture) &&
          compiles_with(kernels_[kernel], pairs_[pair]))
        fit.push_back(pair);
    return fit;
  }
  void add(size_t kernel, const int* architecture) {
    const std::vector<size_t> fit = fitting(kernel, architecture);
    if (fit.empty()) return;
    chosen_[fit[draw(kernel, "pair") % fit.size()]].insert(kernel);
    taken_.insert(kernel);
  }
  void once(size_t kernel) {
    if (taken_.count(kernel) == 0) add(kernel, nullptr);
  }

  const Wish& wish_;
  const std::vector<Kernel>& kernels_;
  const std::vector<Pair>& pairs_;
  std::set<int> architectures_;
  std::vector<bool> has_headers_;
  std::vector<std::set<size_t>> chosen_;
  std::set<size_t> taken_;
  std::map<std::string, bool> changed_;
};

}  // namespace

bool wants_whole_suite(const Wish& wish) {
  return wish.extent != Wish::sample || wish.turn.empty() || drawn(wish.turn + " suite") % 3 == 0;
}

std::string pattern_of(std::string_view line, bool types_count) {
  if (types_count && line.rfind("constexpr int", 0) == 0) return std::string(line);
  std::string pattern;
  for (const std::string_view word : split(line)) {
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      pattern += '#';
    } else if (type_of(word) < std::size(kTypes)) {
      pattern += types_count ? word : "@";
    } else {
      for (const char c : word)
        if (!std::isdigit(static_cast<unsigned char>(c)))
          pattern += c;
        else if (pattern.empty() || pattern.back() != '#')
          pattern += '#';
    }
  }
  return pattern;
}

std::string embedded(const std::string& header) {
  std::istringstream lines(header);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t");
    if (begin == std::string::npos) continue;
    const auto starts = [&](const char* with) { return line.rfind(with, begin) == begin; };
    if (starts("//") || starts("#pragma once") || starts("#include \"")) continue;
    text += line.substr(0, end + 1) + '\n';
  }
  return text;
}

std::vector<std::vector<size_t>> choose(const Wish& wish, const std::vector<Kernel>& kernels,
                                        const std::vector<Pair>& pairs) {
  Chooser chooser(wish, kernels, pairs);
  if (wish.extent == Wish::all)
    chooser.all();
  else if (wish.extent == Wish::each)
    chooser.each();
  else
    chooser.sample();
  return chooser.made();
}

}  // namespace toolkits
