// Cuts convolutions into blocks of columns and of kernels, and walks their tiles.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_tiles.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/machine/processors.h"
#include "engine/tasks/part_ranges.h"
#include "engine/tasks/workers.h"
#include "ops/host/products.h"

namespace rondo::ops {

namespace {

using device::kProductAxes;
using device::ProductArguments;
using device::ProductAxis;

constexpr int kLastAxis = kProductAxes - 1;
constexpr int64_t kMostSums = 1 << 17;      // that wait for more of their depth in the second cache
constexpr int64_t kRowsAtOnce = 96;         // whose sums are finished while they are in the first cache
constexpr double kSumsOfAThread = 1 << 18;  // multiplications that are worth a thread
constexpr double kSumsOfAPart = 1 << 17;    // that are worth being taken by themselves
constexpr double kWanted = 24;              // parts, where there is work for as many
constexpr int64_t kWantedOfDeep = 4;        // where columns are gathered for each
constexpr int64_t kTilesOfAThread = 4;      // that are brought at once
constexpr int64_t kManyBlocks = 8;          // for each thread, of which one more or less is little
constexpr int64_t kFewPanels = 2;           // of a block, which a tile is as quick with as with more

// a[m, depth] of a group in the order of a tile of rows.
void copy_rows(const float* from, int64_t step, const std::vector<int64_t>& offsets, int64_t rows, float* to) {
  for (const int64_t offset : offsets)
    for (int64_t i = 0; i < rows; ++i) *to++ = from[i * step + offset];
}

}  // namespace

int64_t cuts_of_kernels(double work, int64_t blocks, int64_t tiles, bool gathers_again) {
  const double wanted =
      gathers_again ? std::min<double>(work / kSumsOfAThread, kWantedOfDeep) : std::min(work / kSumsOfAPart, kWanted);
  return std::clamp<int64_t>(static_cast<int64_t>(wanted) / blocks, 1, tiles);
}

int64_t blocks_of_columns(int64_t panels, int64_t least, int64_t groups, int64_t threads) {
  if (threads < 2 || groups % threads == 0 || least >= kManyBlocks * threads) return least;
  const int64_t even = (least + threads - 1) / threads * threads;
  return even <= panels / kFewPanels ? even : least;
}

ConvolutionTiles::ConvolutionTiles(const ProductArguments& args, rondo_dtype dtype, ConvolutionWay way)
    : m_(args.m), depth_(args.depth), groups_(args.groups), columns_(args.columns), tiles_(args.m) {
  if (dtype != RONDO_F32 || depth_ < 1 || args.taps > kDeepestSum || m_ < 1 || columns_ < 1) return;
  // The rows of a filter's gradient are a result, of which no copy in tiles is made if it is deep.
  if (depth_ > kDeepestSum && way == ConvolutionWay::filter) return;
  for (const ProductAxis& axis : args.axis)
    if (axis.divide != 1) return;
  possible_ = true;
  const ProductAxis& inner = args.axis[kLastAxis];
  const int64_t most = std::max<int64_t>(1, kDeepestSum / args.taps), cuts = (args.channels + most - 1) / most;
  channels_of_sum_ = (args.channels + cuts - 1) / cuts;
  cut_ = cuts > 1;
  channels_inner_ = cuts == 1 && args.channels > 1 &&
                    (args.places == 1 || std::abs(args.b_channel) < std::abs(inner.b_step * inner.step));
  // A copy can be kept of kernels that are even in the other order. That is worth more than channels that are gathered
  // as they lie where an image has few places; how many images there are does not matter.
  const bool kept =
      way == ConvolutionWay::forward && static_cast<size_t>(groups_ * m_ * depth_) * sizeof(float) >= kLeastPacked;
  if (!find_depths(args) && cuts == 1 && kept && (!channels_inner_ || args.places <= m_)) {
    std::vector<int64_t> as_gathered = std::move(depth_in_a_);
    channels_inner_ = !channels_inner_;
    if (!find_depths(args)) {
      channels_inner_ = !channels_inner_;
      depth_in_a_ = std::move(as_gathered);
    }
  }
  find_blocks(args);
}

// Cuts the depth, the columns and the kernels. No bit depends on where.
void ConvolutionTiles::find_blocks(const ProductArguments& args) {
  const auto parts_of = [](int64_t all, int64_t most) { return (all + most - 1) / most; };
  const auto even = [&](int64_t all, int64_t most) { return parts_of(all, parts_of(all, std::max<int64_t>(most, 1))); };
  at_once_.channels = even(channels_of_sum_, kDepthAtOnce / (channels_inner_ ? 1 : args.taps));
  at_once_.taps = channels_inner_ ? even(args.taps, kDepthAtOnce / at_once_.channels) : args.taps;
  blocks_ = parts_of(channels_of_sum_, at_once_.channels) * parts_of(args.taps, at_once_.taps);
  const double work = static_cast<double>(m_) * static_cast<double>(depth_) * static_cast<double>(groups_) *
                      static_cast<double>(columns_);
  const auto worth = static_cast<int64_t>(std::clamp(work / kSumsOfAThread, 1.0, 1024.0));
  const int64_t processors = known_processors();
  const int64_t wanted = processors > 1 ? std::min(worth, std::max(kWantedOfDeep, processors)) : 1;
  // Kernels that are read again and again for a few columns each come from memory that is far away.
  const bool wide = blocks_ > 1 && at_once_.channels * at_once_.taps <= kDepthAtOnce;
  int64_t most =
      wide ? std::clamp(kMostSums / m_ / kGroupColumns * kGroupColumns, kGroupColumns, kBlockColumns) : kGroupColumns;
  while (most > kGroupColumns && groups_ * parts_of(columns_, most) < wanted) most -= kGroupColumns;
  const int64_t panels = RowsProduct::panels_of(columns_);
  across_ = blocks_of_columns(panels, parts_of(columns_, most), groups_, std::min(worth, processors));
  width_ = parts_of(panels, across_) * kPanelColumns;
  down_ = processors > 1 ? cuts_of_kernels(work, groups_ * across_, tiles_.count, blocks_ > 1 || cut_) : 1;
  threads_ = std::min<int64_t>({worth, groups_ * across_ * down_, processors});
}

// A block of the sum whose channels begin there.
DepthPart ConvolutionTiles::block_of_depth(const ProductArguments& args, int64_t channel, int64_t number) const {
  const int64_t channels = std::min<int64_t>(channels_of_sum_, args.channels - channel);
  const int64_t across = (channels + at_once_.channels - 1) / at_once_.channels;
  DepthPart block;
  block.channel = number % across * at_once_.channels;
  block.channels = std::min(at_once_.channels, channels - block.channel);
  block.channel += channel;
  block.tap = number / across * at_once_.taps;
  block.taps = std::clamp<int64_t>(args.taps - block.tap, 0, at_once_.taps);
  return block;
}

// Finds out where each depth is in a; true if all lie in even steps.
bool ConvolutionTiles::find_depths(const ProductArguments& args) {
  depth_in_a_.resize(static_cast<size_t>(depth_));
  for (int64_t channel = 0; channel < args.channels; ++channel)
    for (int64_t tap = 0; tap < args.taps; ++tap) {
      int64_t rest = tap, at = channel * args.a_channel;
      for (int d = kLastAxis; d >= 0; --d) {
        at += rest % args.axis[d].taps * args.axis[d].a_tap;
        rest /= args.axis[d].taps;
      }
      const int64_t depth = channels_inner_ ? tap * args.channels + channel : channel * args.taps + tap;
      depth_in_a_[static_cast<size_t>(depth)] = at;
    }
  even_step_ = depth_ > 1 ? depth_in_a_[1] : 1;
  bool even = even_step_ != 0 && (groups_ == 1 || args.a_group == m_ * args.a_m);
  for (int64_t l = 0; l < depth_; ++l) even = even && depth_in_a_[static_cast<size_t>(l)] == l * even_step_;
  if (!even) even_step_ = 0;
  if (even) depth_in_a_ = {};
  return even;
}

int64_t ConvolutionTiles::of_thread() const {
  const int64_t sums = (blocks_ > 1 ? m_ : kRowsAtOnce) + (cut_ ? m_ : 0);
  return (at_once_.channels * at_once_.taps + sums) * width_;
}

size_t ConvolutionTiles::workspace_bytes() const {
  return static_cast<size_t>(groups_ * m_ * depth_ + threads_ * of_thread()) * sizeof(float);
}

WeightMatrix ConvolutionTiles::weights(const ProductArguments& args, const View& filter) const {
  const auto pack = [](const WeightMatrix& matrix, char* copy) {
    const RowTiles tiles(matrix.group);
    Workers::share(matrix.n / matrix.group * tiles.count, [&](int64_t part) {
      const int64_t first = part / tiles.count * matrix.group, tile = part % tiles.count;
      pack_row_tiles(reinterpret_cast<const float*>(matrix.view.address()) + first * matrix.step[1],
                     {matrix.step[1], matrix.step[0]}, tiles, matrix.k, tile, tile + 1,
                     reinterpret_cast<float*>(copy) + first * matrix.k);
    });
  };
  const int64_t kernels = groups_ * m_, elements = even_step_ != 0 ? kernels * depth_ : 0;
  return {filter, kernels, depth_, {even_step_, args.a_m}, m_, static_cast<size_t>(elements) * sizeof(float), pack};
}

void ConvolutionTiles::bring_to_tiles(const ProductArguments& args, float* tiles) const {
  const auto one = [&](int64_t number) {
    const int64_t group = number / tiles_.count, tile = number % tiles_.count;
    const float* const a = static_cast<const float*>(args.a) + group * args.a_group;
    float* const to = tiles + group * m_ * depth_;
    if (even_step_ != 0) return pack_row_tiles(a, {args.a_m, even_step_}, tiles_, depth_, tile, tile + 1, to);
    const int64_t begin = tiles_.begin(tile), rows = tiles_.begin(tile + 1) - begin;
    copy_rows(a + begin * args.a_m, args.a_m, depth_in_a_, rows, to + begin * depth_);
  };
  const int64_t count = groups_ * tiles_.count, parts = threads_ > 1 ? std::min(count, kTilesOfAThread * threads_) : 1;
  const auto some = [&](int64_t part) {
    for (int64_t number = count * part / parts; number < count * (part + 1) / parts; ++number) one(number);
  };
  if (parts == 1)
    some(0);
  else
    Workers::share(parts, some);
}

void ConvolutionTiles::run(const ProductArguments& args, const float* tiles, void* workspace) const {
  auto* const own = static_cast<float*>(workspace);
  if (!tiles) {
    bring_to_tiles(args, own);
    tiles = own;
  }
  float* const memory = own + groups_ * m_ * depth_;
  const ProductTiles& set = product_tiles(instructions());
  const SumFinish finish_sums(RONDO_F32, args.activation, args.accumulate != 0);
  const int64_t parts = groups_ * across_ * down_;
  PartRanges ranges(parts, threads_);
  const auto work = [&](int64_t thread) {
    float* const gathered = memory + thread * of_thread();
    float* const sums = gathered + at_once_.channels * at_once_.taps * width_;
    float* const wholes = sums + (blocks_ > 1 ? m_ : kRowsAtOnce) * width_;  // of deep sums
    ColumnBlock block;
    int64_t taken = -1;  // the columns of which all depths are gathered
    for (int64_t number; (number = ranges.take(thread)) >= 0;) {
      const int64_t columns = number / down_, part = number % down_;
      const int64_t first_tile = tiles_.count * part / down_, last_tile = tiles_.count * (part + 1) / down_;
      const int64_t first_row = tiles_.begin(first_tile);
      if (columns != taken) {
        const int64_t panels_of_all = RowsProduct::panels_of(columns_), number_of_block = columns % across_;
        const int64_t first = panels_of_all * number_of_block / across_ * kPanelColumns;
        const int64_t end = panels_of_all * (number_of_block + 1) / across_ * kPanelColumns;
        block.find(args, columns / across_, first, std::min(end, columns_) - first);
      }
      const auto panels = static_cast<int>(RowsProduct::panels_of(block.columns));
      const float* const a = tiles + block.group * m_ * depth_;
      for (int64_t channel = 0; channel < args.channels; channel += channels_of_sum_) {
        const bool ends = channel + channels_of_sum_ >= args.channels;
        for (int64_t b = 0; b < blocks_; ++b) {
          const DepthPart depths = block_of_depth(args, channel, b);
          if (depths.taps == 0) break;
          if (columns != taken) block.gather(args, depths, channels_inner_, width_, gathered);
          if (blocks_ == 1 && !cut_) taken = columns;
          const int64_t depth = depths.channels * depths.taps,
                        before = channels_inner_ ? depths.tap * args.channels + depths.channel
                                                 : depths.channel * args.taps + depths.tap;
          const bool last =
              depths.tap + depths.taps == args.taps &&
              depths.channel + depths.channels == std::min<int64_t>(channel + channels_of_sum_, args.channels);
          int64_t first = first_row, begin = first;
          for (int64_t tile = first_tile; tile < last_tile; ++tile) {
            const int64_t end = tiles_.begin(tile + 1), rows = end - begin;
            set.multiply(static_cast<int>(rows), panels, depth, a + begin * depth_ + before * rows, gathered, width_,
                         kPanelColumns, b > 0, sums + (begin - (blocks_ > 1 ? first_row : first)) * width_, width_);
            begin = end;
            if (!last || (tile + 1 < last_tile && tiles_.begin(tile + 2) - first <= kRowsAtOnce)) continue;
            float* made = sums + (blocks_ > 1 ? first - first_row : 0) * width_;
            float* const whole = wholes + (first - first_row) * width_;
            if (cut_) {
              add_lines(made, width_, begin - first, panels * kPanelColumns, channel == 0, whole, width_);
              made = whole;
            }
            if (ends) finish(args, block, first, begin - first, made, finish_sums);
            first = begin;
          }
        }
      }
    }
  };
  if (threads_ == 1)
    work(0);
  else
    Workers::share(threads_, work);
}

// So many rows from the first one on, in runs whose results lie in even steps.
void ConvolutionTiles::finish(const ProductArguments& args, const ColumnBlock& block, int64_t first, int64_t rows,
                              float* sums, const SumFinish& finish) const {
  const ProductAxis& inner = args.axis[kLastAxis];
  const auto at = [](const void* base, int64_t offset, int64_t row, int64_t column) -> SumLines::Array {
    if (!base) return {};
    return {static_cast<char*>(const_cast<void*>(base)) + offset * static_cast<int64_t>(sizeof(float)),
            {0, row, column}};
  };
  const int64_t channel = block.group * m_ + first;
  for (int64_t r = 0; r < block.runs;) {
    const ColumnRun& run = block.run[r];
    int64_t count = run.count;
    for (++r; r < block.runs && block.run[r].out == run.out + count * inner.out_step &&
              block.run[r].residual == run.residual + count * inner.residual_step;
         ++r)
      count += block.run[r].count;
    SumLines lines;
    lines.size[1] = rows;
    lines.size[2] = count;
    lines.sums = at(sums, run.first, width_, 1);
    lines.scale = at(args.scale, channel * args.scale_step, args.scale_step, 0);
    lines.bias = at(args.bias, channel * args.bias_step, args.bias_step, 0);
    lines.residual = at(args.residual, block.group * args.residual_group + first * args.residual_m + run.residual,
                        args.residual_m, inner.residual_step);
    lines.out = at(args.out, block.group * args.out_group + first * args.out_m + run.out, args.out_m, inner.out_step);
    finish.run(lines);
  }
}

}  // namespace rondo::ops
