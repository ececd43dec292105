// Running peer.py; see peers.h. It prints one line per fact: `version NAME TEXT`, `absent NAME WHY`, `row NAME ID
// MICROSECONDS`, `way NAME ID MICROSECONDS COMPILE-SECONDS WAY`, `left NAME ID WAY: WHY`. Of several times of a row the
// least counts. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "peers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace bench {
namespace {

// Standard output of a program, started without a shell; its standard error stays ours. *status is its exit status or
// -1.
std::string output_of(const std::vector<std::string>& command, int* status) {
  *status = -1;
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  if (child > 0) {
    char buffer[4096];
    for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    int raw = 0;
    if (waitpid(child, &raw, 0) == child && WIFEXITED(raw)) *status = WEXITSTATUS(raw);
  }
  close(ends[0]);
  return text;
}

}  // namespace

void measure_peers(const std::string& python, const std::string& script, const Options& options, Setting& setting,
                   std::vector<Result>& results) {
  std::vector<std::string> command = {python,     script,
                                      "--device", options.device.kind == RONDO_CUDA ? "cuda" : "cpu",
                                      "--index",  std::to_string(options.device.index)};
  if (options.quick) command.push_back("--quick");
  if (options.processor_time) command.push_back("--processor-time");
  if (options.table == Options::kNetworks) command.push_back("--networks");
  if (options.table == Options::kLayers) command.push_back("--layers");
  if (options.table == Options::kOperators) command.push_back("--operators");
  if (options.compile_seconds)
    command.insert(command.end(), {"--compile-seconds", std::to_string(*options.compile_seconds)});
  std::string rows;
  for (const Result& result : results) rows += (rows.empty() ? "" : ",") + result.row.id;
  command.insert(command.end(), {"--rows", rows});
  int status = -1;
  std::istringstream lines(output_of(command, &status));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name, rest;
    words >> kind >> name;
    std::getline(words >> std::ws, rest);
    if (kind == "version") setting.peers[name] = rest;
    if (kind == "absent") setting.absent[name] = rest;
    std::istringstream fields(rest);
    std::string id, text;
    Way way;
    fields >> id;
    if (kind != "left") fields >> way.median;
    if (kind == "way") fields >> way.compile_seconds;
    if (fields) std::getline(fields >> std::ws, text);
    const auto result = std::find_if(results.begin(), results.end(), [&](const Result& r) { return r.row.id == id; });
    if (result == results.end()) continue;
    if (kind == "row") {
      const auto known = result->peers.emplace(name, way.median).first;
      known->second = std::min(known->second, way.median);
    }
    if (kind == "left") {
      const std::size_t colon = text.find(": ");
      if (colon == std::string::npos) continue;
      way.left_out = text.substr(colon + 2);
      text.resize(colon);
    }
    if ((kind == "way" || kind == "left") && !text.empty()) result->ways[name][text] = way;
  }
  if (status == 0) return;
  const std::string why =
      status == 127 ? python + " was not found" : script + " ended with status " + std::to_string(status);
  for (const char* name : {"torch", "cupy"}) {
    if (setting.peers.count(name) == 0) setting.absent.emplace(name, why);
  }
}

}  // namespace bench
