// Views against brute force: every element of a random view is found where index arithmetic says it is.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

namespace rondo {
namespace {

// The byte offsets of a view's elements in row-major order.
std::vector<int64_t> offsets(const View& view) {
  std::vector<int64_t> result;
  const int64_t count = view.elements();
  const auto size = static_cast<int64_t>(dtype_size(view.dtype));
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n;
    int64_t offset = view.offset;
    for (int i = view.layout.ndim - 1; i >= 0; --i) {
      offset += rest % view.layout.shape[i] * view.layout.strides[i] * size;
      rest /= view.layout.shape[i];
    }
    result.push_back(offset);
  }
  return result;
}

View make(std::vector<int64_t> shape, rondo_dtype dtype = RONDO_F32) {
  View view;
  view.dtype = dtype;
  view.layout = Layout::row_major(static_cast<int>(shape.size()), shape.data());
  return view;
}

std::vector<int64_t> shape_of(const View& view) {
  return {view.layout.shape, view.layout.shape + view.layout.ndim};
}

// A model of an array: its shape and, in row-major order, where each element lies.
struct Model {
  std::vector<int64_t> shape;
  std::vector<int64_t> at;
  int64_t index(const std::vector<int64_t>& where) const {
    int64_t n = 0;
    for (size_t i = 0; i < shape.size(); ++i) n = n * shape[i] + where[i];
    return at[static_cast<size_t>(n)];
  }
};

// Builds a model of `shape` by asking for each element.
template <class Find>
Model build(std::vector<int64_t> shape, Find&& find) {
  Model model{std::move(shape), {}};
  int64_t count = 1;
  for (const int64_t size : model.shape) count *= size;
  for (int64_t n = 0; n < count; ++n) {
    std::vector<int64_t> where(model.shape.size());
    int64_t rest = n;
    for (size_t i = where.size(); i-- > 0;) {
      where[i] = rest % model.shape[i];
      rest /= model.shape[i];
    }
    model.at.push_back(find(where));
  }
  return model;
}

// What Python's slice gives, by the words of its definition.
std::vector<int64_t> python_slice(int64_t size, int64_t start, int64_t stop, int64_t step) {
  const __int128 n = size;
  auto clamp = [&](__int128 at) {
    if (at < 0) at += n;
    const __int128 low = step < 0 ? -1 : 0;
    const __int128 high = step < 0 ? n - 1 : n;
    return std::clamp(at, low, std::max(low, high));
  };
  const __int128 first = clamp(start);
  const __int128 last = step < 0 && stop == INT64_MIN ? -1 : clamp(stop);
  std::vector<int64_t> indices;
  for (__int128 i = first; step > 0 ? i < last : i > last; i += step) indices.push_back(static_cast<int64_t>(i));
  return indices;
}

std::vector<int64_t> random_shape(std::mt19937_64& random, int64_t elements) {
  std::vector<int64_t> shape;
  while (elements > 1 && shape.size() < 6) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= elements; ++d)
      if (elements % d == 0) divisors.push_back(d);
    shape.push_back(divisors[random() % divisors.size()]);
    elements /= shape.back();
  }
  if (elements > 1) shape.push_back(elements);
  while (shape.size() < 7 && random() % 4 == 0)
    shape.insert(shape.begin() + static_cast<int>(random() % (shape.size() + 1)), 1);
  return shape;
}

class Views : public ::testing::TestWithParam<int> {};

TEST_P(Views, RandomChainsAgreeWithTheModel) {
  std::mt19937_64 random(static_cast<uint64_t>(GetParam()));
  int reshapes = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<int64_t> shape;
    for (auto n = random() % 5; n > 0; --n) shape.push_back(random() % 20 ? 1 + static_cast<int64_t>(random() % 5) : 0);
    View view = make(shape, random() % 2 ? RONDO_F16 : RONDO_F64);
    Model model{shape, offsets(view)};
    for (int step = 0; step < 6; ++step) {
      View next;
      const int ndim = view.layout.ndim;
      switch (random() % 4) {
        case 0: {
          if (ndim == 0) continue;
          const int axis = static_cast<int>(random() % static_cast<unsigned>(ndim));
          auto pick = [&]() -> int64_t {
            switch (random() % 12) {
              case 0: return INT64_MIN;
              case 1: return INT64_MAX;
              default: return static_cast<int64_t>(random() % 17) - 8;
            }
          };
          const int64_t start = pick();
          const int64_t stop = pick();
          int64_t by = random() % 10 ? static_cast<int64_t>(random() % 7) - 3 : INT64_MAX;
          if (by == 0) by = -INT64_MAX;
          ASSERT_TRUE(slice_view(view, random() % 2 ? axis : axis - ndim, start, stop, by, &next).ok());
          const auto a = static_cast<size_t>(axis);
          const std::vector<int64_t> indices = python_slice(model.shape[a], start, stop, by);
          std::vector<int64_t> smaller = model.shape;
          smaller[a] = static_cast<int64_t>(indices.size());
          const Model old = model;
          model = build(smaller, [&](std::vector<int64_t> where) {
            where[a] = indices[static_cast<size_t>(where[a])];
            return old.index(where);
          });
          break;
        }
        case 1: {
          std::vector<int32_t> axes(static_cast<size_t>(ndim));
          for (int i = 0; i < ndim; ++i) axes[static_cast<size_t>(i)] = i;
          std::shuffle(axes.begin(), axes.end(), random);
          const bool reversed = random() % 4 == 0;
          if (reversed)
            for (int i = 0; i < ndim; ++i) axes[static_cast<size_t>(i)] = ndim - 1 - i;
          ASSERT_TRUE(transpose_view(view, reversed ? nullptr : axes.data(), &next).ok());
          std::vector<int64_t> permuted;
          for (const int32_t axis : axes) permuted.push_back(model.shape[static_cast<size_t>(axis)]);
          const Model old = model;
          model = build(permuted, [&](const std::vector<int64_t>& where) {
            std::vector<int64_t> from(where.size());
            for (size_t i = 0; i < where.size(); ++i) from[static_cast<size_t>(axes[i])] = where[i];
            return old.index(from);
          });
          break;
        }
        case 2: {
          std::vector<int64_t> wider = model.shape;
          for (int64_t& size : wider)
            if (size == 1) size = static_cast<int64_t>(random() % 4);
          while (wider.size() < 6 && random() % 3 == 0) wider.insert(wider.begin(), static_cast<int64_t>(random() % 3));
          int64_t total = 1;
          for (const int64_t size : wider) total *= size;
          if (total > 5000) continue;
          ASSERT_TRUE(broadcast_view(view, static_cast<int>(wider.size()), wider.data(), &next).ok());
          const Model old = model;
          model = build(wider, [&](const std::vector<int64_t>& where) {
            std::vector<int64_t> from(where.end() - static_cast<long>(old.shape.size()), where.end());
            for (size_t i = 0; i < from.size(); ++i)
              if (old.shape[i] == 1) from[i] = 0;
            return old.index(from);
          });
          break;
        }
        default: {
          if (view.elements() == 0) continue;
          std::vector<int64_t> other = random_shape(random, view.elements());
          if (other.size() > 8) continue;
          std::vector<int64_t> asked = other;
          if (!asked.empty() && random() % 2) asked[random() % asked.size()] = -1;
          const Status status = reshape_view(view, static_cast<int>(asked.size()), asked.data(), &next);
          if (!status.ok()) {
            // Refused: then really no strides do. The elements' places, read row-major under the new shape, would have
            // to be affine in the index.
            ASSERT_EQ(status.code(), RONDO_INVALID_ARGUMENT);
            bool affine = true;
            const Model as_new{other, model.at};
            std::vector<int64_t> zero(other.size(), 0);
            std::vector<int64_t> strides(other.size(), 0);
            for (size_t i = 0; i < other.size(); ++i) {
              if (other[i] == 1) continue;
              std::vector<int64_t> one = zero;
              one[i] = 1;
              strides[i] = as_new.index(one) - as_new.index(zero);
            }
            build(other, [&](const std::vector<int64_t>& where) {
              int64_t at = as_new.index(zero);
              for (size_t i = 0; i < where.size(); ++i) at += where[i] * strides[i];
              if (at != as_new.index(where)) affine = false;
              return at;
            });
            ASSERT_FALSE(affine) << "a view was possible";
            continue;
          }
          ++reshapes;
          model.shape = other;
          break;
        }
      }
      view = next;
      ASSERT_EQ(shape_of(view), model.shape);
      ASSERT_EQ(offsets(view), model.at);
      int64_t low = 0;
      int64_t high = 0;
      view.layout.extent(&low, &high);
      if (!model.at.empty()) {
        const auto size = static_cast<int64_t>(dtype_size(view.dtype));
        ASSERT_EQ(view.offset + low * size, *std::min_element(model.at.begin(), model.at.end()));
        ASSERT_EQ(view.offset + (high - 1) * size, *std::max_element(model.at.begin(), model.at.end()));
        bool dense = true;
        for (size_t i = 0; i < model.at.size(); ++i)
          dense = dense && model.at[i] == model.at[0] + static_cast<int64_t>(i) * size;
        ASSERT_EQ(view.layout.contiguous(), dense);
        std::vector<int64_t> sorted = model.at;
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(view.layout.repeats(), std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end());
      } else {
        ASSERT_TRUE(low == 0 && high == 0);
        ASSERT_TRUE(view.layout.contiguous()) << "no elements leave no gaps";
      }
      if (view.elements() > 2000) break;
    }
  }
  EXPECT_GT(reshapes, 30) << "the run must reach reshapes that work";
}

INSTANTIATE_TEST_SUITE_P(Seeds, Views, ::testing::Range(1, 9));

void refused(const Status& status, const char* part) {
  EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message()).find(part), std::string::npos) << status.message() << " lacks: " << part;
}

TEST(ViewsOfNothing, SlicesStayWithinTheMemory) {
  const View view = make({0, 5});
  View result;
  ASSERT_TRUE(slice_view(view, 1, 3, 5, 1, &result).ok());
  EXPECT_EQ(result.layout.shape[1], 2);
  EXPECT_EQ(result.offset, view.offset);
  ASSERT_TRUE(split_view(view, 1, 2, 1, &result).ok());
  EXPECT_EQ(result.offset, view.offset);
}

TEST(ViewErrors, EachMistakeIsNamed) {
  const View view = make({4, 6});
  View result = make({1});
  auto reshape = [&](const View& from, std::vector<int64_t> shape) {
    return reshape_view(from, static_cast<int>(shape.size()), shape.data(), &result);
  };
  refused(reshape(view, {5, 5}), "holds 25 elements; tensor has 24");
  refused(reshape(view, {-1, -1}), "-1 once");
  refused(reshape(view, {-2, 12}), "-2");
  refused(reshape(view, {5, -1}), "cannot hold 24 elements");
  refused(reshape(view, {0, -1}), "cannot hold");
  refused(reshape(view, {INT64_MAX, INT64_MAX}), "63 bits");
  refused(reshape_view(view, 9, view.layout.shape, &result), "ndim is 9");
  refused(reshape_view(view, -1, view.layout.shape, &result), "ndim is -1");
  refused(reshape_view(view, 2, nullptr, &result), "shape is NULL");
  View transposed;
  ASSERT_TRUE(transpose_view(view, nullptr, &transposed).ok());
  refused(reshape(transposed, {24}), "without a copy");
  refused(slice_view(view, 2, 0, 1, 1, &result), "axis is 2");
  refused(slice_view(view, -3, 0, 1, 1, &result), "axis is -3");
  refused(slice_view(view, 0, 0, 1, 0, &result), "step is 0");
  const int32_t twice[] = {0, 0};
  const int32_t beyond[] = {0, 2};
  refused(transpose_view(view, twice, &result), "twice");
  refused(transpose_view(view, beyond, &result), "axes is 2");
  const int64_t narrow[] = {6};
  const int64_t wrong[] = {4, 5};
  refused(broadcast_view(view, 1, narrow, &result), "cannot be broadcast");
  refused(broadcast_view(view, 2, wrong, &result), "cannot be broadcast");
}

TEST(ViewErrors, EmptyTensorsDoNotReshapeBeyond63Bits) {
  const View empty = make({0, 3});
  View result;
  const int64_t huge[] = {int64_t{1} << 62, 4, 0};
  EXPECT_EQ(reshape_view(empty, 3, huge, &result).code(), RONDO_INVALID_ARGUMENT);
  const int64_t fine[] = {5, 0, 7};
  EXPECT_TRUE(reshape_view(empty, 3, fine, &result).ok());
}

TEST(CheckShape, CountsBytesIn63Bits) {
  Layout layout;
  const int64_t most[] = {INT64_MAX / 8};
  EXPECT_TRUE(check_shape(1, most, RONDO_F64, &layout).ok());
  const int64_t over[] = {INT64_MAX / 8 + 1};
  refused(check_shape(1, over, RONDO_F64, &layout), "63 bits");
  const int64_t hidden[] = {int64_t{1} << 40, 0, int64_t{1} << 40};
  refused(check_shape(3, hidden, RONDO_F32, &layout), "63 bits");
  const int64_t negative[] = {3, -1};
  refused(check_shape(2, negative, RONDO_F32, &layout), "shape[1] is -1");
  refused(check_shape(2, nullptr, RONDO_F32, &layout), "shape is NULL");
  refused(check_shape(9, most, RONDO_F32, &layout), "ndim is 9");
  refused(check_shape(0, nullptr, static_cast<rondo_dtype>(15), &layout), "dtype is 15");
  EXPECT_TRUE(check_shape(0, nullptr, RONDO_F32, &layout).ok());
  EXPECT_EQ(layout.elements(), 1);
}

TEST(CheckAxis, CountsFromBothEnds) {
  for (int ndim = 1; ndim <= 4; ++ndim)
    for (int axis = -6; axis < 6; ++axis) {
      int result = -1;
      const Status status = check_axis(axis, ndim, "axis", "a", &result);
      EXPECT_EQ(status.ok(), axis >= -ndim && axis < ndim);
      EXPECT_EQ(result, status.ok() ? (axis + ndim) % ndim : -1);
    }
}

}  // namespace
}  // namespace rondo
