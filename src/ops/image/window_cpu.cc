// Runs windows over images on the host: line by line (window_lines.h) in loops of the instruction set, shared among
// workers. Elements have the bits that the kernel on a GPU gives them (rtc/device/window.h): taps are gone through in
// the same order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/machine/processors.h"
#include "engine/tasks/part_ranges.h"
#include "engine/tasks/workers.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/host/elementwise_loops.h"
#include "ops/image/window_lines.h"
#include "ops/image/window_planes.h"

namespace rondo::ops {

namespace {

using device::kWindowArrays;
using device::kWindowImage;
using device::kWindowPlaces;
using device::kWindowResult;

constexpr int64_t kPiece = 480;    // results of a line at a time: with their neighbours a source is not longer than
constexpr int64_t kSource = 1024;  // elements of a line that are made numbers at a time
constexpr int64_t kRows = 32;      // taps in that form
constexpr int64_t kSpread = 8;     // lines that are kept as they are spread by a linear resize

template <class M>
class LineLoops {
  using C = Register<M>;
  using Place = PlaceOf<C>;
  static constexpr bool kPlain = std::is_same_v<M, C>;

 public:
  LineLoops(const WindowPlan& plan, const WindowLines& lines)
      : plan_(plan),
        lines_(lines),
        table_(loops(instructions()).windows->of(static_cast<const C*>(nullptr))),
        memory_(loops(instructions()).moves(plan.written().dtype, plan.written().accumulate)),
        written_(lines.back ? kWindowImage : kWindowResult),
        packed_(line_step(written_) == 1 && !plan.written().accumulate),
        direct_(kPlain && packed_),
        room_(new Room) {}  // not filled

  // Pieces of lines, [first, last), pieces_of() in each line.
  static int64_t pieces_of(const WindowLines& lines) { return (lines.length + kPiece - 1) / kPiece; }
  void run(int64_t first, int64_t last) {
    const int64_t pieces = pieces_of(lines_);
    int64_t piece = first % pieces;
    go_to(first / pieces);
    for (int64_t number = first; number < last; ++number) {
      if (number == first || piece == 0) gather_outer();
      begin_ = piece * kPiece;
      n_ = std::min(kPiece, lines_.length - begin_);
      same_ = 0;
      if (!lines_.repeats.empty() && packed_ && pieces == 1)
        same_ = std::min(last - number - 1, lines_.repeats[static_cast<size_t>(at_.back())]);
      run_piece();
      if (++piece < pieces) continue;
      piece = 0;
      if (same_ > 0) number += repeat();
      advance();
    }
  }

 private:
  struct Room {
    alignas(64) C made[kPiece];
    alignas(64) C shares[kPiece];
    alignas(64) Place places[kPiece];
    alignas(64) C rows[kRows][kSource];
    alignas(64) C low[kSpread][kPiece];
    alignas(64) C high[kSpread][kPiece];
    alignas(64) C lower[kPiece];
    alignas(64) C upper[kPiece];
  };

  const WindowAxis& axis() const { return lines_.axes.back().axis; }
  int64_t line_step(int array) const { return lines_.line_step[array]; }

  // --- the way through the lines
  void go_to(int64_t line) {
    std::fill(base_, base_ + kWindowArrays, 0);
    at_.assign(lines_.walked.size(), 0);
    for (size_t d = lines_.walked.size(); d-- > 0;) {
      const WalkedDimension& dimension = lines_.walked[d];
      at_[d] = line % dimension.size;
      line /= dimension.size;
      for (int a = 0; a < kWindowArrays; ++a) base_[a] += at_[d] * dimension.step[a];
    }
  }
  // Skips the following lines that are equal to this one. Writes those that are not written yet.
  int64_t repeat() {
    const WalkedDimension& dimension = lines_.walked.back();
    const char* const line = written(written_);
    for (int64_t i = 0; i < same_; ++i) {
      for (int a = 0; a < kWindowArrays; ++a) base_[a] += dimension.step[a];
      if (i >= same_written_) std::memcpy(written(written_), line, static_cast<size_t>(n_) * sizeof(M));
    }
    at_.back() += same_;
    return same_;
  }
  void advance() {
    for (size_t d = lines_.walked.size(); d-- > 0;) {
      const WalkedDimension& dimension = lines_.walked[d];
      for (int a = 0; a < kWindowArrays; ++a) base_[a] += dimension.step[a];
      if (++at_[d] < dimension.size) return;
      for (int a = 0; a < kWindowArrays; ++a) base_[a] -= dimension.size * dimension.step[a];
      at_[d] = 0;
    }
  }

  // The taps of the walked axes at this line, or of an image the results that its elements are in there.
  void gather_outer() {
    if (!lines_.back && find_start()) return;
    outer_.assign(1, {0, 0, 0, 1, C(1)});
    for (size_t d = 0; d < lines_.walked.size(); ++d) {
      if (lines_.walked[d].axis < 0) continue;
      const LineAxis& of = lines_.axes[static_cast<size_t>(lines_.walked[d].axis)];
      next_.clear();
      for (const OuterTap<C>& tap : outer_) {
        if (lines_.back)
          add_pairs(of, at_[d], tap);
        else
          add_taps(of.axis, of.taps[static_cast<size_t>(at_[d])], tap);
      }
      outer_.swap(next_);
    }
    if (!lines_.back && !lines_.resizes && kPlain) list_taps();
  }
  // Finds the start of the window on the walked axes, and the divisor of a mean for them. Returns whether it has the
  // same taps as that of the line before.
  bool find_start() {
    if (lines_.alike && !outer_.empty()) {
      int64_t start = 0;
      for (size_t d = 0; d < lines_.walked.size(); ++d)
        if (const int axis = lines_.walked[d].axis; axis >= 0)
          start += lines_.axes[static_cast<size_t>(axis)].starts[static_cast<size_t>(at_[d])];
      start_ = start;
      return true;
    }
    bool same = !outer_.empty();
    start_ = 0;
    divisor_ = 1;
    for (size_t d = 0; d < lines_.walked.size(); ++d) {
      if (lines_.walked[d].axis < 0) continue;
      const LineAxis& of = lines_.axes[static_cast<size_t>(lines_.walked[d].axis)];
      const WindowTaps& taps = of.taps[static_cast<size_t>(at_[d])];
      start_ += of.starts[static_cast<size_t>(at_[d])];
      divisor_ *= taps.divisor;
      WindowTaps& before = before_[lines_.walked[d].axis];
      same = same && same_taps(taps, before);
      before = taps;
    }
    return same;
  }
  void list_taps() {
    taps_.resize(lines_.along_axis ? lines_.runs.size() : 1);
    for (size_t i = 0; i < taps_.size(); ++i) {
      taps_[i].clear();
      for (const OuterTap<C>& tap : outer_) {
        if (!lines_.along_axis) {
          taps_[i].append(tap.offset, tap.name, tap.weight);
          continue;
        }
        const WindowTaps& taps = lines_.runs[i].taps;
        for (int64_t k = taps.first; k < taps.last; ++k)
          taps_[i].append(tap.offset + k * taps.step * axis().in_step, tap.name * axis().size + k, tap.weight);
      }
    }
  }
  void add_taps(const WindowAxis& axis, const WindowTaps& taps, const OuterTap<C>& tap) {
    for (int64_t j = taps.first; j < taps.last; ++j)
      next_.push_back({tap.offset + j * taps.step * axis.in_step, 0, tap.name * axis.size + j, 1,
                       tap.weight * taps.template weight<C>(j)});
  }
  void add_pairs(const LineAxis& of, int64_t element, const OuterTap<C>& tap) {
    const auto i = static_cast<size_t>(element);
    for (int64_t p = of.pairs_before[i]; p < of.pairs_before[i + 1]; ++p) {
      const WindowPair& pair = of.pairs[static_cast<size_t>(p)];
      next_.push_back({tap.offset + pair.result * of.axis.out_step, tap.place_offset + pair.result * of.axis.place_step,
                       tap.name * of.axis.size + pair.tap, tap.divisor * pair.divisor,
                       tap.weight * static_cast<C>(pair.weight)});
    }
  }

  void run_piece() {
    made_ = direct_ ? reinterpret_cast<C*>(written(written_)) : room_->made;
    if (plan_.kind == WindowKind::pick) return pick();
    if (lines_.back) {
      std::fill(made_, made_ + n_, C(0));
      if (!lines_.along_axis)
        share_beside();
      else if (lines_.resizes)
        share_resized();
      else
        share_along();
      return deliver();
    }
    if (lines_.along_axis && lines_.resizes)
      lines_.is_linear ? resize_linear() : resize_nearest();
    else
      combine_piece();
    deliver();
    if (plan_.kind == WindowKind::largest && plan_.places) deliver_places();
  }

  const M* image(int64_t offset) const { return address<M>(plan_.image) + base_[kWindowImage] + offset; }
  const M* result(int64_t offset) const { return address<M>(plan_.result) + base_[kWindowResult] + offset; }
  const char* places(int64_t offset) const {
    return plan_.places->address() + (base_[kWindowPlaces] + offset) * (has_bytes() ? 1 : 4);
  }
  bool has_bytes() const { return plan_.places->dtype == RONDO_U8; }
  template <class T>
  static T* address(const View& view) {
    return reinterpret_cast<T*>(view.address());
  }
  char* written(int array) const {
    const View& view = plan_.written();
    return view.address() + (base_[array] + begin_ * line_step(array)) * static_cast<int64_t>(sizeof(M));
  }
  void deliver() const {
    if (!direct_) memory_.store(written(written_), line_step(written_), made_, n_);
  }
  void deliver_places() const {
    const int64_t step = line_step(kWindowPlaces);
    char* to = const_cast<char*>(places(begin_ * step));
    if (has_bytes())
      for (int64_t i = 0; i < n_; ++i)
        reinterpret_cast<uint8_t*>(to)[i * step] = static_cast<uint8_t>(room_->places[i]);
    else
      for (int64_t i = 0; i < n_; ++i)
        reinterpret_cast<int32_t*>(to)[i * step] = static_cast<int32_t>(room_->places[i]);
  }

  // n elements as numbers, where they lie or in a row of the room; the step from one to the next is changed to that.
  const C* numbers(const M* from, int64_t* step, int64_t n, C* row) const {
    if constexpr (kPlain) {
      return from;
    } else {
      load(row, from, *step, n);
      *step = 1;
      return row;
    }
  }
  void load(C* to, const M* from, int64_t step, int64_t n) const {
    memory_.load(to, reinterpret_cast<const char*>(from), step, n);
  }

  // --- forward
  // Means that are not finite, though their elements may be, are made again of smaller ones.
  void combine_piece() {
    lines_.along_axis ? combine_along() : combine_beside();
    if (plan_.kind != WindowKind::combine || lines_.resizes || all_finite()) return;
    C* const first = std::exchange(made_, room_->shares);
    factor_ = device::Scales<C>::down;
    lines_.along_axis ? combine_along() : combine_beside();
    made_ = first;
    for (int64_t i = 0; i < n_; ++i)
      if (!(made_[i] - made_[i] == C(0))) made_[i] = room_->shares[i] * (C(1) / factor_);
    factor_ = 1;
  }
  bool all_finite() const {
    bool all = true;
    for (int64_t i = 0; i < n_; ++i) all &= made_[i] - made_[i] == C(0);
    return all;
  }
  // Some taps of n results, from `at` on.
  void combine(const C* from, const LineTaps<C>& taps, int64_t step, int64_t at, int64_t n, bool more) {
    C* const to = made_ + at;
    if (plan_.kind == WindowKind::largest)
      table_.largest(to, plan_.places ? room_->places + at : nullptr, from, taps.offsets.data(), taps.names.data(),
                     taps.count(), step, n, more);
    else
      table_.sum(to, from, taps.offsets.data(), weights_of(taps), taps.count(), step, n, more);
  }
  const C* weights_of(const LineTaps<C>& taps) {
    if (factor_ == C(1)) return lines_.weighted ? taps.weights.data() : nullptr;
    scaled_.assign(taps.weights.begin(), taps.weights.end());
    for (C& each : scaled_) each *= factor_;
    return scaled_.data();
  }
  // Called after the last tap, if there was one.
  void conclude(bool some, int64_t at, int64_t n, int64_t divisor) const {
    C* const to = made_ + at;
    if (!some) {
      std::fill(to, to + n, plan_.kind == WindowKind::largest ? device::weakest<C, true>() : C(0));
      std::fill(room_->places + at, room_->places + at + n, Place(0));
    }
    if (plan_.kind == WindowKind::combine && divisor != 1) table_.divide(to, static_cast<C>(divisor), n);
  }

  void combine_beside() {
    const int64_t step = line_step(kWindowImage);
    const M* from = image(start_ + begin_ * step);
    if constexpr (kPlain) {
      if (taps_[0].count() > 0) combine(from, taps_[0], step, 0, n_, false);
    } else {
      // Some rows at a time become numbers.
      bool more = false;
      row_taps_.clear();
      for (size_t t = 0; t < outer_.size(); ++t) {
        const int64_t row = row_taps_.count();
        load(room_->rows[row], from + outer_[t].offset, step, n_);
        row_taps_.append(row * kSource, outer_[t].name, outer_[t].weight);
        if (row + 1 < kRows && t + 1 < outer_.size()) continue;
        combine(room_->rows[0], row_taps_, 1, 0, n_, std::exchange(more, true));
        row_taps_.clear();
      }
    }
    conclude(!outer_.empty(), 0, n_, divisor_);
  }

  void combine_along() {
    for_each_run([&](size_t i, const WindowRun& run, int64_t at, int64_t n, int64_t start) {
      const bool some = !outer_.empty() && run.taps.first < run.taps.last;
      if (some) {
        if constexpr (kPlain)
          combine(image(start_ + start * axis().in_step), taps_[i], axis().in_step * run.delta, at, n, false);
        else
          combine_numbers(run, start, at, n);
      }
      conclude(some, at, n, divisor_ * run.taps.divisor);
    });
  }
  // visit(number, run, where in the piece it begins, how many results of it are there, where their windows start)
  template <class Visit>
  void for_each_run(const Visit& visit) const {
    for (size_t i = 0; i < lines_.runs.size(); ++i) {
      const WindowRun& run = lines_.runs[i];
      if (run.first >= begin_ + n_) break;
      if (run.first + run.count <= begin_) continue;
      const int64_t first = std::max(run.first, begin_), n = std::min(run.first + run.count, begin_ + n_) - first;
      visit(i, run, first - begin_, n, run.taps.start + (first - run.first) * run.delta);
    }
  }
  // Some rows at a time become numbers: all that the taps of one need, unless they are far apart.
  void combine_numbers(const WindowRun& run, int64_t start, int64_t at, int64_t n) {
    const WindowTaps& taps = run.taps;
    const int64_t in_step = axis().in_step, last = taps.last - 1 - taps.first;
    const int64_t length = (n - 1) * run.delta + last * taps.step + 1;
    const bool together = length <= kSource;
    bool more = false;
    int64_t row = 0;
    row_taps_.clear();
    const auto flush = [&] {
      if (row_taps_.count() > 0)
        combine(room_->rows[0], row_taps_, together ? run.delta : 1, at, n, std::exchange(more, true));
      row_taps_.clear();
      row = 0;
    };
    for (const OuterTap<C>& tap : outer_) {
      const M* from = image(start_ + tap.offset + (start + taps.first * taps.step) * in_step);
      if (together) load(room_->rows[row], from, in_step, length);
      for (int64_t k = 0; k <= last; ++k) {
        if (!together) load(room_->rows[row], from + k * taps.step * in_step, in_step * run.delta, n);
        row_taps_.append(row * kSource + (together ? k * taps.step : 0), tap.name * axis().size + taps.first + k,
                         tap.weight);
        if (!together && ++row == kRows) flush();
      }
      if (together && ++row == kRows) flush();
    }
    flush();
  }

  void resize_linear() {
    for (int64_t i = 0; i < n_; ++i) {
      room_->lower[i] = static_cast<C>(lines_.lower[static_cast<size_t>(begin_ + i)]);
      room_->upper[i] = static_cast<C>(lines_.upper[static_cast<size_t>(begin_ + i)]);
    }
    bool more = false;
    for (const OuterTap<C>& tap : outer_) {
      const int64_t slot = spread_out(image(start_ + tap.offset));
      table_.blend(made_, room_->low[slot], room_->high[slot], room_->lower, room_->upper, tap.weight, n_, more);
      more = true;
    }
  }
  // The two elements of each result of this piece; those of a line that was met a moment ago are still there.
  int64_t spread_out(const M* line) {
    for (int64_t slot = 0; slot < kSpread; ++slot)
      if (kept_[slot].line == line && kept_[slot].begin == begin_) return slot;
    const int64_t slot = std::exchange(oldest_, (oldest_ + 1) % kSpread), step = axis().in_step;
    kept_[slot] = {line, begin_};
    for (int64_t i = 0; i < n_; ++i) {
      const M* at = line + lines_.start[static_cast<size_t>(begin_ + i)] * step;
      const bool two = room_->upper[i] > C(0);  // what is none of its taps may be NaN
      room_->low[slot][i] = device::from_memory(*at);
      room_->high[slot][i] = two ? device::from_memory(at[step]) : C(0);
    }
    return slot;
  }

  void resize_nearest() {
    const M* line = image(start_);
    const int64_t step = axis().in_step;
    if (lines_.doubles && step == 1) {
      int64_t one = 1;
      same_written_ = direct_ && same_ > 0 ? 1 : 0;
      C* const also = same_written_ ? made_ + lines_.walked.back().step[kWindowResult] : made_;
      table_.twice(made_, also, numbers(line + begin_ / 2, &one, n_ / 2, room_->rows[0]), n_ / 2);
    } else {
      const int64_t* start = lines_.start.data() + begin_;
      for (int64_t i = 0; i < n_; ++i) made_[i] = device::from_memory(line[start[i] * step]) + C(0);
    }
  }

  // Reads the image at the places.
  void pick() {
    const bool nothing = outer_.empty();
    if (!lines_.along_axis) {
      pick_run(start_ + begin_ * line_step(kWindowImage), line_step(kWindowImage), 0, n_, nothing);
    } else {
      for (const WindowRun& run : lines_.runs) {
        const int64_t from = std::max(run.first, begin_), end = std::min(run.first + run.count, begin_ + n_);
        if (from >= end) continue;
        const int64_t first = run.taps.start + (from - run.first) * run.delta, step = axis().in_step;
        pick_run(start_ + first * step, run.delta * step, from - begin_, end - from,
                 nothing || run.taps.first == run.taps.last);
      }
    }
    deliver();
  }
  void pick_run(int64_t start, int64_t step, int64_t at, int64_t n, bool nothing) {
    C* const to = made_ + at;
    if (nothing) return std::fill(to, to + n, C(0));
    const int64_t place_step = line_step(kWindowPlaces);
    const char* from = places((begin_ + at) * place_step);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t place = has_bytes() ? reinterpret_cast<const uint8_t*>(from)[i * place_step]
                                        : reinterpret_cast<const int32_t*>(from)[i * place_step];
      to[i] = device::from_memory(*image(start + i * step + offset_of(place)));
    }
  }
  int64_t offset_of(int64_t place) const {
    if (!lines_.place_offsets.empty()) return lines_.place_offsets[static_cast<size_t>(place)];
    int64_t offset = 0;
    for (size_t a = lines_.axes.size(); a-- > 0;) {
      const WindowAxis& of = lines_.axes[a].axis;
      offset += place % of.size * of.dilation * of.in_step;
      place /= of.size;
    }
    return offset;
  }

  // --- back
  void share_beside() {
    for (const OuterTap<C>& tap : outer_) {
      int64_t step = line_step(kWindowResult);
      const C* from = numbers(result(tap.offset + begin_ * step), &step, n_, room_->rows[0]);
      if (plan_.kind == WindowKind::spread)
        table_.share(made_, from, step, tap.weight, static_cast<C>(tap.divisor), n_);
      else
        table_.chosen(made_, from, step, places(tap.place_offset + begin_ * line_step(kWindowPlaces)),
                      line_step(kWindowPlaces), has_bytes(), static_cast<Place>(tap.name), n_);
    }
  }

  // Shares each element in the order of results: along a run the last tap is that of the first of them.
  void share_along() {
    const int64_t end = begin_ + n_;
    for (const OuterTap<C>& tap : outer_)
      for (const WindowRun& run : lines_.runs) {
        const WindowTaps& taps = run.taps;
        if (taps.first == taps.last) continue;
        const int64_t low = taps.first * taps.step, high = (taps.last - 1) * taps.step;
        int64_t o = 0, last = run.count;  // of the run, those whose windows reach the piece
        if (taps.start + high < begin_) o = (begin_ - taps.start - high + run.delta - 1) / run.delta;
        if (taps.start + low + (last - 1) * run.delta >= end)
          last = taps.start + low < end ? (end - 1 - taps.start - low) / run.delta + 1 : 0;
        for (; o < last; o += kPiece) share_run(tap, run, o, std::min(kPiece, last - o));
      }
  }
  void share_run(const OuterTap<C>& tap, const WindowRun& run, int64_t o, int64_t n) {
    const WindowTaps& taps = run.taps;
    const int64_t first = run.first + o, end = begin_ + n_;
    int64_t step = axis().out_step;
    const C* from = numbers(result(tap.offset + first * step), &step, n, room_->rows[0]);
    C* const shares = room_->shares;
    if (plan_.kind == WindowKind::spread) {
      std::fill(shares, shares + n, C(0));
      table_.share(shares, from, step, tap.weight, static_cast<C>(tap.divisor * taps.divisor), n);
    }
    for (int64_t k = taps.last - 1; k >= taps.first; --k) {
      if (plan_.kind == WindowKind::spread_one) {
        std::fill(shares, shares + n, C(0));
        table_.chosen(shares, from, step, places(tap.place_offset + first * axis().place_step), axis().place_step,
                      has_bytes(), static_cast<Place>(tap.name * axis().size + k), n);
      }
      const int64_t at = taps.start + o * run.delta + k * taps.step;
      int64_t begin = 0, count = n;
      if (at < begin_) begin = (begin_ - at + run.delta - 1) / run.delta;
      if (at + (n - 1) * run.delta >= end) count = at < end ? (end - 1 - at) / run.delta + 1 : 0;
      if (begin < count)
        table_.spread(made_ + at + begin * run.delta - begin_, run.delta, shares + begin, count - begin);
    }
  }

  void share_resized() {
    const int64_t end = begin_ + n_, step = axis().out_step;
    const int64_t first = device::window_results<int64_t>(axis(), begin_).first,
                  last = device::window_results<int64_t>(axis(), end - 1).last;
    for (const OuterTap<C>& tap : outer_) {
      const M* from = result(tap.offset);
      for (int64_t o = first; o < last; ++o) {
        const auto k = static_cast<size_t>(o);
        const int64_t at = lines_.start[k] - begin_;
        const C value = device::from_memory(from[o * step]);
        const C lower = lines_.is_linear ? static_cast<C>(lines_.lower[k]) : C(1);
        if (at >= 0 && at < n_) made_[at] += value * (tap.weight * lower);
        if (lines_.is_linear && lines_.upper[k] > 0 && at + 1 >= 0 && at + 1 < n_)
          made_[at + 1] += value * (tap.weight * static_cast<C>(lines_.upper[k]));
      }
    }
  }

  const WindowPlan& plan_;
  const WindowLines& lines_;
  const WindowLoops<C>& table_;
  const Moves memory_;
  const int written_;           // array
  const bool packed_, direct_;  // direct: what is made is made where it belongs
  C* made_ = nullptr;
  C factor_ = 1;  // of weights
  std::vector<C> scaled_;
  int64_t same_ = 0, same_written_ = 0;  // the following lines that show the same; of which are written
  const std::unique_ptr<Room> room_;
  std::vector<int64_t> at_;
  int64_t base_[kWindowArrays] = {};
  std::vector<OuterTap<C>> outer_, next_;
  WindowTaps before_[kMostSpatial] = {};
  std::vector<LineTaps<C>> taps_;  // by run, or of all of the line
  LineTaps<C> row_taps_;
  int64_t start_ = 0, divisor_ = 1;
  int64_t begin_ = 0, n_ = 0;
  struct Kept {
    const M* line = nullptr;
    int64_t begin = 0;
  };
  Kept kept_[kSpread];
  int64_t oldest_ = 0;
};

class CpuWindow final : public Computation {
 public:
  explicit CpuWindow(const WindowPlan& plan)
      : Computation(plan.name, plan.written().device()), plan_(plan), lines_(plan_), planes_(plan_, lines_) {
    plan.declare(*this);
  }
  Status run(const TaskContext&) override {
    with_float_element(plan_.image.dtype, [this]<class M>(M*) {
      const int64_t pieces = lines_.lines * LineLoops<M>::pieces_of(lines_);
      const int64_t cost = 8 * lines_.most_taps + static_cast<int64_t>(2 * sizeof(M));
      const int64_t elements = lines_.lines * lines_.length;
      const int64_t parts = elements < kSharedCost / cost
                                ? 1
                                : std::clamp<int64_t>(elements / std::max<int64_t>(kPartCost / cost, 1), 1,
                                                      std::min<int64_t>(pieces, 64));
      const int64_t threads = std::min<int64_t>(parts, known_processors());
      PartRanges ranges(parts, threads);
      const auto work = [&](int64_t thread) {
        LineLoops<M> line_by_line(plan_, lines_);
        std::vector<float> memory = planes_.memory();
        const int64_t lines = planes_.possible() ? planes_.lines() : 1, planes = lines_.lines / lines;
        for (int64_t part; (part = ranges.take(thread)) >= 0;) {
          if (!planes_.possible()) line_by_line.run(pieces * part / parts, pieces * (part + 1) / parts);
          for (int64_t plane = planes * part / parts; planes_.possible() && plane < planes * (part + 1) / parts;
               ++plane)
            if (!planes_.run(plane, memory.data()))
              line_by_line.run(plane * lines * pieces / lines_.lines, (plane + 1) * lines * pieces / lines_.lines);
        }
      };
      if (threads == 1)
        work(0);
      else
        Workers::share(threads, work);
    });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuWindow>(memory.moved(plan_)); }

 private:
  const WindowPlan plan_;
  const WindowLines lines_;
  const WindowPlanes planes_;
};

}  // namespace

Ref<OperatorTask> make_cpu_window(const WindowPlan& plan) {
  return make_ref<CpuWindow>(plan);
}

}  // namespace rondo::ops
