// Judges which BLAS libraries are accepted, and chooses the kernels of those that can choose.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/blas.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <list>
#include <vector>

#include "base/machine/decimal.h"
#include "base/machine/instructions.h"
#include "base/settings.h"

namespace rondo {

namespace {

constexpr char kCoreType[] = "OPENBLAS_CORETYPE";

bool is_for_no_avx2(const char* core) {
  for (const char* each :
       {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Sandybridge", "Atom", "Nano", "Athlon", "Opteron",
        "Opteron_SSE3", "Barcelona", "Bobcat", "Bulldozer", "Piledriver", "Steamroller"})
    if (same_but_for_case(core, each)) return true;
  return false;
}

// While in scope the environment has an entry more. Not by setenv(), which moves what other threads may be reading:
// those find one whole array or the other, which stay for ever, and what one of them sets meanwhile stays set.
class Adding {
 public:
  explicit Adding(const std::string& entry) : with_(kept().emplace_back()) {
    for (char** each = before_; each && *each; ++each) with_.push_back(*each);
    with_.push_back(strdup(entry.c_str()));
    with_.push_back(nullptr);
    char** expected = before_;
    environ_.compare_exchange_strong(expected, with_.data());
  }
  ~Adding() {
    char** expected = with_.data();
    environ_.compare_exchange_strong(expected, before_);
  }
  Adding(const Adding&) = delete;
  Adding& operator=(const Adding&) = delete;

 private:
  static std::list<std::vector<char*>>& kept() {
    static auto* const arrays = new std::list<std::vector<char*>>;
    return *arrays;
  }
  const std::atomic_ref<char**> environ_{environ};
  char** const before_ = environ_.load();
  std::vector<char*>& with_;
};

}  // namespace

Blas::Blas()
    : Library({"a CBLAS library (OpenBLAS, MKL or libblas)",
               Setting::blas_path,
               {"libopenblas.so.0", "libmkl_rt.so.2", "libcblas.so.3", "libblas.so.3"},
               {},
               false,
               {"install OpenBLAS (Debian: libopenblas0)", {}, "libopenblas0"}}) {}

Status Blas::accept(std::string*) {
  for (const char* name : {"cblas_sgemm", "cblas_dgemm", "cblas_sgemv", "cblas_dgemv"})
    if (!symbol(name)) return error(RONDO_LIBRARY_MISSING, "has no %s: a BLAS without the C interface", name);
  version_ = "CBLAS";
  enum { kNone, kOwn, kOpenMp };  // OpenBLAS: what its threads are
  const auto parallel = reinterpret_cast<int (*)()>(symbol("openblas_get_parallel"));
  const auto set_threads = reinterpret_cast<void (*)(int)>(symbol("openblas_set_num_threads"));
  const int threads = parallel ? parallel() : kOpenMp;
  same_on_every_thread_ = threads != kOpenMp;
  serial_ = threads == kNone;
  if (!in_process_) {  // otherwise other code uses it too, and it stays as it is
    take_kernels();
    if (threads == kOwn && set_threads) {
      set_threads(1);
      serial_ = true;
    }
  }
  if (auto config = reinterpret_cast<char* (*)()>(symbol("openblas_get_config"))) version_ = config();
  return {};
}

// A processor that is younger than OpenBLAS is taken for one of the oldest, at a quarter of the speed. It is asked
// again then, by the name of its kernels for what the processor has.
void Blas::take_kernels() const {
  const auto core = reinterpret_cast<char* (*)()>(symbol("openblas_get_corename"));
  const auto forget = reinterpret_cast<void (*)()>(symbol("gotoblas_dynamic_quit"));
  const auto choose = reinterpret_cast<void (*)()>(symbol("gotoblas_dynamic_init"));
  if (!core || !forget || !choose || getenv(kCoreType)) return;
  const Instructions has = possible_instructions();
  if (has == Instructions::baseline || !is_for_no_avx2(core())) return;
  const Adding named(std::string(kCoreType) + "=" + (has == Instructions::avx512 ? "SkylakeX" : "Haswell"));
  forget();
  choose();
}

Blas& blas() {
  static auto* instance = new Blas;
  return *instance;
}

}  // namespace rondo
