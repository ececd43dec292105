/* The native method of Expression whose C function takes an array of structs. Copyright 2026 the Rondo developers.
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

JNIEXPORT void JNICALL Java_dev_rondo_Expression_run0(JNIEnv* env, jclass self, jlong expression, jobjectArray names,
                                                      jintArray kinds, jdoubleArray scalars, jlongArray words,
                                                      jlongArray results) {
  const jsize count = (*env)->GetArrayLength(env, names);
  rondo_jni_ints kinds_ = {0};
  rondo_jni_doubles scalars_ = {0};
  rondo_jni_longs words_ = {0}, results_ = {0};
  rondo_jni_text* texts = calloc((size_t)count + 1, sizeof *texts);
  rondo_argument* arguments = calloc((size_t)count + 1, sizeof *arguments);
  (void)self;
  if (texts == NULL || arguments == NULL) {
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (error != NULL) (*env)->ThrowNew(env, error, "no memory of the host for arguments");
  } else if (rondo_jni_ints_get(env, kinds, &kinds_) && rondo_jni_doubles_get(env, scalars, &scalars_) &&
             rondo_jni_longs_get(env, words, &words_) && rondo_jni_longs_get(env, results, &results_) &&
             get_arguments(env, count, names, &kinds_, &scalars_, &words_, texts, arguments)) {
    const rondo_status status = rondo_expression_run((rondo_expression*)(intptr_t)expression, (int32_t)count, arguments,
                                                     (int32_t)results_.count, (rondo_tensor**)(void*)results_.items);
    if (status == RONDO_OK)
      (*env)->SetLongArrayRegion(env, results, 0, results_.count, results_.items);
    else
      rondo_jni_fail(env, status);
  }
  rondo_jni_longs_put(&results_);
  rondo_jni_longs_put(&words_);
  rondo_jni_doubles_put(&scalars_);
  rondo_jni_ints_put(&kinds_);
  for (jsize i = 0; texts != NULL && i < count; ++i) rondo_jni_text_put(&texts[i]);
  free(arguments);
  free(texts);
}
