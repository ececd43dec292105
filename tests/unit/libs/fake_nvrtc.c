/* An NVRTC for loader tests, of version FAKE_MAJOR.FAKE_MINOR. Like the real one it needs its builtins library in the
 * process, and like real ones before CUDA 12.6 it changes the process's locale while it compiles; what it "compiles" to
 * is a fixed text. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static const char image[] = "compiled";
static int builtins_were_there;

__attribute__((constructor)) static void look_for_builtins(void) {
  builtins_were_there =
      dlopen("libnvrtc-builtins.so." TEXT(FAKE_MAJOR) "." TEXT(FAKE_MINOR), RTLD_NOW | RTLD_NOLOAD) != 0;
}

int fake_builtins_were_there(void) {
  return builtins_were_there;
}

int nvrtcVersion(int* major, int* minor) {
  *major = FAKE_MAJOR;
  *minor = FAKE_MINOR;
  return 0;
}
const char* nvrtcGetErrorString(int result) {
  (void)result;
  return "fake";
}
int nvrtcCreateProgram(void** program, const char* source, const char* name, int n_headers, const char* const* headers,
                       const char* const* header_names) {
  (void)source, (void)name, (void)n_headers, (void)headers, (void)header_names;
  *program = (void*)image;
  return 0;
}
int nvrtcCompileProgram(void* program, int n_options, const char* const* options) {
  (void)program, (void)n_options, (void)options;
  setlocale(LC_ALL, "C");
  return 0;
}
int nvrtcDestroyProgram(void** program) {
  *program = 0;
  return 0;
}
int nvrtcGetPTXSize(void* program, size_t* bytes) {
  (void)program;
  *bytes = sizeof image;
  return 0;
}
int nvrtcGetPTX(void* program, char* ptx) {
  memcpy(ptx, program, sizeof image);
  return 0;
}
