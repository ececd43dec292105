// Files of kernels. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "nvrtc_kernels.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "rtc/disk_cache.h"

namespace toolkits {

namespace fs = std::filesystem;

namespace {

constexpr char kSuffix[] = ".cu";

// Where the device headers of a text begin and end; what a kernel defines for them stands before.
std::pair<size_t, size_t> headers_in(const std::string& text) {
  static const std::string begin = "namespace rondo::device {\n", end = "}  // namespace rondo::device\n";
  const size_t first = text.find(begin), last = text.rfind(end);
  return first == std::string::npos || last == std::string::npos ? std::pair<size_t, size_t>(0, 0)
                                                                 : std::pair(first, last + end.size());
}

}  // namespace

bool write_kernel(const std::string& folder, const std::string& name, const std::string& text) {
  rondo::rtc::KeyBuilder builder;
  builder.add(text);
  const rondo::rtc::Key key = builder.key();
  const auto word = [&key](int i) { return static_cast<unsigned long long>(key.words[i]); };
  const std::string path = folder + rondo::format("/%016llx%016llx", word(0), word(1)) + kSuffix;
  if (access(path.c_str(), F_OK) == 0) return true;
  static std::atomic<int> number{0};
  const std::string part = rondo::format("%s.%d.%d", path.c_str(), getpid(), ++number);
  std::ofstream file(part, std::ios::binary);
  file << name << '\n' << text;
  file.close();
  return file.good() && rename(part.c_str(), path.c_str()) == 0;
}

Kernel read_kernel(const std::string& folder, const std::string& id) {
  Kernel kernel{id, {}, {}};
  std::ifstream file(fs::path(folder) / (id + kSuffix), std::ios::binary);
  std::getline(file, kernel.name);
  std::ostringstream text;
  text << file.rdbuf();  // in blocks: letter by letter takes seconds for all of them
  kernel.text = std::move(text).str();
  return kernel;
}

std::vector<Kernel> read_kernels(const std::string& folder) {
  std::vector<Kernel> kernels;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == kSuffix) kernels.push_back(read_kernel(folder, entry.path().stem()));
  std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) { return a.id < b.id; });
  return kernels;
}

std::string headers_of(const Kernel& kernel) {
  const auto [begin, end] = headers_in(kernel.text);
  return kernel.text.substr(begin, end - begin);
}

std::string body_of(const Kernel& kernel) {
  const auto [begin, end] = headers_in(kernel.text);
  return kernel.text.substr(0, begin) + kernel.text.substr(end);
}

}  // namespace toolkits
