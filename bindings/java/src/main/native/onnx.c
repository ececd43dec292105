/* The native methods of OnnxModel. librondo_onnx is opened when a model is first converted: by its name, which the
 * loader knows if the library was loaded with the native part, and else looks for. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <rondo_onnx.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

typedef struct onnx_library {
  rondo_status (*convert)(const char*, const char*, const rondo_onnx_convert_options*);
  rondo_status (*open)(const char*, const rondo_onnx_convert_options*, rondo_program**);
  const char* (*last_error)(void);
} onnx_library;

/* A function of the library as the type that it has; a cast from void* is not one of C. False with an exception. */
static jboolean onnx_find(JNIEnv* env, void* opened, const char* name, void* function) {
  void* found = dlsym(opened, name);
  char message[256];
  if (found != NULL) {
    memcpy(function, &found, sizeof found);
    return JNI_TRUE;
  }
  snprintf(message, sizeof message, "librondo_onnx.so.0 has no function %s", name);
  rondo_jni_fail_with(env, RONDO_LIBRARY_MISSING, message);
  return JNI_FALSE;
}

static jboolean onnx_open(JNIEnv* env, onnx_library* library) {
  void* opened = dlopen("librondo_onnx.so.0", RTLD_NOW);
  if (opened == NULL) {
    char message[1024];
    const char* why = dlerror();
    snprintf(message, sizeof message,
             "ONNX models need librondo_onnx.so.0 beside librondo.so.0, or where the system's loader finds it: %s",
             why != NULL ? why : "it cannot be opened");
    rondo_jni_fail_with(env, RONDO_LIBRARY_MISSING, message);
    return JNI_FALSE;
  }
  return onnx_find(env, opened, "rondo_onnx_convert", &library->convert) &&
         onnx_find(env, opened, "rondo_onnx_open", &library->open) &&
         onnx_find(env, opened, "rondo_onnx_last_error", &library->last_error);
}

/* The program that the model becomes; 0 where it was written to `out`, and with an exception. */
JNIEXPORT jlong JNICALL Java_dev_rondo_OnnxModel_convert0(JNIEnv* env, jclass self, jbyteArray path, jbyteArray out,
                                                          jobjectArray size_names, jlongArray sizes,
                                                          jobjectArray dim_names, jlongArray least, jlongArray most,
                                                          jlongArray steps, jobjectArray limit_names, jlongArray limits,
                                                          jobjectArray input_names, jlongArray counts,
                                                          jdoubleArray numbers, jbyteArray function, jlong memory_limit,
                                                          jboolean fewer_roundings, jboolean no_patterns) {
  rondo_onnx_convert_options options = RONDO_ONNX_CONVERT_OPTIONS_INIT;
  rondo_jni_text path_ = {0}, out_ = {0}, function_ = {0};
  rondo_jni_texts size_names_ = {0}, dim_names_ = {0}, limit_names_ = {0}, input_names_ = {0};
  rondo_jni_longs sizes_ = {0}, least_ = {0}, most_ = {0}, steps_ = {0}, limits_ = {0}, counts_ = {0};
  rondo_jni_doubles numbers_ = {0};
  rondo_program* program = NULL;
  onnx_library library;
  (void)self;
  if (onnx_open(env, &library) && rondo_jni_text_get(env, path, &path_) && rondo_jni_text_get(env, out, &out_) &&
      rondo_jni_text_get(env, function, &function_) && rondo_jni_texts_get(env, size_names, &size_names_) &&
      rondo_jni_longs_get(env, sizes, &sizes_) && rondo_jni_texts_get(env, dim_names, &dim_names_) &&
      rondo_jni_longs_get(env, least, &least_) && rondo_jni_longs_get(env, most, &most_) &&
      rondo_jni_longs_get(env, steps, &steps_) && rondo_jni_texts_get(env, limit_names, &limit_names_) &&
      rondo_jni_longs_get(env, limits, &limits_) && rondo_jni_texts_get(env, input_names, &input_names_) &&
      rondo_jni_longs_get(env, counts, &counts_) && rondo_jni_doubles_get(env, numbers, &numbers_)) {
    rondo_status status;
    options.n_sizes = (size_t)sizes_.count;
    options.size_names = (const char* const*)size_names_.items;
    options.sizes = (const int64_t*)(const void*)sizes_.items;
    options.n_limits = (size_t)limits_.count;
    options.limit_names = (const char* const*)limit_names_.items;
    options.limits = (const int64_t*)(const void*)limits_.items;
    options.n_dims = (size_t)least_.count;
    options.dim_names = (const char* const*)dim_names_.items;
    options.least = (const int64_t*)(const void*)least_.items;
    options.most = (const int64_t*)(const void*)most_.items;
    options.steps = (const int64_t*)(const void*)steps_.items;
    options.n_fixed = (size_t)counts_.count;
    options.fixed_names = (const char* const*)input_names_.items;
    options.fixed_counts = (const size_t*)(const void*)counts_.items;
    options.fixed_numbers = numbers_.items;
    options.function = function_.text;
    options.memory_limit = memory_limit;
    options.fewer_roundings = fewer_roundings ? 1 : 0;
    options.no_patterns = no_patterns ? 1 : 0;
    status = out_.text != NULL ? library.convert(path_.text, out_.text, &options)
                               : library.open(path_.text, &options, &program);
    if (status != RONDO_OK) rondo_jni_fail_with(env, status, library.last_error());
  }
  rondo_jni_doubles_put(&numbers_);
  rondo_jni_longs_put(&counts_);
  rondo_jni_texts_put(&input_names_);
  rondo_jni_longs_put(&limits_);
  rondo_jni_texts_put(&limit_names_);
  rondo_jni_longs_put(&steps_);
  rondo_jni_longs_put(&most_);
  rondo_jni_longs_put(&least_);
  rondo_jni_texts_put(&dim_names_);
  rondo_jni_longs_put(&sizes_);
  rondo_jni_texts_put(&size_names_);
  rondo_jni_text_put(&function_);
  rondo_jni_text_put(&out_);
  rondo_jni_text_put(&path_);
  return (jlong)(intptr_t)program;
}
