// The reader of JSON where it hands on what stands in a text without reading it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "models/json.h"

#include <gtest/gtest.h>

#include "base/json_text.h"

namespace rondo::models {
namespace {

TEST(JsonReader, RestIsAllButTheLastCharacter) {
  JsonReader json("{\"a\":1,\"b\": \n{\"c\":[2, 3]} \n}\r\n\t ", "the text");
  uint64_t a = 0;
  std::string_view b;
  const auto member = [&](const std::string& key) -> Status {
    if (key == "a") return json.number(&a);
    b = json.rest();
    EXPECT_EQ(json.next(), '}');
    return {};
  };
  EXPECT_TRUE(json.object(member).ok());
  EXPECT_TRUE(json.end().ok());
  EXPECT_EQ(a, 1U);
  EXPECT_EQ(b, "{\"c\":[2, 3]} \n");
}

TEST(JsonReader, RestIsWhatStandsThereValidOrNot) {
  for (const std::string_view rest : {"1", "[", "{]", "\"", "1,\"d\":2", "}}}"}) {
    const std::string text = "{\"b\":" + std::string(rest) + "}";
    JsonReader json(text, "the text");
    EXPECT_TRUE(json.object([&](const std::string&) -> Status {
                      EXPECT_EQ(json.rest(), rest);
                      return {};
                    })
                    .ok())
        << text;
    EXPECT_TRUE(json.end().ok()) << text;
  }
}

TEST(JsonReader, RestIsEmptyWhereNothingFollows) {
  for (const char* const text : {"", " \n", "}", " } \n"}) {
    JsonReader json(text, "the text");
    EXPECT_EQ(json.rest(), "") << text;
    EXPECT_EQ(json.rest(), "") << text << ", again";
  }
  // Without a character to leave, the object is told to end too early.
  JsonReader json("{\"b\": ", "the text");
  const Status status = json.object([&](const std::string&) -> Status {
    EXPECT_EQ(json.rest(), "");
    return {};
  });
  EXPECT_EQ(status.code(), RONDO_IO_ERROR);
  EXPECT_NE(std::string(status.message()).find("at byte 6 of the text: it ends where '}' is expected"),
            std::string::npos)
      << status.message();
}

// What a stranger's name has is shown, and not obeyed: no control of a terminal, in one byte or two, and nothing that
// turns or breaks a line.
TEST(ShownTexts, ControlsAndTurnsAreReplaced) {
  for (const char* each : {"\x1b",         "\x7f",         "\xc2\x9b",         "\xd8\x9c",         "\xe2\x80\x8e",
                           "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6",     "\xe2\x81\xa9",     "\xe2\x80\x8b",
                           "\xc2\xad",     "\xef\xbb\xbf", "\xf3\xa0\x81\x81", "\xf3\xa0\x84\x80", "\xcd\x8f",
                           "\xe1\x85\xa0", "\xe1\xa0\x8e", "\xe3\x85\xa4",     "\xef\xb8\x8f",     "\xef\xbe\xa0",
                           "\xef\xbf\xb9"}) {
    const std::string text = std::string("a") + each + "b", shown(std::string(each).size(), '?');
    EXPECT_EQ(plain(text), "a" + shown + "b");
    EXPECT_EQ(excerpt(text), "a?b");
  }
  for (const char* each : {"\xc2\xa0", "\xd8\x9b", "\xe2\x80\x93", "\xe2\x81\xb0", "\xe2\x82\xac", "\xe1\x85\xa1",
                           "\xe3\x85\xa5", "\xef\xbf\xbd", "\xf0\x9f\x99\x82"}) {
    EXPECT_EQ(plain(each), each);
    EXPECT_EQ(excerpt(each), each);
  }
  EXPECT_EQ(plain("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(plain("a\tb\nc", false), "a?b?c");
}

}  // namespace
}  // namespace rondo::models
