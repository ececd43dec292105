// What ranks say to each other, written and read, and what is refused of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/messages.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <functional>

#include "comm/rendezvous/agree.h"
#include "comm/rendezvous/frame.h"

namespace rondo::comm {
namespace {

constexpr Ends kToRoot = {1, 0, 3}, kFromRoot = {0, 2, 3};

Status read(const Ends& ends, const std::string& bytes, Frame* frame) {
  FrameHead head;
  std::memcpy(&head, bytes.data(), sizeof head);
  RONDO_TRY(check_head(head));
  EXPECT_EQ(head.bytes, bytes.size() - sizeof head);
  return decode(ends, head.verb, std::string_view(bytes).substr(sizeof head), frame);
}

bool passes(const Ends& ends, const Frame& sent) {
  Frame frame;
  return read(ends, encode(sent), &frame).ok() && frame.index() == sent.index() && encode(frame) == encode(sent);
}

TEST(Messages, EachReachesItsSideAlone) {
  const Gather gather = {"g#0", "g", {0, 1}, 5, false, "label", "text"};
  const Gathered gathered = {"g#0", {}, {0, 2}, 0, {"a", "b"}};
  EXPECT_TRUE(passes(kToRoot, Alive{}) && passes(kFromRoot, Alive{}));
  EXPECT_TRUE(passes(kToRoot, gather) && !passes(kFromRoot, gather));
  EXPECT_TRUE(!passes(kToRoot, gathered) && passes(kFromRoot, gathered));
  EXPECT_TRUE(passes(kFromRoot, Gathered{"g#0", {RONDO_TIMED_OUT, "late"}, {}, 0, {}}));
  EXPECT_TRUE(passes(kToRoot, Tell{"g", {1, 0}, 1, "x"}) && passes(kFromRoot, Tell{"g", {1, 2}, 1, "x"}));
  EXPECT_TRUE(passes(kToRoot, Leave{"g", {1, 0}, 1}) && passes(kFromRoot, Leave{"g", {1, 2}, 1}));
  EXPECT_TRUE(!passes(kToRoot, Lost{1, "x"}) && passes(kFromRoot, Lost{1, "x"}));
  EXPECT_TRUE(passes(kToRoot, Bye{}) && !passes(kFromRoot, Bye{}));
}

TEST(Messages, RanksThatDoNotExistAreRefused) {
  for (const int member : {3, 77, INT_MAX, -1}) {
    EXPECT_FALSE(passes(kToRoot, Tell{"g", {1, member}, 1, "x"})) << member;
    EXPECT_FALSE(passes(kToRoot, Leave{"g", {1, member}, 1})) << member;
    EXPECT_FALSE(passes(kToRoot, Gather{"g#0", "g", {1, member}, 5, false, "", ""})) << member;
    EXPECT_FALSE(passes(kFromRoot, Tell{"g", {2, 1}, member, "x"})) << member;
    EXPECT_FALSE(passes(kFromRoot, Leave{"g", {2, 1}, member})) << member;
    EXPECT_FALSE(passes(kFromRoot, Lost{member, "x"})) << member;
    EXPECT_FALSE(passes(kFromRoot, Gathered{"g#0", {}, {2, member}, 0, {"a", "b"}})) << member;
  }
}

TEST(Messages, WhoSpeaksForAnotherIsRefused) {
  EXPECT_FALSE(passes(kToRoot, Tell{"g", {1, 2}, 2, "x"}));                         // rank 1 as rank 2
  EXPECT_FALSE(passes(kToRoot, Leave{"g", {0, 2}, 1}));                             // of a group that it is not in
  EXPECT_FALSE(passes(kToRoot, Gather{"g#0", "g", {0, 2}, 5, false, "", ""}));      // likewise
  EXPECT_FALSE(passes(kToRoot, Gather{"other#0", "g", {1, 0}, 5, false, "", ""}));  // in another group's name
  EXPECT_FALSE(passes(kFromRoot, Tell{"g", {1, 2}, 2, "x"}));                       // to rank 2 as rank 2
  EXPECT_FALSE(passes(kFromRoot, Lost{2, "x"}));
  EXPECT_FALSE(passes(kFromRoot, Lost{0, "x"}));
  EXPECT_FALSE(passes(kToRoot, Tell{"g", {1, 1}, 1, "x"}));  // a member twice
}

TEST(Messages, TextsHaveAnEnd) {
  Frame frame;
  FrameHead head = {0, 0, kMaxFrame + 1};
  EXPECT_FALSE(check_head(head).ok());
  head.bytes = kMaxFrame;
  EXPECT_TRUE(check_head(head).ok());
  head.verb = 7;
  EXPECT_FALSE(check_head(head).ok());
  EXPECT_FALSE(passes(kToRoot, Gather{"g#0", "g", {1}, 5, false, std::string(kMaxLabel + 1, 'x'), ""}));
  EXPECT_FALSE(passes(kToRoot, Gather{"g#0", "g", {1}, 5, false, "", std::string(kMaxText + 1, 'x')}));
  // What is only said is cut where it is written.
  ASSERT_TRUE(read(kToRoot, encode(Tell{"g", {1}, 1, std::string(kMaxText + 9, 'x')}), &frame).ok());
  EXPECT_EQ(std::get<Tell>(frame).text.size(), kMaxText);
  // Cut short, or with more behind it.
  const std::string whole = encode(Tell{"g", {0, 1}, 1, "x"}).substr(sizeof head);
  for (size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(decode(kToRoot, 3, whole.substr(0, n), &frame).ok()) << n;
  EXPECT_FALSE(decode(kToRoot, 3, whole + "y", &frame).ok());
}

TEST(Messages, AFailureIsAlwaysOne) {
  EXPECT_EQ(failure_of(RONDO_RANK_LOST, "x").code(), RONDO_RANK_LOST);
  EXPECT_STREQ(failure_of(RONDO_RANK_LOST, "x").message(), "x");
  for (const uint64_t code : {uint64_t{0}, uint64_t{16}, uint64_t{0xffffffff}, uint64_t{1} << 40, ~uint64_t{0}}) {
    EXPECT_EQ(failure_of(code, "x").code(), RONDO_INTERNAL);
    EXPECT_EQ(std::string(failure_of(code, "x").message()).rfind("x (with the status ", 0), 0u);
  }
}

TEST(Messages, NumbersOfAPeersText) {
  int value = 5;
  for (const char* wrong : {"", " ", "x", "1x", "0x1", "-1", "11", "99999999999999999999", "1.5", "+1"}) {
    std::string_view rest = wrong;
    EXPECT_FALSE(take_number(&rest, 0, 10, &value)) << wrong;
    EXPECT_EQ(value, 5);
  }
  std::string_view rest = "7 -3 end";
  EXPECT_TRUE(take_number(&rest, 0, 10, &value));
  EXPECT_EQ(value, 7);
  EXPECT_TRUE(take_number(&rest, -5, 10, &value));
  EXPECT_EQ(value, -3);
  EXPECT_EQ(rest, "end");
}

// A session whose other rank says what it is told to say.
struct Said final : Session {
  explicit Said(std::string text) : text(std::move(text)) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  Status all_gather(std::string_view, std::string_view mine, std::vector<std::string>* all) override {
    *all = {std::string(mine), text};
    return {};
  }
  Status subgroup(const std::vector<int>&, std::string_view, std::shared_ptr<Session>*) override { return {}; }
  void tell(std::string_view) override {}
  void listen(Listener*) override {}
  void give_up(const Status&) noexcept override {}
  Status reform(std::vector<int>*, std::shared_ptr<Session>*) override { return {}; }
  const std::string text;
};

TEST(Messages, AgreeingMeansThatAllSaySo) {
  std::vector<std::string> all;
  Said good("0 yes");
  ASSERT_TRUE(agree(good, "x", {}, "mine", &all).ok());
  EXPECT_EQ(all, (std::vector<std::string>{"mine", "yes"}));
  Said failed("3 no memory");
  EXPECT_EQ(agree(failed, "x", {}, "mine").code(), RONDO_OUT_OF_MEMORY);
  for (const char* text : {"", "yes", "0x yes", "-1 no", "99 no", "99999999999 no", "4294967296 yes"}) {
    Said wrong(text);
    EXPECT_EQ(agree(wrong, "x", {}, "mine").code(), RONDO_INTERNAL) << text;
  }
}

}  // namespace
}  // namespace rondo::comm
