// Tries expressions from the shortest on: each is solved from the numbers, rounded to whole factors, and compared with
// all of them exactly.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "base/bit_cast.h"
#include "base/text.h"
#include "program_files/attributes.h"

namespace rondo::program_files {

namespace {

constexpr size_t kMostTerms = 3, kMostFactors = 3;

// Solves rows of `terms` factors and a result by elimination. False if nothing tells some factor.
bool solve_rows(std::vector<std::vector<long double>>* rows, size_t terms, std::vector<long double>* factors) {
  for (size_t k = 0; k < terms; ++k) {
    size_t largest = k;
    for (size_t i = k; i < rows->size(); ++i)
      if (std::fabs((*rows)[i][k]) > std::fabs((*rows)[largest][k])) largest = i;
    if (largest >= rows->size() || std::fabs((*rows)[largest][k]) < 1e-6L) return false;
    std::swap((*rows)[k], (*rows)[largest]);
    for (size_t i = k + 1; i < rows->size(); ++i) {
      const long double times = (*rows)[i][k] / (*rows)[k][k];
      for (size_t j = k; j <= terms; ++j) (*rows)[i][j] -= times * (*rows)[k][j];
    }
  }
  factors->assign(terms, 0);
  for (size_t k = terms; k-- > 0;) {
    long double rest = (*rows)[k][terms];
    for (size_t j = k + 1; j < terms; ++j) rest -= (*rows)[k][j] * (*factors)[j];
    (*factors)[k] = rest / (*rows)[k][k];
  }
  return true;
}

// Appends "-2*B*T".
void append_term(std::string* text, int64_t factor, const std::string& product) {
  const int64_t size = factor < 0 ? -factor : factor;
  *text += factor < 0 ? "-" : text->empty() ? "" : "+";
  if (product.empty() || size != 1) *text += format("%lld", printable(size));
  if (!product.empty()) *text += (size != 1 ? "*" : "") + product;
}

}  // namespace

int64_t Fitter::Quotient::at(int64_t size) const {
  const int64_t above = a * size + c;
  return above / q - (above % q < 0 ? 1 : 0);
}

std::string Fitter::Quotient::text(const std::string& dim) const {
  std::string above;
  append_term(&above, a, dim);
  if (c) append_term(&above, c, "");
  return (c ? "(" + above + ")" : above) + format("/%lld", printable(q));
}

Fitter::Fitter(const std::vector<Dim>& dims, const std::vector<Sizes>& samples)
    : dims_(dims), samples_(samples), wanted_(dims.size()) {
  for (size_t i = 0; i < dims.size(); ++i) {
    Factor& factor = factors_.emplace_back();
    factor.text = dims[i].name;
    for (const Sizes& each : samples) factor.values.push_back(each[i]);
  }
  simple_ = products(kMostFactors);
}

// Shorter ones first; 1 is the first.
std::vector<Fitter::Product> Fitter::products(size_t most_factors) const {
  std::vector<Product> all = {{"", std::vector<int64_t>(samples_.size(), 1)}};
  std::vector<size_t> last = {0};  // the last factor of each, which the next may not come before
  size_t begin = 0;
  for (size_t count = 1; count <= most_factors; ++count) {
    const size_t end = all.size();
    for (size_t i = begin; i < end; ++i)
      for (size_t k = last[i]; k < factors_.size(); ++k) {
        Product longer = all[i];
        longer.text +=
            (longer.text.empty() ? "" : "*") + (k < dims_.size() ? factors_[k].text : "(" + factors_[k].text + ")");
        bool fits = true;
        for (size_t s = 0; s < samples_.size(); ++s)
          fits = !__builtin_mul_overflow(longer.values[s], factors_[k].values[s], &longer.values[s]) && fits;
        if (!fits) continue;
        all.push_back(std::move(longer));
        last.push_back(k);
      }
    begin = end;
  }
  return all;
}

// A sum of so many of the products that gives the numbers.
std::string Fitter::sum(const std::vector<Product>& of, size_t terms, const std::vector<int64_t>& numbers) const {
  std::vector<size_t> chosen(terms);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  const auto next = [&] {
    for (size_t k = terms; k-- > 0;)
      if (++chosen[k] + (terms - 1 - k) < of.size()) {
        for (size_t j = k + 1; j < terms; ++j) chosen[j] = chosen[j - 1] + 1;
        return true;
      }
    return false;
  };
  if (terms > of.size()) return "";
  do {
    std::vector<std::vector<long double>> rows(numbers.size());
    for (size_t s = 0; s < numbers.size(); ++s) {
      for (const size_t each : chosen) rows[s].push_back(static_cast<long double>(of[each].values[s]));
      rows[s].push_back(static_cast<long double>(numbers[s]));
    }
    std::vector<long double> solved;
    if (!solve_rows(&rows, terms, &solved)) continue;
    std::vector<int64_t> factors;
    bool right = true;
    for (const long double each : solved) {
      const long double whole = std::round(each);
      right = right && std::fabs(whole) < 1e15L && whole != 0;
      factors.push_back(right ? static_cast<int64_t>(whole) : 0);
    }
    for (size_t s = 0; right && s < numbers.size(); ++s) {
      __int128 total = 0;
      for (size_t k = 0; k < terms; ++k) total += static_cast<__int128>(factors[k]) * of[chosen[k]].values[s];
      right = total == numbers[s];
    }
    if (!right) continue;
    std::string text;
    for (size_t k = terms; k-- > 0;) append_term(&text, factors[k], of[chosen[k]].text);
    return text;
  } while (next());
  return "";
}

const std::string& Fitter::whole(const std::vector<int64_t>& numbers) {
  const auto [found, fresh] = known_.try_emplace(numbers);
  std::string& text = found->second;
  if (!fresh) return text;
  for (size_t terms = 1; terms <= kMostTerms && text.empty(); ++terms) text = sum(simple_, terms, numbers);
  if (text.empty()) text = quotient(numbers);
  if (!text.empty() || factors_.size() == dims_.size()) return text;
  const std::vector<Product> all = products(2);
  for (size_t terms = 1; terms <= 2 && text.empty(); ++terms) text = sum(all, terms, numbers);
  if (text.empty()) text = sum(products(kMostFactors), 1, numbers);
  return text;
}

// Finds the one dim that the numbers vary with.
std::string Fitter::quotient(const std::vector<int64_t>& numbers) {
  for (size_t d = 0; d < dims_.size(); ++d) {
    std::map<int64_t, int64_t> by_size;
    bool alone = true;
    for (size_t s = 0; s < numbers.size(); ++s)
      alone = by_size.try_emplace(samples_[s][d], numbers[s]).first->second == numbers[s] && alone;
    if (!alone || by_size.size() < 2) continue;
    std::string text = quotient_of(d, by_size);
    if (text.empty()) continue;
    constexpr size_t kMostQuotients = 12;
    if (factors_.size() < dims_.size() + kMostQuotients) factors_.push_back({text, numbers});
    return text;
  }
  return "";
}

std::string Fitter::quotient_of(size_t dim, const std::map<int64_t, int64_t>& numbers) {
  constexpr int64_t kLargestA = 4, kLargestQ = 64;
  std::vector<Quotient> all;
  for (int64_t a = 1; a <= kLargestA; ++a)
    for (int64_t q = 2; q <= kLargestQ; ++q) {
      if (std::gcd(a, q) != 1) continue;
      int64_t low = INT64_MIN, high = INT64_MAX;  // between which c is
      bool fits = true;
      for (const auto& [size, number] : numbers) {
        int64_t least = 0, above = 0;
        fits = fits && !__builtin_mul_overflow(number, q, &least) && !__builtin_mul_overflow(size, a, &above) &&
               !__builtin_sub_overflow(least, above, &least) && least < INT64_MAX - q;
        low = std::max(low, least);
        high = std::min(high, least + q - 1);
      }
      for (int64_t c = low; fits && c <= high; ++c) all.push_back({a, q, c});
    }
  if (all.empty()) return "";
  // They are the same within the bounds, or there is a size at which they are not.
  const Dim& of = dims_[dim];
  constexpr int64_t kLooked = 300;
  size_t most = 1;
  const auto look = [&](int64_t size) {
    std::set<int64_t> values;
    for (const Quotient& each : all) values.insert(each.at(size));
    if (values.size() <= most) return;
    most = values.size();
    wanted_[dim] = size;
  };
  const std::optional<int64_t> before = wanted_[dim];
  const int64_t first = std::max(of.least, std::min<int64_t>(of.most, 2));
  for (int64_t size = first; size <= std::min(of.most, first + kLooked); ++size) look(size);
  look(of.most);
  if (before) wanted_[dim] = before;  // one at a time
  return all.front().text(of.name);
}

// By 1 more or less too, as deviations have.
std::string Fitter::real(const std::vector<double>& numbers, bool single) const {
  const auto same = [&](double a, double b) {
    if (single) a = static_cast<double>(static_cast<float>(a));
    return bit_cast<uint64_t>(a) == bit_cast<uint64_t>(b);
  };
  for (const Product& product : simple_) {
    if (product.text.empty()) continue;
    for (const int64_t more : {0, -1, 1})
      for (const bool divided : {true, false}) {
        std::vector<int64_t> by = product.values;
        for (int64_t& each : by) each += more;
        if (std::find(by.begin(), by.end(), 0) != by.end()) continue;
        const double about =
            divided ? numbers[0] * static_cast<double>(by[0]) : numbers[0] / static_cast<double>(by[0]);
        for (const double c : {std::round(about), about, static_cast<double>(static_cast<float>(about))}) {
          bool right = c != 0;
          for (size_t s = 0; right && s < by.size(); ++s) right = same(vary(c, divided, by[s]), numbers[s]);
          if (!right) continue;
          std::string text = real_text(c);
          text = text.substr(1, text.size() - 2) + (divided ? "/(" : "*(") + product.text;
          if (more) append_term(&text, more, "");
          return text + ")";
        }
      }
  }
  return "";
}

std::string Fitter::bits(const std::vector<uint64_t>& numbers) {
  constexpr uint64_t kLeastSingle = 1u << 23;  // that is no denormal one
  std::vector<double> singles, doubles;
  bool narrow = true, small = true;
  for (const uint64_t each : numbers) {
    narrow = narrow && each <= UINT32_MAX;
    small = small && each < kLeastSingle;
    singles.push_back(static_cast<double>(bit_cast<float>(static_cast<uint32_t>(each))));
    doubles.push_back(bit_cast<double>(each));
  }
  std::string text = small ? "" : narrow ? real(singles, true) : real(doubles);
  if (!text.empty()) return (narrow ? "f32:" : "f64:") + text;
  return whole(std::vector<int64_t>(numbers.begin(), numbers.end()));
}

}  // namespace rondo::program_files
