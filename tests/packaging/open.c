/* Opens a shared library that was made of use.c, as a program opens a plugin: Rondo comes with it, after the program
 * has started. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int (*use)(void);
  void* symbol;
  void* const plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!plugin || !(symbol = dlsym(plugin, "use_rondo"))) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  memcpy(&use, &symbol, sizeof use); /* C99 has no conversion from the one to the other */
  return use();
}
