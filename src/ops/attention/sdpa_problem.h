// Poses one attention to cuDNN, as scaled dot-product attention: the problem, and the question that it is to cuDNN.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "ops/cudnn/choice.h"

namespace rondo::ops::dnn {

enum SdpaTensor : int32_t {
  kSdpaQ,
  kSdpaK,
  kSdpaV,
  kSdpaO,
  kSdpaStats,  // the natural logarithm of each query's sum, f32
  kSdpaDo,
  kSdpaDq,
  kSdpaDk,
  kSdpaDv,
  kSdpaSums,  // of a composed gradient: each query's sum of dy times the result, f32, packed
  kSdpaTensors
};
// Unique ids: of the tensors their number and 1, and of what a run gives by value.
enum : int64_t { kSdpaScale = 20, kSdpaHidden = 21, kSdpaAfter = 22, kSdpaBefore = 23, kSdpaOne = 24 };

// softmax(q k' scale) v and the logarithms, or the gradients of q, k and v. Query i sees the keys from i + shift -
// before to i + shift + after, and at least one. The scale is a number of each run. No padding: problems are kept as
// bytes.
struct Sdpa {
  int16_t gradient = 0, composed = 0;  // 1 if so; composed: by several operations, not by one that is all of it
  int32_t dtype = 0;                   // rondo_dtype of all but the logarithms
  int64_t batch = 0, heads = 0, key_heads = 0, queries = 0, keys = 0, size = 0;
  int64_t shift = 0, before = -1, after = -1;  // -1: all
  int64_t stride[kSdpaTensors][3] = {};        // of batch, head, place; of an element it is 1

  bool has(int tensor) const { return tensor == kSdpaSums ? gradient && composed : gradient || tensor <= kSdpaStats; }
  bool writes(int tensor) const { return gradient ? tensor >= kSdpaDq : tensor == kSdpaO || tensor == kSdpaStats; }
  bool masks() const { return before >= 0 || after >= 0; }
  static bool is_number(int tensor) { return tensor == kSdpaStats || tensor == kSdpaSums; }  // for each query
  int32_t dtype_of(int tensor) const { return is_number(tensor) ? int32_t{RONDO_F32} : dtype; }
  bool of_keys(int tensor) const {
    return tensor == kSdpaK || tensor == kSdpaV || tensor == kSdpaDk || tensor == kSdpaDv;
  }
  int64_t places(int tensor) const { return of_keys(tensor) ? keys : queries; }
  int64_t heads_of(int tensor) const { return of_keys(tensor) ? key_heads : heads; }
  int64_t elements(int tensor) const { return is_number(tensor) ? 1 : size; }
  // The offset of an element from the first.
  int64_t offset(int tensor, int64_t b, int64_t head, int64_t place) const {
    const int64_t* step = stride[tensor];
    return b * step[0] + head * step[1] + place * step[2];
  }
  // Counts from the first element to the one after the last.
  int64_t reach(int tensor) const {
    return offset(tensor, batch - 1, heads_of(tensor) - 1, places(tensor) - 1) + elements(tensor);
  }

  struct Span {
    int64_t first, last;
  };
  Span keys_of(int64_t query) const {
    return {before < 0 ? 0 : std::max<int64_t>(query + shift - before, 0),
            after < 0 ? keys - 1 : std::min(query + shift + after, keys - 1)};
  }
  Span queries_of(int64_t key) const {
    return {after < 0 ? 0 : std::max<int64_t>(key - shift - after, 0),
            before < 0 ? queries - 1 : std::min(key - shift + before, queries - 1)};
  }
};
static_assert(std::has_unique_object_representations_v<Sdpa>);

std::string text_of(const Sdpa& problem);
// Bytes of workspace that a plan of it may have.
size_t workspace_limit(const Sdpa& problem);
// Bytes of the slopes of its scores, which a composed gradient keeps.
size_t slope_bytes(const Sdpa& problem);
// For a composed gradient: as many heads, or batch entries with all their heads, as keep the slopes of their scores in
// so many bytes; how many divides how many there are. The whole, if no part is more than half of what there is room
// for, or one would begin off a multiple of 16 bytes.
Sdpa part_within(const Sdpa& problem, size_t bytes);
// True if a part of a composed gradient, which takes all scores through memory, is faster than kernels that pass over
// those that a band hides.
bool composed_pays(const Sdpa& part);

// The numbers that a run gives by value; they live until it is enqueued.
struct SdpaNumbers {
  SdpaNumbers(const Sdpa& problem, float scale);
  float scale, hidden, before;
  float one = 1;
  int32_t after;
};
using SdpaAddresses = std::array<void*, kSdpaTensors>;
Pointers pointers_of(const Sdpa& problem, const SdpaAddresses& addresses, const SdpaNumbers& numbers);

// Puts an operand into a graph, or, turned, the transposes of its matrices; and a number that a run gives by value.
Status add_operand(OperationGraph* graph, const Sdpa& problem, int tensor, bool transposed, const Descriptor** made);
Status add_number(OperationGraph* graph, int64_t id, int type, const Descriptor** made);

class SdpaQuestion final : public Question {
 public:
  explicit SdpaQuestion(const Sdpa& problem) : SdpaQuestion(problem, dnn::workspace_limit(problem)) {}
  SdpaQuestion(const Sdpa& problem, size_t workspace_limit) : problem_(problem), workspace_limit_(workspace_limit) {}
  Promises promises() const override;
  std::string_view bytes() const override { return {reinterpret_cast<const char*>(&problem_), sizeof problem_}; }
  std::string text() const override { return text_of(problem_); }
  Status describe(OperationGraph* graph) const override;
  std::unique_ptr<Trial> trial(cuda::CudaDevice& device) const override;
  size_t workspace_limit() const override { return workspace_limit_; }
  long long timing_us() const override;
  bool taken_unseen() const override { return false; }

 private:
  const Sdpa& problem_;
  const size_t workspace_limit_;
};

}  // namespace rondo::ops::dnn
