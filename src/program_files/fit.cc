// Tries expressions from the shortest on: each is solved from the numbers, rounded to whole factors, and compared with
// all of them exactly.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/bit_cast.h"
#include "base/text.h"
#include "program_files/attributes.h"

namespace rondo::program_files {

namespace {

constexpr size_t kMostTerms = 3, kMostFactors = 3;

// A sample: the values of so many terms, and the number.
struct Row {
  long double of[kMostTerms + 1];
};

// Solves the rows by elimination. False if nothing tells some factor.
bool solve_rows(std::vector<Row>& rows, size_t terms, long double* factors) {
  for (size_t k = 0; k < terms; ++k) {
    size_t largest = k;
    for (size_t i = k; i < rows.size(); ++i)
      if (std::fabs(rows[i].of[k]) > std::fabs(rows[largest].of[k])) largest = i;
    if (largest >= rows.size() || std::fabs(rows[largest].of[k]) < 1e-6L) return false;
    std::swap(rows[k], rows[largest]);
    for (size_t i = k + 1; i < rows.size(); ++i) {
      const long double times = rows[i].of[k] / rows[k].of[k];
      for (size_t j = k; j <= terms; ++j) rows[i].of[j] -= times * rows[k].of[j];
    }
  }
  for (size_t k = terms; k-- > 0;) {
    factors[k] = rows[k].of[terms];
    for (size_t j = k + 1; j < terms; ++j) factors[k] -= rows[k].of[j] * factors[j];
    factors[k] /= rows[k].of[k];
  }
  return true;
}

// Appends "-2*B*T".
void append_term(std::string* text, int64_t factor, const std::string& product) {
  const int64_t size = factor < 0 ? -factor : factor;
  *text += factor < 0 ? "-" : text->empty() ? "" : "+";
  if (product.empty() || size != 1) *text += format("%lld", printable(size));
  if (product.empty()) return;
  if (size != 1) *text += '*';
  *text += product;
}

}  // namespace

int64_t Fitter::Quotient::at(int64_t size) const {
  const int64_t above = a * size + c;
  return above / q - (above % q < 0 ? 1 : 0);
}

Fitter::Fitter(const std::vector<Dim>& dims, const std::vector<Numbers>& samples)
    : dims_(dims), samples_(samples), wanted_(dims.size(), -1) {
  for (size_t i = 0; i < dims.size(); ++i) {
    Expression& factor = factors_.emplace_back();
    factor.text = dims[i].name;
    for (const Numbers& each : samples) factor.values.push_back(each[i]);
  }
  simple_ = products(kMostFactors);
}

// Shorter ones first; 1 is the first.
std::vector<Fitter::Expression> Fitter::products(size_t most_factors) const {
  std::vector<Expression> all(1);
  all[0].values.resize(samples_.size(), 1);
  Numbers last = {0};  // the last factor of each, which the next may not come before
  size_t begin = 0;
  for (size_t count = 1; count <= most_factors; ++count) {
    const size_t end = all.size();
    for (; begin < end; ++begin)
      for (auto k = static_cast<size_t>(last[begin]); k < factors_.size(); ++k) {
        Expression longer = all[begin];
        if (!longer.text.empty()) longer.text += '*';
        longer.text += factors_[k].text;
        bool fits = true;
        for (size_t s = 0; s < samples_.size(); ++s)
          fits = !__builtin_mul_overflow(longer.values[s], factors_[k].values[s], &longer.values[s]) && fits;
        if (!fits) continue;
        all.push_back(std::move(longer));
        last.push_back(static_cast<int64_t>(k));
      }
  }
  return all;
}

// A sum of so many of the products that gives the numbers.
std::string Fitter::sum(const std::vector<Expression>& of, size_t terms, const Numbers& numbers) const {
  size_t chosen[kMostTerms];
  std::iota(chosen, chosen + terms, size_t{0});
  std::string text;
  std::vector<Row> rows(numbers.size());
  while (chosen[terms - 1] < of.size()) {
    for (size_t s = 0; s < numbers.size(); ++s) {
      for (size_t k = 0; k < terms; ++k) rows[s].of[k] = static_cast<long double>(of[chosen[k]].values[s]);
      rows[s].of[terms] = static_cast<long double>(numbers[s]);
    }
    long double solved[kMostTerms];
    int64_t factors[kMostTerms] = {};
    bool right = solve_rows(rows, terms, solved);
    for (size_t k = 0; right && k < terms; ++k) {
      right = std::fabs(solved[k]) > 0.5L && std::fabs(solved[k]) < 1e15L;
      if (right) factors[k] = static_cast<int64_t>(std::round(solved[k]));
    }
    for (size_t s = 0; right && s < numbers.size(); ++s) {
      __int128 total = 0;
      for (size_t k = 0; k < terms; ++k) total += static_cast<__int128>(factors[k]) * of[chosen[k]].values[s];
      right = total == numbers[s];
    }
    if (right) {
      for (size_t k = terms; k-- > 0;) append_term(&text, factors[k], of[chosen[k]].text);
      break;
    }
    // The next choice, in order.
    size_t k = terms - 1;
    while (k > 0 && chosen[k] + (terms - k) >= of.size()) --k;
    std::iota(chosen + k, chosen + terms, chosen[k] + 1);
  }
  return text;
}

std::string Fitter::whole(const Numbers& numbers) {
  for (const Expression& each : known_)
    if (each.values == numbers) return each.text;
  std::string text;
  for (size_t terms = 1; terms <= kMostTerms && text.empty(); ++terms) text = sum(simple_, terms, numbers);
  if (text.empty()) text = quotient(numbers);
  if (text.empty() && factors_.size() > dims_.size()) {
    const std::vector<Expression> all = products(2);
    for (size_t terms = 1; terms <= 2 && text.empty(); ++terms) text = sum(all, terms, numbers);
    if (text.empty()) text = sum(products(kMostFactors), 1, numbers);
  }
  known_.push_back({text, numbers});
  return text;
}

// Finds the one dim that the numbers vary with.
std::string Fitter::quotient(const Numbers& numbers) {
  std::string text;
  for (size_t d = 0; d < dims_.size() && text.empty(); ++d) {
    bool alone = true;
    for (size_t s = 0; s < numbers.size(); ++s)
      for (size_t k = 0; k < s; ++k) alone = alone && (samples_[s][d] != samples_[k][d] || numbers[s] == numbers[k]);
    if (alone) text = quotient_of(d, numbers);
  }
  constexpr size_t kMostQuotients = 12;
  if (!text.empty() && factors_.size() < dims_.size() + kMostQuotients) factors_.push_back({"(" + text + ")", numbers});
  return text;
}

std::string Fitter::quotient_of(size_t dim, const Numbers& numbers) {
  constexpr int64_t kLargestA = 4, kLargestQ = 64;
  std::vector<Quotient> all;
  for (int64_t a = 1; a <= kLargestA; ++a)
    for (int64_t q = 2; q <= kLargestQ; ++q) {
      if (std::gcd(a, q) != 1) continue;
      int64_t low = INT64_MIN, high = INT64_MAX;  // between which c is
      bool fits = true;
      for (size_t s = 0; s < numbers.size(); ++s) {
        int64_t least = 0;
        fits = fits && !__builtin_mul_overflow(numbers[s], q, &least) &&
               !__builtin_sub_overflow(least, samples_[s][dim] * a, &least) && least < INT64_MAX - q;
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
  int64_t size = std::max(of.least, std::min<int64_t>(of.most, 2)), found = -1;
  const int64_t last = std::min(of.most, size + kLooked);
  Numbers values;
  for (bool more = true; more; size = size == last ? of.most : size + 1) {
    more = size != of.most;
    values.clear();
    for (const Quotient& each : all)
      if (const int64_t value = each.at(size); std::find(values.begin(), values.end(), value) == values.end())
        values.push_back(value);
    if (values.size() <= most) continue;
    most = values.size();
    found = size;
  }
  if (wanted_[dim] < 0) wanted_[dim] = found;  // mutation: quotients_not_told_apart
  const Quotient& first = all.front();
  std::string text;
  append_term(&text, first.a, of.name);
  if (first.c) {
    append_term(&text, first.c, "");
    text = "(" + text + ")";
  }
  return text + format("/%lld", printable(first.q));
}

// By 1 more or less too, as deviations have.
std::string Fitter::real(const std::vector<double>& numbers, bool single) const {
  for (const Expression& product : simple_) {
    if (product.text.empty()) continue;
    for (int choice = 0; choice < 18; ++choice) {
      const int64_t more = choice % 3 == 2 ? 1 : -(choice % 3);
      const bool divided = choice / 3 % 2 == 0;
      const auto by = [&](size_t s) { return product.values[s] + more; };
      double c = divided ? numbers[0] * static_cast<double>(by(0)) : numbers[0] / static_cast<double>(by(0));
      c = choice < 6 ? std::round(c) : choice < 12 ? c : static_cast<double>(static_cast<float>(c));
      bool right = c != 0;
      for (size_t s = 0; right && s < numbers.size(); ++s) {
        double made = by(s) == 0 ? 0 : vary(c, divided, by(s));
        if (single) made = static_cast<double>(static_cast<float>(made));
        right = by(s) != 0 && bit_cast<uint64_t>(made) == bit_cast<uint64_t>(numbers[s]);
      }
      if (!right) continue;
      std::string text = real_text(c);
      text.back() = divided ? '/' : '*';
      text += "(" + product.text;
      if (more) append_term(&text, more, "");
      return text.substr(1) + ")";
    }
  }
  return "";
}

std::string Fitter::bits(const Numbers& numbers) {
  constexpr uint64_t kLeastSingle = 1u << 23;  // that is no denormal one
  uint64_t largest = 0;
  for (const int64_t each : numbers) largest = std::max(largest, static_cast<uint64_t>(each));
  const bool narrow = largest <= UINT32_MAX;
  std::string text;
  if (largest >= kLeastSingle) {
    std::vector<double> reals;
    for (const int64_t each : numbers)
      reals.push_back(narrow ? static_cast<double>(bit_cast<float>(static_cast<uint32_t>(each)))
                             : bit_cast<double>(each));
    text = real(reals, narrow);
    if (!text.empty()) return (narrow ? "f32:" : "f64:") + text;
  }
  return whole(numbers);
}

}  // namespace rondo::program_files
