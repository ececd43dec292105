// Lines of problems. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "cudnn_problems.h"

#include <cstring>
#include <sstream>

#include "base/text.h"

namespace toolkits {

using namespace rondo;
using namespace rondo::cuda;
using ops::dnn::Operand;

namespace {

bool read_numbers(std::istream& in, int64_t* to, int count) {
  for (int i = 0; i < count; ++i)
    if (!(in >> to[i])) return false;
  return true;
}

bool read_way(int descriptor, int32_t* way) {
  switch (descriptor) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR: *way = ops::dnn::kForward; return true;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR: *way = ops::dnn::kData; return true;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR: *way = ops::dnn::kFilter; return true;
    default: return false;
  }
}

bool read_dtype(int type, int32_t* dtype) {
  switch (type) {
    case CUDNN_DATA_FLOAT: *dtype = RONDO_F32; return true;
    case CUDNN_DATA_DOUBLE: *dtype = RONDO_F64; return true;
    case CUDNN_DATA_HALF: *dtype = RONDO_F16; return true;
    case CUDNN_DATA_BFLOAT16: *dtype = RONDO_BF16; return true;
    default: return false;
  }
}

std::string joined(const int64_t* numbers, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += format(i ? "x%lld" : "%lld", static_cast<long long>(numbers[i]));
  return text;
}

}  // namespace

bool read_problem(const std::string& line, Problem* problem) {
  std::istringstream in(line);
  int descriptor = 0, type = 0, dims = 0;
  Problem p;
  if (!(in >> descriptor >> type >> dims) || dims < 4 || dims > 5 || !read_way(descriptor, &p.way) ||
      !read_dtype(type, &p.dtype))
    return false;
  p.spatial = dims - 2;
  for (Operand* each : {&p.image, &p.filter, &p.result})
    if (!read_numbers(in, each->size, dims) || !read_numbers(in, each->stride, dims)) return false;
  if (!read_numbers(in, p.residual_stride, dims)) return false;
  p.residual = p.residual_stride[0] != 0;
  for (int64_t* each : {p.stride, p.dilation, p.before, p.after})
    if (!read_numbers(in, each, p.spatial)) return false;
  if (!(in >> p.bias >> p.relu >> p.beta)) return false;
  *problem = p;
  return true;
}

bool read_attention(const std::string& line, Sdpa* problem) {
  std::istringstream in(line);
  std::string word;
  int type = 0, layout = 0;
  Sdpa p;
  if (!(in >> word >> p.gradient >> p.composed >> type >> p.batch >> p.heads >> p.key_heads >> p.queries >> p.keys >>
        p.size >> p.shift >> p.before >> p.after >> layout) ||
      word != "attention" || !read_dtype(type, &p.dtype))
    return false;
  for (int t = 0; t < ops::dnn::kSdpaTensors; ++t) {
    const int64_t row = p.elements(t), places = p.places(t), heads = p.heads_of(t);
    const bool stats = t == ops::dnn::kSdpaStats, outside = stats || layout == 0;
    const int64_t parts = layout == 2 && t <= ops::dnn::kSdpaV ? 3 : 1;
    p.stride[t][0] = parts * heads * places * row;
    p.stride[t][1] = outside ? places * row : row;
    p.stride[t][2] = outside ? row : parts * heads * row;
  }
  *problem = p;
  return true;
}

bool channels_last(const Problem& p) {
  const auto last = [](const Operand& each) { return each.stride[1] == 1 || each.size[1] == 1; };
  return last(p.image) && last(p.filter) && last(p.result);
}

int64_t groups_of(const Problem& p) {
  return p.image.size[1] / p.filter.size[1];
}

std::string text_of(const Problem& p) {
  static constexpr const char* kWays[] = {"forward", "data", "filter"};
  const int dims = p.spatial + 2;
  std::string text = std::string(kWays[p.way]) + " " +
                     (p.dtype == RONDO_F16    ? "f16"
                      : p.dtype == RONDO_BF16 ? "bf16"
                      : p.dtype == RONDO_F64  ? "f64"
                      : p.tf32                ? "tf32"
                                              : "f32");
  text += " image " + joined(p.image.size, dims) + " filter " + joined(p.filter.size, dims) + " result " +
          joined(p.result.size, dims) + (channels_last(p) ? " nhwc" : " nchw");
  text += " stride " + joined(p.stride, p.spatial) + " dilation " + joined(p.dilation, p.spatial) + " padding " +
          joined(p.before, p.spatial) + "/" + joined(p.after, p.spatial);
  text += format(" groups %lld", static_cast<long long>(groups_of(p)));
  for (const auto& [set, word] : {std::pair{p.residual, " + residual"}, {p.bias, " + bias"}, {p.relu, " relu"}})
    if (set) text += word;
  return text + (p.beta ? " added to what is there" : "") + (p.deterministic ? " deterministic" : "");
}

}  // namespace toolkits
