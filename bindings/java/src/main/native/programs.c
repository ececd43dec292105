/* The native method of ProgramWriter: its options have arrays of names. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
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
