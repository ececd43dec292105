// Two runs of the host compiler per kernel source: the preprocessor over the user's text alone, then, after rewriting,
// the compiler over the device prelude, that text and the table of kernels. What every kernel is linked with, the hooks
// of its loads and stores, is compiled once. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "nvrtc/compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "abi.h"
#include "nvrtc/rewrite.h"

namespace simcuda {
namespace {

namespace fs = std::filesystem;

const char* const kPrelude =
#include "prelude.inc"
    ;
const char* const kHooks =
#include "hooks.inc"
    ;

// The compiler and the flags are part of what a cached result depends on.
struct Toolchain {
  std::string compiler = "c++";
  bool clang = false, checked = true;
  Toolchain() {
    if (const char* given = std::getenv("SIMCUDA_CXX"); given != nullptr && *given != 0) compiler = given;
    clang = compiler.find("clang") != std::string::npos;
    if (const char* check = std::getenv("SIMCUDA_CHECK")) checked = std::string(check) != "0";
  }
  std::vector<std::string> check_flags() const {
    if (!checked) return {};
    if (clang)
      return {"-fsanitize=kernel-address",
              "-mllvm",
              "-asan-instrumentation-with-call-threshold=0",
              "-mllvm",
              "-asan-stack=0",
              "-mllvm",
              "-asan-globals=0"};
    return {"-fsanitize=kernel-address",
            "--param",
            "asan-instrumentation-with-call-threshold=0",
            "--param",
            "asan-stack=0",
            "--param",
            "asan-globals=0"};
  }
};

class Folder {
 public:
  Folder() {
    std::error_code none;
    std::string path = (fs::temp_directory_path(none) / "simnvrtc-XXXXXX").string();
    if (mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~Folder() {
    std::error_code none;
    if (!path_.empty()) fs::remove_all(path_, none);
  }
  bool good() const { return !path_.empty(); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void write_text(const std::string& path, const std::string& text) {
  std::error_code none;
  fs::create_directories(fs::path(path).parent_path(), none);
  std::ofstream(path, std::ios::binary) << text;
}

// Runs a program with its standard error in a file; -1 when it cannot be started.
int run(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  // Messages in English, and no library that was preloaded for the test itself.
  std::vector<char*> environment;
  for (char** e = environ; *e != nullptr; ++e) {
    std::string word = *e;
    if (word.rfind("LC_", 0) != 0 && word.rfind("LANG", 0) != 0 && word.rfind("LD_PRELOAD=", 0) != 0)
      environment.push_back(*e);
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string table(const Rewritten& rewritten, const CompileRequest& request) {
  std::string text = "\n# 1 \"kernel table\"\n";
  text += "static const SimcudaKernel simcuda_kernels[] = {\n";
  for (const KernelName& kernel : rewritten.kernels)
    text += "  SIMCUDA_KERNEL(" + kernel.name + ", " + kernel.max_threads + "),\n";
  for (const std::string& expression : request.expressions)
    text += "  SIMCUDA_KERNEL_AS(\"" + lowered_name(expression) + "\", " + expression + "),\n";
  text += "  {nullptr, nullptr, 0, nullptr, 0}};\n";
  text += "extern \"C\" const SimcudaModule " SIMCUDA_MODULE_SYMBOL " = {SIMCUDA_ABI_VERSION, " +
          std::to_string(request.arch) + ", " + std::to_string(request.nvrtc_version) + ", " +
          std::to_string(rewritten.kernels.size() + request.expressions.size()) + ", simcuda_kernels};\n";
  return text;
}

// A file in the folder SIMCUDA_CACHE. The name is a hash (FNV-1a and another) of everything that the content depends
// on.
std::string kept_file(const std::string& cache, const std::vector<std::string>& parts, const char* ending) {
  std::uint64_t hash = 0xcbf29ce484222325ull, other = 0x9e3779b97f4a7c15ull;
  for (const std::string& part : parts) {
    for (unsigned char c : part) {
      hash = (hash ^ c) * 0x100000001b3ull;
      other = (other ^ hash) * 0xff51afd7ed558ccdull;
    }
    hash = (hash ^ 0x1ff) * 0x100000001b3ull;
  }
  char name[48];
  std::snprintf(name, sizeof name, "%016llx%016llx%s", static_cast<unsigned long long>(hash),
                static_cast<unsigned long long>(other), ending);
  return cache + "/" + name;
}

// Atomic: several test processes share the folder.
void keep(const std::string& path, const std::string& content, const Folder& folder) {
  std::string temporary = path + "." + std::to_string(getpid()) + folder.path().substr(folder.path().size() - 6);
  write_text(temporary, content);
  std::error_code none;
  fs::rename(temporary, path, none);
}

// The file a result is kept in, or nothing without SIMCUDA_CACHE or when files outside of the request take part.
std::string cache_file(const Toolchain& toolchain, const CompileRequest& request) {
  const char* cache = std::getenv("SIMCUDA_CACHE");
  if (cache == nullptr || *cache == 0 || !request.include_folders.empty()) return {};
  std::vector<std::string> parts = {toolchain.compiler,
                                    toolchain.checked ? "checked" : "unchecked",
                                    kPrelude,
                                    kHooks,
                                    request.source,
                                    request.name,
                                    request.standard,
                                    std::to_string(request.arch),
                                    std::to_string(request.nvrtc_version)};
  for (const auto& [name, text] : request.headers) parts.insert(parts.end(), {name, text});
  parts.insert(parts.end(), request.defines.begin(), request.defines.end());
  parts.push_back("expressions");
  parts.insert(parts.end(), request.expressions.begin(), request.expressions.end());
  return kept_file(cache, parts, ".so");
}

// Compiler messages name files in the temporary folder; real ones name the program.
std::string clean(std::string log, const Folder& folder, const std::string& name) {
  for (const auto& [from, to] :
       {std::pair{folder.file("kernel.cu"), name}, {folder.path() + "/headers/", std::string()}})
    for (std::size_t at; (at = log.find(from)) != std::string::npos;) log.replace(at, from.size(), to);
  return log;
}

std::vector<std::string> compiler_words(const Toolchain& toolchain, const std::string& standard) {
  std::vector<std::string> words = {toolchain.compiler,
                                    "-x",
                                    "c++",
                                    "-nostdinc",
                                    "-std=" + standard,
                                    "-O1",
                                    "-w",
                                    "-fPIC",
                                    "-fno-gnu-unique",
                                    "-fno-builtin-memcpy",
                                    "-fno-builtin-memmove",
                                    "-fno-builtin-memset",
                                    "-fno-exceptions",
                                    "-fno-rtti",
                                    "-fno-math-errno",
                                    "-fno-strict-aliasing",
                                    "-fwrapv",
                                    "-ffp-contract=off",
                                    "-fno-stack-protector"};
  if (toolchain.clang) std::erase(words, "-fno-gnu-unique");
  return words;
}

// The object file of the hooks: kept beside the results, or made in the folder.
std::string hooks_object(const Toolchain& toolchain, const Folder& folder, CompileResult& result) {
  const char* cache = std::getenv("SIMCUDA_CACHE");
  const bool keeps = cache != nullptr && *cache != 0;
  const std::string kept = keeps ? kept_file(cache, {toolchain.compiler, kHooks}, ".o") : std::string();
  if (keeps && fs::exists(kept)) return kept;
  const std::string made = folder.file("hooks.o");
  write_text(folder.file("hooks.cc"), kHooks);
  std::vector<std::string> words = compiler_words(toolchain, "c++17");
  words.insert(words.end(), {"-c", folder.file("hooks.cc"), "-o", made});
  if (int status = run(words, folder.file("log")); status != 0) {
    result.internal = true;
    result.log = "simcuda: cannot compile the hooks: " + read_text(folder.file("log"));
    return {};
  }
  if (keeps) keep(kept, read_text(made), folder);
  return made;
}

// Where a text leaves what kernels have in common, the prelude of this file and that of the library, which ends before
// it uses its own namespace; 0 where it has no such place.
std::size_t common_end(const std::string& text) {
  const std::size_t at = text.find("\nusing namespace ");
  return at == std::string::npos ? 0 : at + 1;
}

// The number of the line that begins there, by the last mark of the preprocessor before it.
int line_at(const std::string& text, std::size_t place) {
  const std::size_t mark = text.rfind("\n# ", place - 1) + 1;
  return std::atoi(text.c_str() + mark + 2) - 1 +
         static_cast<int>(std::count(text.begin() + mark, text.begin() + place, '\n'));
}

// A header of this text, read once for all kernels that begin with it and kept beside the results, as GCC finds it
// (header.gch); empty where nothing is kept. GCC reads the text itself where it cannot take the file.
std::string precompiled(const Toolchain& toolchain, const std::vector<std::string>& flags, const std::string& text,
                        const Folder& folder) {
  const char* cache = std::getenv("SIMCUDA_CACHE");
  if (cache == nullptr || *cache == 0 || toolchain.clang) return {};
  std::vector<std::string> parts = flags;
  parts.push_back(text);
  const std::string kept = kept_file(cache, parts, ".h");
  if (fs::exists(kept + ".gch")) return kept;
  keep(kept, text, folder);
  std::vector<std::string> words = flags;
  *(std::find(words.begin(), words.end(), "-x") + 1) = "c++-header";
  const std::string made = folder.file("common.gch");
  words.insert(words.end(), {kept, "-o", made});
  if (run(words, folder.file("log")) != 0) return {};  // what is wrong is said of the whole text
  keep(kept + ".gch", read_text(made), folder);
  return kept;
}

}  // namespace

// Like a mangled name in that it is none of the text's.
std::string lowered_name(const std::string& expression) {
  return "_Z:" + expression;
}

CompileResult compile(const CompileRequest& request) {
  static const Toolchain toolchain;
  CompileResult result;
  std::string cached = cache_file(toolchain, request);
  if (!cached.empty()) {
    std::string image = read_text(cached);
    if (!image.empty()) {
      result.image.assign(image.begin(), image.end());
      result.good = true;
      return result;
    }
  }
  Folder folder;
  if (!folder.good()) {
    result.internal = true;
    result.log = "simcuda: no temporary folder";
    return result;
  }
  for (const auto& [name, text] : request.headers) write_text(folder.file("headers/" + name), text);
  write_text(folder.file("kernel.cu"), request.source);

  // The preprocessor without any of the host's macros or headers: what NVRTC would not know, this does not know.
  std::vector<std::string> words = {toolchain.compiler,        "-E", "-x", "c++", "-undef", "-nostdinc",
                                    "-std=" + request.standard};
  for (const char* define : {"__CUDACC__=1", "__CUDACC_RTC__=1", "__NVCC__=1", "RONDO_SIMULATED=1"})
    words.push_back(std::string("-D") + define);
  words.push_back("-D__CUDACC_VER_MAJOR__=" + std::to_string(request.nvrtc_version / 1000));
  words.push_back("-D__CUDACC_VER_MINOR__=" + std::to_string(request.nvrtc_version % 1000 / 10));
  words.push_back("-D__CUDA_ARCH__=" + std::to_string(request.arch * 10));
  for (const std::string& define : request.defines) words.push_back("-D" + define);
  words.push_back("-I" + folder.file("headers"));
  for (const std::string& include : request.include_folders) words.push_back("-I" + include);
  words.insert(words.end(), {folder.file("kernel.cu"), "-o", folder.file("kernel.ii")});
  int status = run(words, folder.file("log"));
  if (status != 0) {
    result.internal = status < 0 || status == 127;
    result.log = result.internal ? "simcuda: cannot run '" + toolchain.compiler + "'"
                                 : clean(read_text(folder.file("log")), folder, request.name);
    return result;
  }
  Rewritten rewritten = rewrite(read_text(folder.file("kernel.ii")));
  if (!rewritten.error.empty()) {
    result.log = request.name + ": error: " + rewritten.error;
    return result;
  }
  std::string text = std::string("# 1 \"prelude\"\n") + kPrelude + "\n" + rewritten.text + table(rewritten, request);

  const std::string hooks = hooks_object(toolchain, folder, result);
  if (hooks.empty()) return result;
  words = compiler_words(toolchain, request.standard);
  for (const std::string& flag : toolchain.check_flags()) words.push_back(flag);

  if (const std::size_t end = common_end(text); end > 0)
    if (const std::string header = precompiled(toolchain, words, clean(text.substr(0, end), folder, "kernel"), folder);
        !header.empty()) {
      text = "# " + std::to_string(line_at(text, end)) + " \"" + folder.file("kernel.cu") + "\"\n" + text.substr(end);
      words.insert(words.end(), {"-include", header});
    }
  write_text(folder.file("full.cc"), text);
  // Of the libraries only what a kernel may call: with C++'s the linker would take as long again as all of it does.
  words.insert(words.end(), {"-shared", "-Wl,-Bsymbolic", "-nostdlib", folder.file("full.cc"), "-x", "none", hooks,
                             "-o", folder.file("kernel.so"), "-lm", "-lc", "-lgcc"});
  status = run(words, folder.file("log"));
  result.log = clean(read_text(folder.file("log")), folder, request.name);
  if (status != 0) {
    result.internal = status < 0;
    return result;
  }
  std::string image = read_text(folder.file("kernel.so"));
  result.image.assign(image.begin(), image.end());
  result.good = true;
  if (!cached.empty()) keep(cached, image, folder);
  return result;
}

}  // namespace simcuda
