// DLPack in both versions and both directions: facts, no copy, lifetimes, deleters called exactly once.
// The structures are declared here from the specification, so that the test needs no DLPack header.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "harness.h"

struct DLDevice {
  int32_t device_type, device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
struct DLPackVersion {
  uint32_t major, minor;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
};

namespace conformance {
namespace {

enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3 };
constexpr uint64_t kReadOnly = 1;
constexpr DLDataType kTypes[] = {{6, 8, 1},  {1, 8, 1},  {0, 8, 1},  {0, 32, 1}, {0, 64, 1},
                                 {2, 16, 1}, {4, 16, 1}, {2, 32, 1}, {2, 64, 1}, {0, 16, 1},
                                 {1, 16, 1}, {1, 32, 1}, {1, 64, 1}, {10, 8, 1}, {12, 8, 1}};

DLManagedTensor* exported(rondo_tensor* tensor, DLManagedTensor*) {
  DLManagedTensor* out = nullptr;
  must(rondo_tensor_to_dlpack_v0(tensor, nullptr, &out));
  return out;
}
DLManagedTensorVersioned* exported(rondo_tensor* tensor, DLManagedTensorVersioned*) {
  DLManagedTensorVersioned* out = nullptr;
  must(rondo_tensor_to_dlpack(tensor, nullptr, &out));
  return out;
}
rondo_status import(rondo_engine* engine, DLManagedTensor* managed, rondo_tensor** out) {
  return rondo_tensor_from_dlpack_v0(engine, managed, nullptr, out);
}
rondo_status import(rondo_engine* engine, DLManagedTensorVersioned* managed, rondo_tensor** out) {
  return rondo_tensor_from_dlpack(engine, managed, nullptr, out);
}

// A foreign tensor on the host that counts its deletions.
template <class Managed>
struct Foreign {
  std::vector<float> data;
  Shape shape, strides;
  std::atomic<int> deleted{0};
  std::thread::id deleted_on;
  Managed managed{};

  Foreign(Shape sizes, Shape steps, int64_t offset_bytes = 0)
      : data(200), shape(std::move(sizes)), strides(std::move(steps)) {
    for (size_t i = 0; i < data.size(); ++i) data[i] = float(i);
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) {
      static_cast<Foreign*>(self->manager_ctx)->deleted_on = std::this_thread::get_id();
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
    managed.dl_tensor = {data.data(),
                         {kDLCPU, 0},
                         static_cast<int32_t>(shape.size()),
                         {2, 32, 1},
                         shape.data(),
                         strides.empty() ? nullptr : strides.data(),
                         static_cast<uint64_t>(offset_bytes)};
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) managed.version = {1, 0};
  }
};

class Dlpack : public OnEngine {
 protected:
  template <class Managed>
  void exports() {
    for (const rondo_dtype dtype : kStoredDtypes) {
      Tensor a = up(random_array(dtype, {5, 6}, 1, 0, 1));
      Managed* managed = exported(a, static_cast<Managed*>(nullptr));
      const DLTensor& t = managed->dl_tensor;
      EXPECT_EQ(t.device.device_type, on_cuda() ? kDLCUDA : kDLCPU);
      EXPECT_EQ(t.device.device_id, 0);
      EXPECT_EQ(t.dtype.code, kTypes[dtype].code) << rondo_dtype_name(dtype);
      EXPECT_EQ(t.dtype.bits, kTypes[dtype].bits);
      EXPECT_EQ(t.dtype.lanes, 1);
      ASSERT_EQ(t.ndim, 2);
      EXPECT_EQ(Shape(t.shape, t.shape + 2), (Shape{5, 6}));
      EXPECT_EQ(Shape(t.strides, t.strides + 2), (Shape{6, 1}));
      void* address = nullptr;
      must(rondo_tensor_data(a, &address));
      EXPECT_EQ(static_cast<char*>(t.data) + t.byte_offset, address);
      managed->deleter(managed);
    }
  }

  // The export holds the memory, its deleter gives it back; the data are those of all tasks before.
  template <class Managed>
  void lifetime() {
    Tensor a = up(full(RONDO_F32, {100}, 1));
    into(a, rondo_binary_scalar, RONDO_ADD, a, 2.0);
    Tensor view = slice(a, 0, 1, 100, 2);
    Managed* managed = exported(view, static_cast<Managed*>(nullptr));
    a.reset(), view.reset();
    must(rondo_engine_wait_all(engine()));
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    EXPECT_GE(info.in_use, 400);
    EXPECT_EQ(managed->dl_tensor.shape[0], 50);
    EXPECT_EQ(managed->dl_tensor.strides[0], 2);
    if (!on_cuda()) {
      const auto* values =
          reinterpret_cast<float*>(static_cast<char*>(managed->dl_tensor.data) + managed->dl_tensor.byte_offset);
      EXPECT_EQ(values[0], 3);
      EXPECT_EQ(values[98], 3);
    }
    managed->deleter(managed);  // TearDown sees that nothing is in use any more
  }

  // Out and in again: the same memory under a second tensor.
  template <class Managed>
  void round_trip() {
    Tensor a = up(range(RONDO_F32, {6, 7}));
    const Tensor view = slice(transpose(a, {1, 0}), 0, 1, 7, 2);
    Tensor b;
    must(import(engine(), exported(view, static_cast<Managed*>(nullptr)), b.slot()));
    void *left = nullptr, *right = nullptr;
    must(rondo_tensor_data(view, &left));
    must(rondo_tensor_data(b, &right));
    EXPECT_EQ(left, right);
    a.reset();
    expect_same_bits(download(b), download(view), "shared");
    into(b, rondo_binary_scalar, RONDO_ADD, b, 100.0);
    must(rondo_tensor_wait(b));
    expect_same_bits(download(view), download(b), "written through the import");
  }

  template <class Managed>
  void imports() {
    Foreign<Managed> dense({4, 5}, {}), strided({3, 4}, {1, 10}, 8);
    Tensor a, b;
    must(import(engine(), &dense.managed, a.slot()));
    must(import(engine(), &strided.managed, b.slot()));
    EXPECT_EQ(query(a).contiguous, 1);
    EXPECT_EQ(query(a).device.kind, RONDO_CPU);
    expect_same_bits(download(a), range(RONDO_F32, {4, 5}), "dense");
    const Array values = download(b);
    for (size_t i = 0; i < 12; ++i) {
      const size_t row = i / 4, column = i % 4;
      EXPECT_EQ(values[i], Real(2 + row + 10 * column));
    }
    into(a, rondo_binary_scalar, RONDO_MUL, a, 2.0);
    must(rondo_tensor_wait(a));
    EXPECT_EQ(dense.data[19], 38);
    Tensor view = slice(a, 0, 0, 1);
    a.reset();
    must(rondo_engine_wait_all(engine()));
    EXPECT_EQ(dense.deleted, 0) << "a view still uses the memory";
    view.reset(), b.reset();
    EXPECT_TRUE(eventually([&] { return dense.deleted == 1 && strided.deleted == 1; }));
    must(rondo_engine_wait_all(engine()));
    EXPECT_EQ(dense.deleted, 1);
  }

  // With tasks in flight the deleter comes after the last of them.
  template <class Managed>
  void released_after_the_last_task() {
    Foreign<Managed> foreign({10}, {});
    Tensor a;
    must(import(engine(), &foreign.managed, a.slot()));
    std::atomic<bool> release{naive()};
    int seen = -1;
    must(push(engine(),
              [&](rondo_task_context*) {
                while (!release) std::this_thread::yield();
                seen = foreign.deleted;
                return RONDO_OK;
              },
              {variable_of(a)}, {}));
    a.reset();
    EXPECT_EQ(foreign.deleted, naive() ? foreign.deleted.load() : 0);
    release = true;
    must(rondo_engine_wait_all(engine()));
    EXPECT_EQ(seen, 0);
    EXPECT_EQ(foreign.deleted, 1);
  }

  // A refusal leaves the tensor with the caller: its deleter is not called.
  template <class Managed>
  void refusals() {
    const auto refused = [&](const std::function<void(Foreign<Managed>&)>& spoil, rondo_status status) {
      Foreign<Managed> foreign({4}, {});
      spoil(foreign);
      Tensor out;
      const rondo_status actual = import(engine(), &foreign.managed, out.slot());
      EXPECT_EQ(actual, status) << rondo_status_name(actual) << ": " << rondo_last_error();
      EXPECT_EQ(static_cast<rondo_tensor*>(out), nullptr);
      must(rondo_engine_wait_all(engine()));
      EXPECT_EQ(foreign.deleted, 0);
      EXPECT_NE(std::string(rondo_last_error()).find("rondo_tensor_from_dlpack"), std::string::npos)
          << rondo_last_error();
    };
    refused([](auto& f) { f.managed.dl_tensor.dtype = {5, 64, 1}; }, RONDO_UNSUPPORTED);      // complex
    refused([](auto& f) { f.managed.dl_tensor.dtype.lanes = 4; }, RONDO_UNSUPPORTED);         // vectors
    refused([](auto& f) { f.managed.dl_tensor.device.device_type = 8; }, RONDO_UNSUPPORTED);  // Metal
    refused([](auto& f) { f.managed.dl_tensor.ndim = 9; }, RONDO_INVALID_ARGUMENT);
    refused([](auto& f) { f.managed.dl_tensor.ndim = -1; }, RONDO_INVALID_ARGUMENT);
    refused([](auto& f) { f.managed.dl_tensor.shape = nullptr; }, RONDO_INVALID_ARGUMENT);
    refused([](auto& f) { f.managed.dl_tensor.data = nullptr; }, RONDO_INVALID_ARGUMENT);
    refused([](auto& f) { f.shape[0] = -4; }, RONDO_INVALID_ARGUMENT);
    const auto names = [](const char* word) {
      EXPECT_TRUE(has_word(rondo_last_error(), word)) << "no " << word << " in: " << rondo_last_error();
    };
    refused([](auto& f) { f.managed.dl_tensor.byte_offset = 2; }, RONDO_INVALID_ARGUMENT);
    names("byte_offset");
    refused([](auto& f) { f.managed.dl_tensor.data = reinterpret_cast<char*>(f.data.data()) + 1; },
            RONDO_INVALID_ARGUMENT);
    names("data");
    for (const int64_t stride : {INT64_MAX, INT64_MAX / 4, INT64_MIN, INT64_MIN / 4}) {
      refused(
          [&](auto& f) {
            f.strides = {stride};
            f.managed.dl_tensor.strides = f.strides.data();
          },
          RONDO_INVALID_ARGUMENT);
      names("strides");
    }
  }

  // Strides by which two indices reach one element: readable, never written.
  template <class Managed>
  void overlapping() {
    const std::pair<Shape, Shape> overlaps[] = {
        {{3, 3}, {1, 1}}, {{3, 3}, {1, 2}}, {{4}, {0}}, {{2, 3, 2}, {6, 1, 2}}, {{3, 3}, {-1, 1}}};
    for (const auto& [shape, strides] : overlaps) {
      Foreign<Managed> foreign(shape, strides, 40);
      const std::vector<float> before = foreign.data;
      Tensor out;
      must(import(engine(), &foreign.managed, out.slot()));
      EXPECT_EQ(download(out)[0], 10) << "readable";
      expect_refused(rondo_fill(out, 9), RONDO_INVALID_ARGUMENT, "rondo_fill", "tensor");
      const Tensor same = upload(engine(), kCpu, full(RONDO_F32, shape, 1));
      rondo_tensor* slot = out;
      expect_refused(rondo_unary(RONDO_NEG, same, &slot), RONDO_INVALID_ARGUMENT, "rondo_unary", "out");
      DLManagedTensorVersioned* again = exported(out, static_cast<DLManagedTensorVersioned*>(nullptr));
      EXPECT_EQ(again->flags & kReadOnly, kReadOnly);
      again->deleter(again);
      must(rondo_engine_wait_all(engine()));
      EXPECT_EQ(foreign.data, before);
      out.reset();
      EXPECT_TRUE(eventually([&] { return foreign.deleted == 1; }));
    }
    // Elements each reached once, in any order of axes; axes of one element or none do not count.
    const std::pair<Shape, Shape> distinct[] = {
        {{3, 3}, {1, 3}},         {{3, 4}, {-1, 5}}, {{2, 3, 2}, {2, 4, 1}},  {{3, 1, 2}, {2, 0, 1}},
        {{1, 3}, {INT64_MAX, 1}}, {{0, 3}, {0, 0}},  {{3, 0}, {INT64_MAX, 1}}};
    for (const auto& [shape, strides] : distinct) {
      Foreign<Managed> foreign(shape, strides, 40);
      Tensor out;
      must(import(engine(), &foreign.managed, out.slot()));
      must(rondo_fill(out, 9));
      expect_same_bits(download(out), full(RONDO_F32, shape, 9), "written");
      out.reset();
      EXPECT_TRUE(eventually([&] { return foreign.deleted == 1; }));
    }
  }
};
CONFORMANCE_ENGINE_SUITE(Dlpack);

TEST_P(Dlpack, ExportV0) {
  exports<DLManagedTensor>();
}
TEST_P(Dlpack, ExportV1) {
  exports<DLManagedTensorVersioned>();
}
TEST_P(Dlpack, LifetimeV0) {
  lifetime<DLManagedTensor>();
}
TEST_P(Dlpack, LifetimeV1) {
  lifetime<DLManagedTensorVersioned>();
}
TEST_P(Dlpack, RoundTripV0) {
  round_trip<DLManagedTensor>();
}
TEST_P(Dlpack, RoundTripV1) {
  round_trip<DLManagedTensorVersioned>();
}
TEST_P(Dlpack, ImportV0) {
  imports<DLManagedTensor>();
}
TEST_P(Dlpack, ImportV1) {
  imports<DLManagedTensorVersioned>();
}
TEST_P(Dlpack, ReleaseV0) {
  released_after_the_last_task<DLManagedTensor>();
}
TEST_P(Dlpack, ReleaseV1) {
  released_after_the_last_task<DLManagedTensorVersioned>();
}
TEST_P(Dlpack, RefusedV0) {
  refusals<DLManagedTensor>();
}
TEST_P(Dlpack, RefusedV1) {
  refusals<DLManagedTensorVersioned>();
}

TEST_P(Dlpack, OverlappingV0) {
  overlapping<DLManagedTensor>();
}
TEST_P(Dlpack, OverlappingV1) {
  overlapping<DLManagedTensorVersioned>();
}

// A launch that a waiting thread runs has the last reference to a graph, and that to the memory.
TEST_P(Dlpack, WhatAWaitRunsIsDeletedByAWorker) {
  if (naive()) GTEST_SKIP() << "in naive mode the caller runs all";
  rondo_engine_options one = options();
  one.workers = 1;
  restart(one);
  Foreign<DLManagedTensorVersioned> foreign({100}, {});
  Tensor input, z;
  must(import(engine(), &foreign.managed, input.slot()));
  Graph graph = record(engine(), [&] { z = make(rondo_unary, RONDO_NEG, input); });
  Gate gate;
  must(push(engine(), waiting(gate), {}, {}));
  ASSERT_TRUE(eventually([&] { return gate.entered.load(); }));
  must(rondo_graph_launch(graph.get()));
  input.reset();
  graph.reset();
  EXPECT_EQ(foreign.deleted, 0);
  std::thread::id waited;
  int deleted_by_then = 0;
  std::thread waiter([&] {
    waited = std::this_thread::get_id();
    must(rondo_tensor_wait(z));
    deleted_by_then = foreign.deleted;
  });
  EXPECT_TRUE(eventually([&] {
    uint64_t version = 0;
    must(rondo_variable_version(variable_of(z), &version));
    return version == 1;
  })) << "the thread runs the launch";
  gate.open = true;
  waiter.join();
  EXPECT_EQ(deleted_by_then, 1);
  EXPECT_NE(foreign.deleted_on, waited);
}

// NULL is no stream, (void*)1 the legacy default stream, and Python's -1 is none.
TEST_P(Dlpack, Streams) {
  const Tensor a = up(full(RONDO_F32, {1000}, 1));
  void *const legacy = reinterpret_cast<void*>(1), *const none = reinterpret_cast<void*>(-1);
  for (void* stream : {static_cast<void*>(nullptr), legacy}) {
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
    DLManagedTensorVersioned* managed = nullptr;
    must(rondo_tensor_to_dlpack(a, stream, &managed));
    Tensor b;
    must(rondo_tensor_from_dlpack(engine(), managed, stream, b.slot()));
    const Tensor sum = make(rondo_binary, RONDO_ADD, b, b);
    expect_same_bits(download(sum), full(RONDO_F32, {1000}, stream ? 6 : 4), "what was written before");
  }
  DLManagedTensorVersioned* managed = nullptr;
  DLManagedTensor* old = nullptr;
  Tensor out;
  expect_refused(rondo_tensor_to_dlpack(a, none, &managed), RONDO_INVALID_ARGUMENT, "rondo_tensor_to_dlpack", "stream");
  expect_refused(rondo_tensor_to_dlpack_v0(a, none, &old), RONDO_INVALID_ARGUMENT, "rondo_tensor_to_dlpack_v0",
                 "stream");
  EXPECT_EQ(managed, nullptr);
  must(rondo_tensor_to_dlpack(a, nullptr, &managed));
  expect_refused(rondo_tensor_from_dlpack(engine(), managed, none, out.slot()), RONDO_INVALID_ARGUMENT,
                 "rondo_tensor_from_dlpack", "stream");
  managed->deleter(managed);
}

// A consumer may write in place, so it comes after the tasks that read.
TEST_P(Dlpack, AWriterOnTheStreamComesAfterReaders) {
  std::string missing;
  const Driver& table = driver(&missing);
  if (!on_cuda() || !table.memset8 || !table.copy) GTEST_SKIP() << "no stream of somebody else's: " << missing;
  rondo_engine_options several = options();
  several.streams = 3;
  restart(several);
  const Engine consumer = create_engine(options());
  const rondo_task_options on_device = task_options("consumer", kCuda);
  void* stream = nullptr;
  must(push(
      consumer.get(),
      [&stream](rondo_task_context* context) {
        stream = rondo_task_stream(context);
        return RONDO_OK;
      },
      {}, {}, &on_device));
  must(rondo_engine_wait_all(consumer.get()));
  const Array before = range(RONDO_F32, {3000});
  for (int round = 0; round < 8; ++round) {
    const Tensor a = up(before);
    std::vector<Tensor> read;
    for (int i = 0; i < 4; ++i) {
      read.push_back(empty(RONDO_F32, {3000}));
      rondo_task_options reader = task_options("reader", kCuda);
      reader.stream = i;
      must(push_tensors(
          engine(),
          [&table](rondo_task_context* context) {
            void *from = nullptr, *to = nullptr;
            must(rondo_task_operand(context, 0, &from, nullptr));
            must(rondo_task_operand(context, 1, &to, nullptr));
            return table.copy(reinterpret_cast<unsigned long long>(to), reinterpret_cast<unsigned long long>(from),
                              3000 * sizeof(float), rondo_task_stream(context)) == 0
                       ? RONDO_OK
                       : RONDO_DEVICE_ERROR;
          },
          {a}, {read.back()}, &reader));
    }
    DLManagedTensorVersioned* managed = nullptr;
    must(rondo_tensor_to_dlpack(a, stream, &managed));
    must(push(
        consumer.get(),
        [&, managed](rondo_task_context* context) {
          const auto address = reinterpret_cast<unsigned long long>(managed->dl_tensor.data);
          return table.memset8(address, 0xff, 3000 * sizeof(float), rondo_task_stream(context)) == 0
                     ? RONDO_OK
                     : RONDO_DEVICE_ERROR;
        },
        {}, {}, &on_device));
    for (const Tensor& each : read) expect_same_bits(download(each), before, "what was read before");
    must(rondo_engine_wait_all(consumer.get()));
    managed->deleter(managed);
  }
}

// The flag says that nobody will write, so nobody has to be waited for who reads.
TEST_P(Dlpack, AReadOnlyExportDoesNotWaitForReaders) {
  const Tensor a = up(range(RONDO_F32, {3}));
  const Tensor wide = broadcast(a, {4, 3});
  void* const legacy = reinterpret_cast<void*>(1);
  std::atomic<bool> exported{naive()};
  bool in_time = false;
  must(push(engine(),
            [&](rondo_task_context*) {
              in_time = eventually([&exported] { return exported.load(); });
              return RONDO_OK;
            },
            {variable_of(a)}, {}));
  for (void* stream : {static_cast<void*>(nullptr), legacy}) {
    DLManagedTensorVersioned* managed = nullptr;
    must(rondo_tensor_to_dlpack(wide, stream, &managed));
    managed->deleter(managed);
  }
  exported = true;
  must(rondo_engine_wait_all(engine()));
  EXPECT_TRUE(in_time) << "the reader was waited for";
}

// Version 0 has no flag for read-only, so what must not be written does not go out that way.
TEST_P(Dlpack, ReadOnlyOnlyInV1) {
  const Tensor a = up(range(RONDO_F32, {3}));
  Foreign<DLManagedTensorVersioned> constant({4}, {});
  constant.managed.flags = kReadOnly;
  Tensor in;
  must(import(engine(), &constant.managed, in.slot()));
  const Tensor wide = broadcast(a, {4, 3});
  for (rondo_tensor* each : {static_cast<rondo_tensor*>(wide), static_cast<rondo_tensor*>(in)}) {
    DLManagedTensor* managed = nullptr;
    expect_refused(rondo_tensor_to_dlpack_v0(each, nullptr, &managed), RONDO_INVALID_ARGUMENT,
                   "rondo_tensor_to_dlpack_v0", "tensor");
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_tensor_to_dlpack")) << rondo_last_error();
    EXPECT_EQ(managed, nullptr);
  }
  DLManagedTensorVersioned* managed = exported(in, static_cast<DLManagedTensorVersioned*>(nullptr));
  EXPECT_EQ(managed->flags & kReadOnly, kReadOnly);
  managed->deleter(managed);
}

TEST_P(Dlpack, VersionsAndFlags) {
  const Tensor a = up(range(RONDO_F32, {3}));
  auto* managed = exported(a, static_cast<DLManagedTensorVersioned*>(nullptr));
  EXPECT_EQ(managed->version.major, 1u);
  EXPECT_EQ(managed->flags & kReadOnly, 0u);
  managed->deleter(managed);
  managed = exported(broadcast(a, {4, 3}), static_cast<DLManagedTensorVersioned*>(nullptr));
  EXPECT_EQ(managed->flags & kReadOnly, kReadOnly) << "a broadcast view is read-only";
  managed->deleter(managed);

  Foreign<DLManagedTensorVersioned> newer({4}, {});
  newer.managed.version.major = 2;  // only the head of a newer major may be read
  Tensor out;
  EXPECT_EQ(import(engine(), &newer.managed, out.slot()), RONDO_UNSUPPORTED);
  EXPECT_EQ(newer.deleted, 0);

  Foreign<DLManagedTensorVersioned> constant({4}, {});
  constant.managed.flags = kReadOnly;
  must(import(engine(), &constant.managed, out.slot()));
  expect_same_bits(download(out), range(RONDO_F32, {4}), "readable");
  rondo_tensor* slot = out;
  EXPECT_EQ(rondo_unary(RONDO_NEG, a, &slot), RONDO_INVALID_ARGUMENT);  // shape differs anyway: never written
  EXPECT_EQ(rondo_fill(out, 9), RONDO_INVALID_ARGUMENT) << "read-only memory must not be written";
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(constant.data[0], 0);
  out.reset();
  EXPECT_TRUE(eventually([&] { return constant.deleted == 1; }));
}

TEST_P(Dlpack, WithoutDeleter) {
  Foreign<DLManagedTensor> foreign({4}, {});
  foreign.managed.deleter = nullptr;
  Tensor out;
  must(import(engine(), &foreign.managed, out.slot()));
  expect_same_bits(download(out), range(RONDO_F32, {4}), "import");
}

TEST_P(Dlpack, GraphKeepsTheMemory) {
  Foreign<DLManagedTensor> foreign({10}, {});
  Tensor a, out;
  must(import(engine(), &foreign.managed, a.slot()));
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  a.reset();
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(foreign.deleted, 0);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(download(out)[9], -9);
  graph.reset();
  EXPECT_TRUE(eventually([&] { return foreign.deleted == 1; }));
}

TEST_P(Dlpack, DestroyedEngineLeavesTheExport) {
  if (on_cuda()) GTEST_SKIP() << "the host cannot look into device memory";
  const Tensor a = up(full(RONDO_F32, {100}, 5));
  DLManagedTensor* managed = exported(a, static_cast<DLManagedTensor*>(nullptr));
  restart(options());
  const auto* values = static_cast<float*>(managed->dl_tensor.data);
  EXPECT_EQ(values[99], 5) << "the memory lives until the consumer lets it go";
  managed->deleter(managed);
}

}  // namespace
}  // namespace conformance
