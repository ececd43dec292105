/* Native methods of NativeEvents: what happens on threads of Rondo that Java should hear of, completed waits, messages
 * of the log and reports of compiling, is put into a queue, and one daemon thread of Java takes it from there. So no
 * thread of Rondo or of a driver enters Java for it.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

typedef struct event {
  struct event* next;
  jlong kind, value; /* as NativeEvents has them */
  jlong known, microseconds;
  char message[];
} event;

enum { COMPLETED = 0, LOGGED = 1, COMPILING = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static event *first, *last;

static event* new_event(jlong kind, jlong value, const char* message) {
  const size_t length = strlen(message);
  event* made = malloc(sizeof *made + length + 1);
  if (made == NULL) return NULL;
  made->next = NULL;
  made->kind = kind;
  made->value = value;
  made->known = 0;
  made->microseconds = 0;
  memcpy(made->message, message, length + 1);
  return made;
}

static void post(event* posted) {
  pthread_mutex_lock(&lock);
  if (first == NULL) {
    first = posted;
  } else {
    last->next = posted;
  }
  last = posted;
  pthread_cond_signal(&arrived);
  pthread_mutex_unlock(&lock);
}

/* --- completed waits: a task that reads the variable and does nothing; it is gone when its turn has come, or failed to
 */

static rondo_status nothing(void* arg, rondo_task_context* context) {
  (void)arg;
  (void)context;
  return RONDO_OK;
}

static void completed(void* arg) {
  post(arg);
}

JNIEXPORT void JNICALL Java_dev_rondo_NativeEvents_watch0(JNIEnv* env, jclass self, jlong engine, jlong variable,
                                                          jlong number) {
  rondo_variable* reads = (rondo_variable*)(intptr_t)variable;
  rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
  rondo_status status;
  event* completion = new_event(COMPLETED, number, "");
  (void)self;
  if (completion == NULL) {
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (error != NULL) (*env)->ThrowNew(env, error, "no memory for a wait");
    return;
  }
  options.name = "wait";
  status =
      rondo_engine_push((rondo_engine*)(intptr_t)engine, nothing, completion, completed, &reads, 1, NULL, 0, &options);
  if (status != RONDO_OK) rondo_jni_fail(env, status);
}

/* --- messages of the log */

static void logged(void* arg, rondo_log_level level, const char* message) {
  event* record = new_event(LOGGED, level, message);
  (void)arg;
  if (record != NULL) post(record); /* without memory a message is lost */
}

JNIEXPORT void JNICALL Java_dev_rondo_NativeEvents_setLog0(JNIEnv* env, jclass self, jboolean on, jint level) {
  const rondo_status status = rondo_set_log(on ? logged : NULL, NULL, NULL, (rondo_log_level)level);
  (void)self;
  if (status != RONDO_OK) rondo_jni_fail(env, status);
}

/* --- reports of compiling */

static void compiling(void* arg, const char* kernel, int64_t done, int64_t known, double seconds) {
  event* report = new_event(COMPILING, done, kernel != NULL ? kernel : "");
  (void)arg;
  if (report == NULL) return; /* without memory a report is lost */
  report->known = known;
  report->microseconds = (jlong)(seconds * 1e6);
  post(report);
}

JNIEXPORT void JNICALL Java_dev_rondo_NativeEvents_setCompileProgress0(JNIEnv* env, jclass self, jboolean on) {
  const rondo_status status = rondo_set_compile_progress(on ? compiling : NULL, NULL, NULL);
  (void)self;
  if (status != RONDO_OK) rondo_jni_fail(env, status);
}

/* --- taking them */

JNIEXPORT jbyteArray JNICALL Java_dev_rondo_NativeEvents_take0(JNIEnv* env, jclass self, jlongArray what) {
  jlong values[4];
  jsize length;
  jbyteArray message;
  event* taken;
  (void)self;
  pthread_mutex_lock(&lock);
  while (first == NULL) pthread_cond_wait(&arrived, &lock);
  taken = first;
  first = taken->next;
  pthread_mutex_unlock(&lock);
  values[0] = taken->kind;
  values[1] = taken->value;
  values[2] = taken->known;
  values[3] = taken->microseconds;
  length = (jsize)strlen(taken->message);
  (*env)->SetLongArrayRegion(env, what, 0, 4, values);
  message = (*env)->ExceptionCheck(env) ? NULL : (*env)->NewByteArray(env, length);
  if (message != NULL) (*env)->SetByteArrayRegion(env, message, 0, length, (const jbyte*)taken->message);
  free(taken);
  return message;
}
