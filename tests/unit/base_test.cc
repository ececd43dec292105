// The ground floor: dtypes and the 16-bit conversions over every bit pattern, small containers, fences, shapes,
// the log. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/file.h"
#include "base/log.h"
#include "base/shape.h"
#include "base/small_vector.h"
#include "base/status.h"
#include "base/text.h"
#include "device/cpu/cpu_device.h"
#include "memory/fence.h"

namespace rondo {
namespace {

// --- 16-bit floats ---

// The value of a 16-bit float with e exponent and m mantissa bits, from the definition.
double value_of(uint16_t bits, int e, int m) {
  const int exponent = (bits >> m) & ((1 << e) - 1);
  const int mantissa = bits & ((1 << m) - 1);
  const int bias = (1 << (e - 1)) - 1;
  double magnitude;
  if (exponent == (1 << e) - 1)
    magnitude = mantissa ? std::nan("") : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, 1 - bias - m);
  else
    magnitude = std::ldexp((1 << m) + mantissa, exponent - bias - m);
  return bits & 0x8000 ? -magnitude : magnitude;
}

struct Format {
  int e, m;
  float (*to_float)(uint16_t);
  uint16_t (*from_float)(float);
};
const Format kHalf = {5, 10, half_to_float, float_to_half};
const Format kBfloat = {8, 7, bf16_to_float, float_to_bf16};

class Conversions : public ::testing::TestWithParam<Format> {};

TEST_P(Conversions, EveryPatternGoesThereAndBack) {
  const Format& format = GetParam();
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float value = format.to_float(bits);
    const double exact = value_of(bits, format.e, format.m);
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(value)) << i;
      const uint16_t back = format.from_float(value);
      ASSERT_TRUE(std::isnan(value_of(back, format.e, format.m))) << i;
      ASSERT_EQ(back & 0x8000, bits & 0x8000) << "the sign of NaN stays";
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), exact) << i;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << i;
    ASSERT_EQ(format.from_float(value), bits) << i;
  }
}

TEST_P(Conversions, RoundsToNearestEven) {
  const Format& format = GetParam();
  const auto infinity = static_cast<uint16_t>(((1 << format.e) - 1) << format.m);
  for (uint16_t low = 0; low < infinity; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    // The midpoint of the last finite number and the one that would follow it bounds what rounds to infinity.
    const double from = value_of(low, format.e, format.m);
    const double step = low ? from - value_of(static_cast<uint16_t>(low - 1), format.e, format.m) : 0;
    const double to = high == infinity ? from + step : value_of(high, format.e, format.m);
    const auto middle = static_cast<float>((from + to) / 2);
    ASSERT_EQ(static_cast<double>(middle), (from + to) / 2) << "the midpoint is exact in float";
    const uint16_t even = low % 2 ? high : low;
    ASSERT_EQ(format.from_float(middle), even) << low;
    ASSERT_EQ(format.from_float(std::nextafterf(middle, 0)), low) << low;
    ASSERT_EQ(format.from_float(std::nextafterf(middle, std::numeric_limits<float>::infinity())), high) << low;
    ASSERT_EQ(format.from_float(-middle), even | 0x8000) << low;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Conversions, ::testing::Values(kHalf, kBfloat),
                         [](const auto& info) { return info.param.e == 5 ? "half" : "bfloat16"; });

#if defined(__FLT16_MAX__) && defined(__GNUC__) && !defined(__clang__)
TEST(Half, AgreesWithTheCompiler) {
  auto compiler = [](float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); };
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const auto theirs = static_cast<float>(std::bit_cast<_Float16>(bits));
    if (!std::isnan(theirs)) {
      ASSERT_EQ(half_to_float(bits), theirs) << i;
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(value)) {
      ASSERT_EQ(float_to_half(value), compiler(value)) << value;
    }
  }
}
#endif

// --- dtypes ---

TEST(Dtype, SizesAndNames) {
  const size_t sizes[] = {1, 1, 1, 4, 8, 2, 2, 4, 8, 2, 2, 4, 8, 1, 1};
  const char* const names[] = {"bool", "u8",  "i8",  "i32", "i64", "f16",     "bf16",   "f32",
                               "f64",  "i16", "u16", "u32", "u64", "f8_e4m3", "f8_e5m2"};
  for (int i = 0; i < kDtypes; ++i) {
    EXPECT_EQ(dtype_size(static_cast<rondo_dtype>(i)), sizes[i]);
    EXPECT_STREQ(dtype_name(static_cast<rondo_dtype>(i)), names[i]);
  }
  EXPECT_STREQ(dtype_name(static_cast<rondo_dtype>(kDtypes)), "unknown");
  EXPECT_STREQ(dtype_name(static_cast<rondo_dtype>(-1)), "unknown");
  EXPECT_FALSE(is_dtype(-1));
  EXPECT_FALSE(is_dtype(kDtypes));
}

TEST(Dtype, PromotionTable) {
  // Rows and columns in the order of rondo_dtype.
  constexpr int kComputed = RONDO_U64 + 1;
  const char* const table[kComputed][kComputed] = {
      {"bool", "u8", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "i16", "u16", "u32", "u64"},
      {"u8", "u8", "i32", "i32", "i64", "f16", "bf16", "f32", "f64", "i16", "u16", "u32", "u64"},
      {"i8", "i32", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "i16", "i32", "i64", "f64"},
      {"i32", "i32", "i32", "i32", "i64", "f16", "bf16", "f32", "f64", "i32", "i32", "i64", "f64"},
      {"i64", "i64", "i64", "i64", "i64", "f16", "bf16", "f32", "f64", "i64", "i64", "i64", "f64"},
      {"f16", "f16", "f16", "f16", "f16", "f16", "f32", "f32", "f64", "f16", "f16", "f16", "f16"},
      {"bf16", "bf16", "bf16", "bf16", "bf16", "f32", "bf16", "f32", "f64", "bf16", "bf16", "bf16", "bf16"},
      {"f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f64", "f32", "f32", "f32", "f32"},
      {"f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64"},
      {"i16", "i16", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "i16", "i32", "i64", "f64"},
      {"u16", "u16", "i32", "i32", "i64", "f16", "bf16", "f32", "f64", "i32", "u16", "u32", "u64"},
      {"u32", "u32", "i64", "i64", "i64", "f16", "bf16", "f32", "f64", "i64", "u32", "u32", "u64"},
      {"u64", "u64", "f64", "f64", "f64", "f16", "bf16", "f32", "f64", "f64", "u64", "u64", "u64"},
  };
  for (int a = 0; a < kDtypes; ++a)
    for (int b = 0; b < kDtypes; ++b) {
      const auto x = static_cast<rondo_dtype>(a), y = static_cast<rondo_dtype>(b);
      EXPECT_EQ(promotes(x, y), a == b || (a < kComputed && b < kComputed)) << a << " with " << b;
      if (!promotes(x, y)) continue;
      EXPECT_STREQ(dtype_name(promote(x, y)), a < kComputed ? table[a][b] : dtype_name(x)) << a << " with " << b;
    }
}

// What numpy.promote_types (2.4.6) gives. Rondo differs where the note of rondo/ops.h says so, and nowhere else: an
// integer with a float does not widen the float, and u8 with i8 gives i32.
TEST(Dtype, PromotionIsNumPys) {
  const char* const names[] = {"bool", "u8", "i8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"};
  constexpr int kCount = std::size(names);
  const char* const table[kCount][kCount] = {
      {"bool", "u8", "i8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"},
      {"u8", "u8", "i16", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"},
      {"i8", "i16", "i8", "i16", "i32", "i32", "i64", "i64", "f64", "f32", "f64"},
      {"i16", "i16", "i16", "i16", "i32", "i32", "i64", "i64", "f64", "f32", "f64"},
      {"u16", "u16", "i32", "i32", "u16", "i32", "u32", "i64", "u64", "f32", "f64"},
      {"i32", "i32", "i32", "i32", "i32", "i32", "i64", "i64", "f64", "f64", "f64"},
      {"u32", "u32", "i64", "i64", "u32", "i64", "u32", "i64", "u64", "f64", "f64"},
      {"i64", "i64", "i64", "i64", "i64", "i64", "i64", "i64", "f64", "f64", "f64"},
      {"u64", "u64", "f64", "f64", "u64", "f64", "u64", "f64", "u64", "f64", "f64"},
      {"f32", "f32", "f32", "f32", "f32", "f64", "f64", "f64", "f64", "f32", "f64"},
      {"f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64"},
  };
  const auto dtype_of = [](const char* name) {
    int i = 0;
    while (std::string(dtype_name(static_cast<rondo_dtype>(i))) != name) ++i;
    return static_cast<rondo_dtype>(i);
  };
  for (int a = 0; a < kCount; ++a)
    for (int b = 0; b < kCount; ++b) {
      const rondo_dtype x = dtype_of(names[a]), y = dtype_of(names[b]);
      std::string expected = table[a][b];
      if (is_float(x) != is_float(y)) expected = names[is_float(x) ? a : b];
      if ((x == RONDO_U8 && y == RONDO_I8) || (x == RONDO_I8 && y == RONDO_U8)) expected = "i32";
      EXPECT_EQ(dtype_name(promote(x, y)), expected) << names[a] << " with " << names[b];
    }
}

// --- containers ---

TEST(SmallVector, BehavesAsAVector) {
  std::mt19937 random(2);
  using Small = SmallVector<int, 4>;
  for (int round = 0; round < 200; ++round) {
    Small mine;
    std::vector<int> model;
    for (int step = 0; step < 100; ++step) {
      switch (random() % 10) {
        case 0:
          mine.clear();
          model.clear();
          break;
        case 1:
          if (!model.empty()) {
            mine.pop_back();
            model.pop_back();
          }
          break;
        case 2:
          if (!model.empty()) {
            const auto i = static_cast<uint32_t>(random() % model.size());
            mine.erase_unordered(i);
            model[i] = model.back();
            model.pop_back();
          }
          break;
        case 3: {
          Small copy = mine;
          mine = copy;
          break;
        }
        case 4: {
          Small moved = std::move(mine);
          EXPECT_TRUE(mine.empty());  // NOLINT: what a moved-from one is, is part of the contract
          mine.push_back(1);          // NOLINT
          mine = std::move(moved);
          break;
        }
        case 5: mine = *&mine; break;
        case 6:
          if (!model.empty()) {
            mine.push_back(mine[0]);  // of the vector itself, perhaps while it grows
            model.push_back(int{model[0]});
          }
          break;
        default: {
          const auto value = static_cast<int>(random());
          mine.push_back(value);
          model.push_back(value);
        }
      }
      ASSERT_EQ(mine.size(), model.size());
      ASSERT_EQ(mine.empty(), model.empty());
      ASSERT_TRUE(std::equal(model.begin(), model.end(), mine.begin(), mine.end()));
      if (!model.empty()) {
        ASSERT_EQ(mine.back(), model.back());
      }
    }
  }
}

TEST(FenceSet, KeepsTheLatestOfEachStream) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    FenceSet set;
    FenceSet other;
    std::vector<uint64_t> model(6, 0);
    for (int i = 0; i < 20; ++i) {
      const Fence fence{static_cast<uint32_t>(random() % 6), 1 + random() % 50};
      (random() % 2 ? set : other).add(fence);
      model[fence.stream] = std::max(model[fence.stream], fence.sequence);
    }
    set.add(Fence{});  // no fence
    set.add(other);
    std::vector<uint64_t> found(6, 0);
    for (const Fence& fence : set) {
      ASSERT_EQ(found[fence.stream], 0u) << "one fence per stream";
      found[fence.stream] = fence.sequence;
    }
    ASSERT_EQ(found, model);
    set.clear();
    ASSERT_TRUE(set.empty());
  }
}

struct Counted final : RefCounted {
  explicit Counted(int* alive) : alive(alive) { ++*alive; }
  ~Counted() override { --*alive; }
  int* alive;
};

TEST(Ref, OwnsShares) {
  int alive = 0;
  {
    Ref<Counted> a = make_ref<Counted>(&alive);
    EXPECT_EQ(a->use_count(), 1u);
    Ref<Counted> b = a;
    Ref<RefCounted> base = b;
    EXPECT_EQ(a->use_count(), 3u);
    b = std::move(a);
    EXPECT_FALSE(a);  // NOLINT: a moved-from reference is null
    EXPECT_EQ(b->use_count(), 2u);
    b = *&b;
    EXPECT_EQ(b->use_count(), 2u);
    Counted* raw = b.leak();
    EXPECT_FALSE(b);
    b = Ref<Counted>::adopt(raw);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

// --- status and text ---

TEST(Status, CarriesCodeTextAndContext) {
  const Status fine;
  EXPECT_TRUE(fine.ok());
  EXPECT_EQ(fine.code(), RONDO_OK);
  EXPECT_STREQ(fine.message(), "");
  EXPECT_TRUE(fine.with_context("nothing").ok());
  const Status bad = error(RONDO_NOT_FOUND, "no %s with %d%%", "file", 7);
  EXPECT_EQ(bad.code(), RONDO_NOT_FOUND);
  EXPECT_STREQ(bad.message(), "no file with 7%");
  const Status outer = bad.with_context("opening");
  EXPECT_EQ(outer.code(), RONDO_NOT_FOUND);
  EXPECT_STREQ(outer.message(), "opening: no file with 7%");
  EXPECT_STREQ(bad.message(), "no file with 7%");
  const std::string length(10000, 'x');
  EXPECT_EQ(format("%s!", length.c_str()), length + "!");
  EXPECT_EQ(format("%s", ""), "");
}

// --- shapes (layouts of views are tested with the views) ---

TEST(Shape, RowMajor) {
  const int64_t shape[] = {2, 3, 4};
  const Layout layout = Layout::row_major(3, shape);
  EXPECT_EQ(layout.elements(), 24);
  EXPECT_EQ(layout.strides[0], 12);
  EXPECT_EQ(layout.strides[1], 4);
  EXPECT_EQ(layout.strides[2], 1);
  EXPECT_TRUE(layout.contiguous());
  EXPECT_EQ(shape_text(layout), "[2, 3, 4]");
  const Layout scalar = Layout::row_major(0, nullptr);
  EXPECT_EQ(scalar.elements(), 1);
  EXPECT_TRUE(scalar.contiguous());
  EXPECT_EQ(shape_text(scalar), "[]");
}

TEST(Shape, EmptyLayoutsAreContiguous) {
  Layout layout;
  layout.ndim = 2;
  layout.shape[0] = 0;
  layout.shape[1] = 3;
  layout.strides[0] = 6;
  layout.strides[1] = 2;
  EXPECT_TRUE(layout.contiguous());
  int64_t low = 1;
  int64_t high = 1;
  layout.extent(&low, &high);
  EXPECT_EQ(low, 0);
  EXPECT_EQ(high, 0);
}

TEST(Shape, BroadcastFollowsNumPy) {
  struct Case {
    std::vector<int64_t> a, b, result;
    bool fits;
  };
  const Case cases[] = {
      {{2, 3}, {3}, {2, 3}, true}, {{2, 1}, {1, 5}, {2, 5}, true},
      {{}, {4}, {4}, true},        {{8, 1, 6, 1}, {7, 1, 5}, {8, 7, 6, 5}, true},
      {{0}, {1}, {0}, true},       {{2, 0}, {1, 1}, {2, 0}, true},
      {{3}, {4}, {}, false},       {{0}, {3}, {}, false},
      {{2, 3}, {3, 2}, {}, false},
  };
  for (const Case& each : cases)
    for (const bool swapped : {false, true}) {
      const std::vector<int64_t>& a = swapped ? each.b : each.a;
      const std::vector<int64_t>& b = swapped ? each.a : each.b;
      const Layout left = Layout::row_major(static_cast<int>(a.size()), a.data());
      const Layout right = Layout::row_major(static_cast<int>(b.size()), b.data());
      Layout result;
      ASSERT_EQ(broadcast_shapes(left, right, &result), each.fits) << shape_text(left) << shape_text(right);
      if (each.fits) {
        EXPECT_EQ(std::vector<int64_t>(result.shape, result.shape + result.ndim), each.result);
      }
    }
}

// --- texts and the log ---

struct Collected {
  std::vector<std::pair<rondo_log_level, std::string>> messages;
  int destroyed = 0;
};
void collect(void* arg, rondo_log_level level, const char* message) {
  static_cast<Collected*>(arg)->messages.emplace_back(level, message);
}
void count_destroy(void* arg) {
  ++static_cast<Collected*>(arg)->destroyed;
}

TEST(Text, ComesInParts) {
  const auto parts = [](std::string_view text, bool (*take)(std::string_view*, std::string_view*)) {
    std::vector<std::string> all;
    for (std::string_view part; take(&text, &part);) all.emplace_back(part);
    return all;
  };
  const auto line = [](std::string_view* rest, std::string_view* part) { return take_part(rest, '\n', part); };
  using List = std::vector<std::string>;
  EXPECT_EQ(parts("", line), List{});
  EXPECT_EQ(parts("a", line), List{"a"});
  EXPECT_EQ(parts("a\n\nb\n", line), (List{"a", "", "b"}));
  EXPECT_EQ(parts("\n", line), List{""});
  EXPECT_EQ(parts("", take_word), List{});
  EXPECT_EQ(parts("  ", take_word), List{});
  EXPECT_EQ(parts(" a  bc ", take_word), (List{"a", "bc"}));
}

TEST(ReadText, GivesWhatIsThere) {
  std::string text = "before";
  EXPECT_FALSE(read_text("/proc/no such file", 10, &text));
  EXPECT_EQ(text, "before");
  ASSERT_TRUE(read_text("/proc/self/stat", 4096, &text));  // of size 0 to those who ask for it
  EXPECT_EQ(text.back(), '\n');
  const std::string whole = text;
  ASSERT_TRUE(read_text("/proc/self/stat", 3, &text));
  EXPECT_EQ(text, whole.substr(0, 3));
  ASSERT_TRUE(read_text("/dev/null", 10, &text));
  EXPECT_EQ(text, "");
}

TEST(CpuDevice, AsksForLargePagesForWhatIsLarge) {
  void* large = nullptr;
  ASSERT_TRUE(cpu_device().allocate((size_t{8} << 20) + 5, &large).ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % (size_t{2} << 20), 0u);
  char begin[32];
  std::snprintf(begin, sizeof begin, "%lx-", reinterpret_cast<unsigned long>(large));
  std::string maps;
  const bool shown = read_text("/proc/self/smaps", size_t{4} << 20, &maps);
  cpu_device().release(large);
  if (!shown) GTEST_SKIP() << "this system does not show a process its memory";
  const size_t at = maps.find("\n" + std::string(begin));
  ASSERT_NE(at, std::string::npos) << "a mapping of its own begins at " << begin;
  const std::string flags = maps.substr(maps.find("VmFlags:", at));
  if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0) GTEST_SKIP() << "this system has none";
  EXPECT_NE(flags.substr(0, flags.find('\n')).find(" hg"), std::string::npos) << flags.substr(0, flags.find('\n'));
}

TEST(Log, LevelsCallbacksAndDestroy) {
  Collected first;
  Collected second;
  set_log(collect, &first, count_destroy, RONDO_LOG_INFO);
  EXPECT_TRUE(log_enabled(RONDO_LOG_INFO));
  EXPECT_FALSE(log_enabled(RONDO_LOG_DEBUG));
  log(RONDO_LOG_ERROR, "error %d", 1);
  log(RONDO_LOG_DEBUG, "not seen");
  ASSERT_EQ(first.messages.size(), 1u);
  EXPECT_EQ(first.messages[0].first, RONDO_LOG_ERROR);
  EXPECT_EQ(first.messages[0].second, "error 1");
  set_log(collect, &second, count_destroy, RONDO_LOG_DEBUG);
  EXPECT_EQ(first.destroyed, 1);
  log(RONDO_LOG_DEBUG, "seen");
  EXPECT_EQ(second.messages.size(), 1u);
  EXPECT_EQ(first.messages.size(), 1u);
  set_log(nullptr, nullptr, nullptr, RONDO_LOG_OFF);
  EXPECT_EQ(second.destroyed, 1);
  log(RONDO_LOG_ERROR, "to nobody");
  EXPECT_FALSE(log_enabled(RONDO_LOG_ERROR));
}

}  // namespace
}  // namespace rondo
