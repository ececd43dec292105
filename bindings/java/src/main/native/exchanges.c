/* Native methods of Exchanges, and the way from an exchange of C into Java. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* What C holds of an exchange of Java. */
typedef struct exchange {
  jobject body;
  jclass exchanges;
  jmethodID run;
} exchange;

static void destroy(void* argument) {
  exchange* held = argument;
  JNIEnv* env = rondo_jni_env();
  if (env != NULL) { /* else the virtual machine is gone, and what it held */
    (*env)->DeleteGlobalRef(env, held->body);
    (*env)->DeleteGlobalRef(env, held->exchanges);
  }
  free(held);
}

/* Rank, address and bytes of each message, those that are sent first. NULL with an exception. */
static jlongArray messages_of(JNIEnv* env, const rondo_exchange_step* step) {
  const jsize count = step->n_sends + step->n_receives;
  jlongArray messages = (*env)->NewLongArray(env, 3 * count);
  jsize i;
  for (i = 0; messages != NULL && i < count; ++i) {
    const rondo_message* each = i < step->n_sends ? &step->sends[i] : &step->receives[i - step->n_sends];
    const jlong numbers[3] = {each->rank, (jlong)(intptr_t)each->data, (jlong)each->bytes};
    (*env)->SetLongArrayRegion(env, messages, 3 * i, 3, numbers);
  }
  return messages;
}

static rondo_status run(void* argument, rondo_exchange_step* step) {
  const exchange* held = argument;
  JNIEnv* env = rondo_jni_env();
  rondo_status status = RONDO_USER_ERROR;
  jlongArray messages;
  if (env == NULL) return status;
  messages = messages_of(env, step);
  if (messages != NULL)
    status =
        (rondo_status)(*env)->CallStaticIntMethod(env, held->exchanges, held->run, held->body, (jlong)(intptr_t)step,
                                                  (jint)step->channel, messages, (jint)step->n_sends);
  if ((*env)->ExceptionCheck(env)) { /* Exchanges.run catches all but what fails while it does: no memory, no stack */
    (*env)->ExceptionClear(env);
    status = RONDO_USER_ERROR;
  }
  (*env)->DeleteLocalRef(env, messages);
  return status;
}

/* NULL with an exception. */
static exchange* hold(JNIEnv* env, jclass self, jobject body) {
  exchange* made = calloc(1, sizeof *made);
  if (made == NULL) {
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (error != NULL) (*env)->ThrowNew(env, error, "no memory of the host for an exchange");
    return NULL;
  }
  made->run = (*env)->GetStaticMethodID(env, self, "run", "(Ldev/rondo/Exchange;JI[JI)I");
  if (made->run != NULL) made->body = (*env)->NewGlobalRef(env, body);
  if (made->body != NULL) made->exchanges = (*env)->NewGlobalRef(env, self);
  if (made->exchanges == NULL) {
    if (made->body != NULL) (*env)->DeleteGlobalRef(env, made->body);
    free(made);
    return NULL;
  }
  return made;
}

JNIEXPORT jlong JNICALL Java_dev_rondo_Exchanges_create0(JNIEnv* env, jclass self, jlong engine, jint kind, jint index,
                                                         jint rank, jint ranks, jobject body, jbyteArray name,
                                                         jlong time_limit_ms, jlong max_blocks) {
  const rondo_device device = {(rondo_device_kind)kind, index};
  rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
  rondo_comm_hooks hooks = RONDO_COMM_HOOKS_INIT;
  rondo_jni_text text = {0};
  rondo_comm* comm = NULL;
  exchange* held = rondo_jni_text_get(env, name, &text) ? hold(env, self, body) : NULL;
  if (held != NULL) {
    rondo_status status;
    options.name = text.text;
    options.time_limit_ms = time_limit_ms;
    options.max_blocks = max_blocks;
    hooks.rank = rank;
    hooks.ranks = ranks;
    hooks.exchange = run;
    hooks.arg = held;
    hooks.destroy = destroy;
    status = rondo_comm_create_with_hooks((rondo_engine*)(intptr_t)engine, device, &hooks, &options, &comm);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  rondo_jni_text_put(&text);
  return (jlong)(intptr_t)comm;
}

JNIEXPORT jboolean JNICALL Java_dev_rondo_Exchanges_stopped0(JNIEnv* env, jclass self, jlong address) {
  const rondo_exchange_step* step = (const rondo_exchange_step*)(intptr_t)address;
  (void)env;
  (void)self;
  return step->stop(step->stop_arg) != 0;
}

JNIEXPORT void JNICALL Java_dev_rondo_Exchanges_why0(JNIEnv* env, jclass self, jlong address, jbyteArray why) {
  rondo_exchange_step* step = (rondo_exchange_step*)(intptr_t)address;
  rondo_jni_text text = {0};
  (void)self;
  if (rondo_jni_text_get(env, why, &text) && step->why_capacity > 0) {
    step->why[0] = '\0';
    strncat(step->why, text.text, step->why_capacity - 1);
  }
  rondo_jni_text_put(&text);
}
