/* The calls of Calls.java in C, in loops that Java starts. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jni.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>

static rondo_tensor *a, *b, *c;

static void check(rondo_status status) {
  if (status == RONDO_OK) return;
  fprintf(stderr, "calls: %s\n", rondo_last_error());
  exit(1);
}

static void binary_into(void) {
  check(rondo_binary(RONDO_ADD, a, b, &c));
}

static void binary_new(void) {
  rondo_tensor* out = NULL;
  check(rondo_binary(RONDO_ADD, a, b, &out));
  rondo_tensor_destroy(out);
}

static void view(void) {
  const int64_t shape[2] = {2, 2};
  rondo_tensor* out = NULL;
  check(rondo_tensor_reshape(a, 2, shape, &out));
  rondo_tensor_destroy(out);
}

static void repeat(void (*call)(void), jint times) {
  jint i;
  for (i = 0; i < times; ++i) call();
}

JNIEXPORT void JNICALL Java_Calls_binaryIntoInC(JNIEnv* env, jclass self, jint times) {
  (void)env;
  (void)self;
  repeat(binary_into, times);
}

JNIEXPORT void JNICALL Java_Calls_binaryNewInC(JNIEnv* env, jclass self, jint times) {
  (void)env;
  (void)self;
  repeat(binary_new, times);
}

JNIEXPORT void JNICALL Java_Calls_viewInC(JNIEnv* env, jclass self, jint times) {
  (void)env;
  (void)self;
  repeat(view, times);
}

JNIEXPORT void JNICALL Java_Calls_nothing(JNIEnv* env, jclass self) {
  (void)env;
  (void)self;
}

JNIEXPORT void JNICALL Java_Calls_binaryIntoByJni(JNIEnv* env, jclass self, jlong first, jlong second, jlong out) {
  rondo_tensor* into = (rondo_tensor*)(intptr_t)out;
  (void)env;
  (void)self;
  check(rondo_binary(RONDO_ADD, (rondo_tensor*)(intptr_t)first, (rondo_tensor*)(intptr_t)second, &into));
}

JNIEXPORT void JNICALL Java_Calls_viewByJni(JNIEnv* env, jclass self, jlong tensor) {
  const int64_t shape[2] = {2, 2};
  rondo_tensor* out = NULL;
  (void)env;
  (void)self;
  check(rondo_tensor_reshape((rondo_tensor*)(intptr_t)tensor, 2, shape, &out));
  rondo_tensor_destroy(out);
}

JNIEXPORT jlong JNICALL Java_Calls_address(JNIEnv* env, jclass self, jint which) {
  rondo_tensor* all[3];
  (void)env;
  (void)self;
  binary_into(); /* makes c where it is not there yet */
  all[0] = a;
  all[1] = b;
  all[2] = c;
  return (jlong)(intptr_t)all[which];
}

JNIEXPORT void JNICALL Java_Calls_open(JNIEnv* env, jclass self) {
  const rondo_device device = {RONDO_CPU, 0};
  const int64_t shape[1] = {4};
  const float values[4] = {1, 2, 3, 4};
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  rondo_engine* engine = NULL;
  (void)env;
  (void)self;
  options.mode = RONDO_ENGINE_NAIVE;
  check(rondo_engine_create(&options, &engine));
  check(rondo_tensor_from_host(engine, device, RONDO_F32, 1, shape, values, &a));
  check(rondo_tensor_from_host(engine, device, RONDO_F32, 1, shape, values, &b));
}
