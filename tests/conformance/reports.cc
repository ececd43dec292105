// On the simulated driver, whatever it reports during a case (memory read before it was written, an access to freed
// memory) fails that case, with the report's text: the results may be right by luck.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace conformance {
namespace {

class Reports final : public testing::EmptyTestEventListener {
  // After the test object, and with it its engine, is gone: nothing is in flight any more.
  void OnTestEnd(const testing::TestInfo&) override {
    const char* path = std::getenv("RONDO_CUDA_DRIVER");
    // Opened by Rondo, or there is nothing to report.
    void* library = path && *path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (!library) return;
    const auto control = reinterpret_cast<long long (*)(const char*, const char*)>(dlsym(library, "simcuda_control"));
    const auto report = reinterpret_cast<const char* (*)(long long)>(dlsym(library, "simcuda_report"));
    if (control && report) {
      const long long count = control("reports", nullptr);
      if (count > 0) ADD_FAILURE() << "the simulated driver reports " << count << " times, first: " << report(0);
      control("clear-reports", nullptr);
    }
    dlclose(library);
  }
};

class Listen final : public testing::Environment {
  void SetUp() override { testing::UnitTest::GetInstance()->listeners().Append(new Reports); }
};

[[maybe_unused]] const testing::Environment* const listening = testing::AddGlobalTestEnvironment(new Listen);

}  // namespace
}  // namespace conformance
