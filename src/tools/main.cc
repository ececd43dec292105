// The `rondo` command: info, doctor, completion.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dirent.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include <rondo/status.h>

#include "tools/facts.h"

using Json = nlohmann::ordered_json;

namespace {

const char kHelp[] =
    "usage: rondo <command> [options]\n"
    "\n"
    "  info [--json]       what Rondo finds on this machine: settings, libraries and every place tried,\n"
    "                      devices, features, kernel cache. Always exits 0.\n"
    "  doctor              in plain words, what to install or set. Exits 1 if a GPU is there but cannot be used.\n"
    "  completion bash     a completion script: source <(rondo completion bash)\n"
    "  version             the version\n"
    "  --help              this text; also after a command\n";

const char kCompletion[] =
    "_rondo() {\n"
    "  local word=${COMP_WORDS[COMP_CWORD]}\n"
    "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "    COMPREPLY=($(compgen -W 'info doctor completion version --help' -- \"$word\"))\n"
    "  else\n"
    "    case ${COMP_WORDS[1]} in\n"
    "      info) COMPREPLY=($(compgen -W '--json --help' -- \"$word\")) ;;\n"
    "      completion) COMPREPLY=($(compgen -W 'bash' -- \"$word\")) ;;\n"
    "      *) COMPREPLY=($(compgen -W '--help' -- \"$word\")) ;;\n"
    "    esac\n"
    "  fi\n"
    "}\n"
    "complete -F _rondo rondo\n";

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string gib(const Json& bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes.get<double>() / (1 << 30));
  return text;
}

void print_info(const Json& facts) {
  std::printf("Rondo %s (%s)\n", text_of(facts["version"]).c_str(), text_of(facts["build"]["compiler"]).c_str());
  std::printf("\nSettings\n");
  for (const Json& each : facts["settings"]) {
    const std::string value = text_of(each["value"]);
    std::printf("  %-18s %-12s %s\n", text_of(each["name"]).c_str(), value.empty() ? "-" : value.c_str(),
                text_of(each["origin"]).c_str());
  }
  std::printf("\nLibraries\n");
  for (const Json& each : facts["libraries"]) {
    if (each["found"])
      std::printf("  %s: %s, %s\n", text_of(each["name"]).c_str(), text_of(each["version"]).c_str(),
                  text_of(each["path"]).c_str());
    else
      std::printf("  %s: not found\n", text_of(each["name"]).c_str());
    for (const Json& probe : each["probes"])
      std::printf("    %s: %s\n", text_of(probe["place"]).c_str(), text_of(probe["result"]).c_str());
  }
  std::printf("\nDevices\n");
  for (const Json& each : facts["devices"]) {
    if (each.contains("error")) {
      std::printf("  %-8s %s\n", text_of(each["device"]).c_str(), text_of(each["error"]).c_str());
      continue;
    }
    std::printf("  %-8s %s, %s of %s free, %s processors%s\n", text_of(each["device"]).c_str(),
                text_of(each["name"]).c_str(), gib(each["free_memory"]).c_str(), gib(each["total_memory"]).c_str(),
                text_of(each["processors"]).c_str(),
                each.contains("capability") ? (", compute capability " + text_of(each["capability"])).c_str() : "");
  }
  std::printf("\nFeatures\n");
  const Json& cuda = facts["features"][0];
  for (const Json& each : facts["features"]) {
    const bool follows = !each["available"] && each["name"] != cuda["name"] && each["reason"] == cuda["reason"];
    std::printf("  %-20s %-4s %s\n", text_of(each["name"]).c_str(), each["available"] ? "yes" : "no",
                follows ? "needs cuda" : text_of(each["reason"]).c_str());
  }
  const Json& cache = facts["cache"];
  const std::string folder = text_of(cache["folder"]);
  std::printf("\nKernel cache\n");
  if (folder.empty())
    std::printf("  off: %s\n", text_of(cache["reason"]).c_str());
  else
    std::printf("  %s: %s files, %s bytes\n", folder.c_str(), text_of(cache["files"]).c_str(),
                text_of(cache["bytes"]).c_str());
}

// A GPU that the kernel shows, whether or not the driver library works: NVIDIA's device files, or a PCI device of its
// vendor.
bool gpu_present() {
  if (std::FILE* file = std::fopen("/dev/nvidiactl", "r")) {
    std::fclose(file);
    return true;
  }
  bool found = false;
  if (DIR* dir = opendir("/sys/bus/pci/devices")) {
    while (const dirent* entry = readdir(dir)) {
      char vendor[16] = "";
      char kind[16] = "";
      const std::string base = std::string("/sys/bus/pci/devices/") + entry->d_name;
      if (std::FILE* file = std::fopen((base + "/vendor").c_str(), "r")) {
        if (!std::fgets(vendor, sizeof vendor, file)) vendor[0] = '\0';
        std::fclose(file);
      }
      if (std::FILE* file = std::fopen((base + "/class").c_str(), "r")) {
        if (!std::fgets(kind, sizeof kind, file)) kind[0] = '\0';
        std::fclose(file);
      }
      // Vendor 0x10de is NVIDIA; class 0x03 is display controllers.
      if (std::strncmp(vendor, "0x10de", 6) == 0 && std::strncmp(kind, "0x03", 4) == 0) found = true;
    }
    closedir(dir);
  }
  return found;
}

int doctor(const Json& facts) {
  const auto feature = [&](const char* name) {
    for (const Json& each : facts["features"])
      if (each["name"] == name) return each;
    return Json();
  };
  const bool cuda = feature("cuda")["available"];
  const bool gpu = cuda || gpu_present();
  bool usable = true;
  if (!gpu) {
    std::printf("No NVIDIA GPU is visible; Rondo runs on the cpu.\n");
  } else if (!cuda) {
    usable = false;
    std::printf("A GPU is there but cannot be used: %s.\n", text_of(feature("cuda")["reason"]).c_str());
  } else {
    if (!feature("nvrtc")["available"]) {
      usable = false;
      std::printf("Operators cannot be compiled for the GPU: %s.\n", text_of(feature("nvrtc")["reason"]).c_str());
    }
    if (!feature("cublaslt")["available"])
      std::printf("Matrix products on the GPU use Rondo's own slower kernel: %s.\n",
                  text_of(feature("cublaslt")["reason"]).c_str());
    if (usable) std::printf("The GPU can be used.\n");
  }
  if (!feature("blas")["available"])
    std::printf("Matrix products on the cpu use Rondo's own slower loop: %s.\n",
                text_of(feature("blas")["reason"]).c_str());
  if (text_of(facts["cache"]["folder"]).empty())
    std::printf("Compiled kernels are not kept between runs: %s.\n", text_of(facts["cache"]["reason"]).c_str());
  return usable ? 0 : 1;
}

int bad_usage(const char* what) {
  std::fprintf(stderr, "rondo: %s; `rondo --help` lists the commands\n", what);
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return bad_usage("a command is needed");
  const std::string command = argv[1];
  const std::string option = argc > 2 ? argv[2] : "";
  if (command == "--help" || command == "-h" || option == "--help" || option == "-h") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (argc > 3) return bad_usage("too many arguments");
  if (command == "version") {
    std::printf("%s\n", rondo_version_string());
    return 0;
  }
  if (command == "info") {
    if (!option.empty() && option != "--json") return bad_usage("info takes --json or nothing");
    const Json facts = rondo::tools::collect_facts();
    if (option == "--json")
      std::printf("%s\n", facts.dump(2).c_str());
    else
      print_info(facts);
    return 0;
  }
  if (command == "doctor")
    return option.empty() ? doctor(rondo::tools::collect_facts()) : bad_usage("doctor takes no options");
  if (command == "completion") {
    if (option != "bash") return bad_usage("completion knows bash only");
    std::fputs(kCompletion, stdout);
    return 0;
  }
  return bad_usage(("'" + command + "' is no command").c_str());
} catch (const std::exception& problem) {
  std::fprintf(stderr, "rondo: %s\n", problem.what());
  return 1;
}
