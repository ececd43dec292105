// Expressions of named sizes, which stand as texts where a program has a number that varies: "B", "2*B*T-4", "(H+3)/4".
// A quotient is rounded down.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/json.h"

namespace rondo::program_files {

// A size with a name, from `least` to `most`.
struct Dim {
  std::string name;
  int64_t least = 0, most = 0;
};
inline constexpr size_t kMostDims = 8;
inline constexpr int64_t kLargestSize = int64_t{1} << 40;

// Names as programs have them for variables, none twice; bounds from 0 on, in order.
Status check_dims(const std::vector<Dim>& dims);
// "B = 4, T = 7"
std::string sizes_text(const std::vector<Dim>& dims, const std::vector<int64_t>& sizes);
// How often an axis with this expression has the size of that name: 1 for "B", 32 for "32*B". 0: it is another one.
int64_t times_of(std::string_view text, std::string_view name);

// Reads expressions at these sizes, one for each dim, which live as long. One thread.
class Sizes final : public models::NumberTexts {
 public:
  Sizes(const std::vector<Dim>& dims, const std::vector<int64_t>& sizes) : dims_(dims), sizes_(sizes) {}

  Status read(std::string_view text, int64_t* value) override;
  // A bit for each dim that was asked for since the last time.
  uint32_t take_used() { return std::exchange(used_, 0); }

 private:
  friend class SizeParser;
  const std::vector<Dim>& dims_;
  const std::vector<int64_t>& sizes_;
  uint32_t used_ = 0;
};

}  // namespace rondo::program_files
