/* See device.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <string.h>

#include "check.h"

/* Whether CUDA really works here: a driver, a device, and an operator that was compiled and ran. If not, `why` says it.
 * It tries on an engine of its own, so that a failure stays there. */
static int cuda_works(char* why, size_t capacity) {
  const rondo_device cuda = {RONDO_CUDA, 0};
  const int64_t shape[1] = {1};
  const float one = 1;
  const char* reason = "";
  float two = 0;
  int32_t available = 0, count = 0;
  rondo_engine* engine = NULL;
  rondo_tensor* tensor = NULL;
  rondo_status status;

  CHECK(rondo_feature("cuda", &available, &reason));
  if (!available) {
    snprintf(why, capacity, "%s", reason);
    return 0;
  }
  CHECK(rondo_device_count(RONDO_CUDA, &count));
  if (count == 0) {
    snprintf(why, capacity, "the driver shows no device");
    return 0;
  }
  CHECK(rondo_engine_create(NULL, &engine));
  status = rondo_tensor_from_host(engine, cuda, RONDO_F32, 1, shape, &one, &tensor);
  if (status == RONDO_OK) status = rondo_binary_scalar(RONDO_ADD, tensor, 1.0, &tensor);
  if (status == RONDO_OK) status = rondo_tensor_read(tensor, &two, sizeof two);
  if (status != RONDO_OK) {
    snprintf(why, capacity, "%s", rondo_last_error());
  } else if (two != 2.0f) {
    snprintf(why, capacity, "1 + 1 gave %g there", two);
  }
  rondo_tensor_destroy(tensor);
  rondo_engine_destroy(engine);
  return status == RONDO_OK && two == 2.0f;
}

/* How much of a reason is its first clause, which says what is missing; the rest lists the files that were tried. */
static int first_clause(const char* reason) {
  const char* end = strstr(reason, "; ");
  return end == NULL ? (int)strlen(reason) : (int)(end - reason);
}

rondo_device device_choose(const char* text) {
  const rondo_device cpu = {RONDO_CPU, 0}, cuda = {RONDO_CUDA, 0};
  rondo_device device = cpu;
  char why[1024];
  if (strcmp(text, "auto") != 0) {
    CHECK(rondo_device_parse(text, &device));
    return device;
  }
  if (cuda_works(why, sizeof why)) return cuda;
  printf("on the cpu, without CUDA: %.*s (the command rondo doctor says more)\n", first_clause(why), why);
  return cpu;
}

void device_print(rondo_engine* engine, rondo_device device, char* name, size_t capacity) {
  static const char* const on_cpu[] = {"blas", "onednn", NULL};
  static const char* const on_cuda[] = {"cuda", "nvrtc", "cublaslt", "cudnn", "graphs", NULL};
  static const char* const modes[] = {"default", "async", "threaded", "naive"};
  const char* const* feature;
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  rondo_engine_mode mode = RONDO_ENGINE_DEFAULT;
  char text[16];
  CHECK(rondo_device_query(device, &info));
  CHECK(rondo_device_format(device, text, sizeof text));
  CHECK(rondo_engine_get_mode(engine, &mode));
  printf("rondo %s, %s engine, %s: %s", rondo_version_string(), modes[mode], text, info.name);
  if (device.kind == RONDO_CUDA) {
    printf(", compute capability %d.%d, driver for CUDA %d.%d", info.capability / 10, info.capability % 10,
           info.driver / 1000, info.driver % 1000 / 10);
  }
  printf("\n");
  for (feature = device.kind == RONDO_CUDA ? on_cuda : on_cpu; *feature != NULL; ++feature) {
    const char* reason = "";
    int32_t available = 0;
    CHECK(rondo_feature(*feature, &available, &reason));
    printf("  %-8s %s: %.*s\n", *feature,
           available                  ? "yes"
           : device.kind == RONDO_CPU ? "no (optional)"
                                      : "no",
           available ? (int)strlen(reason) : first_clause(reason), reason);
  }
  snprintf(name, capacity, "%s", info.name);
}
