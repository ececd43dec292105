/* The native methods of ProgramWriter and Program whose options have arrays of names. Copyright 2026 the Rondo
 * developers. SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

JNIEXPORT void JNICALL Java_dev_rondo_ProgramWriter_write0(JNIEnv* env, jclass self, jbyteArray path,
                                                           jobjectArray names, jlongArray graphs, jobjectArray inputs,
                                                           jobjectArray outputs, jobjectArray weight_names,
                                                           jlongArray weights, jobjectArray keys, jobjectArray values,
                                                           jbyteArray reader) {
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  rondo_jni_text path_ = {0}, reader_ = {0};
  rondo_jni_texts names_ = {0}, inputs_ = {0}, outputs_ = {0}, weight_names_ = {0}, keys_ = {0}, values_ = {0};
  rondo_jni_longs graphs_ = {0}, weights_ = {0};
  (void)self;
  if (rondo_jni_text_get(env, path, &path_) && rondo_jni_texts_get(env, names, &names_) &&
      rondo_jni_longs_get(env, graphs, &graphs_) && rondo_jni_texts_get(env, inputs, &inputs_) &&
      rondo_jni_texts_get(env, outputs, &outputs_) && rondo_jni_texts_get(env, weight_names, &weight_names_) &&
      rondo_jni_longs_get(env, weights, &weights_) && rondo_jni_texts_get(env, keys, &keys_) &&
      rondo_jni_texts_get(env, values, &values_) && (!reader || rondo_jni_text_get(env, reader, &reader_))) {
    rondo_status status;
    options.inputs = (const char* const*)inputs_.items;
    options.outputs = (const char* const*)outputs_.items;
    options.n_weights = (size_t)weights_.count;
    options.weight_names = (const char* const*)weight_names_.items;
    options.weights = (rondo_tensor* const*)(const void*)weights_.items;
    options.n_metadata = (size_t)keys_.count;
    options.keys = (const char* const*)keys_.items;
    options.values = (const char* const*)values_.items;
    options.reader = reader ? reader_.text : NULL;
    status = rondo_program_save(path_.text, (int32_t)graphs_.count, (const char* const*)names_.items,
                                (rondo_graph* const*)(const void*)graphs_.items, &options);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  rondo_jni_text_put(&reader_);
  rondo_jni_texts_put(&values_);
  rondo_jni_texts_put(&keys_);
  rondo_jni_longs_put(&weights_);
  rondo_jni_texts_put(&weight_names_);
  rondo_jni_texts_put(&outputs_);
  rondo_jni_texts_put(&inputs_);
  rondo_jni_longs_put(&graphs_);
  rondo_jni_texts_put(&names_);
  rondo_jni_text_put(&path_);
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
                                                                jobjectArray values) {
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  rondo_jni_text path_ = {0};
  rondo_jni_texts names_ = {0}, dims_ = {0}, inputs_ = {0}, outputs_ = {0}, weight_names_ = {0}, keys_ = {0},
                  values_ = {0};
  rondo_jni_longs least_ = {0}, most_ = {0}, weights_ = {0};
  recorder with = {env, (*env)->GetObjectClass(env, by), NULL, by};
  (void)self;
  with.run = (*env)->GetStaticMethodID(env, with.type, "run", "(Ldev/rondo/ProgramWriter$Recorder;I[J[J)I");
  if (with.run != NULL && rondo_jni_text_get(env, path, &path_) && rondo_jni_texts_get(env, names, &names_) &&
      rondo_jni_texts_get(env, dims, &dims_) && rondo_jni_longs_get(env, least, &least_) &&
      rondo_jni_longs_get(env, most, &most_) && (inputs == NULL || rondo_jni_texts_get(env, inputs, &inputs_)) &&
      (outputs == NULL || rondo_jni_texts_get(env, outputs, &outputs_)) &&
      rondo_jni_texts_get(env, weight_names, &weight_names_) && rondo_jni_longs_get(env, weights, &weights_) &&
      rondo_jni_texts_get(env, keys, &keys_) && rondo_jni_texts_get(env, values, &values_)) {
    rondo_status status;
    options.inputs = inputs == NULL ? NULL : (const char* const*)inputs_.items;
    options.outputs = outputs == NULL ? NULL : (const char* const*)outputs_.items;
    options.n_weights = (size_t)weights_.count;
    options.weight_names = (const char* const*)weight_names_.items;
    options.weights = (rondo_tensor* const*)(const void*)weights_.items;
    options.n_metadata = (size_t)keys_.count;
    options.keys = (const char* const*)keys_.items;
    options.values = (const char* const*)values_.items;
    status = rondo_program_save_with_dims(path_.text, (int32_t)names_.count, (const char* const*)names_.items,
                                          (int32_t)dims_.count, (const char* const*)dims_.items,
                                          (const int64_t*)least_.items, (const int64_t*)most_.items, record, &with,
                                          &options);
    if (status != RONDO_OK) rondo_jni_fail(env, status);
  }
  rondo_jni_texts_put(&values_);
  rondo_jni_texts_put(&keys_);
  rondo_jni_longs_put(&weights_);
  rondo_jni_texts_put(&weight_names_);
  rondo_jni_texts_put(&outputs_);
  rondo_jni_texts_put(&inputs_);
  rondo_jni_longs_put(&most_);
  rondo_jni_longs_put(&least_);
  rondo_jni_texts_put(&dims_);
  rondo_jni_texts_put(&names_);
  rondo_jni_text_put(&path_);
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
