// Runs the `rondo` command: reads its arguments and calls the subcommand that they name.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include <rondo/status.h>

#include "base/json_text.h"
#include "base/text.h"
#include "tools/cache.h"
#include "tools/doctor.h"
#include "tools/facts.h"
#include "tools/graph.h"
#include "tools/launch.h"
#include "tools/program.h"
#include "tools/usage.h"

using Json = nlohmann::ordered_json;

namespace {

std::string text_of(const Json& value) {
  return value.is_string() ? rondo::plain(value.get<std::string>(), false) : value.dump();
}

std::string gib(const Json& bytes) {
  return rondo::format("%.1f GiB", bytes.get<double>() / (1 << 30));
}

// The width of the column that holds this of each.
int width_of(const Json& list, const char* key) {
  size_t width = 0;
  for (const Json& each : list) width = std::max(width, text_of(each[key]).size());
  return static_cast<int>(width);
}

void print_info(const Json& facts) {
  std::printf("Rondo %s (built by %s, %s)\n", text_of(facts["version"]).c_str(),
              text_of(facts["build"]["compiler"]).c_str(), text_of(facts["build"]["kind"]).c_str());
  std::printf("\nSettings\n");
  const int setting_width = width_of(facts["settings"], "name");
  for (const Json& each : facts["settings"]) {
    const std::string value = text_of(each["value"]);
    const std::string problem = text_of(each["problem"]);
    // The value last: a path may be as long as it likes.
    std::printf("  %-*s  %-11s  %s%s\n", setting_width, text_of(each["name"]).c_str(), text_of(each["origin"]).c_str(),
                value.empty() ? "-" : value.c_str(), problem.empty() ? "" : (": " + problem).c_str());
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
  const int device_width = width_of(facts["devices"], "device");
  for (const Json& each : facts["devices"]) {
    if (each.contains("error")) {
      std::printf("  %-*s  %s\n", device_width, text_of(each["device"]).c_str(), text_of(each["error"]).c_str());
      continue;
    }
    std::printf("  %-*s  %s, %s of %s free, %s processors%s%s\n", device_width, text_of(each["device"]).c_str(),
                text_of(each["name"]).c_str(), gib(each["free_memory"]).c_str(), gib(each["total_memory"]).c_str(),
                text_of(each["processors"]).c_str(),
                each.contains("capability") ? (", compute capability " + text_of(each["capability"])).c_str() : "",
                each.contains("instructions") ? (", instructions " + text_of(each["instructions"])).c_str() : "");
  }
  std::printf("\nFeatures\n");
  const Json& cuda = facts["features"][0];
  const int feature_width = width_of(facts["features"], "name");
  for (const Json& each : facts["features"]) {
    const bool follows = !each["available"] && each["name"] != cuda["name"] && each["reason"] == cuda["reason"];
    std::printf("  %-*s  %-3s  %s\n", feature_width, text_of(each["name"]).c_str(), each["available"] ? "yes" : "no",
                follows ? "needs cuda" : text_of(each["reason"]).c_str());
  }
  const Json& cache = facts["cache"];
  const std::string folder = text_of(cache["folder"]);
  std::printf("\nKernel cache\n");
  if (folder.empty())
    std::printf("  off: %s\n", text_of(cache["reason"]).c_str());
  else
    std::printf("  %s: %s files, %s bytes of at most %s\n", folder.c_str(), text_of(cache["files"]).c_str(),
                text_of(cache["bytes"]).c_str(), text_of(cache["limit"]).c_str());
}

int bad_usage(const std::string& what) {
  std::fprintf(stderr, "rondo: %s; `rondo --help` lists the commands\n", what.c_str());
  return 2;
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

int run(int argc, char** argv) {
  if (argc < 2) return bad_usage("a command is needed");
  const std::string command = argv[1];
  const std::string option = argc > 2 ? argv[2] : "";
  const std::string last = argv[argc - 1];
  if (command == "--help" || command == "-h" || option == "--help" || option == "-h" ||
      ((command == "cache" || command == "program" || command == "run") && (last == "--help" || last == "-h"))) {
    print(rondo::tools::help());
    return 0;
  }
  if (command == "launch") return rondo::tools::launch(argc - 2, argv + 2);
  if (command == "graph") return rondo::tools::graph(argc - 2, argv + 2);
  if (command == "cache") return rondo::tools::cache(argc - 2, argv + 2);
  if (command == "program") return rondo::tools::program(argc - 2, argv + 2);
  if (command == "run") return rondo::tools::run_program(argc - 2, argv + 2);
  if (command == "info" && option == "--describe" && argc <= 4)
    return rondo::tools::describe_device(argc == 4 ? argv[3] : "");
  if (argc > 3) return bad_usage("too many arguments");
  if (command == "version" || command == "--version") {
    if (!option.empty()) return bad_usage(command + " takes no options");
    print(rondo_version_string() + std::string("\n"));
    return 0;
  }
  if (command == "info") {
    if (!option.empty() && option != "--json") return bad_usage("info takes --json, --describe or nothing");
    const Json facts = rondo::tools::collect_facts();
    if (option == "--json")
      // Values come from the environment and from libraries, where they need not be UTF-8.
      print(facts.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    else
      print_info(facts);
    return 0;
  }
  if (command == "doctor")
    return option.empty() ? rondo::tools::doctor(rondo::tools::collect_facts()) : bad_usage("doctor takes no options");
  if (command == "completion") {
    const std::string script = rondo::tools::completion(option);
    if (script.empty()) return bad_usage("completion needs a shell: " + rondo::tools::completion_shells());
    print(script);
    return 0;
  }
  return bad_usage("'" + command + "' is no command");
}

}  // namespace

int main(int argc, char** argv) try {
  const int result = run(argc, argv);
  // A script that reads half of an answer must not take it for the whole: a full disk shows here at the latest.
  const bool lost = std::ferror(stdout) != 0;
  if (std::fclose(stdout) != 0 || lost) {
    std::fprintf(stderr, "rondo: the output could not be written%s%s\n", errno ? ": " : "",
                 errno ? std::strerror(errno) : "");
    return 1;
  }
  return result;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "rondo: %s\n", problem.what());
  return 1;
}
