// The `rondo` command: info, doctor, completion.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>

#include <rondo/status.h>

#include "tools/doctor.h"
#include "tools/facts.h"

using Json = nlohmann::ordered_json;

namespace {

const char kHelp[] =
    "usage: rondo <command> [options]\n"
    "\n"
    "  info [--json]       what Rondo finds on this machine: settings, libraries and every place tried,\n"
    "                      devices, features, kernel cache. Always exits 0.\n"
    "  doctor              in plain words, what to install or set. Exits 1 if a GPU, a driver or a value of a setting\n"
    "                      is there but cannot be used.\n"
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
  std::printf("Rondo %s (built by %s, %s)\n", text_of(facts["version"]).c_str(),
              text_of(facts["build"]["compiler"]).c_str(), text_of(facts["build"]["kind"]).c_str());
  std::printf("\nSettings\n");
  for (const Json& each : facts["settings"]) {
    const std::string value = text_of(each["value"]);
    const std::string problem = text_of(each["problem"]);
    std::printf("  %-18s %-12s %s%s\n", text_of(each["name"]).c_str(), value.empty() ? "-" : value.c_str(),
                text_of(each["origin"]).c_str(), problem.empty() ? "" : (": " + problem).c_str());
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
      // Values come from the environment and from libraries, where they need not be UTF-8.
      std::printf("%s\n", facts.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    else
      print_info(facts);
    return 0;
  }
  if (command == "doctor")
    return option.empty() ? rondo::tools::doctor(rondo::tools::collect_facts()) : bad_usage("doctor takes no options");
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
