// Makes requests for images of the kernels that Rondo generates, whose texts follow the prelude.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rtc/image.h"

namespace rondo::rtc {

// The text with the statement that every kernel begins with.
std::string with_beginning(std::string text);
// `text` lives as long as the request.
ImageRequest request_for(const char* name, const std::string& text);

}  // namespace rondo::rtc
