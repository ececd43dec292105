/* Opens a shared library that was made of use.c, as a program opens a plugin: Rondo comes with it, after the program
 * has started. When it is closed Rondo stays, in the library that the second argument names, because threads of Rondo's
 * and what belongs to the program's threads need it: the process forks, a thread uses the plugin once more and ends.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opens it, uses it and closes it; NULL if all is right. */
static void* use(void* path) {
  int (*use)(void);
  void* symbol;
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin || !(symbol = dlsym(plugin, "use_rondo"))) {
    fprintf(stderr, "%s\n", dlerror());
    return path;
  }
  memcpy(&use, &symbol, sizeof use); /* C99 has no conversion from the one to the other */
  return use() != 0 || dlclose(plugin) != 0 ? path : NULL;
}

int main(int argc, char** argv) {
  pthread_t thread;
  void* failed = NULL;
  int status = 1;
  pid_t child;
  if (argc != 3 || use(argv[1])) return 1;
  fflush(stdout); /* or the child would print it as well */
  if (!dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD)) {
    fprintf(stderr, "%s is gone after dlclose\n", argv[2]);
    return 1;
  }
  child = fork();
  if (child == 0) _exit(0);
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    fprintf(stderr, "the child ends with the status %d\n", status);
    return 1;
  }
  if (pthread_create(&thread, NULL, use, argv[1]) != 0) return 1;
  if (pthread_join(thread, &failed) != 0 || failed) return 1;
  return 0;
}
