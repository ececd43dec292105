// Control flow from C++ callables. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graphs/recording.h"

namespace conformance {

using Issue = std::function<void()>;

// A body for the C interface: what it throws is its failure.
inline rondo_status call_issue(void* argument) {
  try {
    (*static_cast<const Issue*>(argument))();
    return RONDO_OK;
  } catch (const std::exception&) {
    return RONDO_USER_ERROR;
  }
}
struct TwoIssues {
  Issue yes, no;
};
inline rondo_status call_yes(void* argument) {
  return call_issue(&static_cast<TwoIssues*>(argument)->yes);
}
inline rondo_status call_no(void* argument) {
  return call_issue(&static_cast<TwoIssues*>(argument)->no);
}

// Control flow by functions, for suites on any fixture that has an engine.
template <class Fixture>
class WithControl : public Fixture {
 protected:
  void if_else(rondo_tensor* condition, const Issue& yes, const Issue& no = nullptr) const {
    TwoIssues both{yes, no};
    must(rondo_if(this->engine(), condition, call_yes, no ? call_no : nullptr, &both));
  }
  void while_true(rondo_tensor* condition, const Issue& body, int64_t limit = 0) const {
    Issue kept = body;
    must(rondo_while(this->engine(), condition, call_issue, limit, &kept));
  }
};

class OnControl : public WithControl<OnRecording> {
 protected:
  void choose(rondo_tensor* index, std::vector<Issue> bodies) const {
    const std::vector<rondo_body_fn> functions(bodies.size(), call_issue);
    std::vector<void*> arguments;
    for (Issue& each : bodies) arguments.push_back(&each);
    must(rondo_switch(engine(), index, static_cast<int32_t>(bodies.size()), functions.data(), arguments.data()));
  }
  // x > 0, of one element.
  Tensor positive(rondo_tensor* x) const { return make(rondo_binary_scalar, RONDO_GT, reduce(RONDO_SUM, x, {}), 0.0); }
  // With all control flow decided by the host.
  Graph record_for_host(const Issue& program) const {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_HOST_DECIDES;
    return record(engine(), program, &options);
  }
  Tensor truth(bool value) const { return up(full(RONDO_BOOL, {}, value)); }
  void add(rondo_tensor* x, double value) const { into(x, rondo_binary_scalar, RONDO_ADD, x, value); }
  void multiply(rondo_tensor* x, double value) const { into(x, rondo_binary_scalar, RONDO_MUL, x, value); }
};

}  // namespace conformance
