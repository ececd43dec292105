// Writes the help of the `rondo` command, and the completion scripts for bash, zsh and fish.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/usage.h"

#include <cstdio>
#include <vector>

#include "base/text.h"

namespace rondo::tools {

namespace {

struct Command {
  const char* name;
  std::vector<const char*> words;  // what may follow it
  const char* arguments;           // in the help, instead of the words; null: they are all
  const char* summary;
  std::vector<const char*> details;  // further lines of help
};

const std::vector<Command>& commands() {
  static const auto* table = new std::vector<Command>{
      {"info",
       {"--json", "--describe"},
       nullptr,
       "what Rondo finds on this machine",
       {"settings, libraries and every place tried, devices, features, kernel cache. Always exits 0,",
        "unless what it prints is lost. --describe [cuda:0]: a GPU for `rondo program compile`."}},
      {"doctor",
       {},
       nullptr,
       "what to install or set, with the commands",
       {"Exits 1 if a GPU, a driver or a value of a setting is there but cannot be used."}},
      {"launch",
       {"-n", "--prefix", "--grace", "--"},
       "-n N [options] [--] program ...",
       "starts N processes of a program, the ranks of a group",
       {"Ends all when one fails, and exits as the first that did. --prefix: each line of output",
        "begins with its rank; --grace S: seconds from asking a process to end to ending it (5)."}},
      {"cache",
       {"show", "verify", "clear", "export", "import"},
       "show [--json] | verify",
       "compiled kernels that are kept: what there is, whether it is whole",
       {"Exits 1 if something is damaged, or cannot be read or written."}},
      {"graph",
       {"--svg"},
       "FILE [--svg FILE]",
       "what a program saved of a graph",
       {"a profile (rondo_graph_profile, RONDO_GRAPH_PROFILE) or a DOT picture (rondo_graph_dot,",
        "RONDO_GRAPH_DOT). --svg writes a picture; that of a DOT file is made by Graphviz."}},
      {"program",
       {"show", "verify", "copy", "bind", "diff", "compile", "add-check"},
       "show|verify FILE",
       "what a program file has, whether it is whole",
       {"show: functions with inputs and outputs, weights, texts of the author; --text: the program;",
        "--for DEVICE.json|cuda:0 [--sizes B=8] ...: its kernels too, kept and missing.",
        "verify: makes all of it on cpu:0, with --memory 2GiB, --host-memory 512MiB and in",
        "--seconds 30 at most. Exits 1 if it is not valid."}},
      {"run",
       {"--function", "--inputs", "--outputs", "--device", "--memory", "--host-memory", "--seconds", "--check-numbers",
        "--trust", "--check"},
       "FILE [options]",
       "calls a function of a program file with the tensors of a file",
       {"--inputs FILE, --outputs FILE: safetensors files with the names of the function's;",
        "--function NAME: where there are several; --device cuda:0: else the first GPU, or cpu:0;",
        "--memory 2GiB: the most that it may take; --host-memory 512MiB: of the host, for its nodes;",
        "--seconds 30: the time for making it, and for its call;",
        "--check-numbers: names the operator that makes the first NaN or infinity, and writes",
        "nothing then; --trust: its kernels are kept; --check: runs the self-check of the file,",
        "with 60 s for each call."}},
      {"completion",
       {"bash", "zsh", "fish"},
       nullptr,
       "a completion script for a shell",
       {"bash: source <(rondo completion bash)"}},
      {"version", {}, nullptr, "the version; also --version", {}},
  };
  return *table;
}

// Further ways to call a command, each a line of help.
struct Way {
  const char* arguments;
  const char* summary;
};
constexpr Way kProgramWays[] = {
    {"program copy FILE", "writes it anew: --output FILE; --weights NAME: as JSON beside a file of that name"},
    {"program bind FILE", "the same at fixed sizes: --sizes B=8,T=128"},
    {"program diff A B", "how the programs of two files differ; exits 1 if they do"},
    {"program compile FILE", "makes its kernels for a GPU that need not be there: --for DEVICE.json [--sizes B=8] ..."},
    {"program add-check FILE", "writes it anew with what `rondo run --check` compares: calls made now on a device;"},
    {"", "[--sizes B=8] ... or [--calls 2], [--device cuda:0], [--memory 2GiB]"},
};
constexpr Way kCacheWays[] = {
    {"cache clear [which]", "removes them: all, or --older-than DAYS, --architecture 90, --nvrtc 12.8, --rondo 0.1.0"},
    {"cache export FILE [which]",
     "writes them into one file, for machines without NVRTC; --program FILE [--for DEVICE.json]"},
    {"", "[--sizes B=8] ...: those that a program uses"},
    {"cache import FILE", "takes the kernels of such a file"},
};
// The arguments that follow show, clear and export; a file follows export and import.
constexpr char kWhich[] = "--older-than --architecture --nvrtc --rondo";

std::string join(const std::vector<const char*>& words, const char* between) {
  std::string text;
  for (const char* word : words) text += (text.empty() ? "" : between) + std::string(word);
  return text;
}

std::string names(const char* between) {
  std::vector<const char*> list;
  for (const Command& each : commands()) list.push_back(each.name);
  return join(list, between);
}

bool takes_file(const Command& command) {
  return command.name == std::string("graph") || command.name == std::string("run");
}

std::string bash() {
  std::string text =
      "# Completion of the rondo command for bash.\n"
      "_rondo() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]}\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      names(" ") +
      " --help --version' -- \"$word\"))\n"
      "  elif [ \"$COMP_CWORD\" -eq 2 ]; then\n"
      "    case ${COMP_WORDS[1]} in\n";
  for (const Command& each : commands())
    text += format("      %s) COMPREPLY=($(compgen %s-W '%s --help' -- \"$word\")) ;;\n", each.name,
                   takes_file(each) ? "-f " : "", join(each.words, " ").c_str());
  return text +
         "    esac\n"
         "  elif [ \"${COMP_WORDS[1]}\" = launch ]; then\n"
         "    COMPREPLY=($(compgen -c -f -- \"$word\"))\n"
         "  elif [ \"${COMP_WORDS[1]}\" = graph ]; then\n"
         "    COMPREPLY=($(compgen -f -W '--svg' -- \"$word\"))\n"
         "  elif [ \"${COMP_WORDS[1]}\" = program ]; then\n"
         "    COMPREPLY=($(compgen -f -W '--text --memory --host-memory --seconds --sizes --output --weights --for "
         "--calls --device' -- "
         "\"$word\"))\n"
         "  elif [ \"${COMP_WORDS[1]}\" = run ]; then\n"
         "    COMPREPLY=($(compgen -f -W '--function --inputs --outputs --device --memory --host-memory --seconds "
         "--check-numbers --trust --check' -- "
         "\"$word\"))\n"
         "  elif [ \"${COMP_WORDS[1]}\" = cache ]; then\n"
         "    case ${COMP_WORDS[2]} in\n"
         "      show) COMPREPLY=($(compgen -W '--json' -- \"$word\")) ;;\n"
         "      clear) COMPREPLY=($(compgen -W '" +
         kWhich +
         "' -- \"$word\")) ;;\n"
         "      export) COMPREPLY=($(compgen -f -W '--program --for --sizes " +
         kWhich +
         "' -- \"$word\")) ;;\n"
         "      import) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "    esac\n"
         "  fi\n"
         "}\n"
         "complete -F _rondo rondo\n";
}

std::string zsh() {
  std::string text =
      "#compdef rondo\n"
      "# Completion of the rondo command for zsh.\n"
      "_rondo() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands=(\n";
  for (const Command& each : commands()) text += format("      '%s:%s'\n", each.name, each.summary);
  text +=
      "    )\n"
      "    _describe -t commands command commands\n"
      "    compadd -- --help --version\n"
      "  elif (( CURRENT == 3 )); then\n"
      "    case $words[2] in\n";
  for (const Command& each : commands())
    text += format("      %s) compadd -- %s --help%s ;;\n", each.name, join(each.words, " ").c_str(),
                   takes_file(each) ? "; _files" : "");
  return text +
         "    esac\n"
         "  elif [[ $words[2] == launch ]]; then\n"
         "    _command_names -e || _files\n"
         "  elif [[ $words[2] == graph ]]; then\n"
         "    compadd -- --svg; _files\n"
         "  elif [[ $words[2] == program ]]; then\n"
         "    compadd -- --text --memory --host-memory --seconds --sizes --output --weights --for --calls --device; "
         "_files\n"
         "  elif [[ $words[2] == run ]]; then\n"
         "    compadd -- --function --inputs --outputs --device --memory --host-memory --seconds --check-numbers "
         "--trust "
         "--check; _files\n"
         "  elif [[ $words[2] == cache ]]; then\n"
         "    case $words[3] in\n"
         "      show) compadd -- --json ;;\n"
         "      clear) compadd -- " +
         kWhich +
         " ;;\n"
         "      export) compadd -- --program --for --sizes " +
         kWhich +
         "; _files ;;\n"
         "      import) _files ;;\n"
         "    esac\n"
         "  fi\n"
         "}\n"
         // Sourced it registers itself; as a file of fpath it is the function's body and runs at the first use.
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _rondo \"$@\"; else compdef _rondo rondo; fi\n";
}

std::string fish() {
  const std::string first = "not __fish_seen_subcommand_from " + names(" ");
  std::string text =
      "# Completion of the rondo command for fish.\n"
      "complete -c rondo -f\n"
      "complete -c rondo -l help -d 'how to use it'\n"
      "complete -c rondo -n '" +
      first + "' -l version -d 'the version'\n";
  for (const Command& each : commands()) {
    text += format("complete -c rondo -n '%s' -a %s -d '%s'\n", first.c_str(), each.name, each.summary);
    for (const std::string word : each.words)
      text += format("complete -c rondo -n '__fish_seen_subcommand_from %s' %s\n", each.name,
                     (word.size() > 2 && word[1] == '-' ? "-l " + word.substr(2) : "-a " + word).c_str());
  }
  text +=
      "complete -c rondo -n '__fish_seen_subcommand_from launch graph run export import' -F\n"
      "complete -c rondo -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from show verify copy "
      "bind diff compile add-check' -F\n"
      "complete -c rondo -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from show' -l text\n"
      "complete -c rondo -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from show bind compile "
      "add-check' -x -l sizes\n"
      "complete -c rondo -n '__fish_seen_subcommand_from add-check' -x -l calls\n"
      "complete -c rondo -n '__fish_seen_subcommand_from add-check' -x -l device\n"
      "complete -c rondo -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from verify add-check' -x "
      "-l memory\n"
      "complete -c rondo -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from verify' -x -l "
      "seconds\n"
      "complete -c rondo -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from verify' -x -l "
      "host-memory\n"
      "complete -c rondo -n '__fish_seen_subcommand_from copy bind' -r -l output\n"
      "complete -c rondo -n '__fish_seen_subcommand_from copy bind' -x -l weights\n"
      "complete -c rondo -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from show compile' -r -l "
      "for\n"
      "complete -c rondo -n '__fish_seen_subcommand_from cache; and __fish_seen_subcommand_from show' -l json\n";
  for (const char* option : {"older-than", "architecture", "nvrtc", "rondo"})
    text += format("complete -c rondo -n '__fish_seen_subcommand_from clear export' -x -l %s\n", option);
  return text;
}

}  // namespace

std::string help() {
  std::string text = "usage: rondo <command> [options]\n\n";
  for (const Command& each : commands()) {
    std::string head = each.name;
    if (each.arguments)
      head += std::string(" ") + each.arguments;
    else if (const std::string words = join(each.words, "|"); !words.empty())
      head += words[0] == '-' ? " [" + words + "]" : " " + words;
    text += format("  %-26s %s\n", head.c_str(), each.summary);
    for (const char* line : each.details) text += format("  %-26s %s\n", "", line);
    if (each.name == std::string("cache"))
      for (const Way& way : kCacheWays) text += format("  %-26s %s\n", way.arguments, way.summary);
    if (each.name == std::string("program"))
      for (const Way& way : kProgramWays) text += format("  %-26s %s\n", way.arguments, way.summary);
  }
  return text + format("  %-26s %s\n", "--help", "this text; also after a command");
}

int bad_usage(const char* command, const std::string& what) {
  std::fprintf(stderr, "rondo: %s; `rondo --help` says how %s is used\n", what.c_str(), command);
  return 2;
}

std::string completion(const std::string& shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return {};
}

std::string completion_shells() {
  return "bash, zsh or fish";
}

}  // namespace rondo::tools
