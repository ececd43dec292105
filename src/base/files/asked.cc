// Writes the files that the environment asks for (a trace, a graph) without ever failing the program.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/files/asked.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

#include "base/file.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"

namespace rondo {

namespace {

constexpr size_t kLongestName = 80;

std::string harmless(const std::string& name) {
  std::string out = name.substr(0, kLongestName);
  for (char& c : out) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return out;
}

// It is written under an unpredictable name first, so that a symbolic link that was put there is not followed.
Status write_in(const std::string& folder, const std::string& name,
                const std::function<Status(const char* path)>& write) {
  std::string part = folder + "/." + name + ".XXXXXX";
  const std::string path = folder + "/" + name;
  if (!File(mkostemp(part.data(), O_CLOEXEC)))
    return error(RONDO_IO_ERROR, "no file can be made in '%s': %m", folder.c_str());
  Status status = write(part.c_str());
  if (status.ok() && rename(part.c_str(), path.c_str()) != 0)
    status = error(RONDO_IO_ERROR, "'%s' cannot be given its name: %m", path.c_str());
  if (!status.ok()) unlink(part.c_str());
  return status;
}

}  // namespace

std::string make_asked(Setting folder) {
  if (setting_is_set(folder) && mkdir(setting(folder).c_str(), 0700) != 0 && errno != EEXIST)
    return format("no folder, and none can be made there: %m");
  return setting_problem(folder);
}

void write_asked(Setting folder, uint64_t number, const std::string& name, const char* suffix,
                 const std::function<Status(const char* path)>& write) noexcept {
  if (!setting_is_set(folder)) return;
  const char* const asked_by = settings()[static_cast<size_t>(folder)].name;
  try {
    const std::string file = format("rondo-%d-%llu-%s%s", static_cast<int>(getpid()),
                                    static_cast<unsigned long long>(number), harmless(name).c_str(), suffix);
    if (Status status = write_in(setting(folder), file, write); !status.ok())
      log(RONDO_LOG_WARNING, "%s: %s is not written: %s", asked_by, file.c_str(), status.message());
  } catch (const std::exception& problem) {
    log(RONDO_LOG_WARNING, "%s: a file is not written: %s", asked_by, problem.what());
  }
}

}  // namespace rondo
