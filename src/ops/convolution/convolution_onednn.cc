// Runs convolutions on the cpu by oneDNN. Images and results are given to it with channels last, for which alone it has
// quick kernels: others are copied in the task. The filter is reordered to what the library asks for, because with
// plain filters it falls back to loops of reference. The steps that follow the sum are a pass of our own: the library's
// ReLU makes 0 of NaN.
//
// Primitives run on the threads that the library was built with; how many there are is the process's matter.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_onednn.h"

#include <cstring>
#include <utility>

#include "dynlib/onednn.h"
#include "ops/convolution/convolution_tiles.h"
#include "ops/elementwise/sum_finish.h"

namespace rondo::ops {

namespace {

// Numbers of the library's enums.
enum { kCpu = 1, kInOrder = 1, kF32 = 3, kAnyTag = 1, kUserScratchpad = 1, kDirect = 1 };
enum { kTraining = 64, kInference = 96 };
enum { kQueryInfo = 8, kQueryWeights = 131, kQueryDiffWeights = 132, kQueryScratchpad = 136 };
enum { kSrc = 1, kDst = 17, kWeights = 33, kScratchpad = 80, kDiffSrc = 129, kDiffDst = 145, kDiffWeights = 161 };

struct Argument {
  int id;
  void* memory;
};

// Owns one of the library's objects.
template <Function<int(void*)> Onednn::*destroy>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (object_) (onednn().*destroy)(object_);
  }
  operator void*() const { return object_; }
  void** slot() { return &object_; }

 private:
  void* object_ = nullptr;
};
using Description = Owned<&Onednn::dnnl_memory_desc_destroy>;
using Memory = Owned<&Onednn::dnnl_memory_destroy>;
using PrimitiveDescription = Owned<&Onednn::dnnl_primitive_desc_destroy>;
using Primitive = Owned<&Onednn::dnnl_primitive_destroy>;
using Attributes = Owned<&Onednn::dnnl_primitive_attr_destroy>;
using Stream = Owned<&Onednn::dnnl_stream_destroy>;

// One for the process; null without the library.
void* engine() {
  static void* const made = [] {
    void* one = nullptr;
    if (!onednn().open().ok() || onednn().dnnl_engine_create(&one, kCpu, 0) != 0) return static_cast<void*>(nullptr);
    return one;
  }();
  return made;
}

bool channels_first(const Layout& layout) {
  int64_t step = 1;
  for (int d = layout.ndim - 1; d >= 0; --d) {
    if (layout.shape[d] != 1 && layout.strides[d] != step) return false;
    step *= layout.shape[d];
  }
  return true;
}

// Some order of axes without gaps.
bool packed(const Layout& layout) {
  int64_t low, high;
  layout.extent(&low, &high);
  return low == 0 && high == layout.elements() && !layout.repeats();
}

bool same_strides(const Layout& a, const Layout& b) {
  for (int d = 0; d < a.ndim; ++d)
    if (a.shape[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

bool channels_last(const Layout& layout) {
  return same_strides(layout, with_channels_last(layout));
}
// Channels first or last and nothing between.
bool dense(const Layout& layout) {
  return channels_first(layout) || channels_last(layout);
}

// True if the library can express it and is fast at it.
bool suits(const Convolution& problem) {
  if (problem.dtype() != RONDO_F32) return false;
  if (problem.image.elements() == 0 || problem.filter.elements() == 0 || problem.result.elements() == 0) return false;
  if (!dense(problem.image.layout) || !dense(problem.result.layout) || !packed(problem.filter.layout)) return false;
  // With channels first, tiles and planes of our own take less time for all but gradients of filters; tiles take no
  // more than so many taps.
  int64_t taps = 1;
  for (int d = 0; d < problem.spatial; ++d) taps *= problem.filter.layout.shape[2 + d];
  if (problem.way != ConvolutionWay::filter && taps <= kDeepestSum && channels_first(problem.first().layout))
    return false;
  return !problem.residual.storage || dense(problem.residual.layout);
}

class OnednnPlan final : public ConvolutionPlan {
 public:
  // False if the library has no quick way.
  bool build(const Convolution& problem) {
    const Onednn& library = onednn();
    const int n = problem.spatial;
    int64_t dilation[kMaxSpatial];
    for (int d = 0; d < n; ++d) dilation[d] = problem.dilation[d] - 1;  // the library's is how many are left out
    Description image, any_filter, result;
    Attributes attributes;
    const bool turns = problem.filter.layout.shape[1] > 1;
    if (library.dnnl_stream_create(stream_.slot(), engine(), kInOrder) ||
        !describe(problem.image.layout, turns, &image, &image_turn_) ||
        !describe(problem.result.layout, turns, &result, &result_turn_) ||
        !describe_filter(problem, &own_filter_, &any_filter) || library.dnnl_primitive_attr_create(attributes.slot()) ||
        library.dnnl_primitive_attr_set_scratchpad_mode(attributes, kUserScratchpad))
      return false;
    PrimitiveDescription forward, back;
    const bool is_forward = problem.way == ConvolutionWay::forward;
    if (library.dnnl_convolution_forward_primitive_desc_create(
            forward.slot(), engine(), is_forward ? kInference : kTraining, kDirect, image, any_filter, nullptr, result,
            problem.stride, dilation, problem.before, problem.after, attributes))
      return false;
    if (problem.way == ConvolutionWay::data &&
        library.dnnl_convolution_backward_data_primitive_desc_create(back.slot(), engine(), kDirect, image, any_filter,
                                                                     result, problem.stride, dilation, problem.before,
                                                                     problem.after, forward, attributes))
      return false;
    if (problem.way == ConvolutionWay::filter &&
        library.dnnl_convolution_backward_weights_primitive_desc_create(
            back.slot(), engine(), kDirect, image, any_filter, nullptr, result, problem.stride, dilation,
            problem.before, problem.after, forward, attributes))
      return false;
    void* const description = is_forward ? forward : back;
    const char* info = nullptr;
    if (library.dnnl_primitive_desc_query(description, kQueryInfo, 0, &info) || !info || !std::strncmp(info, "ref", 3))
      return false;
    return adopt(problem, description, image, result);
  }

  size_t workspace_bytes() const override {
    return scratch_bytes_ + filter_bytes_ + staged_bytes_ + image_turn_.bytes + result_turn_.bytes;
  }
  std::string remark() const override {
    std::string said = "by oneDNN";
    for (const auto& [turn, name] : {std::pair(&image_turn_, "image"), {&result_turn_, "result"}})
      if (turn->bytes) said += std::string(", ") + name + " copied to channels last";
    return said;
  }

  Status run(const Convolution& problem, const TaskContext& context) override {
    const Onednn& library = onednn();
    char* const scratch = static_cast<char*>(context.workspace);
    char* const ordered = scratch + scratch_bytes_;
    char* const staged = ordered + filter_bytes_;
    char* const transposed_image = staged + staged_bytes_;
    char* const transposed_result = transposed_image + image_turn_.bytes;
    const auto place = [&](const View& view) {
      return staged_bytes_ && &view == &problem.out() ? staged : view.address();
    };
    char* const plain = place(problem.filter);
    char* const image = place(problem.image);
    char* const result = place(problem.result);
    const bool makes_filter = problem.way == ConvolutionWay::filter;
    int failed = library.dnnl_memory_set_data_handle(image_, image_turn_.bytes ? transposed_image : image) |
                 library.dnnl_memory_set_data_handle(result_, result_turn_.bytes ? transposed_result : result) |
                 library.dnnl_memory_set_data_handle(filter_, filter_bytes_ ? ordered : plain) |
                 library.dnnl_memory_set_data_handle(scratchpad_, scratch);
    if (filter_bytes_) failed |= library.dnnl_memory_set_data_handle(plain_, plain);
    if (image_turn_.bytes) failed |= library.dnnl_memory_set_data_handle(image_turn_.plain, image);
    if (result_turn_.bytes) failed |= library.dnnl_memory_set_data_handle(result_turn_.plain, result);
    const auto reorder = [&](const Primitive& primitive, void* from, void* to) {
      const Argument pair[] = {{kSrc, from}, {kDst, to}};
      return library.dnnl_primitive_execute(primitive, stream_, 2, pair);
    };
    // Before: what is read.
    const bool makes_image = problem.way == ConvolutionWay::data, makes_result = problem.way == ConvolutionWay::forward;
    if (!failed && image_turn_.bytes && !makes_image)
      failed = reorder(image_turn_.primitive, image_turn_.plain, image_);
    if (!failed && result_turn_.bytes && !makes_result)
      failed = reorder(result_turn_.primitive, result_turn_.plain, result_);
    if (!failed && filter_bytes_ && !makes_filter) failed = reorder(reorder_, plain_, filter_);
    static constexpr int kIds[][3] = {
        {kSrc, kWeights, kDst}, {kDiffSrc, kWeights, kDiffDst}, {kSrc, kDiffWeights, kDiffDst}};
    const int(&ids)[3] = kIds[static_cast<int>(problem.way)];
    const Argument arguments[] = {{ids[0], image_}, {ids[1], filter_}, {ids[2], result_}, {kScratchpad, scratchpad_}};
    if (!failed) failed = library.dnnl_primitive_execute(primitive_, stream_, 4, arguments);
    if (!failed && filter_bytes_ && makes_filter) failed = reorder(reorder_, filter_, plain_);
    if (!failed && image_turn_.bytes && makes_image) failed = reorder(image_turn_.primitive, image_, image_turn_.plain);
    if (!failed && result_turn_.bytes && makes_result)
      failed = reorder(result_turn_.primitive, result_, result_turn_.plain);
    if (!failed) failed = library.dnnl_stream_wait(stream_);
    if (failed)
      return error(RONDO_INTERNAL, "oneDNN %s at %s failed with status %d in a convolution", library.version().c_str(),
                   library.path().c_str(), failed);
    if (finishes_) finish(problem, staged_bytes_ ? staged : problem.out().address());
    return {};
  }

 private:
  // An image or a result that the library gets with channels last while it lies otherwise.
  struct Turn {
    Description description;  // as it lies
    Memory plain;
    Primitive primitive;  // to channels last, of what is written from there
    size_t bytes = 0;     // with channels last; 0: it lies so already
  };

  static bool describe(const Layout& layout, bool turns, Description* description, Turn* turn) {
    if (!turns || channels_last(layout)) return describe(layout, description);
    turn->bytes = rounded(static_cast<size_t>(layout.elements()) * sizeof(float));
    return describe(layout, &turn->description) && describe(with_channels_last(layout), description);
  }
  // Makes what copies from one order to the other.
  static bool adopt_turn(Turn* turn, const void* last, bool written) {
    if (!turn->bytes) return true;
    const Onednn& library = onednn();
    PrimitiveDescription reorder;
    const void *from = turn->description, *to = last;
    if (written) std::swap(from, to);
    return !library.dnnl_memory_create(turn->plain.slot(), turn->description, engine(), nullptr) &&
           !library.dnnl_reorder_primitive_desc_create(reorder.slot(), from, engine(), to, engine(), nullptr) &&
           !library.dnnl_primitive_create(turn->primitive.slot(), reorder);
  }
  static bool describe(const Layout& layout, Description* description) {
    // Strides of axes of size 1 have no meaning; the library wants them to be consistent.
    int64_t strides[kMaxDims];
    for (int d = 0; d < layout.ndim; ++d) strides[d] = layout.shape[d] == 1 ? 1 : layout.strides[d];
    int64_t most = 1;
    for (int d = 0; d < layout.ndim; ++d) most = std::max(most, strides[d] * layout.shape[d]);
    for (int d = 0; d < layout.ndim; ++d)
      if (layout.shape[d] == 1) strides[d] = most;
    return !onednn().dnnl_memory_desc_create_with_strides(description->slot(), layout.ndim, layout.shape, kF32,
                                                          strides);
  }
  // The filter as it is, and as the library likes it; groups are an axis of their own.
  static bool describe_filter(const Convolution& problem, Description* own, Description* any) {
    Layout layout = problem.filter.layout;
    if (problem.groups > 1) {
      layout.ndim = problem.filter.layout.ndim + 1;
      for (int d = 1; d < layout.ndim; ++d) {
        layout.shape[d] = problem.filter.layout.shape[d - 1];
        layout.strides[d] = problem.filter.layout.strides[d - 1];
      }
      layout.shape[1] /= problem.groups;
      layout.shape[0] = problem.groups;
      layout.strides[0] = layout.shape[1] * problem.filter.layout.strides[0];
    }
    return describe(layout, own) &&
           !onednn().dnnl_memory_desc_create_with_tag(any->slot(), layout.ndim, layout.shape, kF32, kAnyTag);
  }
  static size_t rounded(size_t bytes) { return (bytes + 255) / 256 * 256; }

  // Makes the primitives and what they are given, addresses aside.
  bool adopt(const Convolution& problem, void* description, void* image, void* result) {
    const Onednn& library = onednn();
    const bool makes_filter = problem.way == ConvolutionWay::filter;
    const void* wanted =
        library.dnnl_primitive_desc_query_md(description, makes_filter ? kQueryDiffWeights : kQueryWeights, 0);
    const void* scratch = library.dnnl_primitive_desc_query_md(description, kQueryScratchpad, 0);
    if (!wanted || !scratch || library.dnnl_primitive_create(primitive_.slot(), description) ||
        library.dnnl_memory_create(image_.slot(), image, engine(), nullptr) ||
        library.dnnl_memory_create(result_.slot(), result, engine(), nullptr) ||
        library.dnnl_memory_create(filter_.slot(), wanted, engine(), nullptr) ||
        library.dnnl_memory_create(scratchpad_.slot(), scratch, engine(), nullptr) ||
        !adopt_turn(&image_turn_, image, problem.way == ConvolutionWay::data) ||
        !adopt_turn(&result_turn_, result, problem.way == ConvolutionWay::forward))
      return false;
    scratch_bytes_ = rounded(library.dnnl_memory_desc_get_size(scratch));
    finishes_ = problem.has_epilogue() || problem.out().accumulate;
    if (problem.out().accumulate) staged_bytes_ = rounded(problem.out().bytes());
    if (library.dnnl_memory_desc_equal(wanted, own_filter_)) return true;
    PrimitiveDescription reorder;
    filter_bytes_ = rounded(library.dnnl_memory_desc_get_size(wanted));
    return !library.dnnl_memory_create(plain_.slot(), own_filter_, engine(), nullptr) &&
           !library.dnnl_reorder_primitive_desc_create(reorder.slot(), makes_filter ? wanted : own_filter_, engine(),
                                                       makes_filter ? own_filter_ : wanted, engine(), nullptr) &&
           !library.dnnl_primitive_create(reorder_.slot(), reorder);
  }

  // Applies the epilogue to the sums, which are laid out as the output: in it, or in the workspace.
  static void finish(const Convolution& problem, char* sums) {
    const View& out = problem.out();
    SumLines lines;  // batch, channels, space, which has no gaps
    lines.size[0] = out.layout.shape[0];
    lines.size[1] = out.layout.shape[1];
    for (int d = out.layout.ndim - 1; d >= 2; --d) lines.size[2] *= out.layout.shape[d];
    const auto lie = [](const Layout& layout, char* address) -> SumLines::Array {
      int64_t space_step = 0;
      for (int d = layout.ndim - 1; d >= 2 && space_step == 0; --d)
        if (layout.shape[d] > 1) space_step = layout.strides[d];
      return {address, {layout.strides[0], layout.strides[1], space_step}};
    };
    const auto by_channel = [](const View& view) -> SumLines::Array {
      if (!view.storage) return {};
      return {view.address(), {0, view.layout.strides[0], 0}};
    };
    lines.sums = lie(out.layout, sums);
    lines.out = lie(out.layout, out.address());
    lines.scale = by_channel(problem.scale);
    lines.bias = by_channel(problem.bias);
    if (problem.residual.storage) lines.residual = lie(problem.residual.layout, problem.residual.address());
    SumFinish(problem.dtype(), problem.activation, out.accumulate).run(lines);
  }

  Stream stream_;
  Description own_filter_;
  Primitive primitive_, reorder_;
  Memory image_, result_, filter_, plain_, scratchpad_;
  Turn image_turn_, result_turn_;
  size_t scratch_bytes_ = 0, filter_bytes_ = 0, staged_bytes_ = 0;
  bool finishes_ = false;
};

}  // namespace

Layout with_channels_last(Layout layout) {
  int64_t step = layout.shape[1];
  layout.strides[1] = 1;
  for (int d = layout.ndim - 1; d >= 0; --d) {
    if (d == 1) continue;
    layout.strides[d] = step;
    step *= layout.shape[d];
  }
  return layout;
}

std::unique_ptr<ConvolutionPlan> find_onednn_plan(const Convolution& problem) {
  if (!suits(problem) || !engine()) return nullptr;
  auto plan = std::make_unique<OnednnPlan>();
  return plan->build(problem) ? std::move(plan) : nullptr;
}

}  // namespace rondo::ops
