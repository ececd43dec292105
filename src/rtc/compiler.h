// Compiles the text of a kernel with NVRTC to an image that the driver loads. Any thread may call; NVRTC compiles in
// parallel from 12.x.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace rondo::rtc {

// The architecture to compile for.
struct Target {
  int architecture = 0;  // 90 for sm_90
  bool binary = false;   // a cubin for exactly that architecture; else PTX, which newer ones translate
  std::vector<std::string> options;
  int nvrtc_major = 0, nvrtc_minor = 0;
  uint64_t nvrtc_build = 0;  // tells builds of one version apart; 0: not known
};

// The options that every kernel of Rondo's own is compiled with, whatever the target.
const std::vector<std::string>& common_options();

// The best target for a device of a capability: a cubin if NVRTC knows the device; else, or with `portable`, PTX of the
// newest architecture it knows that the device can run.
Status choose_target(int capability, bool portable, Target* target);

// A program of a user's: a text that is compiled as it is, with CUDA's defaults. `file` is what its lines are called in
// messages. Kernels are named by C++ expressions ("scale<float, 4>").
struct UserSource {
  std::string file;
  std::string text;
  std::vector<std::string> expressions;
  std::vector<std::string> options;  // after those that choose the architecture and C++17
};
// lowered: one name in the image per expression. Errors as of compile().
Status compile_user(const Target& target, const UserSource& source, std::string* image,
                    std::vector<std::string>* lowered);

// `text` follows the prelude. RONDO_COMPILE_FAILED carries NVRTC's log; RONDO_LIBRARY_MISSING: NVRTC is there without
// its builtins.
Status compile(const Target& target, const char* name, const std::string& text, std::string* image);

}  // namespace rondo::rtc
