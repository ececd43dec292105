/* The native methods of ProgramWriter and Program whose options have arrays of names. Copyright 2026 the Rondo
 * developers. SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* What both ways to write have in common, and the options made of it. */
typedef struct written {
  rondo_jni_text path, reader;
  rondo_jni_texts names, inputs, outputs, weight_names, keys, values;
  rondo_jni_longs weights;
  rondo_program_save_options options;
} written;

/* inputs, outputs, reader: may be null. All of `to` is 0 before. */
static int written_get(JNIEnv* env, jbyteArray path, jobjectArray names, jobjectArray inputs, jobjectArray outputs,
                       jobjectArray weight_names, jlongArray weights, jobjectArray keys, jobjectArray values,
                       jbyteArray reader, written* to) {
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
                                                           jbyteArray reader) {
  written of = {0};
  rondo_jni_longs graphs_ = {0};
  (void)self;
  if (written_get(env, path, names, inputs, outputs, weight_names, weights, keys, values, reader, &of) &&
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

JNIEXPORT void JNICALL Java_dev_rondo_ProgramWriter_writeSized0(JNIEnv* env, jclass self, jbyteArray path,
                                                                jobjectArray names, jobjectArray dims, jlongArray least,
                                                                jlongArray most, jobject by, jobjectArray inputs,
                                                                jobjectArray outputs, jobjectArray weight_names,
                                                                jlongArray weights, jobjectArray keys,
                                                                jobjectArray values, jbyteArray reader) {
  written of = {0};
  rondo_jni_texts dims_ = {0};
  rondo_jni_longs least_ = {0}, most_ = {0};
  recorder with = {env, (*env)->GetObjectClass(env, by), NULL, by};
  (void)self;
  with.run = (*env)->GetStaticMethodID(env, with.type, "run", "(Ldev/rondo/ProgramWriter$Recorder;I[J[J)I");
  if (with.run != NULL &&
      written_get(env, path, names, inputs, outputs, weight_names, weights, keys, values, reader, &of) &&
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

JNIEXPORT jlong JNICALL Java_dev_rondo_Program_createInstance0(
    JNIEnv* env, jclass self, jlong program, jlong engine, jint device_kind, jint device_index, jlong limit_bytes,
    jboolean named, jint pad_axis, jlongArray pad_sizes, jlong pad_inputs, jlong pad_outputs, jobjectArray weight_names,
    jlongArray weights, jlong most_turns, jobjectArray extra_functions, jlongArray extra_values) {
  rondo_callable_options callables = RONDO_CALLABLE_OPTIONS_INIT;
  rondo_program_instance_options options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
  const rondo_device device = {(rondo_device_kind)device_kind, device_index};
  rondo_jni_texts weight_names_ = {0}, extra_functions_ = {0};
  rondo_jni_longs weights_ = {0}, extra_values_ = {0};
  rondo_program_instance* made = NULL;
  (void)self;
  if (rondo_jni_longs_into(env, pad_sizes, callables.pad_sizes, RONDO_CALLABLE_PAD_SIZES) &&
      rondo_jni_texts_get(env, weight_names, &weight_names_) && rondo_jni_longs_get(env, weights, &weights_) &&
      rondo_jni_texts_get(env, extra_functions, &extra_functions_) &&
      rondo_jni_longs_get(env, extra_values, &extra_values_)) {
    rondo_status status;
    callables.name = named ? "named" : NULL; /* which is refused, with the reason */
    callables.limit_bytes = limit_bytes;
    callables.pad_axis = pad_axis;
    callables.pad_inputs = (uint64_t)pad_inputs;
    callables.pad_outputs = (uint64_t)pad_outputs;
    options.callables = &callables;
    options.n_weights = (size_t)weights_.count;
    options.weight_names = (const char* const*)weight_names_.items;
    options.weights = (rondo_tensor* const*)(const void*)weights_.items;
    options.most_turns = most_turns;
    options.n_extra = (size_t)extra_values_.count;
    options.extra_functions = (const char* const*)extra_functions_.items;
    options.extra_values = (const int64_t*)extra_values_.items;
    status = rondo_program_create_instance_with((rondo_program*)(intptr_t)program, (rondo_engine*)(intptr_t)engine,
                                                device, &options, &made);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  rondo_jni_longs_put(&extra_values_);
  rondo_jni_texts_put(&extra_functions_);
  rondo_jni_longs_put(&weights_);
  rondo_jni_texts_put(&weight_names_);
  return (jlong)(intptr_t)made;
}
