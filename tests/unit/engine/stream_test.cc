// Streams of the engine: fences cost nothing until somebody waits, events are recorded on demand and never reused while
// a waiter holds one, waits are not repeated. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/stream.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include "fake_device.h"

namespace rondo {
namespace {

using testing::FakeDevice;

class StreamTest : public ::testing::Test {
 protected:
  std::unique_ptr<Stream> make(uint32_t id) {
    void* native = nullptr;
    EXPECT_TRUE(device.stream_create(false, &native).ok());
    return std::make_unique<Stream>(device, id, native);
  }
  // Issues n tasks, each of which counts.
  Fence issue(Stream& stream, int n) {
    Fence fence;
    for (int i = 0; i < n; ++i) {
      const Stream::Issue issuing(stream);
      device.enqueue(stream.native, [this] { ++done; });
      fence = stream.advance("count");
    }
    return fence;
  }
  FakeDevice device;
  int done = 0;
};

TEST_F(StreamTest, OneStreamRecordsNoEvent) {
  auto stream = make(0);
  const Fence fence = issue(*stream, 1000);
  EXPECT_EQ(fence.stream, 0u);
  EXPECT_EQ(fence.sequence, 1000u);
  EXPECT_EQ(stream->issued(), 1000u);
  EXPECT_EQ(stream->completed(), 0u);
  EXPECT_FALSE(stream->poll(1)) << "no event is there to ask";
  EXPECT_EQ(device.calls().records, 0);
  EXPECT_EQ(device.calls().events_created, 0);
}

TEST_F(StreamTest, WaitRecordsOneEventAndCoversEverything) {
  auto stream = make(0);
  issue(*stream, 10);
  ASSERT_TRUE(stream->wait(3).ok());
  EXPECT_EQ(device.calls().records, 1);
  EXPECT_EQ(stream->completed(), 10u) << "the event was recorded behind all ten";
  EXPECT_EQ(done, 10);
  ASSERT_TRUE(stream->wait(10).ok());
  EXPECT_EQ(device.calls().records, 1);
  EXPECT_EQ(device.calls().synchronises, 1) << "what is known to be done is not asked for again";
}

TEST_F(StreamTest, CoverSharesAnEventThatIsThere) {
  auto stream = make(0);
  device.hold(true);
  issue(*stream, 5);
  Ref<Event> first;
  Ref<Event> second;
  Ref<Event> third;
  ASSERT_TRUE(stream->cover(2, &first).ok());
  ASSERT_TRUE(stream->cover(5, &second).ok());
  EXPECT_TRUE(first == second);
  issue(*stream, 1);
  ASSERT_TRUE(stream->cover(6, &third).ok());
  EXPECT_FALSE(first == third);
  EXPECT_EQ(device.calls().records, 2);
  ASSERT_TRUE(stream->wait(6).ok());
  Ref<Event> nothing = first;
  ASSERT_TRUE(stream->cover(6, &nothing).ok());
  EXPECT_FALSE(nothing) << "done already: nothing to wait for";
}

TEST_F(StreamTest, HeldEventIsNotRecordedAnew) {
  auto stream = make(0);
  issue(*stream, 1);
  Ref<Event> held;
  ASSERT_TRUE(stream->cover(1, &held).ok());
  ASSERT_EQ(device.recorded(held->native), 1);
  for (int i = 0; i < 50; ++i) {
    const Fence fence = issue(*stream, 1);
    ASSERT_TRUE(stream->wait(fence.sequence).ok());
    ASSERT_EQ(device.recorded(held->native), 1);
  }
  EXPECT_EQ(device.calls().events_created, 2) << "one is held, one goes round";
  EXPECT_EQ(device.calls().records, 51);
  held = nullptr;
  EXPECT_EQ(device.calls().events_destroyed, 1) << "the last waiter destroys an event the stream has given up";
}

TEST_F(StreamTest, ALimitIsWaitedForToTheMiddleOfTheQueue) {
  auto stream = make(0);
  issue(*stream, 4);
  ASSERT_TRUE(stream->bound(4, 8).ok());
  issue(*stream, 4);
  EXPECT_EQ(device.calls().synchronises, 0) << "seven may be in flight";
  ASSERT_TRUE(stream->bound(8, 8).ok());
  EXPECT_EQ(device.calls().synchronises, 1);
  EXPECT_EQ(stream->completed(), 4u) << "the marker of the first four is enough";
}

TEST_F(StreamTest, ALimitIsKeptWhereLaterTasksAreDone) {
  auto stream = make(0);
  issue(*stream, 10);
  ASSERT_TRUE(stream->wait(10).ok());
  const auto before = device.calls();
  for (const uint64_t sequence : {1, 2, 5, 10}) ASSERT_TRUE(stream->bound(sequence, 8).ok());
  EXPECT_EQ(device.calls().records, before.records);
  EXPECT_EQ(device.calls().synchronises, before.synchronises) << "nothing is in flight";
  EXPECT_EQ(stream->completed(), stream->issued());
}

TEST_F(StreamTest, PollFindsWhatIsDoneWithoutBlocking) {
  auto stream = make(0);
  issue(*stream, 3);
  Ref<Event> event;
  ASSERT_TRUE(stream->cover(3, &event).ok());
  event = nullptr;
  device.hold(true);
  EXPECT_FALSE(stream->poll(3));
  device.hold(false);
  device.run_all();
  EXPECT_TRUE(stream->poll(3));
  EXPECT_EQ(stream->completed(), 3u);
  EXPECT_EQ(device.calls().synchronises, 0);
}

TEST_F(StreamTest, PollDoesNotBlockWhileATaskIsIssued) {
  auto stream = make(0);
  issue(*stream, 3);
  Ref<Event> event;
  ASSERT_TRUE(stream->cover(3, &event).ok());
  const Stream::Issue issuing(*stream);
  bool done_seen = true;
  std::thread other([&] { done_seen = stream->poll(3); });
  other.join();  // hangs if poll waits for the stream's lock
  EXPECT_FALSE(done_seen);
}

TEST_F(StreamTest, PollFindsWhatIsDoneDuringAnIssue) {
  auto stream = make(0);
  issue(*stream, 3);
  Ref<Event> event;
  ASSERT_TRUE(stream->cover(3, &event).ok());
  device.run_all();
  bool done_seen = false;
  std::thread other;
  {
    const Stream::Issue issuing(*stream);
    other = std::thread([&] { done_seen = stream->poll_waiting(3); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  other.join();
  EXPECT_TRUE(done_seen);
}

TEST_F(StreamTest, ABodyMayWaitForItsOwnStream) {
  auto stream = make(0);
  issue(*stream, 2);
  const Stream::Issue issuing(*stream);
  EXPECT_FALSE(stream->poll(2));
  ASSERT_TRUE(stream->wait(2).ok());
  EXPECT_EQ(done, 2);
  EXPECT_TRUE(stream->poll(2));
}

TEST_F(StreamTest, WaitsAreNotRepeated) {
  auto producer = make(0);
  auto consumer = make(7);
  const Fence fence = issue(*producer, 4);
  EXPECT_FALSE(consumer->already_waits(fence));
  Ref<Event> event;
  ASSERT_TRUE(producer->cover(fence.sequence, &event).ok());
  {
    const Stream::Issue issuing(*consumer);
    ASSERT_TRUE(consumer->wait_for(fence, *event).ok());
  }
  EXPECT_TRUE(consumer->already_waits(fence));
  EXPECT_TRUE(consumer->already_waits({0, 1})) << "an earlier fence is covered";
  EXPECT_FALSE(consumer->already_waits({0, 5}));
  EXPECT_FALSE(consumer->already_waits({3, 1})) << "another stream";
  EXPECT_FALSE(producer->already_waits({7, 1}));
}

TEST_F(StreamTest, ConcurrentWaitersAgree) {
  auto stream = make(0);
  for (int round = 0; round < 50; ++round) {
    const Fence fence = issue(*stream, 3);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] { EXPECT_TRUE(stream->wait(fence.sequence - static_cast<uint64_t>(t % 3)).ok()); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(stream->completed(), fence.sequence);
  }
  EXPECT_EQ(done, 150);
}

TEST_F(StreamTest, AFaultNamesTheLastTasks) {
  auto stream = make(0);
  {
    const Stream::Issue issuing(*stream);
    stream->advance("first");
    stream->advance("second");
  }
  device.fail_synchronise(Status(RONDO_DEVICE_LOST, "illegal address"));
  const Status status = stream->wait(2);
  EXPECT_EQ(status.code(), RONDO_DEVICE_LOST);
  EXPECT_NE(std::string(status.message()).find("second, first"), std::string::npos) << status.message();
  EXPECT_NE(std::string(status.message()).find("illegal address"), std::string::npos) << status.message();
}

TEST_F(StreamTest, RecentTasksKeepsTheLastEight) {
  auto stream = make(0);
  EXPECT_EQ(stream->recent_tasks(), "");
  static const char* const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  for (const char* name : names) stream->advance(name);
  EXPECT_EQ(stream->recent_tasks(), "j, i, h, g, f, e, d, c");
}

}  // namespace
}  // namespace rondo
