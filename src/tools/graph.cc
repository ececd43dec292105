// Reads the profile or the picture of a graph that a program saved, checks it and prints it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/graph.h"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "tools/profile.h"
#include "tools/usage.h"

extern char** environ;

namespace rondo::tools {

namespace {

constexpr size_t kLargest = size_t{256} << 20;  // no graph's file is larger

int failed(const std::string& what) {
  std::fprintf(stderr, "rondo: %s\n", what.c_str());
  return 1;
}

// Returns what is wrong; empty: nothing.
std::string read_file(const std::string& path, std::string* text) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0)
    return format("'%s' cannot be read: %s", harmless(path).c_str(), std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return format("'%s' is no file", harmless(path).c_str());
  if (static_cast<size_t>(status.st_size) > kLargest)
    return format("'%s' is larger than the file of any graph (%zu MiB)", harmless(path).c_str(), kLargest >> 20);
  if (!read_text(path, static_cast<size_t>(status.st_size), text))
    return format("'%s' cannot be read: %s", harmless(path).c_str(), std::strerror(errno));
  return {};
}

std::string write_file(const std::string& path, const std::string& text) {
  File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file && write_all(file.get(), text) && file.close()) return {};
  return format("'%s' cannot be written: %s", harmless(path).c_str(), std::strerror(errno));
}

// A path that no program takes for an option.
std::string as_path(const std::string& path) {
  return path[0] == '-' ? "./" + path : path;
}

// Graphviz' program makes the picture. Returns what is wrong; empty: nothing.
std::string run_dot(const std::string& from, const std::string& to) {
  std::string input = as_path(from), output = "-o" + as_path(to), name = "dot", type = "-Tsvg";
  char* const arguments[] = {name.data(), type.data(), output.data(), input.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "dot", nullptr, nullptr, arguments, environ);
  if (error == ENOENT)
    return "the picture of a DOT file is made by Graphviz' program dot, which is not in PATH; install it (Debian: "
           "graphviz), or give the JSON of rondo_graph_profile, which needs none";
  if (error) return format("Graphviz' program dot cannot be started: %s", std::strerror(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return "the picture of a DOT file is made by Graphviz' program dot, which is not in PATH; install it (Debian: "
           "graphviz)";
  return format("Graphviz' program dot failed (%s %d)", WIFEXITED(status) ? "status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

// The text in quotes after `label=`; false: there is none.
bool label_of(std::string_view line, std::string* label) {
  constexpr std::string_view kLabel = "label=\"";
  size_t at = line.find(kLabel);
  if (at == std::string_view::npos) return false;
  label->clear();
  for (at += kLabel.size(); at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\' || at + 1 == line.size()) {
      *label += line[at];
    } else if (line[++at] == 'n') {
      *label += ": ";
    } else {
      *label += line[at];
    }
  }
  return true;
}

// For a node of a picture: the number of bodies around it, if it is a task; else -1. Tasks are called t4, or b2_0_t4
// where they lie in body 0 of task 2.
int task_depth(std::string_view name) {
  int depth = 0;
  while (!name.empty() && name[0] == 'b') {
    for (int part = 0; part < 2; ++part) {
      const size_t end = name.find('_');
      if (end == std::string_view::npos) return -1;
      name.remove_prefix(end + 1);
    }
    ++depth;
  }
  if (name.size() < 2 || name[0] != 't') return -1;
  return name.find_first_not_of("0123456789", 1) == std::string_view::npos ? depth : -1;
}

// Prints a picture that Rondo wrote: segments and bodies, each with its tasks, and how many edges there are. Its lines
// are one statement each.
void print_dot(const std::string& text, std::FILE* to) {
  std::string label;
  size_t tasks = 0, carried = 0, order = 0;
  // Once to count, once to show.
  for (const bool printing : {false, true}) {
    if (printing) std::fprintf(to, "%zu tasks, %zu edges with a tensor, %zu for order alone\n", tasks, carried, order);
    std::string_view rest = text, line;
    while (take_part(&rest, '\n', &line)) {
      const size_t first = line.find_first_not_of(' ');
      if (first == std::string_view::npos) continue;
      const bool edge = line.find(" -> ") < line.find('[');
      if (edge) {
        // A dotted one only leads to a body.
        if (line.find("style=dotted") == std::string_view::npos)
          ++(line.find("style=dashed") == std::string_view::npos ? carried : order);
        continue;
      }
      const std::string_view name = line.substr(first, line.find(' ', first) - first);
      const int depth = task_depth(name);
      const bool box = name.rfind("label=", 0) == 0;  // of a segment or a body
      if ((depth < 0 && !box) || !label_of(line, &label)) continue;
      tasks += depth >= 0;
      if (printing) std::fprintf(to, "%*s%s\n", depth >= 0 ? 2 * depth + 2 : 0, "", harmless(label).c_str());
    }
  }
}

}  // namespace

int graph(int count, char** arguments) {
  std::string path, picture;
  for (int i = 0; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--svg") {
      if (++i == count || !*arguments[i]) return bad_usage("graph", "--svg needs the file to write");
      picture = arguments[i];
    } else if (word.size() > 1 && word[0] == '-') {
      return bad_usage("graph", "graph has no option '" + harmless(word) + "'");
    } else if (!path.empty()) {
      return bad_usage("graph", "graph takes one file");
    } else {
      path = word;
    }
  }
  if (path.empty()) return bad_usage("graph", "graph needs a file that rondo_graph_profile or rondo_graph_dot wrote");
  std::string text;
  if (const std::string wrong = read_file(path, &text); !wrong.empty()) return failed(wrong);
  std::string problem;
  if (text.rfind("digraph", 0) == 0) {
    print_dot(text, stdout);
    if (!picture.empty()) problem = run_dot(path, picture);
  } else if (const size_t first = text.find_first_not_of(" \t\r\n"); first != std::string::npos && text[first] == '{') {
    Profile profile;
    if (const std::string wrong = read_profile(text, &profile); !wrong.empty())
      return failed(format("'%s' is no profile of a graph: %s", harmless(path).c_str(), harmless(wrong).c_str()));
    print_profile(profile, stdout);
    if (!picture.empty()) problem = write_file(picture, profile_svg(profile));
  } else {
    return failed(format("'%s' is neither a profile (rondo_graph_profile) nor a DOT picture (rondo_graph_dot)",
                         harmless(path).c_str()));
  }
  return problem.empty() ? 0 : failed(problem);
}

}  // namespace rondo::tools
