// Makes the plans that move elements by a map of coordinates; has the host's loop.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/remap.h"

#include <algorithm>
#include <cstring>

#include "base/sort_few.h"
#include "engine/tasks/workers.h"
#include "ops/task/nothing.h"

namespace rondo::ops {

using device::RemapDim;
using device::RemapSource;

namespace {

constexpr int64_t kElementsOfPart = 1 << 14;  // that one thread moves at a time
constexpr int64_t kMostParts = 16;            // that workers share

// True if a dimension shows the source's as it is.
bool plain(const RemapDim& dim) {
  return dim.shift == 0 && dim.extent == dim.size && dim.repeat == 1;
}

template <class Index>
int64_t place_at(const View& view, int64_t at) {
  return reinterpret_cast<const Index*>(view.address())[at];
}

// The dimensions outside of runs, the fastest first. Runs that read what lies between the neighbours of one in the
// source follow each other.
void order_runs(const RemapPlan& plan, int* order) {
  const device::i64* const step = plan.arguments.source[0].stride;
  const bool apart = plan.dims > 2 && std::abs(step[plan.dims - 1]) > 1;
  for (int i = 0; i + 1 < plan.dims; ++i) {
    int at = i;
    const int d = plan.dims - 2 - i;
    for (; apart && at > 0 && std::abs(step[order[at - 1]]) > std::abs(step[d]); --at) order[at] = order[at - 1];
    order[at] = d;
  }
}

// Has what does not depend on the elements' size.
class RemapPlaces {
 protected:
  explicit RemapPlaces(const RemapPlan& plan) : plan_(plan), args_(plan.arguments) { order_runs(plan, order_); }

  // The offsets that the outer coordinates add up to; the source is that of the axis' coordinate.
  struct Offsets {
    int64_t to = 0, from = 0, index = 0, band = 0;
    bool inside = true;
    int source = 0;
  };
  [[gnu::noinline]] Offsets place(int dims) const {
    Offsets at;
    if (plan_.features & device::kRemapJoins && plan_.axis < dims)
      while (at.source + 1 < args_.used && coordinate_[plan_.axis] >= args_.source[at.source + 1].start) ++at.source;
    const RemapSource& source = args_.source[at.source];
    for (int d = 0; d < dims; ++d) {
      const RemapDim& dim = args_.dim[d];
      const int64_t o = coordinate_[d];
      at.to += o * dim.out_stride;
      at.index += o * dim.index_stride;
      at.band += o * dim.band;
      int64_t c = plain(dim) ? o : device::source_coordinate<int64_t>(dim, o, at.inside);
      if (plan_.features & device::kRemapJoins && d == plan_.axis) c -= source.start;
      at.from += c * source.stride[d];
    }
    return at;
  }
  // Follows the index and the band, once all coordinates are in.
  void finish(Offsets& at) const {
    if (plan_.features & device::kRemapIndexes) {
      const int64_t index = plan_.index.dtype == RONDO_I32 ? place_at<device::i32>(plan_.index, at.index)
                                                           : place_at<device::i64>(plan_.index, at.index);
      const int64_t c = device::indexed_coordinate(index, args_.index_extent, at.inside);
      if (at.inside) at.from += c * args_.index_step;
    }
    if (plan_.features & device::kRemapBand && (at.band < args_.low || at.band > args_.high)) at.inside = false;
  }

  const RemapPlan& plan_;
  const RemapPlan::Arguments& args_;
  int order_[kMaxDims + 1] = {};  // of the outer dimensions, the fastest first
  int64_t coordinate_[kMaxDims] = {};
};

// A run is the innermost dimension, of which one call does a part or all. Its pieces are what it has of each source.
template <class M, bool accumulate = false>
class HostLoop : RemapPlaces {
 public:
  explicit HostLoop(const RemapPlan& plan)
      : RemapPlaces(plan), fill_(device::element_of<M>(args_.fill)), value_(device::element_of<M>(args_.value)) {}
  int64_t pieces() const {
    return plan_.dims == 0 ? 1 : plan_.elements() / args_.dim[plan_.dims - 1].size * pieces_of_run();
  }
  // Pieces [first, last).
  [[gnu::noinline]] void run(int64_t first, int64_t last) {
    const int inner = plan_.dims - 1;
    const int64_t of_run = pieces_of_run(), length = inner < 0 ? 1 : args_.dim[inner].size;
    for (int64_t piece = first; piece < last; ++piece) {
      const auto source = static_cast<int>(piece % of_run);
      const int64_t begin = of_run > 1 ? args_.source[source].start : 0,
                    end = source + 1 < of_run ? args_.source[source + 1].start : length;
      int64_t rest = piece / of_run;
      for (int i = 0; i < inner; ++i) {
        const int d = order_[i];
        coordinate_[d] = rest % args_.dim[d].size;
        rest /= args_.dim[d].size;
      }
      if (accumulate || inner < 0 || !whole(inner, source, begin, end))
        for (int64_t o = begin; o < end; ++o) {
          if (inner >= 0) coordinate_[inner] = o;
          element();
        }
    }
  }

 private:
  bool joins(int d) const { return (plan_.features & device::kRemapJoins) != 0 && plan_.axis == d; }
  int64_t pieces_of_run() const { return joins(plan_.dims - 1) ? args_.used : 1; }
  const M* source_at(const Offsets& at) const {
    return reinterpret_cast<const M*>(plan_.sources[static_cast<size_t>(at.source)].address()) + at.from;
  }
  M* out_at(int64_t to) const { return reinterpret_cast<M*>(plan_.out.address()) + to; }

  [[gnu::noinline]] void element() {
    Offsets at = place(plan_.dims);
    finish(at);
    const M from = !at.inside ? fill_ : plan_.features & device::kRemapConstant ? value_ : *source_at(at);
    put(out_at(at.to), device::from_memory(from), accumulate);
  }

  // A run that is one piece of one source with something around it, or repeats all of it; or one piece of a run of
  // several. False if it is none of these.
  [[gnu::noinline]] bool whole(int inner, int source, int64_t begin, int64_t end) {
    const RemapDim& dim = args_.dim[inner];
    const bool joined = joins(inner);
    const bool padded = !joined && dim.repeat == 1;
    const bool repeated = !joined && dim.repeat > 1 && dim.shift == 0 && dim.extent * dim.repeat == dim.size;
    if (!(plain(dim) || padded || repeated) || dim.index_stride != 0 || dim.band != 0 ||
        plan_.features & device::kRemapConstant)
      return false;
    Offsets at = place(inner);
    finish(at);
    if (!joined) {
      const int64_t length = end;
      const int64_t step = args_.source[at.source].stride[inner];
      if (repeated) {
        repeat(out_at(at.to), dim, at.inside ? source_at(at) : nullptr, step);
        return true;
      }
      const int64_t low = std::clamp<int64_t>(-dim.shift, 0, length);
      const int64_t high = std::clamp<int64_t>(dim.extent - dim.shift, low, length);
      M* const to = out_at(at.to);
      if (dim.outside != device::kRemapFill) {
        copy(to + low * dim.out_stride, dim.out_stride, at.inside ? source_at(at) + (low + dim.shift) * step : nullptr,
             step, high - low);
        for (int64_t o = low > 0 ? 0 : high; o < length; o = o + 1 == low ? high : o + 1) {
          coordinate_[inner] = o;
          element();
        }
        return true;
      }
      copy(to, dim.out_stride, nullptr, 0, low);
      copy(to + low * dim.out_stride, dim.out_stride, at.inside ? source_at(at) + (low + dim.shift) * step : nullptr,
           step, high - low);
      copy(to + high * dim.out_stride, dim.out_stride, nullptr, 0, length - high);
      return true;
    }
    at.source = source;
    at.from = 0;
    for (int d = 0; d < inner; ++d) at.from += coordinate_[d] * args_.source[source].stride[d];
    copy(out_at(at.to + begin * dim.out_stride), dim.out_stride, at.inside ? source_at(at) : nullptr,
         args_.source[source].stride[inner], end - begin);
    return true;
  }
  [[gnu::noinline]] void repeat(M* to, const RemapDim& dim, const M* from, int64_t step) const {
    const int64_t next = dim.repeat * dim.out_stride;
    if (from && dim.repeat == 2 && dim.out_stride == 1 && step == 1) {
      for (int64_t i = 0; i < dim.extent; ++i) to[2 * i] = to[2 * i + 1] = from[i];
      return;
    }
    for (int64_t i = 0; i < dim.extent; ++i, to += next)
      for (int64_t j = 0; j < dim.repeat; ++j) to[j * dim.out_stride] = from ? from[i * step] : fill_;
  }
  [[gnu::noinline]] void copy(M* to, int64_t to_step, const M* from, int64_t from_step, int64_t count) const {
    if (from && to_step == 1 && from_step == 1) {
      std::memmove(to, from, static_cast<size_t>(count) * sizeof(M));  // one may be the other
    } else {
      for (int64_t i = 0; i < count; ++i) to[i * to_step] = from ? from[i * from_step] : fill_;
    }
  }

  M fill_, value_;
};

class CpuRemap final : public Computation {
 public:
  explicit CpuRemap(const RemapPlan& plan) : Computation(plan.name, plan.out.device()), plan_(plan) {
    declare_remap(*this, plan);
  }
  Status run(const TaskContext&) override {
    const size_t size = dtype_size(plan_.out.dtype);
    if (plan_.out.accumulate) {
      with_element(plan_.out.dtype, [&]<class M>(M*) {
        HostLoop<M, true> loop(plan_);
        loop.run(0, loop.pieces());
      });
    } else if (size == 8) {
      share<device::u64>();
    } else if (size == 4) {
      share<device::u32>();
    } else if (size == 2) {
      share<device::u16>();
    } else {
      share<device::u8>();
    }
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_remap_operands(plan_, list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuRemap>(memory.moved(plan_)); }

 private:
  // Pieces, among workers where elements are many.
  template <class M>
  void share() const {
    const int64_t pieces = HostLoop<M>(plan_).pieces();
    const int64_t parts = std::clamp<int64_t>(plan_.elements() / kElementsOfPart, 1, std::min(pieces, kMostParts));
    const auto some = [&](int64_t part) { HostLoop<M>(plan_).run(pieces * part / parts, pieces * (part + 1) / parts); };
    if (parts == 1)
      some(0);
    else
      Workers::share(parts, some);
  }

  RemapPlan plan_;
};

}  // namespace

void declare_remap(Task& task, const RemapPlan& plan) {
  for (const View& source : plan.sources) task.reads(*source.storage);
  if (plan.index.storage) task.reads(*plan.index.storage);
  if (plan.checked) task.follows(*plan.checked);
  declare_output(task, plan.out);
}

void list_remap_operands(const RemapPlan& plan, std::vector<TaskOperand>* list) {
  for (const View& source : plan.sources) list->push_back({source, false});
  if (plan.index.storage) list->push_back({plan.index, false});
  list->push_back({plan.out, true});
}

RemapPlan::RemapPlan(const char* name, const View& out, std::vector<View> from)
    : name(name), out(out), sources(std::move(from)) {
  arguments.used = static_cast<int32_t>(sources.size());
  if (sources.size() > 1) features |= device::kRemapJoins;
}

bool RemapPlan::continues(const RemapDim& dim, const int64_t* strides, bool joins) const {
  if (dims == 0 || joins || !plain(dim)) return false;
  const RemapDim& before = arguments.dim[dims - 1];
  const bool scales =
      before.repeat == 1 && (before.outside == device::kRemapFill || before.outside == device::kRemapWrap);
  if (!(plain(before) || scales) || before.band != 0 || dim.band != 0 ||
      before.out_stride != dim.size * dim.out_stride || before.index_stride != dim.size * dim.index_stride)
    return false;
  for (size_t s = 0; s < sources.size(); ++s)
    if (arguments.source[s].stride[dims - 1] != dim.size * strides[s]) return false;
  return true;
}

void RemapPlan::push(const RemapDim& dim, const int64_t* strides, bool joins) {
  if (dim.size == 1 && plain(dim) && !joins) return;
  if (continues(dim, strides, joins)) {
    RemapDim& before = arguments.dim[dims - 1];
    before.size *= dim.size;
    before.shift *= dim.size;
    before.extent *= dim.size;
    before.out_stride = dim.out_stride;
    before.index_stride = dim.index_stride;
    if (features & device::kRemapJoins && axis == dims - 1)
      for (size_t s = 0; s < sources.size(); ++s) arguments.source[s].start *= dim.size;
  } else {
    if (joins) axis = dims;
    if (!plain(dim)) features |= device::kRemapShifts;
    arguments.dim[dims++] = dim;
  }
  for (size_t s = 0; s < sources.size(); ++s) arguments.source[s].stride[dims - 1] = strides[s];
}

SmallVector<int, kMaxDims> RemapPlan::axes() const {
  SmallVector<int, kMaxDims> order;
  for (int d = 0; d < out.layout.ndim; ++d) order.push_back(d);
  sort_few(order.begin(), out.layout.ndim,
           [this](int a, int b) { return std::abs(out.layout.strides[a]) > std::abs(out.layout.strides[b]); });
  return order;
}

void RemapPlan::index_by(const View& view, int64_t extent, int64_t step) {
  index = view;
  arguments.index_extent = extent;
  arguments.index_step = step;
  features |= device::kRemapIndexes;
}

void RemapPlan::band(int64_t low, int64_t high) {
  arguments.low = low;
  arguments.high = high;
  features |= device::kRemapBand;
}

void RemapPlan::constant(uint64_t value) {
  arguments.value = value;
  features |= device::kRemapConstant;
}

int64_t RemapPlan::elements() const {
  int64_t product = 1;
  for (int d = 0; d < dims; ++d) product *= arguments.dim[d].size;
  return product;
}

int64_t RemapPlan::reach() const {
  int64_t to = 0, indexed = 0, most = elements();
  for (int d = 0; d < dims; ++d) {
    const RemapDim& dim = arguments.dim[d];
    to += dim.size * std::abs(dim.out_stride);
    indexed += dim.size * std::abs(dim.index_stride);
    most = std::max<int64_t>({most, dim.size + std::abs(dim.shift), 2 * dim.extent});
  }
  for (size_t s = 0; s < sources.size(); ++s) {
    int64_t low = 0, high = 0;
    sources[s].layout.extent(&low, &high);
    most = std::max({most, high, -low});
  }
  return std::max({most, to, indexed});
}

Status submit_remap(const RemapPlan& plan, std::initializer_list<Output*> outputs, const Describe& describe) {
  Engine& engine = plan.out.engine();
  if (plan.out.elements() == 0)
    return submit_nothing(
        plan.name, [&](std::vector<TaskOperand>* list) { list_remap_operands(plan, list); }, outputs, describe);
  return plan.out.device().is_host() ? submit(engine, make_ref<CpuRemap>(plan), outputs, describe)
                                     : submit_prepared(engine, make_cuda_remap(plan), outputs, describe);
}

uint64_t element_bits(rondo_dtype dtype, uint64_t word) {
  const auto bits_of = [&]<class M>(M*) -> uint64_t {
    Register<M> value;
    std::memcpy(&value, &word, sizeof value);
    const M element = device::to_memory<M>(value);
    uint64_t bits = 0;
    std::memcpy(&bits, &element, sizeof element);
    return bits;
  };
  return is_f8(dtype) ? with_f8_element(dtype, bits_of) : with_element(dtype, bits_of);
}

}  // namespace rondo::ops
