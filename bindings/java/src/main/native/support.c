/* See support.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Set by JNI_OnLoad and never changed: the classes stay loaded as long as this library does. */
static JavaVM* vm;
static pthread_key_t attached;
static jclass exception_class, tasks_class, tensors_class, reclaim_class;
static jmethodID raise_method, run_method, tensors_method, reclaim_method;

static void detach(void* env) {
  (void)env;
  (*vm)->DetachCurrentThread(vm);
}

static jclass find_class(JNIEnv* env, const char* name) {
  jclass local = (*env)->FindClass(env, name), global = NULL;
  if (local != NULL) {
    global = (*env)->NewGlobalRef(env, local);
    (*env)->DeleteLocalRef(env, local);
  }
  return global;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* loaded_by, void* reserved) {
  JNIEnv* env = NULL;
  (void)reserved;
  vm = loaded_by;
  if ((*vm)->GetEnv(vm, (void**)&env, JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  if (pthread_key_create(&attached, detach) != 0) return JNI_ERR;
  exception_class = find_class(env, "dev/rondo/RondoException");
  if (exception_class == NULL) return JNI_ERR; /* Java has the exception that says why */
  tasks_class = find_class(env, "dev/rondo/Tasks");
  if (tasks_class == NULL) return JNI_ERR;
  raise_method = (*env)->GetStaticMethodID(env, exception_class, "raise", "(I[B[BIILjava/lang/Throwable;)V");
  if (raise_method == NULL) return JNI_ERR;
  run_method = (*env)->GetStaticMethodID(env, tasks_class, "run", "(Ldev/rondo/Task;J)I");
  if (run_method == NULL) return JNI_ERR;
  tensors_class = find_class(env, "dev/rondo/TensorCallback");
  if (tensors_class == NULL) return JNI_ERR;
  tensors_method = (*env)->GetStaticMethodID(env, tensors_class, "run", "(Ldev/rondo/TensorCallback;[J[J)I");
  if (tensors_method == NULL) return JNI_ERR;
  reclaim_class = find_class(env, "dev/rondo/Reclaim");
  if (reclaim_class == NULL) return JNI_ERR;
  reclaim_method = (*env)->GetStaticMethodID(env, reclaim_class, "reclaim", "(I)Z");
  if (reclaim_method == NULL) return JNI_ERR;
  return JNI_VERSION_10;
}

JNIEXPORT void JNICALL JNI_OnUnload(JavaVM* loaded_by, void* reserved) {
  (void)loaded_by;
  (void)reserved;
  rondo_set_reclaim(NULL, NULL, NULL, 0);
}

JNIEnv* rondo_jni_env(void) {
  JNIEnv* env = NULL;
  JavaVMAttachArgs arguments = {JNI_VERSION_10, (char*)"rondo", NULL};
  if ((*vm)->GetEnv(vm, (void**)&env, JNI_VERSION_10) == JNI_OK) return env;
  if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void**)&env, &arguments) != JNI_OK) return NULL;
  pthread_setspecific(attached, env);
  return env;
}

static jbyteArray bytes_of(JNIEnv* env, const char* text) {
  const jsize length = (jsize)strlen(text);
  jbyteArray bytes = (*env)->NewByteArray(env, length);
  if (bytes != NULL) (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte*)text);
  return bytes;
}

void rondo_jni_fail(JNIEnv* env, rondo_status status) {
  rondo_device device = {RONDO_CPU, 0};
  const char* task = rondo_last_error_operator(&device);
  const rondo_jni_callback* cause = rondo_last_error_cause(rondo_jni_callback_destroy);
  jbyteArray message, name = NULL;
  if ((*env)->ExceptionCheck(env)) return;
  message = bytes_of(env, rondo_last_error());
  if (message != NULL && task != NULL) name = bytes_of(env, task);
  if ((*env)->ExceptionCheck(env)) return; /* OutOfMemoryError is pending */
  (*env)->CallStaticVoidMethod(env, exception_class, raise_method, (jint)status, message, name, (jint)device.kind,
                               (jint)device.index, cause != NULL ? cause->object : NULL);
  (*env)->DeleteLocalRef(env, message);
  (*env)->DeleteLocalRef(env, name);
}

void rondo_jni_fail_with(JNIEnv* env, rondo_status status, const char* message) {
  jbyteArray text;
  if ((*env)->ExceptionCheck(env)) return;
  text = bytes_of(env, message);
  if (text == NULL) return; /* OutOfMemoryError is pending */
  (*env)->CallStaticVoidMethod(env, exception_class, raise_method, (jint)status, text, NULL, (jint)RONDO_CPU, (jint)0,
                               NULL);
  (*env)->DeleteLocalRef(env, text);
}

static void out_of_memory(JNIEnv* env) {
  jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
  if (error == NULL) return;
  (*env)->ThrowNew(env, error, "no memory for the arguments of a call of Rondo");
  (*env)->DeleteLocalRef(env, error);
}

#define ARRAYS(name, type, Type)                                                                      \
  jboolean rondo_jni_##name##s_get(JNIEnv* env, type##Array array, rondo_jni_##name##s* into) {       \
    if (array == NULL) return JNI_TRUE;                                                               \
    into->count = (*env)->GetArrayLength(env, array);                                                 \
    into->items = into->few;                                                                          \
    if (into->count > RONDO_JNI_FEW) into->items = malloc((size_t)into->count * sizeof *into->items); \
    if (into->items == NULL) {                                                                        \
      out_of_memory(env);                                                                             \
      return JNI_FALSE;                                                                               \
    }                                                                                                 \
    (*env)->Get##Type##ArrayRegion(env, array, 0, into->count, into->items);                          \
    return !(*env)->ExceptionCheck(env);                                                              \
  }                                                                                                   \
  void rondo_jni_##name##s_put(rondo_jni_##name##s* from) {                                           \
    if (from->items != from->few) free(from->items);                                                  \
  }
ARRAYS(long, jlong, Long)
ARRAYS(int, jint, Int)
ARRAYS(double, jdouble, Double)
#undef ARRAYS

jboolean rondo_jni_text_get(JNIEnv* env, jbyteArray array, rondo_jni_text* text) {
  jsize length;
  if (array == NULL) return JNI_TRUE;
  length = (*env)->GetArrayLength(env, array);
  text->text = malloc((size_t)length + 1);
  if (text->text == NULL) {
    out_of_memory(env);
    return JNI_FALSE;
  }
  (*env)->GetByteArrayRegion(env, array, 0, length, (jbyte*)text->text);
  text->text[length] = '\0';
  return !(*env)->ExceptionCheck(env);
}

void rondo_jni_text_put(rondo_jni_text* text) {
  free(text->text);
}

jboolean rondo_jni_longs_into(JNIEnv* env, jlongArray array, int64_t* to, jsize most) {
  const jsize count = (*env)->GetArrayLength(env, array);
  jlong given[RONDO_JNI_FEW] = {0};
  jsize i;
  if (most > RONDO_JNI_FEW) most = RONDO_JNI_FEW;
  if (count < most) most = count;
  (*env)->GetLongArrayRegion(env, array, 0, most, given);
  for (i = 0; i < most; ++i) to[i] = given[i];
  return !(*env)->ExceptionCheck(env);
}

jboolean rondo_jni_texts_get(JNIEnv* env, jobjectArray array, rondo_jni_texts* into) {
  const jsize count = (*env)->GetArrayLength(env, array);
  jsize i;
  into->items = calloc((size_t)count + 1, sizeof *into->items);
  if (into->items == NULL) {
    out_of_memory(env);
    return JNI_FALSE;
  }
  into->count = count;
  for (i = 0; i < count; ++i) {
    rondo_jni_text text = {0};
    jbyteArray bytes = (jbyteArray)(*env)->GetObjectArrayElement(env, array, i);
    jboolean done = !(*env)->ExceptionCheck(env) && rondo_jni_text_get(env, bytes, &text);
    (*env)->DeleteLocalRef(env, bytes);
    into->items[i] = text.text;
    if (!done) return JNI_FALSE;
  }
  return JNI_TRUE;
}

void rondo_jni_texts_put(rondo_jni_texts* from) {
  jsize i;
  for (i = 0; i < from->count; ++i) free(from->items[i]);
  free(from->items);
}

jboolean rondo_jni_callback_get(JNIEnv* env, jobject object, rondo_jni_callback** callback) {
  rondo_jni_callback* made = malloc(sizeof *made);
  if (made == NULL) {
    out_of_memory(env);
    return JNI_FALSE;
  }
  made->object = (*env)->NewGlobalRef(env, object);
  if (made->object == NULL) {
    free(made);
    if (!(*env)->ExceptionCheck(env)) out_of_memory(env);
    return JNI_FALSE;
  }
  *callback = made;
  return JNI_TRUE;
}

void rondo_jni_callback_destroy(void* argument) {
  rondo_jni_callback* callback = argument;
  JNIEnv* env = rondo_jni_env();
  if (env != NULL)
    (*env)->DeleteGlobalRef(env, callback->object); /* else the virtual machine is gone, and the object */
  free(callback);
}

rondo_status rondo_jni_call_rondo_task_fn(void* argument, rondo_task_context* context) {
  rondo_jni_callback* callback = argument;
  JNIEnv* env = rondo_jni_env();
  jint status;
  if (env == NULL) {
    rondo_task_fail(context, "the Java virtual machine does not take this thread");
    return RONDO_USER_ERROR;
  }
  status = (*env)->CallStaticIntMethod(env, tasks_class, run_method, callback->object, (jlong)(intptr_t)context);
  if ((*env)->ExceptionCheck(env)) { /* Tasks.run catches all; left is what fails while it does: no memory, no stack */
    (*env)->ExceptionClear(env);
    rondo_task_fail(context, "the Java virtual machine ran out of memory or stack in the task");
    return RONDO_USER_ERROR;
  }
  return (rondo_status)status;
}

/* In the thread that has called C, so inside a native method. */
static rondo_status call_with_tensors(void* argument, int32_t n_given, rondo_tensor* const* given_tensors,
                                      int32_t n_made, rondo_tensor** made_tensors) {
  rondo_jni_callback* callback = argument;
  JNIEnv* env = rondo_jni_env();
  rondo_status status = RONDO_USER_ERROR;
  jlongArray given, made = NULL;
  if (env == NULL) return RONDO_USER_ERROR;
  given = (*env)->NewLongArray(env, n_given);
  if (given != NULL) made = (*env)->NewLongArray(env, n_made);
  if (made != NULL) {
    (*env)->SetLongArrayRegion(env, given, 0, n_given, (const jlong*)(const void*)given_tensors);
    status =
        (rondo_status)(*env)->CallStaticIntMethod(env, tensors_class, tensors_method, callback->object, given, made);
  }
  if ((*env)->ExceptionCheck(
          env)) { /* TensorCallback.run catches all but what fails while it does: no memory, no stack */
    (*env)->ExceptionClear(env);
    status = RONDO_USER_ERROR;
  } else if (status == RONDO_OK) {
    (*env)->GetLongArrayRegion(env, made, 0, n_made, (jlong*)(void*)made_tensors);
  }
  (*env)->DeleteLocalRef(env, made);
  (*env)->DeleteLocalRef(env, given);
  return status;
}

rondo_status rondo_jni_call_rondo_gradient_fn(void* argument, int32_t n_outputs, rondo_tensor* const* output_gradients,
                                              int32_t n_inputs, rondo_tensor** input_gradients) {
  return call_with_tensors(argument, n_outputs, output_gradients, n_inputs, input_gradients);
}
rondo_status rondo_jni_call_rondo_callable_fn(void* argument, int32_t n_inputs, rondo_tensor* const* inputs,
                                              int32_t n_outputs, rondo_tensor** outputs) {
  return call_with_tensors(argument, n_inputs, inputs, n_outputs, outputs);
}

static int32_t reclaim(void* arg, int64_t bytes, int32_t attempt) {
  JNIEnv* env = rondo_jni_env();
  jboolean again;
  (void)arg;
  (void)bytes;
  if (env == NULL) return 0;
  again = (*env)->CallStaticBooleanMethod(env, reclaim_class, reclaim_method, (jint)attempt);
  if ((*env)->ExceptionCheck(env)) { /* no memory or no stack of Java's */
    (*env)->ExceptionClear(env);
    return 0;
  }
  return again;
}

JNIEXPORT void JNICALL Java_dev_rondo_Reclaim_start0(JNIEnv* env, jclass self, jlong host_limit) {
  const rondo_status status = rondo_set_reclaim(reclaim, NULL, NULL, host_limit);
  (void)self;
  if (status != RONDO_OK) rondo_jni_fail(env, status);
}

JNIEXPORT void JNICALL Java_dev_rondo_Tasks_failTask0(JNIEnv* env, jclass self, jlong context, jthrowable cause) {
  rondo_jni_callback* held = NULL;
  (void)self;
  if (rondo_jni_callback_get(env, cause, &held))
    rondo_task_fail_cause((rondo_task_context*)(intptr_t)context, held, rondo_jni_callback_destroy);
}

JNIEXPORT void JNICALL Java_dev_rondo_Tasks_failCompletion0(JNIEnv* env, jclass self, jlong completion,
                                                            jthrowable cause) {
  rondo_jni_callback* held = NULL;
  (void)self;
  if (rondo_jni_callback_get(env, cause, &held))
    rondo_completion_fail_cause((rondo_completion*)(intptr_t)completion, held, rondo_jni_callback_destroy);
}
