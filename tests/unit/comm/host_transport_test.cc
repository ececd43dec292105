// Collectives between hosts: every kind, dtype and reduction, against plain loops; sizes that do not divide; groups;
// failures. Over sockets and within a process, ranks as threads.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/host_transport.h"

#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

#include "base/dtype.h"
#include "comm/rendezvous/socket_session.h"
#include "comm/transport/host_reduce.h"
#include "engine/tasks/task.h"
#include "rendezvous_parts.h"

namespace rondo::comm {
namespace {

constexpr int kMaxRanks = 4;

// A session over another whose data move within the process.
class Inside final : public Session {
 public:
  explicit Inside(std::shared_ptr<Session> over) : over_(std::move(over)) {}
  int rank() const override { return over_->rank(); }
  int size() const override { return over_->size(); }
  Status all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) override {
    return over_->all_gather(label, mine, all);
  }
  Status subgroup(const std::vector<int>& members, std::string_view name, std::shared_ptr<Session>* made) override {
    return over_->subgroup(members, name, made);
  }
  void tell(std::string_view text) override { over_->tell(text); }
  void listen(Listener* listener) override { over_->listen(listener); }
  void give_up(const Status& cause) noexcept override { over_->give_up(cause); }
  Status reform(std::vector<int>* members, std::shared_ptr<Session>* made) override {
    return over_->reform(members, made);
  }

 private:
  const std::shared_ptr<Session> over_;
};

class HostTransport : public ::testing::TestWithParam<bool> {
 protected:
  // Transports of so many ranks.
  void open(int ranks, int64_t limit_ms = 20000) {
    transports_.clear();
    transports_.resize(static_cast<size_t>(ranks));
    File listener;
    ASSERT_TRUE(listen_at("127.0.0.1", 0, &listener).ok());
    const int port = port_of(listener);
    listener = File();
    on_threads(ranks, [&](int rank) {
      Meeting meeting;
      meeting.rank = rank;
      meeting.size = ranks;
      meeting.address = "127.0.0.1:" + std::to_string(port);
      meeting.join_s = 20;
      std::shared_ptr<Session> session;
      Status status = join(meeting, 20000, &session);
      ASSERT_TRUE(status.ok()) << status.message();
      if (GetParam()) session = std::make_shared<Inside>(session);
      status = make_host_transport(
          session, limit_ms, [] { return Status(); }, &transports_[static_cast<size_t>(rank)]);
      ASSERT_TRUE(status.ok()) << status.message();
    });
  }
  Transport& transport(int rank) { return *transports_[static_cast<size_t>(rank)]; }
  Status run(int rank, std::vector<Operation> operations) { return transport(rank).run(operations, TaskContext()); }
  int ranks() const { return static_cast<int>(transports_.size()); }

  std::vector<std::unique_ptr<Transport>> transports_;
};

// Element i of what rank r gives: small whole numbers, exact in every dtype, also their products.
double value(int rank, size_t i) {
  return static_cast<double>((i * 7 + static_cast<size_t>(rank) * 3) % 5 + (rank == 0 ? 1 : 0));
}

void store(rondo_dtype dtype, void* memory, size_t i, double number) {
  switch (dtype) {
    case RONDO_BOOL: static_cast<uint8_t*>(memory)[i] = number > 2; break;
    case RONDO_F8_E4M3:
    case RONDO_F8_E5M2:  // any byte, for it is only moved
    case RONDO_U8: static_cast<uint8_t*>(memory)[i] = static_cast<uint8_t>(number); break;
    case RONDO_I8: static_cast<int8_t*>(memory)[i] = static_cast<int8_t>(number); break;
    case RONDO_I32: static_cast<int32_t*>(memory)[i] = static_cast<int32_t>(number); break;
    case RONDO_I64: static_cast<int64_t*>(memory)[i] = static_cast<int64_t>(number); break;
    case RONDO_F16: static_cast<uint16_t*>(memory)[i] = float_to_half(static_cast<float>(number)); break;
    case RONDO_BF16: static_cast<uint16_t*>(memory)[i] = float_to_bf16(static_cast<float>(number)); break;
    case RONDO_F32: static_cast<float*>(memory)[i] = static_cast<float>(number); break;
    case RONDO_F64: static_cast<double*>(memory)[i] = number; break;
    case RONDO_I16: static_cast<int16_t*>(memory)[i] = static_cast<int16_t>(number); break;
    case RONDO_U16: static_cast<uint16_t*>(memory)[i] = static_cast<uint16_t>(number); break;
    case RONDO_U32: static_cast<uint32_t*>(memory)[i] = static_cast<uint32_t>(number); break;
    case RONDO_U64: static_cast<uint64_t*>(memory)[i] = static_cast<uint64_t>(number); break;
  }
}

std::vector<char> tensor(rondo_dtype dtype, size_t count, const std::function<double(size_t)>& number) {
  std::vector<char> memory(count * dtype_size(dtype));
  for (size_t i = 0; i < count; ++i) store(dtype, memory.data(), i, number(i));
  return memory;
}

double reduced(rondo_reduce_op op, int ranks, size_t i) {
  double sum = value(0, i);
  for (int r = 1; r < ranks; ++r) {
    const double next = value(r, i);
    switch (op) {
      case RONDO_PROD: sum *= next; break;
      case RONDO_MIN: sum = std::min(sum, next); break;
      case RONDO_MAX: sum = std::max(sum, next); break;
      default: sum += next;
    }
  }
  return op == RONDO_MEAN ? sum / ranks : sum;
}

constexpr rondo_dtype kDtypesReduced[] = {RONDO_U8,  RONDO_I8,  RONDO_I32, RONDO_I64, RONDO_F16, RONDO_BF16,
                                          RONDO_F32, RONDO_F64, RONDO_I16, RONDO_U16, RONDO_U32, RONDO_U64};
constexpr size_t kCounts[] = {0, 1, 3, 1000, 20011};

TEST_P(HostTransport, AllReduceEveryDtypeAndReduction) {
  for (int n = 1; n <= kMaxRanks; ++n) {
    open(n);
    on_threads(n, [&](int rank) {
      for (const rondo_dtype dtype : kDtypesReduced) {
        for (const rondo_reduce_op op : {RONDO_SUM, RONDO_PROD, RONDO_MIN, RONDO_MAX, RONDO_MEAN}) {
          if (op == RONDO_MEAN && (!is_float(dtype) || n == 3)) continue;  // thirds are not exact
          for (const size_t count : kCounts) {
            std::vector<char> memory = tensor(dtype, count, [&](size_t i) { return value(rank, i); });
            const std::vector<char> expected = tensor(dtype, count, [&](size_t i) { return reduced(op, n, i); });
            Operation operation{Kind::all_reduce, dtype, op, 0, count, memory.data(), memory.data()};
            const Status status = run(rank, {operation});
            ASSERT_TRUE(status.ok()) << status.message();
            ASSERT_EQ(memory, expected) << dtype_name(dtype) << " op " << op << " count " << count << " ranks " << n;
          }
        }
      }
    });
  }
}

TEST_P(HostTransport, MovesEveryDtype) {
  constexpr int n = 3;
  open(n);
  on_threads(n, [&](int rank) {
    for (int dtype_number = 0; dtype_number < kDtypes; ++dtype_number) {
      const auto dtype = static_cast<rondo_dtype>(dtype_number);
      for (const size_t count : kCounts) {
        const std::vector<char> mine = tensor(dtype, count, [&](size_t i) { return value(rank, i); });
        const auto of_all = [&](size_t i) { return value(static_cast<int>(i / count), i % count); };
        std::vector<char> all(n * mine.size());
        ASSERT_TRUE(run(rank, {{Kind::all_gather, dtype, RONDO_SUM, 0, count, mine.data(), all.data()}}).ok());
        ASSERT_EQ(all, tensor(dtype, n * count, of_all));

        std::vector<char> parts = tensor(dtype, n * count, [&](size_t i) { return value(rank, i); });
        std::vector<char> came(parts.size());
        ASSERT_TRUE(run(rank, {{Kind::all_to_all, dtype, RONDO_SUM, 0, count, parts.data(), came.data()}}).ok());
        ASSERT_EQ(came, tensor(dtype, n * count, [&](size_t i) {
                    return value(static_cast<int>(i / count), static_cast<size_t>(rank) * count + i % count);
                  }));

        for (int root = 0; root < n; ++root) {
          std::vector<char> copy = mine;
          ASSERT_TRUE(run(rank, {{Kind::broadcast, dtype, RONDO_SUM, root, count, copy.data(), copy.data()}}).ok());
          ASSERT_EQ(copy, tensor(dtype, count, [&](size_t i) { return value(root, i); }));
        }
      }
    }
  });
}

TEST_P(HostTransport, ReduceAndReduceScatter) {
  constexpr int n = 4;
  open(n);
  on_threads(n, [&](int rank) {
    for (const rondo_dtype dtype : kDtypesReduced) {
      for (const size_t count : kCounts) {
        const std::vector<char> mine = tensor(dtype, count, [&](size_t i) { return value(rank, i); });
        for (int root = 0; root < n; ++root) {
          std::vector<char> out(mine.size(), 'x');
          const std::vector<char> untouched = out;
          ASSERT_TRUE(run(rank, {{Kind::reduce, dtype, RONDO_MAX, root, count, mine.data(), out.data()}}).ok());
          ASSERT_EQ(
              out, rank == root ? tensor(dtype, count, [&](size_t i) { return reduced(RONDO_MAX, n, i); }) : untouched);
        }
        std::vector<char> whole = tensor(dtype, n * count, [&](size_t i) { return value(rank, i); });
        std::vector<char> part(mine.size());
        ASSERT_TRUE(run(rank, {{Kind::reduce_scatter, dtype, RONDO_SUM, 0, count, whole.data(), part.data()}}).ok());
        ASSERT_EQ(part, tensor(dtype, count,
                               [&](size_t i) { return reduced(RONDO_SUM, n, static_cast<size_t>(rank) * count + i); }));
      }
    }
  });
}

TEST_P(HostTransport, SendsThatCrossNeedAGroup) {
  constexpr int n = 3;
  open(n);
  on_threads(n, [&](int rank) {
    const size_t count = 300000;  // more than sockets hold
    std::vector<float> mine(count, static_cast<float>(rank)), came(count);
    const int next = (rank + 1) % n, last = (rank + n - 1) % n;
    const Status status = run(rank, {{Kind::send, RONDO_F32, RONDO_SUM, next, count, mine.data(), nullptr},
                                     {Kind::receive, RONDO_F32, RONDO_SUM, last, count, nullptr, came.data()}});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(came, std::vector<float>(count, static_cast<float>(last)));
    // One way, alone; the third rank has no part in it.
    if (rank == 0) {
      ASSERT_TRUE(run(0, {{Kind::send, RONDO_F32, RONDO_SUM, 1, 10, mine.data(), nullptr}}).ok());
    }
    if (rank == 1) {
      ASSERT_TRUE(run(1, {{Kind::receive, RONDO_F32, RONDO_SUM, 0, 10, nullptr, came.data()}}).ok());
      EXPECT_EQ(came[9], 0.0f);
    }
    ASSERT_TRUE(run(rank, {{Kind::barrier}}).ok());
  });
}

TEST_P(HostTransport, AGroupOfCollectives) {
  constexpr int n = 3;
  open(n);
  on_threads(n, [&](int rank) {
    std::vector<uint8_t> bytes(5, static_cast<uint8_t>(rank + 1));  // so that what follows is not aligned by chance
    std::vector<double> sums(7000, rank + 0.5), all(3 * 2);
    const std::vector<double> two(2, rank);
    std::vector<float> root(4, static_cast<float>(rank));
    const Status status =
        run(rank, {{Kind::all_reduce, RONDO_U8, RONDO_SUM, 0, 5, bytes.data(), bytes.data()},
                   {Kind::all_reduce, RONDO_F64, RONDO_SUM, 0, 7000, sums.data(), sums.data()},
                   {Kind::all_gather, RONDO_F64, RONDO_SUM, 0, 2, two.data(), all.data()},
                   {Kind::reduce, RONDO_F32, RONDO_SUM, 1, 4, root.data(), rank == 1 ? root.data() : nullptr}});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(bytes, std::vector<uint8_t>(5, 6));
    EXPECT_EQ(sums, std::vector<double>(7000, 4.5));
    EXPECT_EQ(all, (std::vector<double>{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(root[0], rank == 1 ? 3.0f : static_cast<float>(rank));
  });
}

TEST_P(HostTransport, SumsAreTheSameBitsOnEveryRank) {
  constexpr int n = 4;
  for (const size_t count : {size_t{100}, size_t{30001}}) {
    open(n);
    std::vector<std::vector<float>> results(n);
    on_threads(n, [&](int rank) {
      std::vector<float> mine(count);
      for (size_t i = 0; i < count; ++i)
        mine[i] = std::sin(static_cast<float>(i * 31 + static_cast<size_t>(rank) * 17)) *
                  std::pow(10.0f, static_cast<float>(rank * 2));
      std::vector<float>& out = results[static_cast<size_t>(rank)];
      out.resize(count);
      ASSERT_TRUE(run(rank, {{Kind::all_reduce, RONDO_F32, RONDO_SUM, 0, count, mine.data(), out.data()}}).ok());
    });
    for (size_t i = 0; i < count; ++i) {
      float sum = 0;
      for (int rank = 0; rank < n; ++rank) {
        const float each = std::sin(static_cast<float>(i * 31 + static_cast<size_t>(rank) * 17)) *
                           std::pow(10.0f, static_cast<float>(rank * 2));
        sum = rank == 0 ? each : sum + each;
      }
      for (const std::vector<float>& each : results) ASSERT_EQ(std::memcmp(&each[i], &sum, sizeof sum), 0) << i;
    }
  }
}

TEST_P(HostTransport, AnotherCollectiveIsNamed) {
  open(2);
  on_threads(2, [&](int rank) {
    std::vector<float> data(4), all(8);
    const Status status = rank == 0 ? run(0, {{Kind::all_reduce, RONDO_F32, RONDO_SUM, 0, 4, data.data(), data.data()}})
                                    : run(1, {{Kind::all_gather, RONDO_F32, RONDO_SUM, 0, 4, data.data(), all.data()}});
    EXPECT_EQ(status.code(), RONDO_INVALID_STATE) << status.message();
    EXPECT_NE(std::string(status.message()).find("is at another collective"), std::string::npos) << status.message();
  });
}

TEST_P(HostTransport, AnotherSizeIsNamed) {
  open(2);
  on_threads(2, [&](int rank) {
    std::vector<float> data(8);
    const size_t count = rank == 0 ? 4 : 8;
    const Status status = run(rank, {{Kind::all_reduce, RONDO_F32, RONDO_SUM, 0, count, data.data(), data.data()}});
    EXPECT_EQ(status.code(), RONDO_INVALID_STATE) << status.message();
    EXPECT_NE(std::string(status.message()).find("sends"), std::string::npos) << status.message();
  });
}

TEST_P(HostTransport, WhoDoesNotComeIsNamed) {
  open(3, 1000);
  std::barrier<> begin(2);  // or one that comes late could be named too
  on_threads(2, [&](int rank) {
    begin.arrive_and_wait();
    const Status status = run(rank, {{Kind::barrier}});
    EXPECT_EQ(status.code(), RONDO_TIMED_OUT);
    EXPECT_NE(std::string(status.message()).find("nothing came of the ranks 2"), std::string::npos) << status.message();
  });
}

TEST_P(HostTransport, RefusingEndsWhatRuns) {
  open(2, -1);
  std::thread waits([&] {
    const Status status = run(0, {{Kind::barrier}});
    EXPECT_EQ(status.code(), RONDO_RANK_LOST);
    EXPECT_STREQ(status.message(), "rank 1 is lost");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  transport(0).refuse(Status(RONDO_RANK_LOST, "rank 1 is lost"));
  waits.join();
  EXPECT_EQ(run(0, {{Kind::barrier}}).code(), RONDO_RANK_LOST);
}

INSTANTIATE_TEST_SUITE_P(, HostTransport, ::testing::Values(false, true),
                         [](const auto& each) { return each.param ? "process" : "sockets"; });

TEST(HostReduce, NanWins) {
  const float nan = std::nanf("");
  const float first[] = {nan, 1, 2}, second[] = {1, nan, 3};
  const void* inputs[] = {first, second};
  float out[3];
  for (const rondo_reduce_op op : {RONDO_MIN, RONDO_MAX}) {
    reduce_on_host(RONDO_F32, op, inputs, out, 3);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
    EXPECT_EQ(out[2], op == RONDO_MIN ? 2 : 3);
  }
}

TEST(HostReduce, IntegersWrap) {
  const int8_t first[] = {127}, second[] = {1};
  const void* inputs[] = {first, second};
  int8_t out[1];
  reduce_on_host(RONDO_I8, RONDO_SUM, inputs, out, 1);
  EXPECT_EQ(out[0], -128);
  const int32_t big[] = {INT32_MAX};
  const void* bigs[] = {big, big};
  int32_t product[1];
  reduce_on_host(RONDO_I32, RONDO_PROD, bigs, product, 1);
  EXPECT_EQ(product[0], 1);
}

}  // namespace
}  // namespace rondo::comm
