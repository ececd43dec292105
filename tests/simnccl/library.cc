// Settings, faults, handles, the thread that carries on. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <dlfcn.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>

#include <condition_variable>
#include <cstring>
#include <map>
#include <sstream>
#include <thread>

namespace simnccl {
namespace {

struct Fault {
  std::uint64_t call;
  int code;
};

// Never destroyed: its thread outlives main.
struct State {
  std::mutex mutex;
  std::map<std::uintptr_t, CommRef> comms;
  std::uintptr_t next = 0x6000000000000010;
  std::map<std::string, std::uint64_t> calls;
  std::map<std::string, std::vector<Fault>> faults;
  std::uint64_t all_calls = 0, last_call = 0;  // 0: the process goes on
  bool read = false;

  std::mutex work_mutex;
  std::condition_variable work;
  std::vector<std::function<bool()>> steps, fresh;
  bool started = false;
  std::mt19937_64 random;
  bool hostile = false;
};

State& state() {
  static auto* state = new State;
  return *state;
}

unsigned long long number(const char* name, unsigned long long fallback) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != 0 ? std::strtoull(text, nullptr, 10) : fallback;
}

bool parse_locked(State& s, const std::string& text) {
  std::stringstream list(text);
  std::string item;
  while (std::getline(list, item, ',')) {
    const std::size_t first = item.find(':'), second = item.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) return false;
    const std::uint64_t call = std::strtoull(item.c_str() + first + 1, nullptr, 10);
    const int code = std::atoi(item.c_str() + second + 1);
    if (call == 0 || code <= 0) return false;
    s.faults[item.substr(0, first)].push_back({call, code});
  }
  return true;
}

// Under the lock.
void read_environment(State& s) {
  if (std::exchange(s.read, true)) return;
  if (const char* faults = std::getenv("SIMNCCL_FAULT"); faults != nullptr && !parse_locked(s, faults)) {
    std::fprintf(stderr, "simnccl: SIMNCCL_FAULT=%s is not entry:n:code,...\n", faults);
    std::exit(2);
  }
  s.last_call = number("SIMNCCL_LAST_CALL", 0);
  const std::uint64_t seed = number("SIMCUDA_SEED", 0);
  s.hostile = seed != 0;
  s.random.seed(seed);
}

void work() {
  State& s = state();
  std::vector<std::function<bool()>> steps;
  int idle = 0;
  for (;;) {
    {
      std::unique_lock lock(s.work_mutex);
      if (steps.empty() && s.fresh.empty()) s.work.wait(lock, [&] { return !s.fresh.empty(); });
      // Other processes cannot ring, so what they do is looked for.
      if (s.fresh.empty() && idle > 0)
        s.work.wait_for(lock, std::chrono::microseconds(std::min(idle * 20, 500)), [&] { return !s.fresh.empty(); });
      for (auto& each : s.fresh) steps.push_back(std::move(each));
      s.fresh.clear();
    }
    const std::size_t before = steps.size();
    std::erase_if(steps, [](const std::function<bool()>& step) { return step(); });
    idle = steps.size() < before ? 0 : idle + 1;
  }
}

}  // namespace

ncclComm_t add_comm(const CommRef& comm) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.next += 16;
  s.comms[s.next] = comm;
  return comm->handle = reinterpret_cast<ncclComm_t>(s.next);
}

CommRef find_comm(ncclComm_t handle) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  const auto found = s.comms.find(reinterpret_cast<std::uintptr_t>(handle));
  return found == s.comms.end() ? nullptr : found->second;
}

CommRef remove_comm(ncclComm_t handle) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  const auto found = s.comms.find(reinterpret_cast<std::uintptr_t>(handle));
  if (found == s.comms.end()) return nullptr;
  CommRef comm = std::move(found->second);
  s.comms.erase(found);
  return comm;
}

void break_newest(int code, int count) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  for (auto each = s.comms.rbegin(); each != s.comms.rend() && count > 0; ++each, --count) each->second->state = code;
}

std::size_t live_comms() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return s.comms.size();
}

const DriverCalls* driver_calls() {
  static const DriverCalls* calls = []() -> const DriverCalls* {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    auto* found = new DriverCalls;
    auto find = [&](auto*& slot, const char* name) {
      slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(dlsym(library, name));
      return slot != nullptr;
    };
    const bool all = find(found->enqueue, "simcuda_foreign_enqueue") && find(found->done, "simcuda_foreign_done") &&
                     find(found->stream, "simcuda_foreign_stream") && find(found->report, "simcuda_foreign_report") &&
                     find(found->current_device, "cuCtxGetDevice") &&
                     find(found->relax, "cuThreadExchangeStreamCaptureMode");
    return all ? found : nullptr;
  }();
  return calls;
}

void report(const std::string& text) {
  if (const DriverCalls* driver = driver_calls())
    driver->report(("simnccl: " + text).c_str());
  else
    std::fprintf(stderr, "simnccl: %s\n", text.c_str());
}

ncclResult_t fail(Comm* comm, ncclResult_t result, const std::string& text) {
  if (comm != nullptr) {
    std::lock_guard lock(comm->mutex);
    comm->last_error = text;
  }
  return result;
}

ncclResult_t enter(const char* name) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  read_environment(s);
  ++s.calls[name];
  // The end a killed process has: nothing of it is run.
  if (s.last_call != 0 && ++s.all_calls == s.last_call) (void)kill(getpid(), SIGKILL);
  for (Fault& fault : s.faults[name])
    if (fault.call > 0 && --fault.call == 0) return fault.code;
  return ncclSuccess;
}

long long calls_of(const std::string& name) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return static_cast<long long>(name.empty() ? s.all_calls : s.calls[name]);
}

bool parse_faults(const std::string& text) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return parse_locked(s, text);
}

void clear_faults() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.faults.clear();
}

std::chrono::milliseconds hang_limit() {
  static const std::chrono::milliseconds limit(number("SIMNCCL_HANG_MS", 20000));
  return limit;
}

Clock::time_point soon() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  read_environment(s);
  if (!s.hostile || s.random() % 2 == 0) return Clock::now();
  return Clock::now() + std::chrono::microseconds(s.random() % 400);
}

void carry_on(std::function<bool()> step) {
  State& s = state();
  std::lock_guard lock(s.work_mutex);
  if (!std::exchange(s.started, true)) std::thread(work).detach();
  s.fresh.push_back(std::move(step));
  s.work.notify_all();
}

}  // namespace simnccl
