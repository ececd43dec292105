/* The native methods of ProgramWriter and ProgramInstance that write files. Copyright 2026 the Rondo
 * developers. SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* Names of files of weights. */
typedef struct weight_files {
  rondo_jni_text into;
  rondo_jni_texts from;
} weight_files;

/* into: may be null. The options point to what `files` has, which is 0 before. */
static int weight_files_get(JNIEnv* env, jbyteArray into, jobjectArray from, weight_files* files,
                            rondo_program_save_options* options) {
  if ((into && !rondo_jni_text_get(env, into, &files->into)) || !rondo_jni_texts_get(env, from, &files->from)) return 0;
  options->weights_into = into ? files->into.text : NULL;
  options->n_weights_from = (size_t)files->from.count;
  options->weights_from = (const char* const*)files->from.items;
  return 1;
}
static void weight_files_put(weight_files* files) {
  rondo_jni_texts_put(&files->from);
  rondo_jni_text_put(&files->into);
}

/* What both ways to write have in common, and the options made of it. */
typedef struct written {
  rondo_jni_text path, reader;
  weight_files files;
  rondo_jni_texts names, inputs, outputs, weight_names, keys, values;
  rondo_jni_longs weights;
  rondo_program_save_options options;
} written;

/* inputs, outputs, reader: may be null. All of `to` is 0 before. */
static int written_get(JNIEnv* env, jbyteArray path, jobjectArray names, jobjectArray inputs, jobjectArray outputs,
                       jobjectArray weight_names, jlongArray weights, jobjectArray keys, jobjectArray values,
                       jbyteArray reader, jbyteArray into, jobjectArray from, written* to) {
  const rondo_program_save_options none = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  rondo_program_save_options* options = &to->options;
  if (!rondo_jni_text_get(env, path, &to->path) || !rondo_jni_texts_get(env, names, &to->names) ||
      (inputs && !rondo_jni_texts_get(env, inputs, &to->inputs)) ||
      (outputs && !rondo_jni_texts_get(env, outputs, &to->outputs)) ||
      !rondo_jni_texts_get(env, weight_names, &to->weight_names) || !rondo_jni_longs_get(env, weights, &to->weights) ||
      !rondo_jni_texts_get(env, keys, &to->keys) || !rondo_jni_texts_get(env, values, &to->values) ||
      (reader && !rondo_jni_text_get(env, reader, &to->reader)))
    return 0;
  *options = none;
  if (!weight_files_get(env, into, from, &to->files, options)) return 0;
  options->inputs = inputs ? (const char* const*)to->inputs.items : NULL;
  options->outputs = outputs ? (const char* const*)to->outputs.items : NULL;
  options->n_weights = (size_t)to->weights.count;
  options->weight_names = (const char* const*)to->weight_names.items;
  options->weights = (rondo_tensor* const*)(const void*)to->weights.items;
  options->n_metadata = (size_t)to->keys.count;
  options->keys = (const char* const*)to->keys.items;
  options->values = (const char* const*)to->values.items;
  options->reader = reader ? to->reader.text : NULL;
  return 1;
}
static void written_put(written* of) {
  weight_files_put(&of->files);
  rondo_jni_text_put(&of->reader);
  rondo_jni_texts_put(&of->values);
  rondo_jni_texts_put(&of->keys);
  rondo_jni_longs_put(&of->weights);
  rondo_jni_texts_put(&of->weight_names);
  rondo_jni_texts_put(&of->outputs);
  rondo_jni_texts_put(&of->inputs);
  rondo_jni_texts_put(&of->names);
  rondo_jni_text_put(&of->path);
}

JNIEXPORT void JNICALL Java_dev_rondo_ProgramWriter_write0(JNIEnv* env, jclass self, jbyteArray path,
                                                           jobjectArray names, jlongArray graphs, jobjectArray inputs,
                                                           jobjectArray outputs, jobjectArray weight_names,
                                                           jlongArray weights, jobjectArray keys, jobjectArray values,
                                                           jbyteArray reader, jbyteArray into, jobjectArray from) {
  written of = {0};
  rondo_jni_longs graphs_ = {0};
  (void)self;
  if (written_get(env, path, names, inputs, outputs, weight_names, weights, keys, values, reader, into, from, &of) &&
      rondo_jni_longs_get(env, graphs, &graphs_)) {
    const rondo_status status =
        rondo_program_save(of.path.text, (int32_t)graphs_.count, (const char* const*)of.names.items,
                           (rondo_graph* const*)(const void*)graphs_.items, &of.options);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  rondo_jni_longs_put(&graphs_);
  written_put(&of);
}

/* A Recorder of Java's, for the call that it is below. */
typedef struct recorder {
  JNIEnv* env;
  jclass type;
  jmethodID run;
  jobject object;
} recorder;

static rondo_status record(void* argument, int32_t function, int32_t n_dims, const int64_t* dims, rondo_graph** graph) {
  const recorder* by = argument;
  JNIEnv* env = by->env;
  rondo_status status = RONDO_USER_ERROR;
  jlong address = 0;
  jlongArray sizes = (*env)->NewLongArray(env, n_dims), made = NULL;
  if (sizes != NULL) made = (*env)->NewLongArray(env, 1);
  if (made != NULL) {
    (*env)->SetLongArrayRegion(env, sizes, 0, n_dims, (const jlong*)dims);
    status = (rondo_status)(*env)->CallStaticIntMethod(env, by->type, by->run, by->object, (jint)function, sizes, made);
  }
  if ((*env)->ExceptionCheck(env)) { /* Recorder.run catches all but what fails while it does: no memory, no stack */
    (*env)->ExceptionClear(env);
    status = RONDO_USER_ERROR;
  } else if (status == RONDO_OK) {
    (*env)->GetLongArrayRegion(env, made, 0, 1, &address);
    *graph = (rondo_graph*)(intptr_t)address;
  }
  (*env)->DeleteLocalRef(env, made);
  (*env)->DeleteLocalRef(env, sizes);
  return status;
}

JNIEXPORT void JNICALL Java_dev_rondo_ProgramWriter_writeSized0(
    JNIEnv* env, jclass self, jbyteArray path, jobjectArray names, jobjectArray dims, jlongArray least, jlongArray most,
    jobject by, jobjectArray inputs, jobjectArray outputs, jobjectArray weight_names, jlongArray weights,
    jobjectArray keys, jobjectArray values, jbyteArray reader, jbyteArray into, jobjectArray from) {
  written of = {0};
  rondo_jni_texts dims_ = {0};
  rondo_jni_longs least_ = {0}, most_ = {0};
  recorder with = {env, (*env)->GetObjectClass(env, by), NULL, by};
  (void)self;
  with.run = (*env)->GetStaticMethodID(env, with.type, "run", "(Ldev/rondo/ProgramWriter$Recorder;I[J[J)I");
  if (with.run != NULL &&
      written_get(env, path, names, inputs, outputs, weight_names, weights, keys, values, reader, into, from, &of) &&
      rondo_jni_texts_get(env, dims, &dims_) && rondo_jni_longs_get(env, least, &least_) &&
      rondo_jni_longs_get(env, most, &most_)) {
    const rondo_status status = rondo_program_save_with_dims(
        of.path.text, (int32_t)of.names.count, (const char* const*)of.names.items, (int32_t)dims_.count,
        (const char* const*)dims_.items, (const int64_t*)least_.items, (const int64_t*)most_.items, record, &with,
        &of.options);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  rondo_jni_longs_put(&most_);
  rondo_jni_longs_put(&least_);
  rondo_jni_texts_put(&dims_);
  written_put(&of);
}

JNIEXPORT void JNICALL Java_dev_rondo_ProgramInstance_save0(JNIEnv* env, jclass self, jlong instance, jbyteArray path,
                                                            jbyteArray into, jobjectArray from) {
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  rondo_jni_text path_ = {0};
  weight_files files = {0};
  (void)self;
  if (rondo_jni_text_get(env, path, &path_) && weight_files_get(env, into, from, &files, &options)) {
    const rondo_status status =
        rondo_program_instance_save((rondo_program_instance*)(intptr_t)instance, path_.text, &options);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  weight_files_put(&files);
  rondo_jni_text_put(&path_);
}
