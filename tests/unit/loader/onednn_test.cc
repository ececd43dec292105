// Finding oneDNN: version 3 of its interface and no other. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

namespace rondo_test {
namespace {

class LoaderOnednn : public Loader {
 protected:
  Outcome open(const std::string& folder, Environment more = {}) {
    more.insert({"RONDO_ONEDNN", folder});
    return run(more, {"open", "onednn"});
  }
};

TEST_F(LoaderOnednn, UnderItsNames) {
  const std::string upstream = plant("upstream", "dnnl_3", "libdnnl.so.3"),
                    debian = plant("debian", "dnnl_3", "libdnnl.so.3.6");
  opened(open(upstream), upstream + "/libdnnl.so.3", "3.7.1");
  opened(open(debian), debian + "/libdnnl.so.3.6", "3.7.1");
}

TEST_F(LoaderOnednn, WherePipPutsIt) {
  const std::string folder = plant("env/lib", "dnnl_3", "libdnnl.so.3");
  fs::create_directories(root / "env/lib/python3.11/site-packages");
  const Outcome outcome = run({{"VIRTUAL_ENV", (root / "env").string()}}, {"open", "onednn"});
  opened(outcome, (root / "env/lib/python3.11/site-packages/../../libdnnl.so.3").string(), "3.7.1");
}

TEST_F(LoaderOnednn, AnotherInterface) {
  const std::string old = plant("old", "dnnl_2", "libdnnl.so.2");
  refused(open(old),
          {"oneDNN (libdnnl) is too old", "is oneDNN 2.6.1, whose interface is another one; version 3 is needed",
           "install oneDNN 3 (PyPI: onednn-cpu-gomp"});
  const std::string both = plant("old", "dnnl_3", "libdnnl.so.3");
  opened(open(both), both + "/libdnnl.so.3", "3.7.1");
}

TEST_F(LoaderOnednn, BuildsThatWillNotDo) {
  refused(open(plant("pool", "dnnl_pool", "libdnnl.so.3")), {"a build of oneDNN 3.7.1 for a thread pool", "OpenMP"});
  refused(open(plant("sycl", "dnnl_sycl", "libdnnl.so.3")), {"a build of oneDNN 3.7.1 for SYCL"});
  refused(open(plant("part", "dnnl_part", "libdnnl.so.3")), {"has no dnnl_engine_create: not a whole oneDNN"});
}

TEST_F(LoaderOnednn, DamagedSomethingElseOrNothing) {
  const std::string bytes = bytes_of("dnnl_3");
  fs::create_directories(root / "short");
  write(root / "short/libdnnl.so.3", bytes.substr(0, end_of_segments(bytes) - 1));
  refused(open((root / "short").string()), {"libdnnl.so.3"});
  plant("other", "cuda_other", "libdnnl.so.3");
  refused(open((root / "other").string()), {"has no dnnl_version: not oneDNN"});
  fs::create_directories(root / "empty");
  refused(open((root / "empty").string()), {"the folder has none of the expected files", "install oneDNN 3"});
  refused(open("none"), {"RONDO_ONEDNN=none"});
}

}  // namespace
}  // namespace rondo_test
