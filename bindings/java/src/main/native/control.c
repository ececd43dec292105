/* Native methods of Control: bodies of Java, called by C on the thread that has called C. What a body throws stays
 * pending, and C fails with it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "support.h"

/* A Runnable, valid during the call that it is given to. */
typedef struct body {
  JNIEnv* env;
  jobject runnable;
} body;

static rondo_status call(void* argument) {
  const body* called = argument;
  JNIEnv* env = called->env;
  jclass type = (*env)->GetObjectClass(env, called->runnable);
  jmethodID run = (*env)->GetMethodID(env, type, "run", "()V");
  (*env)->DeleteLocalRef(env, type);
  if (run != NULL) (*env)->CallVoidMethod(env, called->runnable, run);
  return (*env)->ExceptionCheck(env) ? RONDO_USER_ERROR : RONDO_OK;
}

static rondo_status call_then(void* argument) {
  return call(argument);
}
static rondo_status call_else(void* argument) {
  return call((body*)argument + 1);
}

static void end(JNIEnv* env, rondo_status status) {
  if (status != RONDO_OK) rondo_jni_fail(env, status);
}

JNIEXPORT void JNICALL Java_dev_rondo_Control_if0(JNIEnv* env, jclass self, jlong engine, jlong condition, jobject then,
                                                  jobject otherwise) {
  body bodies[2] = {{env, then}, {env, otherwise}};
  (void)self;
  end(env, rondo_if((rondo_engine*)(intptr_t)engine, (rondo_tensor*)(intptr_t)condition, call_then,
                    otherwise == NULL ? NULL : call_else, bodies));
}

JNIEXPORT void JNICALL Java_dev_rondo_Control_while0(JNIEnv* env, jclass self, jlong engine, jlong condition,
                                                     jlong limit, jobject runnable) {
  body called = {env, runnable};
  (void)self;
  end(env, rondo_while((rondo_engine*)(intptr_t)engine, (rondo_tensor*)(intptr_t)condition, call, limit, &called));
}

JNIEXPORT void JNICALL Java_dev_rondo_Control_switch0(JNIEnv* env, jclass self, jlong engine, jlong index,
                                                      jobjectArray runnables) {
  const jsize count = (*env)->GetArrayLength(env, runnables);
  body* bodies = calloc((size_t)count + 1, sizeof *bodies);
  rondo_body_fn* functions = calloc((size_t)count + 1, sizeof *functions);
  void** arguments = calloc((size_t)count + 1, sizeof *arguments);
  (void)self;
  if (bodies == NULL || functions == NULL || arguments == NULL ||
      (*env)->EnsureLocalCapacity(env, count + 16) != JNI_OK) {
    jclass error = (*env)->ExceptionCheck(env) ? NULL : (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (error != NULL) (*env)->ThrowNew(env, error, "no memory of the host for bodies");
  } else {
    for (jsize i = 0; i < count; ++i) {
      bodies[i].env = env;
      bodies[i].runnable = (*env)->GetObjectArrayElement(env, runnables, i);
      functions[i] = call;
      arguments[i] = &bodies[i];
    }
    end(env, rondo_switch((rondo_engine*)(intptr_t)engine, (rondo_tensor*)(intptr_t)index, (int32_t)count, functions,
                          arguments));
  }
  free(arguments);
  free(functions);
  free(bodies);
}
