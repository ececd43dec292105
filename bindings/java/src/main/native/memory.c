/* Native methods of Memory: addresses of buffers, texts at addresses. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

JNIEXPORT jlong JNICALL Java_dev_rondo_Memory_address0(JNIEnv* env, jclass self, jobject buffer) {
  (void)self;
  return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

JNIEXPORT jbyteArray JNICALL Java_dev_rondo_Memory_text0(JNIEnv* env, jclass self, jlong address) {
  const char* text = (const char*)(intptr_t)address;
  const jsize length = (jsize)strlen(text);
  jbyteArray bytes = (*env)->NewByteArray(env, length);
  (void)self;
  if (bytes != NULL) (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte*)text);
  return bytes;
}

JNIEXPORT jlong JNICALL Java_dev_rondo_Memory_allocate0(JNIEnv* env, jclass self, jlong bytes) {
  void* memory = malloc(bytes > 0 ? (size_t)bytes : 1);
  (void)self;
  if (memory == NULL) {
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (error != NULL) (*env)->ThrowNew(env, error, "no memory of the host for a copy");
  }
  return (jlong)(intptr_t)memory;
}

JNIEXPORT void JNICALL Java_dev_rondo_Memory_free0(JNIEnv* env, jclass self, jlong address) {
  (void)env;
  (void)self;
  free((void*)(intptr_t)address);
}

/* The garbage collector waits while an array is held, so it is held for a piece at a time. */
enum { PIECE = 1 << 20 };

static void copy(JNIEnv* env, jarray array, jlong offset, char* memory, jlong bytes, int out) {
  while (bytes > 0) {
    const size_t piece = bytes < PIECE ? (size_t)bytes : PIECE;
    char* items = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    if (items == NULL) return; /* OutOfMemoryError is pending */
    if (out) {
      memcpy(memory, items + offset, piece);
    } else {
      memcpy(items + offset, memory, piece);
    }
    (*env)->ReleasePrimitiveArrayCritical(env, array, items, out ? JNI_ABORT : 0);
    offset += (jlong)piece;
    memory += piece;
    bytes -= (jlong)piece;
  }
}

JNIEXPORT void JNICALL Java_dev_rondo_Memory_copyOut0(JNIEnv* env, jclass self, jobject array, jlong offset,
                                                      jlong address, jlong bytes) {
  (void)self;
  copy(env, (jarray)array, offset, (char*)(intptr_t)address, bytes, 1);
}

JNIEXPORT void JNICALL Java_dev_rondo_Memory_copyIn0(JNIEnv* env, jclass self, jlong address, jobject array,
                                                     jlong offset, jlong bytes) {
  (void)self;
  copy(env, (jarray)array, offset, (char*)(intptr_t)address, bytes, 0);
}
