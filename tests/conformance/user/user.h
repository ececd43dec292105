// An expression written as text, and arguments for it. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "harness.h"

namespace conformance {

class Expression {
 public:
  explicit Expression(const char* text, const char* name = nullptr) {
    must(rondo_expression_create(text, name, &handle_));
  }
  ~Expression() { rondo_expression_destroy(handle_); }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  operator rondo_expression*() const { return handle_; }

  // Its one result, new or into `out`.
  Tensor operator()(const std::vector<rondo_argument>& arguments) const {
    Tensor out;
    must(rondo_expression_run(handle_, static_cast<int32_t>(arguments.size()), arguments.data(), 1, out.slot()));
    return out;
  }
  rondo_status run(const std::vector<rondo_argument>& arguments, std::vector<rondo_tensor*> out) const {
    return rondo_expression_run(handle_, static_cast<int32_t>(arguments.size()), arguments.data(),
                                static_cast<int32_t>(out.size()), out.data());
  }

 private:
  rondo_expression* handle_ = nullptr;
};

// A text that is no expression: the message names the place, "line:column", and the word.
inline void expect_text_refused(const char* source, const char* place, const char* word) {
  rondo_expression* none = nullptr;
  const rondo_status status = rondo_expression_create(source, nullptr, &none);
  expect_refused(status, RONDO_INVALID_ARGUMENT, "rondo_expression_create", word);
  EXPECT_NE(std::string(rondo_last_error()).find(place), std::string::npos) << rondo_last_error();
  EXPECT_EQ(none, nullptr);
}

inline rondo_argument tensor(const char* name, rondo_tensor* tensor) {
  return RONDO_TENSOR(name, tensor);
}
inline rondo_argument scalar(const char* name, double value) {
  return RONDO_SCALAR(name, value);
}
inline rondo_argument integer(const char* name, int64_t value) {
  return RONDO_INTEGER(name, value);
}

}  // namespace conformance
