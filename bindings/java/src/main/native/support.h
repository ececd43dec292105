/* What the native methods share: failures become exceptions, arrays and texts of Java become C's, functions of the user
 * are called. The bodies of the native methods are made by bindings/java/generate.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_JNI_SUPPORT_H
#define RONDO_JNI_SUPPORT_H

#include <jni.h>
#include <rondo/rondo.h>

/* Throws the exception of a status with the thread's last message, the operator and what a task of the user threw. With
 * an exception pending it leaves that one. */
void rondo_jni_fail(JNIEnv* env, rondo_status status);

/* The same with a message of the caller's own. */
void rondo_jni_fail_with(JNIEnv* env, rondo_status status, const char* message);

/* After a call that may have recorded something: says where in the program of Java it comes from, if a recording has
 * been begun that notes that (sites.c). */
extern int rondo_jni_noted;
void rondo_jni_say(JNIEnv* env);
#define rondo_jni_called(env)                                                    \
  do {                                                                           \
    if (__atomic_load_n(&rondo_jni_noted, __ATOMIC_RELAXED)) rondo_jni_say(env); \
  } while (0)

/* The thread's JNIEnv; a thread that Java does not know is attached as a daemon until it ends. NULL where the virtual
 * machine refuses. */
JNIEnv* rondo_jni_env(void);

/* Elements of a Java array as C's; few of them need no memory. items is NULL for null. get: false with an exception. */
enum { RONDO_JNI_FEW = 8 };
#define RONDO_JNI_ARRAYS(name, type)                                                           \
  typedef struct rondo_jni_##name##s {                                                         \
    type* items;                                                                               \
    jsize count;                                                                               \
    type few[RONDO_JNI_FEW];                                                                   \
  } rondo_jni_##name##s;                                                                       \
  jboolean rondo_jni_##name##s_get(JNIEnv* env, type##Array array, rondo_jni_##name##s* into); \
  void rondo_jni_##name##s_put(rondo_jni_##name##s* from);
RONDO_JNI_ARRAYS(long, jlong)
RONDO_JNI_ARRAYS(int, jint)
RONDO_JNI_ARRAYS(double, jdouble)
#undef RONDO_JNI_ARRAYS

/* As many elements as `to` takes, of those there are. False with an exception. */
jboolean rondo_jni_longs_into(JNIEnv* env, jlongArray array, int64_t* to, jsize most);

/* Bytes of a Java array with a zero behind them; text is NULL for null. */
typedef struct rondo_jni_text {
  char* text;
} rondo_jni_text;
jboolean rondo_jni_text_get(JNIEnv* env, jbyteArray array, rondo_jni_text* text);
void rondo_jni_text_put(rondo_jni_text* text);

/* Several of them. */
typedef struct rondo_jni_texts {
  char** items;
  jsize count;
} rondo_jni_texts;
jboolean rondo_jni_texts_get(JNIEnv* env, jobjectArray array, rondo_jni_texts* into);
void rondo_jni_texts_put(rondo_jni_texts* from);

/* An object of Java that C holds, as the argument of a function of the user. */
typedef struct rondo_jni_callback {
  jobject object;
} rondo_jni_callback;
jboolean rondo_jni_callback_get(JNIEnv* env, jobject object, rondo_jni_callback** callback);
void rondo_jni_callback_destroy(void* callback);
/* The functions of the user, by the type they have in C. */
rondo_status rondo_jni_call_rondo_task_fn(void* callback, rondo_task_context* context);
rondo_status rondo_jni_call_rondo_gradient_fn(void* callback, int32_t n_outputs, rondo_tensor* const* output_gradients,
                                              int32_t n_inputs, rondo_tensor** input_gradients);
rondo_status rondo_jni_call_rondo_callable_fn(void* callback, int32_t n_inputs, rondo_tensor* const* inputs,
                                              int32_t n_outputs, rondo_tensor** outputs);

#endif /* RONDO_JNI_SUPPORT_H */
