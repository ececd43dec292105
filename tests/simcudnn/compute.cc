// What the engines compute. Sums are taken in float (double for doubles), beginning at another place for each engine,
// so that two of them do not agree in the last bits; tensor cores of floats have 10 bits of mantissa. Copyright 2026
// the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engines.h"

namespace simcudnn {
namespace {

float to_tf32(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
  std::memcpy(&value, &bits, 4);
  return value;
}

// Steps of packed memory in the order of N, C, spatial or of N, spatial, C.
std::vector<std::int64_t> packed(const std::vector<std::int64_t>& dims, bool channels_last) {
  std::vector<std::size_t> order;
  if (channels_last) order.push_back(1);
  for (std::size_t i = dims.size(); i-- > 2;) order.push_back(i);
  if (!channels_last) order.push_back(1);
  order.push_back(0);
  std::vector<std::int64_t> steps(dims.size());
  std::int64_t step = 1;
  for (const std::size_t i : order) steps[i] = step, step *= dims[i];
  return steps;
}

// The order that all of it is read and written in. As the real one does, the engines take descriptions of tensors that
// do not lie in one order, or that have gaps, and compute as if they did not say so.
bool channels_last(const Pattern& p) {
  return p.image.strides == packed(p.image.dims, true);
}

// Sizes and steps of a tensor with three spatial dimensions, the missing ones in front.
struct Box {
  std::int64_t size[5], step[5];
  Box(const Tensor& tensor, bool channels_last) {
    const std::size_t missing = 5 - tensor.dims.size();
    const std::vector<std::int64_t> steps = packed(tensor.dims, channels_last);
    for (std::size_t i = 0; i < 5; ++i) {
      const bool there = i < 2 || i >= 2 + missing;
      const std::size_t from = i < 2 ? i : i - missing;
      size[i] = there ? tensor.dims[from] : 1;
      step[i] = there ? steps[from] : 0;
    }
  }
  std::int64_t elements() const { return size[0] * size[1] * size[2] * size[3] * size[4]; }
  std::int64_t place(const std::int64_t* at) const {
    std::int64_t sum = 0;
    for (int i = 0; i < 5; ++i) sum += at[i] * step[i];
    return sum;
  }
  void coordinates(std::int64_t index, std::int64_t* at) const {
    for (int i = 5; i-- > 0; index /= size[i]) at[i] = index % size[i];
  }
};

struct Way {
  std::int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, before[3] = {};
  explicit Way(const Pattern& p) {
    const std::size_t missing = 3 - p.stride.size();
    for (std::size_t i = 0; i < p.stride.size(); ++i) {
      stride[missing + i] = p.stride[i];
      dilation[missing + i] = p.dilation[i];
      before[missing + i] = p.before[i];
    }
  }
};

// Coordinates of the third tensor from those of two; false where it is padding, which a wrong one takes for what is
// beside it. With r the tap, o the result's place.
bool meets(const Way& way, const Box& image, bool wrong, const std::int64_t* o, const std::int64_t* r,
           std::int64_t* i) {
  for (int d = 0; d < 3; ++d) {
    i[2 + d] = o[2 + d] * way.stride[d] + r[2 + d] * way.dilation[d] - way.before[d];
    if (wrong) i[2 + d] = std::clamp<std::int64_t>(i[2 + d], 0, image.size[2 + d] - 1);
    if (i[2 + d] < 0 || i[2 + d] >= image.size[2 + d]) return false;
  }
  return true;
}

template <class Real>
class Sum {
 public:
  Sum(const Engine& engine, const std::vector<const void*>& in)
      : p_(engine.pattern),
        image_(p_.image, channels_last(p_)),
        filter_(p_.filter, channels_last(p_)),
        result_(p_.result, channels_last(p_)),
        way_(p_),
        in_(in),
        rotate_(engine.number),
        wrong_(engine.miscounts),
        misplaced_(engine.misplaces && !channels_last(p_)),
        overreads_(engine.overreads),
        coarse_(p_.dtype() == CUDNN_DATA_FLOAT && !engine.notes.empty() && engine.notes[0] == 0) {}

  Real at(const std::int64_t* where) const {
    const std::int64_t per_group = filter_.size[1], k_group = filter_.size[0] / p_.groups;
    Real sum = 0;
    std::int64_t i[5], r[5], o[5];
    if (p_.operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
      const std::int64_t depth = filter_.elements() / filter_.size[0];
      for (std::int64_t d = 0; d < depth; ++d) {
        filter_.coordinates((d + rotate_) % depth, r);
        r[0] = where[1];
        i[0] = where[0];
        i[1] = where[1] / k_group * per_group + r[1];
        if (meets(way_, image_, wrong_, where, r, i))
          sum += value(0, p_.image, image_.place(i)) * value(1, p_.filter, filter_.place(r));
      }
    } else if (p_.operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) {
      // Each tap and channel of the result whose place meets this one.
      const std::int64_t taps = filter_.size[2] * filter_.size[3] * filter_.size[4], depth = k_group * taps;
      const std::int64_t group = where[1] / per_group;
      for (std::int64_t d = 0; d < depth; ++d) {
        const std::int64_t which = (d + rotate_) % depth;
        filter_.coordinates(which % taps, r);
        r[0] = group * k_group + which / taps;
        r[1] = where[1] % per_group;
        o[0] = where[0];
        o[1] = r[0];
        bool there = true;
        for (int s = 0; s < 3 && there; ++s) {
          const std::int64_t from = where[2 + s] + way_.before[s] - r[2 + s] * way_.dilation[s];
          o[2 + s] = from / way_.stride[s];
          there = from >= 0 && from % way_.stride[s] == 0 && o[2 + s] < result_.size[2 + s];
        }
        if (there) sum += value(0, p_.filter, filter_.place(r)) * value(1, p_.result, result_.place(o));
      }
    } else {
      const std::int64_t places = result_.elements() / result_.size[0] / result_.size[1],
                         depth = result_.size[0] * places;
      for (std::int64_t d = 0; d < depth; ++d) {
        const std::int64_t which = (d + rotate_) % depth;
        result_.coordinates(which % places, o);
        i[0] = o[0] = which / places;
        o[1] = where[0];
        i[1] = (where[0] / k_group * per_group + where[1] + misplaced_) % image_.size[1];
        const bool met = meets(way_, image_, wrong_, o, where, i);
        if (met || overreads_)
          sum += value(0, p_.image, met ? image_.place(i) : -1) * value(1, p_.result, result_.place(o));
      }
    }
    return sum;
  }

 private:
  Real value(std::size_t operand, const Tensor& tensor, std::int64_t place) const {
    const auto found = static_cast<Real>(load(in_[operand], place, tensor.dtype));
    return coarse_ ? static_cast<Real>(to_tf32(static_cast<float>(found))) : found;
  }
  const Pattern& p_;
  const Box image_, filter_, result_;
  const Way way_;
  const std::vector<const void*> in_;
  const std::int64_t rotate_;
  const bool wrong_, misplaced_, overreads_;
  const bool coarse_;
};

template <class Real>
void run(const Engine& engine, const std::vector<void*>& pointers) {
  const Pattern& p = engine.pattern;
  const Sum<Real> sums(engine, {pointers.begin(), pointers.end()});
  const bool last = channels_last(p);
  const Box written(p.written(), last), out(p.out(), last);
  void* target = pointers.back();
  for (std::int64_t index = 0; index < written.elements(); ++index) {
    std::int64_t at[5];
    written.coordinates(index, at);
    Real value = static_cast<Real>(p.alpha) * sums.at(at);
    if (p.beta != 0) {
      if (engine.rounds_first) value = static_cast<Real>(rounded(static_cast<double>(value), p.out().dtype));
      value += static_cast<Real>(p.beta) * static_cast<Real>(load(target, out.place(at), p.out().dtype));
    }
    std::size_t operand = 2;
    Real together = 0;  // what is added, where that is summed up first
    const auto add_together = [&] {
      if (engine.adds_first) value += together;
      together = 0;
    };
    for (const Pattern::Step& step : p.steps) {
      if (step.has_b) {
        const Box b(step.b, last);
        std::int64_t there[5];
        for (int i = 0; i < 5; ++i) there[i] = b.size[i] == 1 ? 0 : at[i];
        if (engine.rounds_between) value = static_cast<Real>(rounded(static_cast<double>(value), p.out().dtype));
        const auto more = static_cast<Real>(load(pointers[operand++], b.place(there), step.b.dtype));
        if (engine.adds_first)
          together = static_cast<Real>(rounded(static_cast<double>(together + more), p.out().dtype));
        else
          value += more;
      } else {
        add_together();
        const bool keeps = step.keeps_nan && !engine.loses_nan && std::isnan(value);
        value = value > 0 || keeps ? value : 0;
      }
    }
    add_together();
    store(target, out.place(at), p.out().dtype, static_cast<double>(value));
  }
}

}  // namespace

void compute(const Engine& engine, const std::vector<void*>& pointers) {
  if (engine.pattern.attention)
    return compute_attention(*engine.pattern.attention, engine.number, engine.flaws, pointers);
  if (engine.pattern.dtype() == CUDNN_DATA_DOUBLE)
    run<double>(engine, pointers);
  else
    run<float>(engine, pointers);
}

}  // namespace simcudnn
