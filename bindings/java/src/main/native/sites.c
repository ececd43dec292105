/* Native methods of Sites: where in the program of Java the tasks of a recording come from.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* Set once, before rondo_jni_noted is. */
static jclass sites_class;
static jmethodID here_method;
int rondo_jni_noted;

/* With the class locked. */
JNIEXPORT void JNICALL Java_dev_rondo_Sites_note0(JNIEnv* env, jclass self) {
  if (rondo_jni_noted) return;
  here_method = (*env)->GetStaticMethodID(env, self, "here", "()[B");
  sites_class = here_method == NULL ? NULL : (*env)->NewGlobalRef(env, self);
  if (sites_class != NULL) __atomic_store_n(&rondo_jni_noted, 1, __ATOMIC_RELEASE);
}

void rondo_jni_say(JNIEnv* env) {
  int32_t notes = 0;
  jbyteArray here;
  rondo_jni_text site = {0};
  rondo_record_site(NULL, &notes);
  if (!notes || (*env)->ExceptionCheck(env)) return;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  here = (*env)->CallStaticObjectMethod(env, sites_class, here_method);
  if (!(*env)->ExceptionCheck(env) && here != NULL && rondo_jni_text_get(env, here, &site))
    rondo_record_site(site.text, NULL);
  rondo_jni_text_put(&site);
  if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env); /* without memory the site is not known */
  (*env)->DeleteLocalRef(env, here);
}
