// Composes the shell commands that install a library or change a setting on this distribution.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/remedies.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace rondo::tools {

namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

// True if ID or ID_LIKE of the distribution has this word.
bool is_like(const char* word) {
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);)
    if ((line.rfind("ID=", 0) == 0 || line.rfind("ID_LIKE=", 0) == 0) && line.find(word) != std::string::npos)
      return true;
  return false;
}

std::string quoted(const std::string& path) {
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string install(const Library& library) {
  const Remedy remedy = library.remedy();
  const bool active = is_set("VIRTUAL_ENV") || is_set("CONDA_PREFIX");
  if (!remedy.debian.empty() && (remedy.wheel.empty() || (!active && is_like("debian"))))
    return "sudo apt-get install " + remedy.debian;
  if (remedy.wheel.empty()) return install_driver();
  return (active ? "" : "python3 -m venv ~/.venv && . ~/.venv/bin/activate && ") + ("pip install " + remedy.wheel);
}

std::string install_driver() {
  if (is_like("ubuntu")) return "sudo ubuntu-drivers install";
  if (is_like("debian")) return "sudo apt-get install nvidia-driver";
  if (is_like("fedora") || is_like("rhel")) return "sudo dnf install cuda-drivers";
  return "lspci -nnk -d 10de:";
}

std::string unset(const char* setting) {
  return std::string("unset ") + setting;
}

std::string another_cache(const std::string& folder) {
  struct stat facts;
  const bool shared = stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && (facts.st_mode & 022) != 0;
  if (shared) return "chmod go-w " + quoted(folder);
  for (const char* variable : {"RONDO_CACHE", "XDG_CACHE_HOME"})
    if (is_set(variable)) return unset(variable);
  return "export RONDO_CACHE=/var/tmp/rondo-$(id -u)";
}

}  // namespace rondo::tools
