// Finds the expressions (sizes.h) that give the numbers which were seen at several sizes: sums of products with whole
// factors, quotients of one size rounded down, products of these, and real numbers times such an expression or divided
// by it.
//
// The shortest expression that gives all numbers is taken. Quotients that agree at the sizes so far and not at all
// others ask for one more size, which tells them apart.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program_files/sizes.h"

namespace rondo::program_files {

// One thread. Numbers come in the order of the samples.
class Fitter {
 public:
  using Sizes = std::vector<int64_t>;
  // samples: at each the sizes of all dims.
  Fitter(const std::vector<Dim>& dims, const std::vector<Sizes>& samples);

  // Empty: there is no expression.
  const std::string& whole(const std::vector<int64_t>& numbers);
  std::string real(const std::vector<double>& numbers, bool single = false) const;
  std::string bits(const std::vector<uint64_t>& numbers);
  // By dim: a size that has to be sampled, because quotients differ there.
  const std::vector<std::optional<int64_t>>& wanted() const { return wanted_; }

 private:
  // Something that products are made of: a dim or a quotient.
  struct Factor {
    std::string text;
    std::vector<int64_t> values;
  };
  struct Product {
    std::string text;  // empty: 1
    std::vector<int64_t> values;
  };
  // A quotient (a * size + c) / q.
  struct Quotient {
    int64_t a, q, c;
    int64_t at(int64_t size) const;
    std::string text(const std::string& dim) const;
  };

  std::vector<Product> products(size_t most_factors) const;
  std::string sum(const std::vector<Product>& of, size_t terms, const std::vector<int64_t>& numbers) const;
  std::string quotient(const std::vector<int64_t>& numbers);
  std::string quotient_of(size_t dim, const std::map<int64_t, int64_t>& numbers);

  const std::vector<Dim>& dims_;
  const std::vector<Sizes>& samples_;
  std::vector<Factor> factors_;  // the dims come first
  std::vector<Product> simple_;  // of dims
  std::map<std::vector<int64_t>, std::string> known_;
  std::vector<std::optional<int64_t>> wanted_;
};

}  // namespace rondo::program_files
