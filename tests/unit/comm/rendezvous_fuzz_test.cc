// Ranks that say what no rank of Rondo says: messages of every kind, right in structure and wrong in what stands in
// them, from a rank to rank 0 and from a false rank 0 to the others; and what comes before and beside them. Nothing may
// end the process, hang, or disturb ranks that behave. FUZZ_ROUNDS says how long. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>

#include "comm/rendezvous/frame.h"
#include "comm/rendezvous/handshake.h"
#include "comm/rendezvous/mesh.h"
#include "comm/rendezvous/socket_session.h"

namespace rondo::comm {
namespace {

constexpr int kSize = 4;

int rounds() {
  const char* text = std::getenv("FUZZ_ROUNDS");
  return text ? std::atoi(text) : 100;
}

void socket_pair(File* one, File* other) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  *one = File(ends[0]);
  *other = File(ends[1]);
}

bool closed(const File& socket) {
  pollfd entry = {socket.get(), POLLIN, 0};
  return poll(&entry, 1, 0) > 0 && (entry.revents & POLLHUP) != 0;
}

// What a liar says, the same for the same seed.
class Liar {
 public:
  explicit Liar(uint64_t seed) : random_(seed) {}

  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  size_t below(size_t end) { return random_() % end; }

  // Mostly a rank; else at the edge of something.
  uint64_t number() {
    static constexpr uint64_t edges[] = {4,          5,          77,         255,         65536,
                                         0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1ull << 40,
                                         1ull << 62, 1ull << 63, ~0ull - 1,  ~0ull};
    return chance(70) ? below(kSize) : chance(80) ? edges[below(std::size(edges))] : random_();
  }
  std::string word() {
    static const char* const words[] = {"all",        "g", "all#0",   "g#0", "g#1", "all#left0", "failover",
                                        "failover#0", "",  "g/left0", "#",   "x",   "step 1"};
    if (chance(90)) return words[below(std::size(words))];
    return std::string(below(chance(10) ? 2000000 : 3000), static_cast<char>(random_()));
  }
  // The parts of a message of that kind as rank `own` may send it, but for one of them, or for most.
  std::string body(size_t verb, int own) {
    static const std::vector<int> groups[] = {{0, 1, 2, 3}, {0, 1}, {1, 2, 3}, {3, 0, 1}, {3, 2, 0}, {0, 3}};
    wild_ = chance(20);
    slip_ = chance(80) ? below(14) : 100;
    const std::string group = chance(50) ? "g" : "all";
    const std::vector<int>& members = chance(70) ? groups[0] : groups[below(std::size(groups))];
    const std::string key = group + (verb == 1 && chance(30) ? "#left0" : "#0");
    const int other = own == 0 ? 2 + static_cast<int>(below(2)) : own;
    Writer out;
    switch (verb) {
      case 1:  // gather
        text(&out, key);
        text(&out, group);
        ranks(&out, members);
        out.number(right(0)).number(right(below(50))).number(right(key.back() == '0' && key.size() > 5));
        text(&out, "label");
        text(&out, "text");
        break;
      case 2: {  // gathered
        text(&out, chance(40) ? "failover#0" : chance(40) ? "all#left0" : key);
        const bool failed = chance(20);
        out.number(right(failed ? 1 + below(15) : 0));
        text(&out, failed ? "why" : "");
        ranks(&out, failed ? std::vector<int>() : members);
        out.number(right(0));
        const uint64_t count = failed || chance(20) ? 0 : members.size();
        out.number(right(count));
        for (uint64_t i = 0; i < count; ++i) text(&out, place());
        break;
      }
      case 3:  // tell
      case 4:  // leave
        text(&out, group);
        ranks(&out, members);
        out.number(right(static_cast<uint64_t>(other)));
        if (verb == 3) text(&out, "text");
        break;
      case 5:  // lost
        out.number(right(2 + below(2)));
        text(&out, "cause");
        break;
      default: break;
    }
    std::string made = out.take();
    if (chance(3) && !made.empty()) made.resize(below(made.size()));
    if (chance(3)) made += std::string(1 + below(20), '\0');
    if (chance(3) && !made.empty()) made[below(made.size())] ^= static_cast<char>(1 << below(8));
    return made;
  }
  std::string message(int own) {
    static constexpr size_t up[] = {0, 1, 1, 3, 3, 4}, down[] = {0, 2, 2, 3, 4, 5};
    const size_t verb = chance(3) ? below(9) : own == 0 ? down[below(6)] : up[below(6)];
    const std::string text = body(verb, own);
    FrameHead head = {static_cast<uint32_t>(verb), 0, text.size()};
    if (chance(1)) head.verb = static_cast<uint32_t>(number());
    if (chance(1)) head.reserved = static_cast<uint32_t>(number());
    if (chance(1)) head.bytes = number();
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + text;
  }

  // Where somebody listens, if it is true: nowhere that answers.
  std::string place() {
    Writer out;
    text(&out, "host");
    out.number(right(1));
    if (chance(95))
      out.texts({"127.0.0.1"});
    else
      out.number(number());
    text(&out, "s");
    return out.take();
  }

 private:
  uint64_t right(uint64_t value) { return wild_ || slip_-- == 0 ? number() : value; }
  void text(Writer* out, const std::string& value) {
    if (slip_-- != 0)
      out->text(wild_ ? word() : value);
    else if (chance(50))
      out->text(word());
    else
      out->number(number());  // a length that lies
  }
  void ranks(Writer* out, const std::vector<int>& values) {
    out->number(right(values.size()));
    for (const int each : values) out->number(right(static_cast<uint64_t>(each)));
  }

  std::mt19937_64 random_;
  bool wild_ = false;
  size_t slip_ = 0;
};

// Says it if there is room; what the other end says is thrown away.
void say(const File& socket, const std::string& text) {
  char buffer[65536];
  size_t done = 0;
  for (int turn = 0; turn < 200 && done < text.size(); ++turn) {
    while (recv(socket.get(), buffer, sizeof buffer, 0) > 0) {
    }
    const ssize_t put = send(socket.get(), text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (put > 0)
      done += static_cast<size_t>(put);
    else if (errno != EAGAIN)
      return;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

struct Ear final : Session::Listener {
  void received(int rank, std::string) override { check(rank); }
  void left(int rank) noexcept override { check(rank); }
  void lost(int rank, const Status& cause) noexcept override {
    check(rank);
    EXPECT_EQ(cause.code(), RONDO_RANK_LOST);
  }
  void check(int rank) {
    if (rank < 0 || rank >= kSize) wrong = true;
  }
  std::atomic<bool> wrong{false};
};

// Ranks 1 and 3 lie to rank 0; ranks 0 and 2 are not disturbed by it.
TEST(RendezvousFuzz, LiesToRank0EndTheLiarAlone) {
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Liar liar(static_cast<uint64_t>(round));
    std::vector<File> sockets(kSize), ends(kSize), up(1);
    for (size_t i = 1; i < kSize; ++i) socket_pair(&sockets[i], &ends[i]);
    up[0] = std::move(ends[2]);
    const RendezvousLink::Terms terms = {30, 20000, true};
    const std::shared_ptr<RendezvousLink> root = RendezvousLink::make(0, kSize, std::move(sockets), terms);
    const std::shared_ptr<RendezvousLink> honest = RendezvousLink::make(2, kSize, std::move(up), terms);
    const RendezvousLink::Group g = {"g", {0, 1, 2, 3}}, pair = {"of those who behave", {0, 2}};
    Ear ears[2];
    root->listen(g, &ears[0]);
    if (round % 2 == 0) honest->listen(g, &ears[1]);  // else what comes waits
    // A gathering that the liars are part of ends somehow.
    std::thread asks([&] {
      std::vector<std::string> all;
      (void)honest->gather(g, 0, "", "mine", &all).ok();
    });
    for (int i = 0; i < 40; ++i)
      for (const int from : {1, 3})
        if (const File& end = ends[static_cast<size_t>(from)]; !closed(end)) say(end, liar.message(from));
    ends[1] = File();
    ends[3] = File();
    asks.join();
    for (uint64_t turn = 0; turn < 2; ++turn) {
      std::vector<std::string> at_root, at_honest;
      Status there;
      std::thread other([&] { there = honest->gather(pair, turn, "alive", "two", &at_honest); });
      const Status here = root->gather(pair, turn, "alive", "zero", &at_root);
      other.join();
      ASSERT_TRUE(here.ok()) << here.message();
      ASSERT_TRUE(there.ok()) << there.message();
      EXPECT_EQ(at_root, (std::vector<std::string>{"zero", "two"}));
      EXPECT_EQ(at_honest, at_root);
    }
    EXPECT_TRUE(root->gone(2).ok() && honest->gone(0).ok());
    honest->listen(g, &ears[1]);
    for (const auto& each : {root, honest}) {
      each->listen(g, nullptr);
      each->release();
    }
    EXPECT_FALSE(ears[0].wrong || ears[1].wrong);
  }
}

// A false rank 0, which now and then answers rightly, so that its rank goes on to the next question.
TEST(RendezvousFuzz, AFalseRank0DoesNotEndARank) {
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Liar liar(static_cast<uint64_t>(round));
    std::vector<File> up(1);
    File end;
    socket_pair(&up[0], &end);
    Ear ear;
    std::atomic<bool> over{false};
    std::thread rank([&] {
      const std::shared_ptr<RendezvousLink> link = RendezvousLink::make(1, kSize, std::move(up), {30, 20, true});
      std::shared_ptr<Session> session;
      if (session_of_all(link, &session).ok()) {
        session->listen(&ear);
        std::vector<std::string> all;
        const Status gathered = session->all_gather("", "x", &all);
        EXPECT_EQ(all.size(), gathered.ok() ? static_cast<size_t>(kSize) : 0);
        session->tell("y");
        std::vector<int> members;
        std::shared_ptr<Session> left;
        (void)session->reform(&members, &left).ok();
        for (const int each : members) EXPECT_TRUE(each >= 0 && each < kSize);
        std::unique_ptr<Exchange> exchange;
        EXPECT_FALSE(session->open_exchange([] { return Status(); }, &exchange)
                         .ok());  // nobody listens where the false one says
        session->listen(nullptr);
      }
      over = true;
    });
    const auto answer = [&](const std::string& key, bool reform) {
      Gathered whole{key, {}, {0, 1, 2, 3}, 0, {}};
      for (int i = 0; i < kSize && !reform; ++i) whole.texts.push_back(encode(Listening{"h", 1, {"127.0.0.1"}, "s"}));
      say(end, encode(whole));
    };
    if (liar.chance(80)) answer("failover#0", false);
    for (int i = 0; i < 30 && !over && !closed(end); ++i) {
      say(end, liar.message(0));
      if (i == 10 && liar.chance(60)) answer("all#0", false);
      if (i == 20 && liar.chance(60)) answer("all#left0", true);
    }
    end = File();
    rank.join();
    EXPECT_FALSE(ear.wrong);
  }
}

// Who is met when rank 0 is gone, as one says who lies.
TEST(RendezvousFuzz, FalseMeetingOfThoseLeftIsNone) {
  File listener;
  ASSERT_TRUE(listen_at("127.0.0.1", 0, &listener).ok());
  const RendezvousLink::Group all = {"all", {0, 1, 2, 3}};
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Liar liar(static_cast<uint64_t>(round));
    std::vector<File> up(1);
    File end;
    socket_pair(&up[0], &end);
    // The next after rank 0 is where this test listens.
    Gathered places{"failover#0", {}, all.members, 0, {}};
    for (int i = 0; i < kSize; ++i)
      places.texts.push_back(encode(Listening{"h", i == 1 ? port_of(listener) : 1, {"127.0.0.1"}, i == 0 ? "s" : ""}));
    std::atomic<bool> ready{false};
    std::thread rank([&] {
      const std::shared_ptr<RendezvousLink> link = RendezvousLink::make(2, kSize, std::move(up), {30, 20000, true});
      std::shared_ptr<Session> session, left;
      const Status made = session_of_all(link, &session);
      EXPECT_TRUE(made.ok()) << made.message();
      ready = true;
      if (!made.ok()) return;
      std::vector<int> members;
      // It may be told that the other one has left or, of all lies, the truth.
      if (session->reform(&members, &left).ok()) {
        for (const int each : members) EXPECT_TRUE(each > 0 && each < kSize);
        EXPECT_LT(left->rank(), left->size());
      }
    });
    pollfd asked = {end.get(), POLLIN, 0};
    poll(&asked, 1, 20000);
    say(end, encode(places) + encode(Lost{3, "it is lost"}));
    while (!ready) std::this_thread::yield();
    end = File();
    Acceptor acceptor(listener, {"those left of all", "s"});
    Acceptor::Caller caller;
    acceptor.next({}, Deadline(20), &caller);
    ASSERT_TRUE(caller.socket);
    ASSERT_TRUE(Acceptor::admit(caller).ok());
    Writer out;
    if (liar.chance(30)) {
      out.ranks({1, 2});
    } else {
      const size_t count = liar.below(5);
      out.number(liar.chance(90) ? count : liar.number());
      for (size_t i = 0; i < count; ++i) out.number(liar.number());
    }
    say(caller.socket, out.take());
    caller.socket = File();
    rank.join();
  }
}

// --- before there are messages ---

TEST(RendezvousFuzz, FalseCallersAreTurnedAway) {
  const Key key = {"job", "secret"};
  File listener;
  ASSERT_TRUE(listen_at("127.0.0.1", 0, &listener).ok());
  constexpr uint32_t answers[] = {0x52444f31, 0x52444f32, 0x52444f33, 0x52444f34, 0x52444f35, 0x52444f36, 0, ~0u};
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Liar liar(static_cast<uint64_t>(round));
    const auto numbers = [&] {
      std::string text;
      for (size_t i = liar.below(12); i > 0; --i) {
        const auto number = static_cast<uint32_t>(liar.chance(50) ? answers[liar.below(8)] : liar.number());
        text.append(reinterpret_cast<const char*>(&number), sizeof number);
        if (liar.chance(50)) text += std::string(liar.chance(50) ? 16 : liar.below(100), 'x');
      }
      return text;
    };
    // One that calls, and is not let in.
    File visitor, honest;
    ASSERT_TRUE(connect_to("127.0.0.1", port_of(listener), Deadline(5), &visitor).ok());
    say(visitor, (liar.chance(50) ? std::string("RONDO\0\0\2", 8) : std::string()) + numbers());
    std::thread calls([&] {
      ASSERT_TRUE(connect_to("127.0.0.1", port_of(listener), Deadline(5), &honest).ok());
      const Status met = introduce(honest.get(), key, {1, 2}, Deadline(20));
      EXPECT_TRUE(met.ok()) << met.message();
    });
    Acceptor acceptor(listener, key);
    Acceptor::Caller caller;
    acceptor.next({}, Deadline(20), &caller);
    ASSERT_TRUE(caller.socket);
    EXPECT_EQ(caller.hello.rank, 1u);
    ASSERT_TRUE(Acceptor::admit(caller).ok());
    calls.join();
    // One that is called.
    File mine, theirs;
    socket_pair(&mine, &theirs);
    say(theirs, numbers());
    shutdown(theirs.get(), SHUT_WR);
    EXPECT_FALSE(introduce(mine.get(), key, {1, 2}, Deadline(5)).ok());
  }
}

// --- beside them: data ---

TEST(RendezvousFuzz, FalseDataAreAnError) {
  File listener;
  ASSERT_TRUE(listen_at("127.0.0.1", 0, &listener).ok());
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Liar liar(static_cast<uint64_t>(round));
    // A session whose other rank is this test.
    struct Pair final : Session {
      explicit Pair(int port) : port(port) {}
      int rank() const override { return 1; }
      int size() const override { return 2; }
      Status all_gather(std::string_view, std::string_view mine, std::vector<std::string>* all) override {
        *all = {encode(Listening{"h", port, {"127.0.0.1"}, "s"}), std::string(mine)};
        return {};
      }
      Status subgroup(const std::vector<int>&, std::string_view, std::shared_ptr<Session>*) override { return {}; }
      void tell(std::string_view) override {}
      void listen(Listener*) override {}
      void give_up(const Status&) noexcept override {}
      Status reform(std::vector<int>*, std::shared_ptr<Session>*) override { return {}; }
      const int port;
    } session(port_of(listener));
    std::thread liar_thread([&] {
      Acceptor acceptor(listener, {"mesh", "s"});
      Acceptor::Caller caller;
      acceptor.next({}, Deadline(20), &caller);
      ASSERT_TRUE(caller.socket);
      ASSERT_TRUE(Acceptor::admit(caller).ok());
      Writer out;
      for (size_t i = liar.below(6); i > 0; --i) out.number(liar.chance(40) ? 256 : liar.number());
      say(caller.socket, out.take());
    });
    std::unique_ptr<Exchange> exchange;
    const Status opened = open_mesh(
        session, 20000, true, [] { return Status(); }, &exchange);
    ASSERT_TRUE(opened.ok()) << opened.message();
    liar_thread.join();
    // It waits for a moment for somebody who knows why a connection ends.
    std::thread knows([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      exchange->abort({RONDO_RANK_LOST, "it lies"});
    });
    char memory[64];
    const Message in = {0, memory, sizeof memory};
    EXPECT_FALSE(exchange->run({}, {&in, 1}, 256, Deadline(5)).ok());
    knows.join();
  }
}

}  // namespace
}  // namespace rondo::comm
