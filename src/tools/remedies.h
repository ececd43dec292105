// Composes commands that mend what `rondo doctor` finds, as a person would type them on this machine.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dynlib/loading/library.h"

namespace rondo::tools {

// Installs a library where it is found afterwards: by pip into the environment that is active, or a new one.
std::string install(const Library& library);
// Installs the NVIDIA driver as this distribution does, or shows what the kernel has for the GPU.
std::string install_driver();
std::string unset(const char* setting);
// Gives compiled kernels a folder that can be used, where `folder` is refused or cannot be written.
std::string another_cache(const std::string& folder);

}  // namespace rondo::tools
