/* Native methods of NativeEvents: what happens on threads of Rondo that Java should hear of is put into queues, completed waits into one,
 * messages of the log and reports of compiling into the other, and a daemon thread of Java takes it from each. So no thread of Rondo
 * runs Java's code for it; one that tells of a failure is attached, to hold what a task of the user threw.
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
  rondo_status status;
  rondo_device device;
  char* operator; /* the task that failed first; NULL: none, or no memory for its name */
  char* message;  /* NULL: none */
  jobject cause;  /* what a task of the user threw, a global reference; NULL: nothing */
} event;

enum { COMPLETED = 0, LOGGED = 1, COMPILING = 2 };

typedef struct queue {
  pthread_mutex_t lock;
  pthread_cond_t arrived;
  event *first, *last;
} queue;
static queue queues[2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL},
                          {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL}};

static char* copy_of(const char* text) {
  const size_t bytes = text != NULL ? strlen(text) + 1 : 0;
  char* copy = bytes != 0 ? malloc(bytes) : NULL;
  if (copy != NULL) memcpy(copy, text, bytes);
  return copy;
}

static event* new_event(jlong kind, jlong value) {
  event* made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->kind = kind;
  made->value = value;
  return made;
}

static void post(event* posted) {
  queue* to = &queues[posted->kind != COMPLETED];
  pthread_mutex_lock(&to->lock);
  if (to->first == NULL) {
    to->first = posted;
  } else {
    to->last->next = posted;
  }
  to->last = posted;
  pthread_cond_signal(&to->arrived);
  pthread_mutex_unlock(&to->lock);
}

/* --- completed waits */

static void done(void* arg, rondo_status status) {
  event* completion = arg;
  completion->status = status;
  if (status != RONDO_OK) {
    const rondo_jni_callback* cause = rondo_last_error_cause(rondo_jni_callback_destroy);
    JNIEnv* env = cause != NULL ? rondo_jni_env() : NULL;
    completion->message = copy_of(rondo_last_error());
    completion->operator= copy_of(rondo_last_error_operator(&completion->device));
    if (env != NULL) completion->cause = (*env)->NewGlobalRef(env, cause->object);
  }
  post(completion);
}

/* An event for a wait; NULL with an exception. */
static event* new_wait(JNIEnv* env, jlong number) {
  event* completion = new_event(COMPLETED, number);
  if (completion == NULL) {
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (error != NULL) (*env)->ThrowNew(env, error, "no memory for a wait");
  }
  return completion;
}

JNIEXPORT void JNICALL Java_dev_rondo_NativeEvents_watch0(JNIEnv* env, jclass self, jlong variable, jboolean contents,
                                                          jlong number) {
  event* completion = new_wait(env, number);
  rondo_status status;
  (void)self;
  if (completion == NULL) return;
  status = rondo_variable_notify((rondo_variable*)(intptr_t)variable, contents, done, completion);
  if (status == RONDO_OK) return; /* it is the queue's, and may be gone */
  free(completion);
  rondo_jni_fail(env, status);
}

JNIEXPORT void JNICALL Java_dev_rondo_NativeEvents_watchAll0(JNIEnv* env, jclass self, jlong engine, jlong number) {
  event* completion = new_wait(env, number);
  rondo_status status;
  (void)self;
  if (completion == NULL) return;
  status = rondo_engine_notify((rondo_engine*)(intptr_t)engine, done, completion);
  if (status == RONDO_OK) return;
  free(completion);
  rondo_jni_fail(env, status);
}

/* --- messages of the log */

static void logged(void* arg, rondo_log_level level, const char* message) {
  event* record = new_event(LOGGED, level);
  (void)arg;
  if (record == NULL) return; /* without memory a message is lost */
  record->message = copy_of(message);
  post(record);
}

JNIEXPORT void JNICALL Java_dev_rondo_NativeEvents_setLog0(JNIEnv* env, jclass self, jboolean on, jint level) {
  const rondo_status status = rondo_set_log(on ? logged : NULL, NULL, NULL, (rondo_log_level)level);
  (void)self;
  if (status != RONDO_OK) rondo_jni_fail(env, status);
}

/* --- reports of compiling */

static void compiling(void* arg, const char* kernel, int64_t done_so_far, int64_t known, double seconds) {
  event* report = new_event(COMPILING, done_so_far);
  (void)arg;
  if (report == NULL) return; /* without memory a report is lost */
  report->message = copy_of(kernel);
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

static jbyteArray bytes_of(JNIEnv* env, const char* text) {
  const jsize length = text != NULL ? (jsize)strlen(text) : 0;
  jbyteArray bytes = text != NULL ? (*env)->NewByteArray(env, length) : NULL;
  if (bytes != NULL) (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte*)text);
  return bytes;
}

/* Into elements that are there; what there is no memory of Java's for stays null. */
static void put(JNIEnv* env, jobjectArray into, jsize index, jobject what) {
  if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
  (*env)->SetObjectArrayElement(env, into, index, what);
  if (what != NULL) (*env)->DeleteLocalRef(env, what);
}

JNIEXPORT void JNICALL Java_dev_rondo_NativeEvents_take0(JNIEnv* env, jclass self, jint which, jlongArray what,
                                                         jobjectArray texts) {
  queue* from = &queues[which];
  jlong values[7];
  event* taken;
  (void)self;
  pthread_mutex_lock(&from->lock);
  while (from->first == NULL) pthread_cond_wait(&from->arrived, &from->lock);
  taken = from->first;
  from->first = taken->next;
  pthread_mutex_unlock(&from->lock);
  values[0] = taken->kind;
  values[1] = taken->value;
  values[2] = taken->known;
  values[3] = taken->microseconds;
  values[4] = taken->status;
  values[5] = taken->device.kind;
  values[6] = taken->device.index;
  (*env)->SetLongArrayRegion(env, what, 0, 7, values);
  put(env, texts, 0, bytes_of(env, taken->message));
  put(env, texts, 1, bytes_of(env, taken->operator));
  put(env, texts, 2, taken->cause != NULL ? (*env)->NewLocalRef(env, taken->cause) : NULL);
  if (taken->cause != NULL) (*env)->DeleteGlobalRef(env, taken->cause);
  free(taken->message);
  free(taken->operator);
  free(taken);
}
