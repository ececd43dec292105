// Packs the operands of a convolution for a library, and copies those that are laid out otherwise.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_packed.h"

#include "ops/elementwise/elementwise_task.h"
#include "ops/task/cuda_kernel.h"

namespace rondo::ops {

namespace {

constexpr int64_t kAlignment = 16;  // of what a library is given
constexpr size_t kScratchAlignment = 256;

// The axes from the innermost in memory on: of an image or filter; a bias has the one of channels.
int axis_from_inside(int i, int ndim, bool channels_last) {
  if (!channels_last || ndim < 3) return ndim - 1 - i;
  return i == 0 ? 1 : i == ndim - 1 ? 0 : ndim - i;
}

// True if the library can be given it as it is.
bool lies(const View& view, bool channels_last) {
  const Layout& layout = view.layout;
  int64_t step = 1;
  for (int i = 0; i < layout.ndim; ++i) {
    const int axis = axis_from_inside(i, layout.ndim, channels_last);
    if (layout.shape[axis] > 1 && layout.strides[axis] != step) return false;
    step *= layout.shape[axis];
  }
  return alignment_of(view, kAlignment) >= kAlignment;
}

const View& view_of(const Convolution& problem, int which) {
  switch (which) {
    case PackedOperands::kImage: return problem.image;
    case PackedOperands::kFilter: return problem.filter;
    case PackedOperands::kResult: return problem.result;
    case PackedOperands::kResidual: return problem.residual;
    default: return problem.bias;
  }
}

Status make_copy(const View& from, const View& to, Ref<OperatorTask>* copy) {
  Expression e;
  e.output(e.cast(e.input(from.dtype), to.dtype), to.dtype, false);
  const View* views[] = {&from, &to};
  *copy = make_ref<ElementwiseTask>("copy", to.device(), e, to.layout, views, nullptr);
  (*copy)->leave_accesses();
  return (*copy)->prepare();
}

}  // namespace

Layout packed_layout(const Layout& shape, bool channels_last) {
  Layout packed = shape;
  int64_t step = 1;
  for (int i = 0; i < shape.ndim; ++i) {
    const int axis = axis_from_inside(i, shape.ndim, channels_last);
    packed.strides[axis] = step;
    step *= shape.shape[axis];
  }
  return packed;
}

PackedOperands::PackedOperands(const Convolution& problem) {
  size_t cost[2] = {0, 0};  // by order, in bytes
  unsigned strays[2] = {0, 0};
  for (int i = 0; i < kOperands; ++i) {
    const View& view = view_of(problem, i);
    if (!view.storage) continue;
    const size_t bytes = view.bytes() * (view.accumulate ? 2 : 1);  // there and back
    for (const bool last : {false, true})
      if (!lies(view, last)) cost[last] += bytes, strays[last] |= 1u << i;
  }
  // With 16 bits, libraries are fastest with channels last; an operand that fits both orders is always given to them
  // that way.
  last_ = cost[1] < cost[0] || (cost[1] == cost[0] && (cost[1] == 0 || is_half(problem.dtype())));
  for (int i = 0; i < kOperands; ++i) {
    if (!(strays[last_] >> i & 1)) continue;
    copies_.push_back({static_cast<Which>(i), bytes_, {}, {}});
    bytes_ += (view_of(problem, i).bytes() + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  }
}

Status PackedOperands::prepare(const Convolution& problem) {
  for (Copy& copy : copies_) {
    View own = view_of(problem, copy.which);
    const bool written = &view_of(problem, copy.which) == &problem.out(), read = !written || own.accumulate;
    own.accumulate = false;  // the library adds, and rounds once
    copy.memory = make_ref<Storage>(own.engine(), own.device(), own.bytes());
    View packed = own;
    packed.storage = copy.memory.get();
    packed.offset = 0;
    packed.layout = packed_layout(own.layout, last_);
    if (read) RONDO_TRY(make_copy(own, packed, &copy.in));
    if (written) RONDO_TRY(make_copy(packed, own, &back_));
  }
  return {};
}

Status PackedOperands::gather(const TaskContext& context, void* scratch) {
  for (Copy& copy : copies_) {
    copy.memory->place(static_cast<char*>(scratch) + copy.offset);
    if (copy.in) RONDO_TRY(copy.in->run(context));
  }
  return {};
}

void* PackedOperands::address(const Convolution& problem, Which which) const {
  for (const Copy& copy : copies_)
    if (copy.which == which) return copy.memory->address();
  const View& view = view_of(problem, which);
  return view.storage ? view.address() : nullptr;
}

std::string PackedOperands::remark() const {
  static const char* const names[kOperands] = {"image", "filter", "result", "residual", "bias"};
  std::string list;
  for (const Copy& copy : copies_) list += (list.empty() ? "" : ", ") + std::string(names[copy.which]);
  return list.empty() ? "" : list + " copied to channels " + (last_ ? "last" : "first");
}

}  // namespace rondo::ops
