/* A host that blocks signals while it has something to keep whole, and waits for them with sigwait: none of Rondo's
   threads takes one. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static volatile sig_atomic_t elsewhere;
static pid_t main_thread;

static void handle(int signal) {
  (void)signal;
  if (syscall(SYS_gettid) != main_thread) elsewhere = 1;
}

/* Threads of the process that take this signal. */
static int takers(int signal) {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  CHECK(tasks != NULL);
  for (struct dirent* each = readdir(tasks); each; each = readdir(tasks)) {
    char path[300], line[300];
    unsigned long long blocked = 0;
    if (each->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", each->d_name);
    FILE* status = fopen(path, "r");
    if (!status) continue; /* it has ended */
    while (fgets(line, sizeof line, status)) sscanf(line, "SigBlk: %llx", &blocked);
    fclose(status);
    count += !(blocked >> (signal - 1) & 1);
  }
  closedir(tasks);
  return count;
}

int main(void) {
  main_thread = (pid_t)syscall(SYS_gettid);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  CHECK(sigaction(SIGTERM, &action, NULL) == 0);

  rondo_engine* engine = NULL;
  CHECK(rondo_engine_create(NULL, &engine) == RONDO_OK);
  CHECK(host_sum(engine, 1 << 20) == 1 << 20);
  /* A product too, for which a BLAS may start threads of its own. */
  const int64_t square[] = {300, 300};
  rondo_tensor *a = NULL, *product = NULL;
  CHECK(rondo_tensor_create(engine, host_cpu, RONDO_F32, 2, square, &a) == RONDO_OK);
  CHECK(rondo_fill(a, 1) == RONDO_OK);
  CHECK(rondo_matmul(a, a, NULL, &product) == RONDO_OK);
  CHECK(rondo_tensor_wait(product) == RONDO_OK);

  sigset_t set;
  sigset_t before;
  CHECK(sigemptyset(&set) == 0 && sigaddset(&set, SIGTERM) == 0 && sigaddset(&set, SIGUSR1) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
  CHECK(!sigismember(&before, SIGTERM)); /* the calls have left the host's own mask as it was */
  CHECK(takers(SIGTERM) == 0 && takers(SIGUSR1) == 0 && takers(SIGPROF) == 1);
  for (int i = 0; i < 10; ++i) CHECK(kill(getpid(), SIGTERM) == 0);
  CHECK(host_sum(engine, 1 << 20) == 1 << 20);
  CHECK(!elsewhere);
  int got = 0;
  CHECK(sigwait(&set, &got) == 0 && got == SIGTERM);
  CHECK(kill(getpid(), SIGUSR1) == 0); /* without a handler: a thread that took it would end the process */
  CHECK(sigwait(&set, &got) == 0 && got == SIGUSR1);
  rondo_tensor_destroy(a);
  rondo_tensor_destroy(product);
  rondo_engine_destroy(engine);
  return 0;
}
