// Makes the buffers of a rank's GPU, and opens those of the other ranks.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/symmetric_buffer.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "base/file.h"
#include "base/log.h"
#include "base/machine/decimal.h"
#include "base/text.h"
#include "comm/rendezvous/agree.h"
#include "comm/rendezvous/messages.h"

namespace rondo::comm {

using namespace cuda;
using device::PeerPad;

namespace {

CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

// Tells this machine, as it runs now, from every other.
std::string machine_boot() {
  std::string text;
  read_text("/proc/sys/kernel/random/boot_id", 256, &text);
  return text.substr(0, text.find('\n'));
}

// Tells this process from every other; one after a fork is another.
std::string process_name() {
  static std::mutex mutex;
  static pid_t process = 0;
  static unsigned long long number = 0;
  std::lock_guard lock(mutex);
  if (process != getpid()) {
    process = getpid();
    std::random_device random;
    number = static_cast<unsigned long long>(random()) << 32 | random();
  }
  return format("%d-%016llx", static_cast<int>(process), number);
}

std::string to_hex(const CUipcMemHandle& handle) {
  std::string text;
  for (const char byte : handle.reserved) text += format("%02x", static_cast<unsigned char>(byte));
  return text;
}
bool from_hex(const std::string& text, CUipcMemHandle* handle) {
  if (text.size() != 2 * sizeof handle->reserved) return false;
  for (size_t i = 0; i < sizeof handle->reserved; ++i) {
    unsigned byte = 0;
    if (scan(text.c_str() + 2 * i, "%2x", &byte) != 1) return false;
    handle->reserved[i] = static_cast<char>(byte);
  }
  return true;
}

}  // namespace

// --- the memory of a buffer ---

class SymmetricMemory {
 public:
  SymmetricMemory(CudaDevice& device, int rank, int ranks) : device_(device), rank_(rank), ranks_(ranks) {}
  ~SymmetricMemory() {
    if (address_) device_.release(address_);
  }
  SymmetricMemory(const SymmetricMemory&) = delete;
  SymmetricMemory& operator=(const SymmetricMemory&) = delete;

  Status allocate(void* stream) {
    const size_t bytes = device::peer_pad_bytes(ranks_);
    void* address = nullptr;
    RONDO_TRY(device_.allocate(bytes, &address));
    address_ = static_cast<unsigned char*>(address);
    RONDO_TRY(device_.fill_bytes(address, 0, bytes, stream));
    return device_.stream_synchronize(stream);
  }
  // For other processes.
  Status share(const std::vector<bool>& near, std::string* handle) {
    near_ = near;
    const CudaDevice::Current current(device_);
    RONDO_TRY(current.status());
    CUipcMemHandle made;
    RONDO_TRY(device_.check(driver().cuIpcGetMemHandle(&made, address_of(address_)), "cuIpcGetMemHandle"));
    *handle = to_hex(made);
    return {};
  }
  unsigned char* address() const { return address_; }
  CudaDevice& device() const { return device_; }
  bool shared() const { return !near_.empty(); }
  // True if every other process that may have opened it has said that it uses it no more.
  bool left_alone() const {
    uint32_t closed[device::kPeerRanks] = {};
    void* stream = nullptr;
    if (!device_.stream_create(false, &stream).ok()) return false;
    const PeerPad* pad = reinterpret_cast<const PeerPad*>(address_);
    Status status = device_.copy(CopyKind::device_to_host, closed, pad->closed, sizeof closed, stream);
    if (status.ok()) status = device_.stream_synchronize(stream);
    device_.stream_destroy(stream);
    if (!status.ok()) return false;
    for (int r = 0; r < ranks_; ++r)
      if (r != rank_ && !near_[static_cast<size_t>(r)] && closed[r] == 0) return false;
    return true;
  }

 private:
  CudaDevice& device_;
  const int rank_, ranks_;
  unsigned char* address_ = nullptr;
  std::vector<bool> near_;  // by rank: in this process; empty if it is not shared
};

namespace {

// Never destroyed.
struct KnownBuffers {
  std::mutex mutex;
  uint64_t numbers = 0;
  std::map<uint64_t, std::weak_ptr<SymmetricMemory>> known;  // of this process
  std::vector<std::shared_ptr<SymmetricMemory>> kept;        // that other processes may still use
};
KnownBuffers& buffers() {
  static auto* buffers = new KnownBuffers;
  return *buffers;
}

uint64_t announce(const std::shared_ptr<SymmetricMemory>& memory) {
  std::lock_guard lock(buffers().mutex);
  std::erase_if(buffers().known, [](const auto& each) { return each.second.expired(); });
  buffers().known[++buffers().numbers] = memory;
  return buffers().numbers;
}
std::shared_ptr<SymmetricMemory> find(uint64_t number) {
  std::lock_guard lock(buffers().mutex);
  const auto found = buffers().known.find(number);
  return found == buffers().known.end() ? nullptr : found->second.lock();
}
// Frees the buffers that are no longer used.
void sweep() {
  std::lock_guard lock(buffers().mutex);
  std::erase_if(buffers().kept, [](const auto& each) { return each->left_alone(); });
}

}  // namespace

// --- a rank's end ---

Status SymmetricBuffers::make(CudaDevice& device, Session& session, std::unique_ptr<SymmetricBuffers>* made) {
  std::unique_ptr<SymmetricBuffers> buffers(new SymmetricBuffers(device));
  buffers->rank_ = session.rank();
  buffers->addresses_.resize(static_cast<size_t>(session.size()));
  sweep();
  RONDO_TRY(buffers->meet(session));
  RONDO_TRY(buffers->prepare(session));
  *made = std::move(buffers);
  return {};
}

SymmetricBuffers::~SymmetricBuffers() {
  for (size_t r = 0; r < addresses_.size() && !opened_.empty(); ++r) {
    if (near_[r] || !addresses_[r]) continue;
    auto* pad = reinterpret_cast<PeerPad*>(addresses_[r]);
    const CudaDevice::Current current(device_);
    device_.report(driver().cuMemsetD32Async(address_of(&pad->closed[rank_]), 1, 1, static_cast<CUstream>(stream_)),
                   "cuMemsetD32Async");
  }
  if (stream_) {
    (void)device_.stream_synchronize(stream_);
    device_.stream_destroy(stream_);
  }
  for (unsigned char* address : opened_) {
    const CudaDevice::Current current(device_);
    device_.report(driver().cuIpcCloseMemHandle(address_of(address)), "cuIpcCloseMemHandle");
  }
  if (control_) device_.release_pinned(control_);
  if (own_ && own_->shared() && !own_->left_alone()) {
    std::lock_guard lock(buffers().mutex);
    buffers().kept.push_back(std::move(own_));
  }
}

void SymmetricBuffers::describe(device::PeerArguments* arguments) const {
  arguments->rank = rank_;
  arguments->control = control_;
  for (size_t r = 0; r < addresses_.size(); ++r) arguments->pads[r] = addresses_[r];
}

void SymmetricBuffers::abort() {
  std::call_once(aborted_, [this] {
    __atomic_store_n(&control_->abort, 1u, __ATOMIC_RELAXED);
    // By a copy engine, which needs no processor that a waiting kernel might hold.
    auto* pad = reinterpret_cast<PeerPad*>(own_->address());
    const Status copied =
        device_.copy(CopyKind::host_to_device, &pad->aborted, &control_->abort, sizeof pad->aborted, stream_);
    if (!copied.ok()) log(RONDO_LOG_WARNING, "%s", copied.message());
  });
}

// Who is where, and whether this device may reach the others of this process.
Status SymmetricBuffers::meet(Session& session) {
  CUdevice handle = 0;
  int place[3] = {};
  auto ask = [&]() -> Status {
    if (session.size() > device::kPeerRanks)
      return error(RONDO_UNSUPPORTED, "a group of %d; kernels of Rondo's own serve up to %d ranks", session.size(),
                   device::kPeerRanks);
    if (device_.capability() < 70)
      return error(RONDO_UNSUPPORTED, "%s has compute capability %d.%d; at least 7.0 is needed",
                   device_name(device_.id()).c_str(), device_.capability() / 10, device_.capability() % 10);
    RONDO_CU(cuDeviceGet(&handle, device_.id().index), "cuDeviceGet");
    constexpr CUdevice_attribute attributes[] = {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
                                                 CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID};
    for (size_t i = 0; i < 3; ++i)
      RONDO_CU(cuDeviceGetAttribute(&place[i], attributes[i], handle), "cuDeviceGetAttribute");
    return {};
  };
  const Status asked = ask();
  const std::string device = format("%s %04x:%02x:%02x", machine_boot().c_str(), place[0], place[1], place[2]);
  std::vector<std::string> all;
  RONDO_TRY(agree(session, "pads: place", asked, process_name() + format(" %d ", device_.id().index) + device, &all));

  auto look = [&]() -> Status {
    std::set<std::string> devices;
    for (size_t r = 0; r < all.size(); ++r) {
      std::string_view rest = all[r], process, host;
      int index = 0;
      const bool said = take_word(&rest, &process) && take_number(&rest, 0, INT_MAX, &index);
      const std::string place_of(rest);
      if (!said || !take_word(&rest, &host))
        return error(RONDO_INTERNAL, "rank %zu says '%.200s' of its place", r, all[r].c_str());
      if (host != machine_boot())
        return error(RONDO_UNSUPPORTED, "rank %zu is on another host; devices reach each other's memory on one", r);
      if (!devices.insert(place_of).second)
        return error(RONDO_UNSUPPORTED, "rank %zu has the same device as another rank", r);
      near_.push_back(process == process_name());
      if (static_cast<int>(r) == rank_ || !near_.back()) continue;
      CUdevice peer = 0;
      int can = 0;
      RONDO_CU(cuDeviceGet(&peer, index), "cuDeviceGet");
      RONDO_CU(cuDeviceCanAccessPeer(&can, handle, peer), "cuDeviceCanAccessPeer");
      if (!can)
        return error(RONDO_UNSUPPORTED, "%s cannot reach the memory of cuda:%d", device_name(device_.id()).c_str(),
                     index);
      Device* other = nullptr;
      RONDO_TRY(cuda::get_device(index, &other));
      const CudaDevice::Current current(device_);
      RONDO_TRY(current.status());
      const CUresult enabled = driver().cuCtxEnablePeerAccess(static_cast<CudaDevice*>(other)->context(), 0);
      if (enabled != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) RONDO_TRY(device_.check(enabled, "cuCtxEnablePeerAccess"));
    }
    return {};
  };
  return agree(session, "pads: reach", look());
}

// A buffer of one's own, told to the others.
Status SymmetricBuffers::prepare(Session& session) {
  auto allocate = [&](std::string* offer) -> Status {
    RONDO_TRY(device_.stream_create(false, &stream_));
    void* pinned = nullptr;
    RONDO_TRY(device_.allocate_pinned(sizeof *control_, &pinned));
    control_ = new (pinned) device::PeerControl{};
    auto memory = std::make_shared<SymmetricMemory>(device_, rank_, ranks());
    RONDO_TRY(memory->allocate(stream_));
    own_ = std::move(memory);
    *offer = format("%llu -", static_cast<unsigned long long>(announce(own_)));
    if (std::find(near_.begin(), near_.end(), false) == near_.end()) return {};
    std::string handle;
    RONDO_TRY(own_->share(near_, &handle));
    offer->replace(offer->size() - 1, 1, handle);
    return {};
  };
  std::string offer;
  const Status allocated = allocate(&offer);
  std::vector<std::string> offers;
  RONDO_TRY(agree(session, "pads: memory", allocated, offer, &offers));
  return agree(session, "pads: open", open_buffers(offers));
}

Status SymmetricBuffers::open_buffers(const std::vector<std::string>& offers) {
  for (size_t r = 0; r < offers.size(); ++r) {
    unsigned long long number = 0;
    char text[2 * sizeof(CUipcMemHandle) + 1] = {};
    if (scan(offers[r].c_str(), "%llu %128s", &number, text) != 2)
      return error(RONDO_INTERNAL, "rank %zu says '%.200s' of its pad", r, offers[r].c_str());
    if (static_cast<int>(r) == rank_) {
      addresses_[r] = own_->address();
    } else if (near_[r]) {
      const std::shared_ptr<SymmetricMemory> memory = find(number);
      if (!memory) return error(RONDO_RANK_LOST, "the pad of rank %zu is gone", r);
      addresses_[r] = memory->address();
      others_.push_back(memory);
    } else {
      CUipcMemHandle handle;
      if (!from_hex(text, &handle)) return error(RONDO_INTERNAL, "rank %zu gives no handle of its pad", r);
      const CudaDevice::Current current(device_);
      RONDO_TRY(current.status());
      CUdeviceptr address = 0;
      RONDO_TRY(device_.check(driver().cuIpcOpenMemHandle_v2(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                              "cuIpcOpenMemHandle"));
      addresses_[r] = reinterpret_cast<unsigned char*>(address);
      opened_.push_back(addresses_[r]);
    }
  }
  return {};
}

}  // namespace rondo::comm
