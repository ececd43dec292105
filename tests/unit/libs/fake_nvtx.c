/* A profiler's library for tests: keeps which ranges each thread opened and closed, `THREAD push NAME` or `THREAD pop`
 * a line. It goes by NVTX's numbers, not by what Rondo shows it. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef FAKE_STUB

typedef void (*function)(void);
typedef struct callbacks {
  size_t size;
  int (*table_of)(int module, function*** table, unsigned* size);
} callbacks;
typedef struct version {
  size_t size;
  uint32_t number, reserved;
  void (*profiler_has)(uint32_t number);
} version;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char kept[1 << 20];
static size_t length;

static void keep(const char* what, const char* name) {
  int written;
  pthread_mutex_lock(&lock);
  written = snprintf(kept + length, sizeof kept - length, "%ld %s%s\n", syscall(SYS_gettid), what, name);
  if (written > 0 && (size_t)written < sizeof kept - length) length += (size_t)written;
  pthread_mutex_unlock(&lock);
}

/* What was kept so far, which is dropped. */
void fake_nvtx_take(char* text, size_t capacity) {
  pthread_mutex_lock(&lock);
  if (length >= capacity) length = capacity - 1;
  memcpy(text, kept, length);
  text[length] = '\0';
  length = 0;
  pthread_mutex_unlock(&lock);
}

static int push(const char* name) {
  keep("push ", name);
  return 0;
}

static int pop(void) {
  keep("pop", "");
  return 0;
}

/* As NVTX 3 has them: the sizes of its modules, numbers from 1 on, no entry for 0 and behind the last. */
static int is_whole(const callbacks* from, int module, unsigned size) {
  function** table = NULL;
  unsigned given = 0, i;
  if (!from->table_of(module, &table, &given) || given != size || table[0] != NULL || table[size] != NULL) return 0;
  for (i = 1; i < size; ++i)
    if (table[i] == NULL) return 0;
  return 1;
}

int InitializeInjectionNvtx2(const void* (*table)(uint32_t number)) {
  static const unsigned sizes[] = {0, 16, 9, 15, 7, 16, 7};
  const callbacks* all = table(1);
  const version* known = table(3);
  function** core = NULL;
  int module;
  if (all == NULL || all->size < sizeof *all || known == NULL || known->size < sizeof *known || known->number != 3 ||
      table(99) != NULL || all->table_of(0, NULL, NULL) || all->table_of(7, NULL, NULL))
    return 0;
  known->profiler_has(3);
  for (module = 1; module <= 6; ++module)
    if (!is_whole(all, module, sizes[module])) return 0;
  all->table_of(1, &core, NULL);
#ifdef FAKE_IDLE
  (void)push;
  (void)pop;
#else
  *core[9] = (function)push;
  *core[11] = (function)pop;
#endif
#ifdef FAKE_FAILURE
  return 0;
#endif
  return 1;
}

#endif
