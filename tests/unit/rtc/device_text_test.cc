// Unpacking of kernels' texts. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/device_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::rtc {
namespace {

TEST(DeviceText, WhatIsNotPackedIsWrittenAsItIs) {
  EXPECT_EQ(text_of(""), "");
  EXPECT_EQ(text_of("int x;\n\t\177"), "int x;\n\t\177");
}

TEST(DeviceText, WhatStoodBeforeIsWrittenAgain) {
  EXPECT_EQ(text_of("abcdef\201\006!"), "abcdefabcd!");
  EXPECT_EQ(text_of("abcdef\300\001\006!"), "abcdefabcd!");
  EXPECT_EQ(text_of("a\204\001"), std::string(8, 'a')) << "of what is just written";
}

TEST(DeviceText, DigitsReachFarBack) {
  for (const size_t high : {1, 3, 200}) {
    const std::string far = std::string("\300") + static_cast<char>(high + 1) + "\004";
    const std::string between(255 * high, '-');
    EXPECT_EQ(text_of(("word" + between + far).c_str()), "word" + between + "word");
    if (high > 3) continue;
    const std::string near = std::string(1, static_cast<char>(0201 + high * 16)) + "\004";
    EXPECT_EQ(text_of(("word" + between + near).c_str()), "word" + between + "word");
  }
}

TEST(DeviceText, ATextCountsBackWithinItself) {
  std::string text = "before ";
  append_text("abcd\201\004", &text);
  EXPECT_EQ(text, "before abcdabcd");
}

TEST(DeviceText, ATextMayCountBackIntoTheSharedOne) {
  const std::string shared = text_of(kReduceText), end = shared.substr(shared.size() - 4);
  EXPECT_EQ(text_of("\001\201\004!"), end + "!");
  std::string text = "before ";
  append_text("\001ab\201\006", &text);
  EXPECT_EQ(text, "before ab" + end);
}

TEST(DeviceText, KernelsArePacked) {
  for (const char* packed : {kPreludeText, kRowsText, kAttentionTilesText}) {
    const std::string text = text_of(packed);
    EXPECT_LT(std::string(packed).size() * 2, text.size());
    EXPECT_TRUE(
        std::all_of(text.begin(), text.end(), [](char each) { return static_cast<unsigned char>(each) < 128; }));
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  }
}

}  // namespace
}  // namespace rondo::rtc
