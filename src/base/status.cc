// Text of errors. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <cstdarg>

#include "base/text.h"

namespace rondo {

Status error(rondo_status code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = vformat(format, arguments);
  va_end(arguments);
  return Status(code, std::move(text));
}

}  // namespace rondo
