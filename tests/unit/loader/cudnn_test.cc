// Finding cuDNN: whole or not at all, because it ends the process where a part is missing. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

namespace rondo_test {
namespace {

class LoaderCudnn : public Loader {
 protected:
  LoaderCudnn() {
    driver = plant("driver", "cuda_12040", "libcuda.so.1");
    empty = (root / "empty").string();
    fs::create_directories(empty);
  }
  // An installation of version 9 with all its parts.
  std::string plant_9(const std::string& folder, const std::string& which = "cudnn_9") {
    for (const char* part : {"libcudnn_graph.so.9", "libcudnn_engines_precompiled.so.9",
                             "libcudnn_engines_runtime_compiled.so.9", "libcudnn_heuristic.so.9"})
      plant(folder, "cudnn_graph", part);
    return plant(folder, which, "libcudnn.so.9");
  }
  std::string plant_8(const std::string& folder, const std::string& which = "cudnn_8") {
    for (const char* part :
         {"libcudnn_ops_infer.so.8", "libcudnn_ops_train.so.8", "libcudnn_cnn_infer.so.8", "libcudnn_cnn_train.so.8"})
      plant(folder, "cudnn_ops", part);
    return plant(folder, which, "libcudnn.so.8");
  }
  Outcome open(const std::string& folder, Environment more = {}) {
    more.insert({{"RONDO_CUDA_DRIVER", driver}, {"RONDO_NVRTC", "none"}, {"RONDO_CUDNN", folder}});
    return run(more, {"open", "cudnn"});
  }
  std::string driver, empty;
};

TEST_F(LoaderCudnn, AWholeInstallation) {
  const std::string nine = plant_9("nine"), eight = plant_8("eight");
  plant("nine", "cublaslt_whole", "libcublasLt.so.12");
  plant("eight", "cublaslt_whole", "libcublasLt.so.12");
  opened(open(nine), nine + "/libcudnn.so.9", "9.19.0 for CUDA 12.8");
  opened(open(eight), eight + "/libcudnn.so.8", "8.9.7 for CUDA 12.1");
}

TEST_F(LoaderCudnn, TheNewerOfTwoUnlessItIsNotWhole) {
  const std::string both = plant_9("both");
  plant_8("both");
  plant("both", "cublaslt_whole", "libcublasLt.so.12");
  opened(open(both), both + "/libcudnn.so.9", "9.19.0 for CUDA 12.8");
  fs::remove(root / "both/libcudnn_graph.so.9");
  const Outcome outcome = open(both);
  opened(outcome, both + "/libcudnn.so.8", "8.9.7 for CUDA 12.1");
  EXPECT_TRUE(has_probe(outcome, both + "/libcudnn.so.9", "is not whole")) << outcome.text;
}

TEST_F(LoaderCudnn, APartThatIsMissingIsNotCalled) {
  const std::string nine = plant_9("nine"), eight = plant_8("eight");
  plant("nine", "cublaslt_whole", "libcublasLt.so.12");
  plant("eight", "cublaslt_whole", "libcublasLt.so.12");
  for (const char* part : {"libcudnn_heuristic.so.9", "libcudnn_engines_precompiled.so.9", "libcudnn_graph.so.9"}) {
    fs::rename(root / "nine" / part, root / "kept");
    refused(open(nine), {"cuDNN (libcudnn) cannot be used", "is not whole: " + nine + "/" + part, "install cuDNN 9",
                         "set RONDO_CUDNN to the file or its folder"});
    fs::rename(root / "kept", root / "nine" / part);
  }
  fs::remove(root / "eight/libcudnn_ops_infer.so.8");
  refused(open(eight), {"is not whole: " + eight + "/libcudnn_ops_infer.so.8"});
}

TEST_F(LoaderCudnn, ADamagedPartIsNotOpened) {
  const std::string nine = plant_9("nine");
  plant("nine", "cublaslt_whole", "libcublasLt.so.12");
  const std::string bytes = bytes_of("cudnn_graph");
  write(root / "nine/libcudnn_engines_precompiled.so.9", bytes.substr(0, end_of_segments(bytes) - 1));
  refused(open(nine), {"is not whole: " + nine + "/libcudnn_engines_precompiled.so.9"});
  write(root / "nine/libcudnn_engines_precompiled.so.9", "not a library");
  refused(open(nine), {"is not whole: " + nine + "/libcudnn_engines_precompiled.so.9"});
}

TEST_F(LoaderCudnn, WithoutItsCublasLtItIsNotUsed) {
  const std::string nine = plant_9("nine");
  const Outcome outcome = open(nine, {{"RONDO_CUBLASLT", empty}});
  if (outcome.ok()) GTEST_SKIP() << "this machine has a cuBLASLt 12 that cannot be hidden";
  refused(outcome, {"is cuDNN 9.19.0 for CUDA 12.8, which needs libcublasLt.so.12 and ends the process without it",
                    "install cuBLAS of CUDA 12 (PyPI: nvidia-cublas-cu12)"});
  // One that lacks what cuDNN looks up would end the process too.
  plant("nine", "cublaslt_12", "libcublasLt.so.12");
  refused(open(nine), {"has no cublasLtGetProperty: not a whole cuBLASLt"});
}

TEST_F(LoaderCudnn, ItsCublasLtIsFoundWhereWheelsHaveIt) {
  const std::string site = "env/lib/python3.11/site-packages/nvidia/";
  const std::string nine = plant_9(site + "cudnn/lib");
  plant(site + "cublas/lib", "cublaslt_whole", "libcublasLt.so.12");
  // What hides cuBLASLt from products hides nothing from cuDNN.
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", driver},
                               {"RONDO_NVRTC", "none"},
                               {"RONDO_CUBLASLT", "none"},
                               {"VIRTUAL_ENV", (root / "env").string()}},
                              {"open", "cudnn"});
  opened(outcome, nine + "/libcudnn.so.9", "9.19.0 for CUDA 12.8");
}

TEST_F(LoaderCudnn, TooOldOrTooNew) {
  const std::string old = plant_8("old", "cudnn_8_1"), fresh = plant_9("fresh", "cudnn_9_cuda13");
  refused(open(old), {"cuDNN (libcudnn) is too old", "is cuDNN 8.1.1 for CUDA 12.1; 8.2 or newer is needed"});
  refused(open(fresh), {"is cuDNN 9.19.0 for CUDA 13.0, newer than the driver's CUDA 12"});
}

TEST_F(LoaderCudnn, SomethingElseOrNothing) {
  plant("other", "cuda_other", "libcudnn.so.9");
  refused(open((root / "other").string()), {"has no cudnnGetVersion: not cuDNN 8 or newer"});
  refused(open(empty),
          {"the folder has none of the expected files", "install cuDNN 9 for CUDA 12 (PyPI: nvidia-cudnn-cu12)"});
  refused(open("none"), {"RONDO_CUDNN=none"});
}

TEST_F(LoaderCudnn, AbsentFunctionNamesCudnnsVersion) {
  const std::string eight = plant_8("eight");
  plant("eight", "cublaslt_whole", "libcublasLt.so.12");
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", driver}, {"RONDO_NVRTC", "none"}, {"RONDO_CUDNN", eight}},
                              {"open", "cudnn", "call", "cudnnGetLastErrorString"});
  EXPECT_EQ(outcome["missing"], "yes") << outcome.text;
  for (const char* part : {"cuDNN (libcudnn) has no function cudnnGetLastErrorString", "found version 8.9.7",
                           "cuDNN 9.0 or newer is needed"})
    EXPECT_NE(outcome["why"].find(part), std::string::npos) << "lacks: " << part << "\n" << outcome.text;
}

}  // namespace
}  // namespace rondo_test
