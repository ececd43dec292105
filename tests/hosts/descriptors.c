/* A host that has closed its standard streams: no file and no socket of Rondo's gets their numbers, so that no message
   lands in a model file. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static rondo_engine* engine;
static volatile int stop;

/* Makes Rondo write warnings, of tensors that outlive their engine. */
static void* warns(void* unused) {
  (void)unused;
  while (!stop) {
    rondo_engine* other = NULL;
    CHECK(rondo_engine_create(NULL, &other) == RONDO_OK);
    rondo_tensor* left = host_tensor(other, 4, 1);
    rondo_engine_destroy(other);
    rondo_tensor_destroy(left);
  }
  return NULL;
}

static int is_open(int descriptor) {
  return fcntl(descriptor, F_GETFD) >= 0;
}

/* Whether a file has the first bytes of a log line anywhere. */
static int has_log_line(const char* path) {
  static char bytes[1 << 19];
  const int low = open(path, O_RDONLY);
  const int file = fcntl(low, F_DUPFD, 10);
  close(low);
  const ssize_t length = read(file, bytes, sizeof bytes);
  close(file);
  CHECK(length > 1 << 18);
  return memmem(bytes, (size_t)length, "rondo: ", 7) != NULL;
}

int main(int count, char** arguments) {
  CHECK(count == 2);
  const char* path = arguments[1];
  CHECK(setenv("RONDO_LOG", "warning", 1) == 0);
  const int out = fcntl(1, F_DUPFD, 10);
  for (int each = 0; each < 3; ++each) close(each);

  CHECK(rondo_engine_create(NULL, &engine) == RONDO_OK);
  rondo_tensor* w = host_tensor(engine, 1 << 16, 1.5);
  const char* names[] = {"w"};
  int taken = 0, wrong = 0;
  for (int i = 0; i < 20; ++i) {
    CHECK(rondo_model_file_write(path, names, &w, 1, NULL, NULL, 0) == RONDO_OK);
    rondo_model_file* file = NULL;
    rondo_tensor* read = NULL;
    CHECK(rondo_model_file_open(path, &file) == RONDO_OK);
    taken += is_open(0) || is_open(1) || is_open(2);
    CHECK(rondo_model_file_load(file, "w", engine, host_cpu, &read) == RONDO_OK);
    CHECK(rondo_tensor_wait(read) == RONDO_OK);
    rondo_tensor_destroy(read);
    rondo_model_file_destroy(file);
  }
  pthread_t logger;
  CHECK(pthread_create(&logger, NULL, warns, NULL) == 0);
  for (int i = 0; i < 50; ++i) {
    CHECK(rondo_model_file_write(path, names, &w, 1, NULL, NULL, 0) == RONDO_OK);
    wrong += has_log_line(path);
  }
  stop = 1;
  CHECK(pthread_join(logger, NULL) == 0);
  rondo_tensor_destroy(w);
  rondo_engine_destroy(engine);
  unlink(path);
  if (taken) dprintf(out, "in %d of 20 rounds an open file of Rondo's had the number of a standard stream\n", taken);
  if (wrong) dprintf(out, "%d of 50 files have a line of the log inside\n", wrong);
  return taken || wrong;
}
