// Writing down what is asked for, a line of numbers for each distinct pattern. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
//
// The line: descriptor type of the convolution; data type; dimensions; sizes and strides of image, filter and result;
// strides of the residual, or zeros; stride, dilation, padding before and behind; bias, ReLU, β.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

#include "engines.h"

namespace simcudnn {
namespace {

std::string line_of(const Pattern& p) {
  std::ostringstream line;
  const auto write = [&line](const std::vector<std::int64_t>& numbers) {
    for (const std::int64_t each : numbers) line << ' ' << each;
  };
  line << p.operation << ' ' << p.dtype() << ' ' << p.image.dims.size();
  for (const Tensor* each : {&p.image, &p.filter, &p.result}) write(each->dims), write(each->strides);
  std::vector<std::int64_t> residual(p.image.dims.size(), 0);
  bool bias = false, relu = false;
  for (const Pattern::Step& step : p.steps) {
    relu |= step.mode == CUDNN_POINTWISE_RELU_FWD;
    if (!step.has_b) continue;
    if (step.b.dims == step.y.dims && !(bias || residual[0] != 0))
      residual = step.b.strides;
    else
      bias = true;
  }
  write(residual);
  for (const std::vector<std::int64_t>* each : {&p.stride, &p.dilation, &p.before, &p.after}) write(*each);
  line << ' ' << bias << ' ' << relu << ' ' << (p.beta != 0) << '\n';
  return line.str();
}

}  // namespace

void record(const Pattern& pattern) {
  const std::string& file = settings().record;
  if (file.empty() || pattern.attention) return;
  static std::set<std::string> seen;
  const std::string line = line_of(pattern);
  if (!seen.insert(line).second) return;
  std::FILE* out = std::fopen(file.c_str(), "a");
  if (out == nullptr || std::fputs(line.c_str(), out) < 0 || std::fclose(out) != 0) {
    std::fprintf(stderr, "simcudnn: cannot write to %s\n", file.c_str());
    std::_Exit(2);
  }
}

}  // namespace simcudnn
