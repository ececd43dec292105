// Finds the expressions (sizes.h) that give the numbers which were seen at several sizes: sums of products with whole
// factors, quotients of one size rounded down, products of these, and real numbers times such an expression or divided
// by it.
//
// The shortest expression that gives all numbers is taken. Quotients that agree at the sizes so far and not at all
// others ask for one more size, which tells them apart.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program_files/sizes.h"

namespace rondo::program_files {

// One thread. Numbers come in the order of the samples.
class Fitter {
 public:
  using Numbers = std::vector<int64_t>;
  // samples: at each the sizes of all dims.
  Fitter(const std::vector<Dim>& dims, const std::vector<Numbers>& samples);

  // Empty: there is no expression.
  std::string whole(const Numbers& numbers);
  std::string real(const std::vector<double>& numbers, bool single = false) const;
  std::string bits(const Numbers& numbers);
  // By dim: a size that has to be sampled, because quotients differ there; -1: none.
  const Numbers& wanted() const { return wanted_; }

 private:
  // A text with its value at each sample.
  struct Expression {
    std::string text;
    Numbers values;
  };
  // A quotient (a * size + c) / q.
  struct Quotient {
    int64_t a, q, c;
    int64_t at(int64_t size) const;
  };

  std::vector<Expression> products(size_t most_factors) const;
  std::string sum(const std::vector<Expression>& of, size_t terms, const Numbers& numbers) const;
  std::string quotient(const Numbers& numbers);
  std::string quotient_of(size_t dim, const Numbers& numbers);

  const std::vector<Dim>& dims_;
  const std::vector<Numbers>& samples_;
  std::vector<Expression> factors_;  // that products are made of: the dims, then quotients
  std::vector<Expression> simple_;   // products of dims
  std::vector<Expression> known_;    // that were found
  Numbers wanted_;
};

}  // namespace rondo::program_files
