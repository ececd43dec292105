// Computes convolutions on the host: by oneDNN where it is found and takes the problem, otherwise by own loops: planes
// of depthwise ones with channels first tap by tap (depthwise_planes.h); others of f32 by tiles (convolution_tiles.h),
// but for deep gradients of filters; of the rest a block of the gathered matrix at a time is packed, 16-bit floats
// widened on the way, and multiplied (panels.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "ops/convolution/convolution_onednn.h"
#include "ops/convolution/convolution_products.h"
#include "ops/convolution/convolution_tiles.h"
#include "ops/convolution/depthwise_planes.h"
#include "ops/elementwise/sum_finish.h"
#include "ops/host/panels.h"
#include "ops/task/packs_weights.h"

namespace rondo::ops {

namespace {

using device::kProductAxes;
using device::ProductArguments;
using device::ProductAxis;

constexpr int kInner = kProductAxes - 1;
constexpr int64_t kPanelM = 256, kPanelColumns = 256, kPanelDepth = 512;
constexpr int64_t kSideBySide = 8;  // columns gathered together where neighbours in memory are channels

constexpr int64_t kColumnTile = 16;  // columns turned together where neighbours in the output are channels
constexpr int64_t kFewChannels = 8;  // of a line along channels: fewer are not worth it

// A column: where its batch entry begins in b, the coordinates of tap 0, where its element is in the output. Up to
// which column the block's elements of output and residual lie in even steps.
struct Column {
  int64_t base, coordinate[kProductAxes], out, residual, even_up_to;
};
// A depth: where it is in a, where its channel is in b, how far its taps move coordinates.
struct Depth {
  int64_t a, b, move[kProductAxes];
};

// One channel and one kernel in each group, and groups are neighbours in memory: depthwise with channels last.
bool is_depthwise_last(const ProductArguments& args) {
  const ProductAxis& inner = args.axis[kInner];
  return args.m == 1 && args.channels == 1 && args.groups > 1 &&
         std::abs(args.b_group) < std::abs(inner.b_step * inner.step);
}

// How large the panels are, and where they are in the workspace.
struct Panels {
  explicit Panels(const ProductArguments& args) {
    if (is_depthwise_last(args)) {  // a for all groups, no b
      depth = args.depth;
      a = args.groups * args.depth;
      sums = args.groups;
      return;
    }
    m = std::min<int64_t>(args.m, kPanelM);
    columns = std::min<int64_t>(args.columns, kPanelColumns);
    depth = std::min<int64_t>(args.depth, kPanelDepth);
    a = m * depth;
    b = depth * columns;
    sums = m * columns;
    transposed = m * kColumnTile;
  }
  int64_t m = 1, columns = 1, depth = 0;
  int64_t a = 0, b = 0, sums = 0, transposed = 0;  // elements
  size_t bytes(rondo_dtype dtype) const {
    return static_cast<size_t>(columns) * sizeof(Column) + static_cast<size_t>(depth) * sizeof(Depth) +
           static_cast<size_t>(a + b + sums + transposed) * dtype_size(compute_dtype(dtype));
  }
};

template <class T>
class ProductLoops {
 public:
  using C = Register<T>;
  ProductLoops(const ProductArguments& args, rondo_dtype dtype, void* workspace)
      : args_(args),
        size_(args),
        columns_(static_cast<Column*>(workspace)),
        depths_(reinterpret_cast<Depth*>(columns_ + size_.columns)),
        a_(reinterpret_cast<C*>(depths_ + size_.depth)),
        b_(a_ + size_.a),
        sums_(b_ + size_.b),
        transposed_(sums_ + size_.sums),
        finish_(dtype, args.activation, args.accumulate) {
    const ProductAxis& inner = args.axis[kInner];
    channels_inner_ =
        args.channels > 1 && (args.places == 1 || std::abs(args.b_channel) < std::abs(inner.b_step * inner.step));
    m_inner_ = args.m >= kFewChannels && std::abs(args.out_m) < std::abs(inner.out_step);
  }

  void run() {
    if (is_depthwise_last(args_)) return run_depthwise_last();
    for (int64_t j = 0; j < args_.columns; j += size_.columns) {
      const int64_t n = std::min<int64_t>(size_.columns, args_.columns - j);
      for (int64_t i = 0; i < n; ++i) columns_[i] = column_at(j + i);
      find_even_steps(n);
      for (int64_t group = 0; group < args_.groups; ++group)
        for (int64_t i = 0; i < args_.m; i += size_.m) run_block(group, i, std::min<int64_t>(size_.m, args_.m - i), n);
    }
  }

 private:
  // A place at a time, all groups side by side.
  void run_depthwise_last() {
    const int64_t groups = args_.groups, step = args_.b_group;
    for (int64_t d = 0; d < args_.depth; ++d) {
      depths_[d] = depth_at(d);
      const T* a = static_cast<const T*>(args_.a) + depths_[d].a;
      for (int64_t group = 0; group < groups; ++group)
        a_[d * groups + group] = device::from_memory(a[group * args_.a_group]);
    }
    for (int64_t j = 0; j < args_.columns; ++j) {
      const Column column = column_at(j);
      std::fill(sums_, sums_ + groups, C(0));
      for (int64_t d = 0; d < args_.depth; ++d) {
        int64_t at;
        if (!locate(column, depths_[d], kProductAxes, &at)) continue;
        const C* a = a_ + d * groups;
        const T* b = static_cast<const T*>(args_.b) + at;
        if (step == 1)
          for (int64_t group = 0; group < groups; ++group) sums_[group] += a[group] * device::from_memory(b[group]);
        else
          for (int64_t group = 0; group < groups; ++group)
            sums_[group] += a[group] * device::from_memory(b[group * step]);
      }
      SumLine line = line_at(0, 0, column, sums_, 1);
      line.scale.step = args_.scale_step;
      line.bias.step = args_.bias_step;
      line.residual.step = args_.residual_group;
      line.out.step = args_.out_group;
      finish_.run(line, groups);
    }
  }

  void run_block(int64_t group, int64_t first, int64_t m, int64_t n) {
    std::fill(sums_, sums_ + m * n, C(0));
    for (int64_t l = 0; l < args_.depth; l += size_.depth) {
      const int64_t k = std::min<int64_t>(size_.depth, args_.depth - l);
      for (int64_t i = 0; i < k; ++i) depths_[i] = depth_at(l + i);
      // b's panel stays when it is the same for all blocks of m.
      if (first == 0 || args_.depth > size_.depth) gather(static_cast<const T*>(args_.b) + group * args_.b_group, n, k);
      const T* a = static_cast<const T*>(args_.a) + group * args_.a_group + first * args_.a_m;
      for (int64_t i = 0; i < m; ++i)
        for (int64_t d = 0; d < k; ++d) a_[i * k + d] = device::from_memory(a[i * args_.a_m + depths_[d].a]);
      multiply_panels(m, n, k, a_, b_, sums_);
    }
    if (m_inner_)
      finish_by_channels(group, first, m, n);
    else
      finish_by_places(group, first, m, n);
  }

  void finish_by_places(int64_t group, int64_t first, int64_t m, int64_t n) const {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; j = columns_[j].even_up_to) {
        const int64_t next = columns_[j].even_up_to - j > 1 ? j + 1 : j;
        SumLine line = line_at(group, first + i, columns_[j], sums_ + i * n + j, 1);
        line.residual.step = columns_[next].residual - columns_[j].residual;
        line.out.step = columns_[next].out - columns_[j].out;
        finish_.run(line, columns_[j].even_up_to - j);
      }
  }

  // A few columns at a time are turned, so that a line's sums are neighbours too.
  void finish_by_channels(int64_t group, int64_t first, int64_t m, int64_t n) const {
    for (int64_t begin = 0; begin < n; begin += kColumnTile) {
      const int64_t columns = std::min(kColumnTile, n - begin);
      moves_.load_tile(transposed_, reinterpret_cast<const char*>(sums_ + begin), n, columns, m);
      for (int64_t j = 0; j < columns; ++j) {
        SumLine line = line_at(group, first, columns_[begin + j], transposed_ + j * m, 1);
        line.scale.step = args_.scale_step;
        line.bias.step = args_.bias_step;
        line.residual.step = args_.residual_m;
        line.out.step = args_.out_m;
        finish_.run(line, m);
      }
    }
  }

  // The operands at the place of the sum of a channel and a column, in steps of 0.
  SumLine line_at(int64_t group, int64_t m, const Column& column, C* sums, int64_t step) const {
    const auto at = [](const void* base, int64_t offset) -> Strip {
      if (!base) return {};
      return {static_cast<char*>(const_cast<void*>(base)) + offset * static_cast<int64_t>(sizeof(T)), 0};
    };
    const int64_t channel = group * args_.m + m;
    SumLine line;
    line.sums = {reinterpret_cast<char*>(sums), step};
    line.scale = at(args_.scale, channel * args_.scale_step);
    line.bias = at(args_.bias, channel * args_.bias_step);
    line.residual = at(args_.residual, group * args_.residual_group + m * args_.residual_m + column.residual);
    line.out = at(args_.out, group * args_.out_group + m * args_.out_m + column.out);
    return line;
  }

  void find_even_steps(int64_t n) {
    for (int64_t j = 0; j < n;) {
      int64_t end = std::min(j + 2, n);
      while (end < n && columns_[end].out - columns_[end - 1].out == columns_[j + 1].out - columns_[j].out &&
             columns_[end].residual - columns_[end - 1].residual == columns_[j + 1].residual - columns_[j].residual)
        ++end;
      columns_[j].even_up_to = end;
      j = end;
    }
  }

  Column column_at(int64_t number) const {
    Column column{};
    for (int d = kInner; d >= 0; --d) {
      const ProductAxis& axis = args_.axis[d];
      const int64_t place = number % axis.places;
      number /= axis.places;
      column.coordinate[d] = place * axis.step + axis.start;
      column.out += place * axis.out_step;
      column.residual += place * axis.residual_step;
    }
    column.base = number * args_.b_batch;
    column.out += number * args_.out_batch;
    column.residual += number * args_.residual_batch;
    return column;
  }

  Depth depth_at(int64_t number) const {
    int64_t channel, tap;
    if (channels_inner_) {
      channel = number % args_.channels;
      tap = number / args_.channels;
    } else {
      tap = number % args_.taps;
      channel = number / args_.taps;
    }
    Depth depth{channel * args_.a_channel, channel * args_.b_channel, {}};
    for (int d = kInner; d >= 0; --d) {
      const ProductAxis& axis = args_.axis[d];
      const int64_t own = tap % axis.taps;
      tap /= axis.taps;
      depth.a += own * axis.a_tap;
      depth.move[d] = own * axis.tap_step;
    }
    return depth;
  }

  // The place in b of a column and a depth; false outside of the image on an axis below `axes`.
  bool locate(const Column& column, const Depth& depth, int axes, int64_t* at) const {
    *at = column.base + depth.b;
    for (int d = 0; d < kProductAxes; ++d) {
      const int64_t coordinate = column.coordinate[d] + depth.move[d];
      if (d < axes && (coordinate < 0 || coordinate >= args_.axis[d].extent)) return false;
      *at += coordinate * args_.axis[d].b_step;
    }
    return true;
  }

  void gather(const T* b, int64_t n, int64_t k) {
    if (channels_inner_)
      gather_channels(b, n, k);
    else
      gather_places(b, n, k);
  }

  // Row by row, in runs of places on the innermost axis.
  void gather_places(const T* b, int64_t n, int64_t k) {
    const ProductAxis& inner = args_.axis[kInner];
    for (int64_t j = 0; j < n;) {
      int64_t end = j + 1;  // of the run
      while (end < n && columns_[end].coordinate[kInner] > columns_[end - 1].coordinate[kInner] &&
             end - j < inner.places)
        ++end;
      for (int64_t d = 0; d < k; ++d) {
        C* row = b_ + d * n;
        int64_t at;
        if (!locate(columns_[j], depths_[d], kInner, &at)) {
          std::fill(row + j, row + end, C(0));
          continue;
        }
        const int64_t coordinate = columns_[j].coordinate[kInner] + depths_[d].move[kInner], length = end - j;
        const int64_t low =
            coordinate >= 0 ? 0 : std::min<int64_t>(length, (-coordinate + inner.step - 1) / inner.step);
        const int64_t high = coordinate >= inner.extent
                                 ? low
                                 : std::clamp<int64_t>((inner.extent - 1 - coordinate) / inner.step + 1, low, length);
        std::fill(row + j, row + j + low, C(0));
        const T* from = b + at;
        if (const int64_t step = inner.step * inner.b_step; step == 1)
          for (int64_t i = low; i < high; ++i) row[j + i] = device::from_memory(from[i]);
        else
          for (int64_t i = low; i < high; ++i) row[j + i] = device::from_memory(from[i * step]);
        std::fill(row + j + high, row + end, C(0));
      }
      j = end;
    }
  }

  // A few columns side by side, in runs of channels of one tap.
  void gather_channels(const T* b, int64_t n, int64_t k) {
    const T zero{};
    for (int64_t d = 0; d < k;) {
      int64_t end = d + 1;  // of the run
      while (end < k && same_tap(depths_[end], depths_[d])) ++end;
      for (int64_t j = 0; j < n; j += kSideBySide) {
        const int64_t these = std::min(kSideBySide, n - j);
        const T* from[kSideBySide];
        int64_t step[kSideBySide];
        for (int64_t i = 0; i < these; ++i) {
          int64_t at;
          const bool inside = locate(columns_[j + i], depths_[d], kProductAxes, &at);
          from[i] = inside ? b + at : &zero;
          step[i] = inside ? args_.b_channel : 0;
        }
        for (int64_t l = 0; l < end - d; ++l)
          for (int64_t i = 0; i < these; ++i) b_[(d + l) * n + j + i] = device::from_memory(from[i][l * step[i]]);
      }
      d = end;
    }
  }
  static bool same_tap(const Depth& a, const Depth& b) { return std::equal(a.move, a.move + kProductAxes, b.move); }

  const ProductArguments args_;
  const Panels size_;
  Column* const columns_;
  Depth* const depths_;
  C* const a_;
  C* const b_;
  C* const sums_;
  C* const transposed_;
  const SumFinish finish_;
  const Moves moves_ = loops(instructions()).moves(std::is_same_v<C, double> ? RONDO_F64 : RONDO_F32, false);
  bool channels_inner_, m_inner_;
};

class CpuConvolution final : public Computation, public PacksWeights {
 public:
  explicit CpuConvolution(const Convolution& problem)
      : Computation(problem.name(), problem.out().device()), problem_(problem), plan_(find_onednn_plan(problem)) {
    problem.declare(*this);
    if (plan_) {
      lendable_ = false;  // OpenMP keeps threads, and their number, for each thread that calls
      workspace_bytes_ = plan_->workspace_bytes();
      return;
    }
    for (const ConvolutionProduct& each : convolution_products(problem, std::numeric_limits<int64_t>::max())) {
      products_.emplace_back(each, problem);
      workspace_bytes_ = std::max(workspace_bytes_, products_.back().workspace_bytes(problem.dtype()));
    }
  }
  Status run(const TaskContext& context) override {
    if (plan_) return plan_->run(problem_, context);
    const auto* const tiles = packed_bytes() > 0 ? static_cast<const float*>(weights_.copy(matrix())) : nullptr;
    for (OwnProduct& own : products_) {
      own.product.place(problem_, [](auto& word, const View& view, int64_t bytes) { word = view.address() + bytes; });
      const ProductArguments& arguments = own.product.arguments;
      switch (own.way) {
        case OwnWay::planes: own.planes.run(arguments, context.workspace); break;
        case OwnWay::tiles: own.tiles.run(arguments, tiles, context.workspace); break;
        case OwnWay::loops:
          with_float_element(problem_.dtype(), [&]<class T>(T*) {
            ProductLoops<T>(arguments, problem_.dtype(), context.workspace).run();
          });
      }
    }
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { problem_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CpuConvolution>(memory.moved(problem_));
  }

  const Storage& weights() const override { return *problem_.filter.storage; }
  size_t packed_bytes() const override {
    if (problem_.way != ConvolutionWay::forward || products_.empty() || products_[0].way != OwnWay::tiles) return 0;
    const size_t bytes = matrix().bytes;
    return bytes >= kLeastPacked ? bytes : 0;
  }
  Status keep_packed() override { return weights_.keep(matrix()); }
  void read_unpacked() override { weights_.read_unpacked(); }
  std::string remark() const override { return plan_ ? plan_->remark() : weights_.remark(); }

 private:
  enum class OwnWay : uint8_t { planes, tiles, loops };
  struct OwnProduct {
    ConvolutionProduct product;
    DepthwisePlanes planes;
    ConvolutionTiles tiles;
    OwnWay way;
    OwnProduct(const ConvolutionProduct& product, const Convolution& problem)
        : product(product),
          planes(product.arguments, problem.dtype()),
          tiles(product.arguments, problem.dtype(), problem.way),
          way(is_depthwise_last(product.arguments) ? OwnWay::loops
              : planes.possible()                  ? OwnWay::planes
              : tiles.possible()                   ? OwnWay::tiles
                                                   : OwnWay::loops) {}
    size_t workspace_bytes(rondo_dtype dtype) const {
      return way == OwnWay::planes  ? planes.workspace_bytes()
             : way == OwnWay::tiles ? tiles.workspace_bytes()
                                    : Panels(product.arguments).bytes(dtype);
    }
  };

  WeightMatrix matrix() const { return products_[0].tiles.weights(products_[0].product.arguments, problem_.filter); }

  const Convolution problem_;
  const std::unique_ptr<ConvolutionPlan> plan_;
  std::vector<OwnProduct> products_;
  KeptWeights weights_;
};

}  // namespace

Ref<OperatorTask> make_cpu_convolution(const Convolution& problem) {
  return make_ref<CpuConvolution>(problem);
}

}  // namespace rondo::ops
