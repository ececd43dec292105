// The C interface of librondo_onnx: checks arguments, and turns exceptions into a status and a message of the thread.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo_onnx.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <set>
#include <stdexcept>
#include <string>

#include "onnx/convert.h"
#include "onnx/file/failure.h"
#include "onnx/temporary.h"
#include "onnx/translate/operators.h"

namespace {

thread_local std::string last_message, last_findings;

// Makes no text before its own try, since memory may be out where it is called.
rondo_status fail(rondo_status status, const char* function, const char* message) noexcept {
  try {
    last_message.assign(function).append(": ").append(message);
  } catch (...) {
    last_message.clear();
  }
  return status;
}

// The caller's options, as many of their bytes as it has; what this library does not know must be zero.
rondo_onnx_convert_options read_options(const rondo_onnx_convert_options* given) {
  rondo_onnx_convert_options options = RONDO_ONNX_CONVERT_OPTIONS_INIT;
  if (!given) return options;
  constexpr size_t kLeast = offsetof(rondo_onnx_convert_options, no_patterns) + sizeof(options.no_patterns);
  if (given->size < kLeast)
    throw rondo_onnx::Failure(RONDO_INVALID_ARGUMENT, "options->size is " + std::to_string(given->size) +
                                                          "; initialise it with RONDO_ONNX_CONVERT_OPTIONS_INIT");
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof options; i < given->size; ++i)
    if (bytes[i] != 0)
      throw rondo_onnx::Failure(RONDO_INVALID_ARGUMENT,
                                "options have a field that this version of the library does not know");
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

void add_dims(const rondo_onnx_convert_options& options, rondo_onnx::ConvertOptions* converted) {
  using rondo_onnx::Failure;
  constexpr size_t kMostDims = 8;
  constexpr int64_t kMostSize = int64_t{1} << 40;  // as rondo_program_save_with_dims has it
  if (options.n_dims > kMostDims)
    throw Failure(RONDO_INVALID_ARGUMENT, "options->n_dims is " + std::to_string(options.n_dims) +
                                              "; it must be at most " + std::to_string(kMostDims));
  if (options.n_dims > 0 && (!options.dim_names || !options.least || !options.most))
    throw Failure(RONDO_INVALID_ARGUMENT, "options->dim_names, least or most is NULL, and n_dims is not 0");
  std::set<std::string> taken;
  for (size_t i = 0; i < options.n_dims; ++i) {
    if (!options.dim_names[i])
      throw Failure(RONDO_INVALID_ARGUMENT, "options->dim_names[" + std::to_string(i) + "] is NULL");
    const std::string name = options.dim_names[i];
    rondo_onnx::ConvertOptions::Dim dim;
    dim.least = options.least[i];
    dim.most = options.most[i];
    if (dim.least < 1 || dim.most <= dim.least || dim.most > kMostSize)
      throw Failure(RONDO_INVALID_ARGUMENT, "the sizes of " + rondo_onnx::excerpt(name) + " are from " +
                                                std::to_string(dim.least) + " to " + std::to_string(dim.most) +
                                                "; they must be from 1 or more to a larger one, 2^40 at most");
    if (options.steps) dim.step = options.steps[i];
    if (dim.step < 1 || dim.least % dim.step != 0 || dim.most % dim.step != 0)
      throw Failure(RONDO_INVALID_ARGUMENT, "the step of " + rondo_onnx::excerpt(name) + " is " +
                                                std::to_string(dim.step) + ", and its sizes are from " +
                                                std::to_string(dim.least) + " to " + std::to_string(dim.most) +
                                                "; the step must be 1 or more, and both must be multiples of it");
    for (size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = name.find('=', at);
      dim.names.push_back(name.substr(at, end == std::string::npos ? end : end - at));
      if (dim.names.back().empty())
        throw Failure(RONDO_INVALID_ARGUMENT, "options->dim_names[" + std::to_string(i) + "] is " +
                                                  rondo_onnx::excerpt(name) + "; it must be names with = between them");
      if (converted->sizes.count(dim.names.back()) || !taken.insert(dim.names.back()).second)
        throw Failure(RONDO_INVALID_ARGUMENT,
                      "the size of " + rondo_onnx::excerpt(dim.names.back()) + " is given twice");
    }
    converted->dims.push_back(std::move(dim));
  }
}

void add_limits(const rondo_onnx_convert_options& options, rondo_onnx::ConvertOptions* converted) {
  using rondo_onnx::Failure;
  if (options.n_limits > 0 && (!options.limit_names || !options.limits))
    throw Failure(RONDO_INVALID_ARGUMENT, "options->limit_names or limits is NULL, and n_limits is not 0");
  for (size_t i = 0; i < options.n_limits; ++i) {
    if (!options.limit_names[i])
      throw Failure(RONDO_INVALID_ARGUMENT, "options->limit_names[" + std::to_string(i) + "] is NULL");
    const std::string name = options.limit_names[i];
    constexpr int64_t kMost = int64_t{1} << 40;
    if (options.limits[i] < 1 || options.limits[i] > kMost)
      throw Failure(RONDO_INVALID_ARGUMENT, "the limit of " + rondo_onnx::excerpt(name) + " is " +
                                                std::to_string(options.limits[i]) + "; it must be from 1 to " +
                                                std::to_string(kMost));
    if (!converted->limits.emplace(name, options.limits[i]).second)
      throw Failure(RONDO_INVALID_ARGUMENT, "the limit of " + rondo_onnx::excerpt(name) + " is given twice");
  }
}

rondo_onnx::ConvertOptions options_of(const rondo_onnx_convert_options* given) {
  using rondo_onnx::Failure;
  const rondo_onnx_convert_options options = read_options(given);
  rondo_onnx::ConvertOptions converted;
  if (options.n_sizes > 0 && (!options.size_names || !options.sizes))
    throw Failure(RONDO_INVALID_ARGUMENT, "options->size_names or sizes is NULL, and n_sizes is not 0");
  for (size_t i = 0; i < options.n_sizes; ++i) {
    if (!options.size_names[i])
      throw Failure(RONDO_INVALID_ARGUMENT, "options->size_names[" + std::to_string(i) + "] is NULL");
    const std::string name = options.size_names[i];
    if (options.sizes[i] < 1)
      throw Failure(RONDO_INVALID_ARGUMENT, "the size of " + rondo_onnx::excerpt(name) + " is " +
                                                std::to_string(options.sizes[i]) + "; it must be 1 or more");
    if (!converted.sizes.emplace(name, options.sizes[i]).second)
      throw Failure(RONDO_INVALID_ARGUMENT, "the size of " + rondo_onnx::excerpt(name) + " is given twice");
  }
  if (options.n_fixed > 0 && (!options.fixed_names || !options.fixed_counts))
    throw Failure(RONDO_INVALID_ARGUMENT, "options->fixed_names or fixed_counts is NULL, and n_fixed is not 0");
  const double* next = options.fixed_numbers;
  for (size_t i = 0; i < options.n_fixed; ++i) {
    if (!options.fixed_names[i])
      throw Failure(RONDO_INVALID_ARGUMENT, "options->fixed_names[" + std::to_string(i) + "] is NULL");
    const size_t count = options.fixed_counts[i];
    if (count > 0 && !options.fixed_numbers) throw Failure(RONDO_INVALID_ARGUMENT, "options->fixed_numbers is NULL");
    if (!converted.fixed.emplace(options.fixed_names[i], std::vector<double>(next, next + count)).second)
      throw Failure(RONDO_INVALID_ARGUMENT,
                    "numbers for the input " + rondo_onnx::excerpt(options.fixed_names[i]) + " are given twice");
    next += count;
  }
  if (options.function) converted.function = options.function;
  if (options.memory_limit < 0)
    throw Failure(RONDO_INVALID_ARGUMENT,
                  "options->memory_limit is " + std::to_string(options.memory_limit) + "; it must be 0 or more");
  converted.memory_limit = options.memory_limit;
  if (options.fewer_roundings != 0 && options.fewer_roundings != 1)
    throw Failure(RONDO_INVALID_ARGUMENT,
                  "options->fewer_roundings is " + std::to_string(options.fewer_roundings) + "; it must be 0 or 1");
  converted.fewer_roundings = options.fewer_roundings != 0;
  if (options.no_patterns != 0 && options.no_patterns != 1)
    throw Failure(RONDO_INVALID_ARGUMENT,
                  "options->no_patterns is " + std::to_string(options.no_patterns) + "; it must be 0 or 1");
  converted.patterns = options.no_patterns == 0;
  add_dims(options, &converted);
  add_limits(options, &converted);
  return converted;
}

// Runs the body of a function of the interface; what it throws becomes a status and the thread's message.
template <class Body>
rondo_status guarded(const char* function, const Body& body) noexcept {
  try {
    body();
    return RONDO_OK;
  } catch (const rondo_onnx::Failure& failure) {
    return fail(failure.status(), function, failure.what());
  } catch (const rondo::Error& error) {
    return fail(error.status(), function, error.message());
  } catch (const std::bad_alloc&) {
    return fail(RONDO_OUT_OF_MEMORY, function, "memory is exhausted");
  } catch (const std::length_error&) {
    return fail(RONDO_OUT_OF_MEMORY, function, "it takes more memory than there are addresses");
  } catch (const std::exception& thrown) {
    return fail(RONDO_INTERNAL, function, thrown.what());
  } catch (...) {
    return fail(RONDO_INTERNAL, function, "an exception that is none of the standard library's");
  }
}

}  // namespace

extern "C" {

RONDO_API rondo_status rondo_onnx_convert(const char* path, const char* out_path,
                                          const rondo_onnx_convert_options* options) {
  return guarded("rondo_onnx_convert", [&] {
    if (!path) throw rondo_onnx::Failure(RONDO_INVALID_ARGUMENT, "path is NULL");
    if (!out_path) throw rondo_onnx::Failure(RONDO_INVALID_ARGUMENT, "out_path is NULL");
    last_findings = rondo_onnx::convert(path, out_path, options_of(options));
  });
}

RONDO_API rondo_status rondo_onnx_open(const char* path, const rondo_onnx_convert_options* options,
                                       rondo_program** program) {
  return guarded("rondo_onnx_open", [&] {
    if (!path) throw rondo_onnx::Failure(RONDO_INVALID_ARGUMENT, "path is NULL");
    if (!program) throw rondo_onnx::Failure(RONDO_INVALID_ARGUMENT, "program is NULL");
    const rondo_onnx::ConvertOptions converted = options_of(options);
    const rondo_onnx::TemporaryFolder folder;
    const std::string file = folder.path() + "/program.safetensors";
    std::string findings = rondo_onnx::convert(path, file, converted);
    rondo_program* opened = nullptr;
    if (const rondo_status status = rondo_program_open(file.c_str(), &opened); status != RONDO_OK)
      throw rondo::Error(status);
    *program = opened;
    last_findings = std::move(findings);
  });
}

RONDO_API const char* rondo_onnx_last_error(void) {
  return last_message.c_str();
}

RONDO_API const char* rondo_onnx_last_patterns(void) {
  return last_findings.c_str();
}

RONDO_API rondo_status rondo_onnx_operator(int64_t index, const char** name, const char** domain, int64_t* since) {
  constexpr const char* kName = "rondo_onnx_operator";
  if (!name || !domain || !since) return fail(RONDO_INVALID_ARGUMENT, kName, "name, domain or since is NULL");
  const rondo_onnx::OperatorRow* const row = rondo_onnx::operator_row(index);
  if (!row) {
    char text[64];
    std::snprintf(text, sizeof text, "index is %lld; there are not as many", static_cast<long long>(index));
    return fail(RONDO_INVALID_ARGUMENT, kName, text);
  }
  *name = row->name;
  *domain = row->domain;
  *since = row->since;
  return RONDO_OK;
}

}  // extern "C"
