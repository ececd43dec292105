/* The native methods whose C functions take an array of structs. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "support.h"

/* Names, kinds and numbers of arguments as C has them. False with an exception. */
static jboolean get_arguments(JNIEnv* env, jsize count, jobjectArray names, const rondo_jni_ints* kinds,
                              const rondo_jni_doubles* scalars, const rondo_jni_longs* words, rondo_jni_text* texts,
                              rondo_argument* arguments) {
  for (jsize i = 0; i < count; ++i) {
    jbyteArray name = (*env)->GetObjectArrayElement(env, names, i);
    const jboolean got = rondo_jni_text_get(env, name, &texts[i]);
    (*env)->DeleteLocalRef(env, name);
    if (!got) return JNI_FALSE;
    arguments[i].name = texts[i].text;
    arguments[i].kind = (rondo_argument_kind)kinds->items[i];
    if (arguments[i].kind == RONDO_ARGUMENT_TENSOR)
      arguments[i].tensor = (rondo_tensor*)(intptr_t)words->items[i];
    else
      arguments[i].integer = words->items[i];
    arguments[i].scalar = scalars->items[i];
  }
  return JNI_TRUE;
}

/* Arguments of Java as C's, and what holds them. */
typedef struct plain_arguments {
  jsize count;
  rondo_jni_ints kinds;
  rondo_jni_doubles scalars;
  rondo_jni_longs words;
  rondo_jni_text* texts;
  rondo_argument* arguments;
} plain_arguments;

static jboolean plain_get(JNIEnv* env, jobjectArray names, jintArray kinds, jdoubleArray scalars, jlongArray words,
                          plain_arguments* plain) {
  plain->count = (*env)->GetArrayLength(env, names);
  plain->texts = calloc((size_t)plain->count + 1, sizeof *plain->texts);
  plain->arguments = calloc((size_t)plain->count + 1, sizeof *plain->arguments);
  if (plain->texts == NULL || plain->arguments == NULL) {
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (error != NULL) (*env)->ThrowNew(env, error, "no memory of the host for arguments");
    return JNI_FALSE;
  }
  return rondo_jni_ints_get(env, kinds, &plain->kinds) && rondo_jni_doubles_get(env, scalars, &plain->scalars) &&
         rondo_jni_longs_get(env, words, &plain->words) &&
         get_arguments(env, plain->count, names, &plain->kinds, &plain->scalars, &plain->words, plain->texts,
                       plain->arguments);
}

static void plain_put(plain_arguments* plain) {
  rondo_jni_longs_put(&plain->words);
  rondo_jni_doubles_put(&plain->scalars);
  rondo_jni_ints_put(&plain->kinds);
  for (jsize i = 0; plain->texts != NULL && i < plain->count; ++i) rondo_jni_text_put(&plain->texts[i]);
  free(plain->arguments);
  free(plain->texts);
}

JNIEXPORT void JNICALL Java_dev_rondo_Expression_run0(JNIEnv* env, jclass self, jlong expression, jobjectArray names,
                                                      jintArray kinds, jdoubleArray scalars, jlongArray words,
                                                      jlongArray results) {
  plain_arguments plain = {0};
  rondo_jni_longs out = {0};
  (void)self;
  if (plain_get(env, names, kinds, scalars, words, &plain) && rondo_jni_longs_get(env, results, &out)) {
    const rondo_status status =
        rondo_expression_run((rondo_expression*)(intptr_t)expression, (int32_t)plain.count, plain.arguments,
                             (int32_t)out.count, (rondo_tensor**)(void*)out.items);
    if (status == RONDO_OK)
      (*env)->SetLongArrayRegion(env, results, 0, out.count, out.items);
    else
      rondo_jni_fail(env, status);
  }
  rondo_jni_longs_put(&out);
  plain_put(&plain);
}

JNIEXPORT void JNICALL Java_dev_rondo_Expression_runEach0(JNIEnv* env, jclass self, jlong expression, jint count,
                                                          jobjectArray names, jintArray kinds, jdoubleArray scalars,
                                                          jlongArray words, jlongArray results) {
  plain_arguments plain = {0};
  rondo_jni_longs out = {0};
  (void)self;
  if (plain_get(env, names, kinds, scalars, words, &plain) && rondo_jni_longs_get(env, results, &out)) {
    const rondo_status status =
        rondo_expression_run_each((rondo_expression*)(intptr_t)expression, count, (int32_t)(plain.count / count),
                                  plain.arguments, (int32_t)(out.count / count), (rondo_tensor**)(void*)out.items);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  rondo_jni_longs_put(&out);
  plain_put(&plain);
}

JNIEXPORT void JNICALL Java_dev_rondo_CudaModule_launch0(JNIEnv* env, jclass self, jlong module, jbyteArray kernel,
                                                         jobjectArray names, jintArray kinds, jdoubleArray scalars,
                                                         jlongArray words, jintArray options) {
  plain_arguments plain = {0};
  rondo_jni_ints numbers = {0};
  rondo_jni_text name = {0};
  (void)self;
  if (plain_get(env, names, kinds, scalars, words, &plain) && rondo_jni_ints_get(env, options, &numbers) &&
      rondo_jni_text_get(env, kernel, &name)) {
    rondo_launch_options with = RONDO_LAUNCH_OPTIONS_INIT;
    rondo_status status;
    with.grid_x = (uint32_t)numbers.items[0];
    with.grid_y = (uint32_t)numbers.items[1];
    with.grid_z = (uint32_t)numbers.items[2];
    with.block_x = (uint32_t)numbers.items[3];
    with.block_y = (uint32_t)numbers.items[4];
    with.block_z = (uint32_t)numbers.items[5];
    with.shared_bytes = (uint32_t)numbers.items[6];
    with.priority = numbers.items[7];
    with.stream = numbers.items[8];
    with.flags = (uint32_t)numbers.items[9];
    status =
        rondo_module_launch((rondo_module*)(intptr_t)module, name.text, (int32_t)plain.count, plain.arguments, &with);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  rondo_jni_text_put(&name);
  rondo_jni_ints_put(&numbers);
  plain_put(&plain);
}
