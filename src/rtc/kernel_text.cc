// Puts the parts of a kernel's text together that are the same for all.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/kernel_text.h"

#include "rtc/device_text.h"

namespace rondo::rtc {

ImageRequest request_for(const char* name, const std::string& text) {
  ImageRequest request;
  request.name = name;
  request.compile = [name, &text](const Target& target, std::string* image) {
    return compile(target, name, text, image);
  };
  request.describe = [&text](KeyBuilder& key) {
    key.add(kPreludeText);  // packed, which tells it from others as well
    key.add(text);
  };
  return request;
}

std::string with_beginning(std::string text) {
  if (text.find("begin_kernel()") != std::string::npos) return text;
  const size_t kernel = text.rfind("rondo_kernel(");
  const size_t body = kernel == std::string::npos ? kernel : text.find('{', kernel);
  if (body != std::string::npos)
    text.insert(body + 1, "\n  rondo::device::begin_kernel();");  // mutation: kernels_begin_at_once
  return text;
}

}  // namespace rondo::rtc
