// Runs the command rondo-convert: reads its arguments and calls the library's function.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo_onnx.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* kUsage =
    "rondo-convert MODEL.onnx -o PROGRAM.safetensors [options]\n"
    "  converts an ONNX model to a program file, which every Rondo program calls\n"
    "\n"
    "  -o FILE             the program file to write\n"
    "  --size NAME=N       the size of a dimension that the model names, or INPUT:AXIS=N of one\n"
    "                      without a name; once for each\n"
    "  --dim NAME=N..N     a dimension that the program may be called with in any size between these;\n"
    "                      named as for --size, once for each; NAME=NAME=N..N: both have one size;\n"
    "                      NAME=N..N:STEP: in multiples of STEP between these\n"
    "  --limit NAME=N      the most elements of a result whose number the program computes, and of\n"
    "                      turns of such a loop: NAME is its first result, or an operator\n"
    "  --input NAME=N,N,...  an input that becomes a constant: a sampling rate, sizes\n"
    "  --function NAME     the name of the function in the file (main)\n"
    "  --memory BYTES      the most that weights and constants may take\n"
    "  --fewer-roundings   operators that become one may leave out roundings between them\n"
    "  --no-patterns       each node becomes operators of its own\n"
    "  --report            prints the patterns that were found, and how often\n"
    "  --operators         lists the operators that can be converted\n"
    "  --help              this text\n"
    "\n"
    "  Exits 0 if the file is written, 1 if the model cannot be converted (the message names\n"
    "  all that stands in the way), 2 if the arguments are wrong.\n";

int wrong(const std::string& what) {
  std::fprintf(stderr, "rondo-convert: %s\n\n%s", what.c_str(), kUsage);
  return 2;
}

// Exits 1 where what was printed is lost.
int finish() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}

int list_operators() {
  const char *name = nullptr, *domain = nullptr;
  int64_t since = 0;
  for (int64_t i = 0; rondo_onnx_operator(i, &name, &domain, &since) == RONDO_OK; ++i)
    std::printf("%s%s%s\n", domain, *domain ? "." : "", name);
  return finish();
}

bool read_number(std::string_view text, int64_t* number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return problem == std::errc() && end == text.data() + text.size() && *number >= 0;
}

// Reads a number with a point, whatever the locale; older C++ libraries have no from_chars for these.
bool read_real(std::string_view word, double* number) {
  std::istringstream stream{std::string(word)};
  stream.imbue(std::locale::classic());
  stream >> std::noskipws >> *number;
  return !stream.fail() && stream.peek() == std::istringstream::traits_type::eof();
}

// Adds the numbers of a list with commas; an empty list has none.
bool read_numbers(std::string_view text, std::vector<double>* numbers) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    double number = 0;
    if (!read_real(word, &number)) return false;
    numbers->push_back(number);
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
    if (text.empty()) return false;
  }
  return true;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> all;
  for (const std::string& each : texts) all.push_back(each.c_str());
  return all;
}

// Refuses an option of one value that is given twice, and an empty value. True: it may be taken.
bool take_once(const std::string& word, const std::string& value, std::string* kept, std::string* problem) {
  if (!kept->empty())
    *problem = word + " is given twice";
  else if (value.empty())
    *problem = word + " is empty";
  *kept = value;
  return problem->empty();
}

int run(int argc, char** argv) {
  std::string memory, problem;
  bool reports = false;
  std::string model, output, function;
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  std::vector<std::string> fixed;
  std::vector<size_t> counts;
  std::vector<std::string> dims, limit_names;
  std::vector<int64_t> least, most, steps, limits;
  std::vector<double> numbers;
  rondo_onnx_convert_options options = RONDO_ONNX_CONVERT_OPTIONS_INIT;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      std::fputs(kUsage, stdout);
      return finish();
    }
    if (word == "--operators") return list_operators();
    if (word == "--fewer-roundings") {
      options.fewer_roundings = 1;
      continue;
    }
    if (word == "--no-patterns") {
      options.no_patterns = 1;
      continue;
    }
    if (word == "--report") {
      reports = true;
      continue;
    }
    if (word == "-o" || word == "--size" || word == "--dim" || word == "--limit" || word == "--input" ||
        word == "--function" || word == "--memory") {
      if (i + 1 == argc) return wrong(word + " needs a value");
      const std::string value = argv[++i];
      int64_t number = 0;
      if (word == "-o") {
        if (!take_once(word, value, &output, &problem)) return wrong(problem);
      } else if (word == "--function") {
        if (!take_once(word, value, &function, &problem)) return wrong(problem);
      } else if (word == "--memory") {
        if (!take_once(word, value, &memory, &problem)) return wrong(problem);
        if (!read_number(value, &options.memory_limit))
          return wrong("--memory is '" + value + "'; it must be a number of bytes");
      } else if (word == "--dim") {
        const size_t sign = value.rfind('='), dots = value.rfind("..");
        const size_t colon = value.find(':', dots == std::string::npos ? value.size() : dots);
        int64_t last = 0, step = 1;
        if (sign == std::string::npos || sign == 0 || dots == std::string::npos || dots < sign ||
            !read_number(std::string_view(value).substr(sign + 1, dots - sign - 1), &number) ||
            !read_number(std::string_view(value).substr(dots + 2, colon - dots - 2), &last) ||
            (colon != std::string::npos && !read_number(std::string_view(value).substr(colon + 1), &step)))
          return wrong("--dim is '" + value + "'; it must be NAME=N..N or NAME=N..N:STEP");
        dims.push_back(value.substr(0, sign));
        least.push_back(number);
        most.push_back(last);
        steps.push_back(step);
      } else if (word == "--input") {
        const size_t sign = value.rfind('=');
        const size_t before = numbers.size();
        if (sign == std::string::npos || sign == 0 || !read_numbers(value.substr(sign + 1), &numbers))
          return wrong("--input is '" + value + "'; it must be NAME=N,N,...");
        fixed.push_back(value.substr(0, sign));
        counts.push_back(numbers.size() - before);
      } else {
        const size_t sign = value.rfind('=');
        if (sign == std::string::npos || sign == 0 || !read_number(std::string_view(value).substr(sign + 1), &number))
          return wrong(word + " is '" + value + "'; it must be NAME=N");
        const bool limit = word == "--limit";
        (limit ? limit_names : names).push_back(value.substr(0, sign));
        (limit ? limits : sizes).push_back(number);
      }
      continue;
    }
    if (word.size() > 1 && word[0] == '-') return wrong("it does not know the option " + word);
    if (!model.empty()) return wrong("it converts one model at a time; '" + word + "' is a second one");
    model = word;
  }
  if (model.empty()) return wrong("no model is given");
  if (output.empty()) return wrong("no file to write is given (-o)");
  const std::vector<const char*> texts = pointers(names), fixed_texts = pointers(fixed), dim_texts = pointers(dims),
                                 limit_texts = pointers(limit_names);
  options.n_sizes = texts.size();
  options.size_names = texts.data();
  options.sizes = sizes.data();
  options.n_fixed = fixed_texts.size();
  options.fixed_names = fixed_texts.data();
  options.fixed_counts = counts.data();
  options.fixed_numbers = numbers.data();
  options.n_limits = limit_texts.size();
  options.limit_names = limit_texts.data();
  options.limits = limits.data();
  options.n_dims = dim_texts.size();
  options.dim_names = dim_texts.data();
  options.least = least.data();
  options.most = most.data();
  options.steps = steps.data();
  if (!function.empty()) options.function = function.c_str();
  if (rondo_onnx_convert(model.c_str(), output.c_str(), &options) == RONDO_OK) {
    if (reports) std::fputs(rondo_onnx_last_patterns(), stdout);
    return finish();
  }
  std::fprintf(stderr, "rondo-convert: %s\n", rondo_onnx_last_error());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "rondo-convert: %s\n", thrown.what());
  } catch (...) {
    std::fputs("rondo-convert: an exception that is none of the standard library's\n", stderr);
  }
  return 1;
}
