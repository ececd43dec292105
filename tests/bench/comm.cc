// All-reduce between two GPUs: every way of Rondo's own kernels, with several limits of blocks, beside NCCL. Twenty are
// chained in one CUDA graph; a row is the time of one, and says whether the sums were right.
//
//   comm [--processes] [--quick]
//
// --processes: a rank is a process of its own, not a thread. NCCL is opened from RONDO_NCCL, else by the loader.
// Looks inside the library, because the choice between the ways is what these figures are for.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "base/text.h"
#include "comm/rendezvous/local_group.h"
#include "comm/transport/peer_choice.h"
#include "stats.h"

namespace {

using namespace rondo;
using namespace rondo::comm;

constexpr int kRanks = 2;
constexpr int kChained = 20;

void demand(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "comm: %s: %s\n", what, status.message());
  std::exit(1);
}

// Two processes over a pair of sockets; only what making pads and measuring need.
class PairSession final : public Session {
 public:
  PairSession(int rank, int socket) : rank_(rank), socket_(socket) {}
  int rank() const override { return rank_; }
  int size() const override { return kRanks; }
  Status all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) override {
    const auto bytes = static_cast<uint32_t>(mine.size());
    uint32_t theirs = 0;
    std::string other;
    bool good = write(socket_, &bytes, sizeof bytes) == sizeof bytes &&
                write(socket_, mine.data(), bytes) == static_cast<ssize_t>(bytes) &&
                recv(socket_, &theirs, sizeof theirs, MSG_WAITALL) == sizeof theirs;
    other.resize(theirs);
    // Nothing is not waited for: a read of no bytes waits for some.
    good = good && (theirs == 0 || recv(socket_, other.data(), theirs, MSG_WAITALL) == static_cast<ssize_t>(theirs));
    if (!good) return error(RONDO_RANK_LOST, "%s: the other process is gone", std::string(label).c_str());
    *all = {std::string(mine), other};
    if (rank_ == 1) std::swap((*all)[0], (*all)[1]);
    return {};
  }
  Status subgroup(const std::vector<int>&, std::string_view, std::shared_ptr<Session>*) override { return refuse(); }
  void tell(std::string_view) override {}
  void listen(Listener*) override {}
  void give_up(const Status&) noexcept override {}
  Status reform(std::vector<int>*, std::shared_ptr<Session>*) override { return refuse(); }

 private:
  static Status refuse() { return error(RONDO_UNSUPPORTED, "a pair of processes stays what it is"); }
  const int rank_;
  const int socket_;
};

struct UniqueId {
  char bytes[128];
};
struct Nccl {
  int (*version)(int*) = nullptr;
  int (*unique_id)(UniqueId*) = nullptr;
  int (*init)(void**, int, UniqueId, int) = nullptr;
  int (*all_reduce)(const void*, void*, size_t, int, int, void*, void*) = nullptr;

  Nccl() {
    const char* path = std::getenv("RONDO_NCCL");
    void* library = dlopen(path && *path ? path : "libnccl.so.2", RTLD_NOW);
    if (!library) return;
    version = reinterpret_cast<decltype(version)>(dlsym(library, "ncclGetVersion"));
    unique_id = reinterpret_cast<decltype(unique_id)>(dlsym(library, "ncclGetUniqueId"));
    init = reinterpret_cast<decltype(init)>(dlsym(library, "ncclCommInitRank"));
    all_reduce = reinterpret_cast<decltype(all_reduce)>(dlsym(library, "ncclAllReduce"));
  }
};

class Rank {
 public:
  Rank(Session& session, bool quick) : session_(session), quick_(quick) {}

  void run() {
    Device* device = nullptr;
    demand(cuda::get_device(session_.rank(), &device), "opening the device");
    device_ = static_cast<cuda::CudaDevice*>(device);
    demand(device_->stream_create(true, &stream_), "making a stream");
    for (void*& event : events_) demand(device_->event_create(true, &event), "making an event");
    for (void*& memory : memory_) {
      demand(device_->allocate(kMost, &memory), "allocating");
      demand(device_->fill_bytes(memory, 0, kMost, stream_), "filling");
    }
    demand(device_->stream_synchronize(stream_), "waiting");
    demand(device_->allocate_pinned(kMost, reinterpret_cast<void**>(&host_)), "allocating");
    demand(SymmetricBuffers::make(*device_, session_, &pads_), "making pads");
    demand(try_peer_kernels(*device_, session_, *pads_, device::kPeerBlocks), "the trial");
    own_rows();
    nccl_rows();
    choice();
    pads_.reset();
  }

 private:
  static constexpr size_t kMost = size_t{64} << 20;
  using Launch = std::function<Status(const void* in, void* out, size_t count)>;

  void own_rows() {
    std::vector<int> ways = {device::kPeerPush, device::kPeerStage};
    if (pads_->one_process()) ways.insert(ways.end(), {device::kPeerPull, device::kPeerExchange});
    for (const size_t bytes : sizes()) {
      for (const int way : ways) {
        if (way == device::kPeerPush && bytes > (size_t{1} << 20)) continue;
        const bool large = bytes > (size_t{64} << 10);
        for (const int blocks : large ? std::vector<int>{16, 32, 64, 128} : std::vector<int>{16, 128}) {
          if (blocks > 64 && (way == device::kPeerPush || way == device::kPeerStage) && large) continue;
          const PeerKernels kernels(*device_, *pads_, blocks, 5000000000);
          row(format("%s, %d blocks at most", way_name(way), blocks), bytes, way == device::kPeerExchange,
              [&](const void* in, void* out, size_t count) {
                Operation operation;
                operation.kind = Kind::all_reduce;
                operation.count = count;
                operation.input = in;
                operation.output = out;
                return kernels.launch(operation, static_cast<device::PeerMethod>(way), stream_);
              });
        }
      }
    }
  }

  void nccl_rows() {
    static const Nccl nccl;
    const bool there = nccl.version && nccl.unique_id && nccl.init && nccl.all_reduce;
    std::vector<std::string> all;
    UniqueId id = {};
    if (there && session_.rank() == 0) (void)nccl.unique_id(&id);
    demand(session_.all_gather("id", there ? std::string(id.bytes, sizeof id.bytes) : std::string(), &all), "meeting");
    if (!there || all[0].size() != sizeof id.bytes || all[1].empty()) {
      if (session_.rank() == 0) std::printf("no NCCL here (RONDO_NCCL names its file)\n");
      return;
    }
    std::memcpy(id.bytes, all[0].data(), sizeof id.bytes);
    int version = 0;
    (void)nccl.version(&version);
    void* comm = nullptr;
    const cuda::CudaDevice::Current current(*device_);
    if (const int result = nccl.init(&comm, kRanks, id, session_.rank()); result != 0) {
      std::fprintf(stderr, "comm: ncclCommInitRank returned %d\n", result);
      std::exit(1);
    }
    for (const size_t bytes : sizes())
      row(format("NCCL %d", version), bytes, false, [&](const void* in, void* out, size_t count) -> Status {
        const int result = nccl.all_reduce(in, out, count, 7, 0, comm, stream_);  // f32, sum
        return result == 0 ? Status() : error(RONDO_DEVICE_ERROR, "ncclAllReduce returned %d", result);
      });
  }

  // What a communicator would choose, and how long that takes.
  void choice() {
    const PeerKernels kernels(*device_, *pads_, device::kPeerBlocks, 5000000000);
    PeerChoice chosen;
    timespec begin = {};
    timespec end = {};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    demand(measure_peer_kernels(*device_, session_, *pads_, kernels, nullptr, &chosen), "measuring");
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (session_.rank() == 0)
      std::printf("choice: %s (%.1f ms)\n", chosen.text().c_str(),
                  static_cast<double>(end.tv_sec - begin.tv_sec) * 1e3 +
                      static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e6);
  }

  std::vector<size_t> sizes() const {
    if (quick_) return {4 << 10, 1 << 20};
    return {4 << 10, 64 << 10, 1 << 20, kMost};
  }

  void meet() {
    std::vector<std::string> all;
    demand(session_.all_gather("meet", "", &all), "meeting");
  }

  void row(const std::string& name, size_t bytes, bool both, const Launch& launch) {
    one(name, bytes, false, launch);
    if (both) one(name + ", in place", bytes, true, launch);
  }

  void one(const std::string& name, size_t bytes, bool in_place, const Launch& launch) {
    const size_t count = bytes / sizeof(float);
    void* out = in_place ? memory_[0] : memory_[1];
    demand(launch(memory_[0], out, count), name.c_str());  // loads what it needs
    demand(device_->stream_synchronize(stream_), name.c_str());
    NativeGraph graph;
    demand(device_->capture_begin(stream_), "capturing");
    for (int i = 0; i < kChained; ++i) demand(launch(memory_[0], out, count), name.c_str());
    demand(device_->capture_end(stream_, true, &graph), "capturing");
    demand(device_->graph_instantiate(&graph, stream_), "instantiating");
    const bool right = check(graph, out, count, in_place);
    std::vector<double> samples;
    const int launches = bytes > (size_t{1} << 20) ? 3 : 20;
    for (int i = 0; i < (quick_ ? 3 : 7); ++i) {
      meet();
      for (int k = 0; k < 3; ++k) demand(device_->graph_launch(graph, stream_), "launching");
      demand(device_->event_record(events_[0], stream_), "recording");
      for (int k = 0; k < launches; ++k) demand(device_->graph_launch(graph, stream_), "launching");
      demand(device_->event_record(events_[1], stream_), "recording");
      demand(device_->stream_synchronize(stream_), "waiting");
      float milliseconds = 0;
      demand(device_->event_elapsed(events_[0], events_[1], &milliseconds), "timing");
      samples.push_back(static_cast<double>(milliseconds) * 1000 / launches / kChained);
    }
    device_->graph_destroy(&graph);
    if (const uint32_t late = pads_->control().report) {
      std::fprintf(stderr, "comm: %s waited too long for rank %u\n", name.c_str(), late - 1);
      std::exit(1);
    }
    std::vector<std::string> all;
    demand(session_.all_gather("sums", right ? "right" : "wrong", &all), "meeting");
    if (session_.rank() != 0) return;
    const bench::Summary summary = bench::summarize(samples);
    std::printf("%9zu bytes  %-34s %8.2f us  %s\n", bytes, name.c_str(), summary.median,
                all[0] == "right" && all[1] == "right" ? "sums exact" : "SUMS WRONG");
    std::fflush(stdout);
  }

  // Runs the graph once on known numbers. In place, each of the chained doubles what the first gave.
  bool check(const NativeGraph& graph, void* out, size_t count, bool in_place) {
    auto value = [](size_t i, int rank) { return static_cast<float>(static_cast<int>(i % 1021) * (rank + 1) + rank); };
    for (size_t i = 0; i < count; ++i) host_[i] = value(i, session_.rank());
    demand(device_->copy(CopyKind::host_to_device, memory_[0], host_, count * sizeof(float), stream_), "copying");
    demand(device_->stream_synchronize(stream_), "waiting");
    meet();
    demand(device_->graph_launch(graph, stream_), "launching");
    demand(device_->copy(CopyKind::device_to_host, host_, out, count * sizeof(float), stream_), "copying");
    demand(device_->stream_synchronize(stream_), "waiting");
    const float scale = in_place ? static_cast<float>(1 << (kChained - 1)) : 1.0F;
    for (size_t i = 0; i < count; ++i)
      if (host_[i] != (value(i, 0) + value(i, 1)) * scale) return false;
    demand(device_->fill_bytes(memory_[0], 0, count * sizeof(float), stream_), "filling");  // sums stay numbers
    demand(device_->stream_synchronize(stream_), "waiting");
    meet();
    return true;
  }

  Session& session_;
  const bool quick_;
  cuda::CudaDevice* device_ = nullptr;
  void* stream_ = nullptr;
  void* events_[2] = {};
  void* memory_[2] = {};
  float* host_ = nullptr;
  std::unique_ptr<SymmetricBuffers> pads_;
};

}  // namespace

int main(int argc, char** argv) {
  bool processes = false;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    processes |= std::strcmp(argv[i], "--processes") == 0;
    quick |= std::strcmp(argv[i], "--quick") == 0;
  }
  std::printf("all-reduce of f32 sums, %d GPUs, %s, %d chained in a graph\n", kRanks,
              processes ? "a process each" : "one process", kChained);
  std::fflush(stdout);
  if (processes) {
    int sockets[2] = {};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
    const pid_t child = fork();
    PairSession session(child == 0 ? 1 : 0, sockets[child == 0 ? 1 : 0]);
    close(sockets[child == 0 ? 0 : 1]);
    Rank(session, quick).run();
    if (child == 0) _exit(0);
    int status = 0;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
  }
  const std::vector<std::shared_ptr<Session>> sessions = make_local_group(kRanks, 60000);
  std::thread other([&] { Rank(*sessions[1], quick).run(); });
  Rank(*sessions[0], quick).run();
  other.join();
  return 0;
}
