// The control interface of the simulated driver.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "control.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "capture.h"

namespace simcuda {

bool parse_faults(Driver& d, const std::string& text) {
  std::stringstream list(text);
  std::string item;
  while (std::getline(list, item, ',')) {
    std::size_t first = item.find(':'), second = item.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) return false;
    int entry = entry_by_name(item.substr(0, first));
    char *end_call = nullptr, *end_code = nullptr;
    unsigned long long call = std::strtoull(item.c_str() + first + 1, &end_call, 10);
    long code = std::strtol(item.c_str() + second + 1, &end_code, 10);
    if (entry < 0 || call == 0 || code <= 0 || end_call != item.c_str() + second || *end_code != 0) return false;
    d.faults[static_cast<unsigned>(entry)].push_back({call, static_cast<CUresult>(code)});
  }
  return true;
}

namespace {

long long live(const Driver& d, const std::string& what) {
  if (what == "streams") return static_cast<long long>(d.streams.size());
  if (what == "events") return static_cast<long long>(d.events.size());
  if (what == "modules") return static_cast<long long>(d.modules.size());
  if (what == "graphs") return static_cast<long long>(d.graphs.size());
  if (what == "execs") return static_cast<long long>(d.execs.size());
  if (what == "captures") return static_cast<long long>(d.captures.size());
  if (what == "pinned") return static_cast<long long>(d.pinned.live());
  long long blocks = 0, bytes = 0;
  for (const auto& device : d.devices) {
    blocks += static_cast<long long>(device->heap.live());
    bytes += static_cast<long long>(device->heap.used());
  }
  if (what == "allocations") return blocks;
  if (what == "bytes") return bytes;
  return -1;
}

}  // namespace

extern "C" {

// Answers -1 to what it does not understand. README.md lists the commands.
__attribute__((visibility("default"))) long long simcuda_control(const char* command_text, const char* argument_text) {
  Driver& d = driver();
  Lock lock(d.mutex);
  std::string command = command_text, argument = argument_text == nullptr ? "" : argument_text;
  auto number = [&] { return std::strtoull(argument.c_str(), nullptr, 0); };
  if (command == "fault") return parse_faults(d, argument) ? 0 : -1;
  if (command == "clear-faults") return d.faults.clear(), 0;
  if (command == "seed") {
    settings().seed = number();
    d.scheduler.reseed(settings().seed);
    return 0;
  }
  if (command == "calls") {
    int entry = entry_by_name(argument);
    return entry < 0 ? -1 : static_cast<long long>(d.calls[entry].load());
  }
  if (command == "live") return live(d, argument);
  if (command == "reports") return static_cast<long long>(d.reports.size());
  if (command == "early-readers") return d.early_readers;
  if (command == "clear-reports") return d.reports.clear(), 0;
  if (command == "stall" || command == "resume") {
    std::uint64_t id = 0;
    if (!argument.empty()) {
      std::shared_ptr<Stream> stream = d.streams.find(reinterpret_cast<CUstream>(number()));
      if (stream == nullptr) return -1;
      id = stream->id;
    }
    command == "stall" ? d.scheduler.stall(id) : d.scheduler.resume(id);
    return 0;
  }
  if (command == "lose-device") {
    std::size_t ordinal = number();
    if (ordinal >= d.devices.size()) return -1;
    lose_device(*d.devices[ordinal], CUDA_ERROR_ECC_UNCORRECTABLE, "");
    return 0;
  }
  if (command == "restore-device") {
    std::size_t ordinal = number();
    if (ordinal >= d.devices.size()) return -1;
    d.devices[ordinal]->error = 0;
    return 0;
  }
  return -1;
}

// The index-th report, or null. Valid until the reports are cleared or another comes.
__attribute__((visibility("default"))) const char* simcuda_report(long long index) {
  Driver& d = driver();
  Lock lock(d.mutex);
  if (index < 0 || static_cast<std::size_t>(index) >= d.reports.size()) return nullptr;
  return d.reports[static_cast<std::size_t>(index)].c_str();
}

}  // extern "C"
}  // namespace simcuda
