/* Says where somebody speaks in a recording: silero-vad's ONNX model is converted when the program starts, and is
 * called for 32 milliseconds at a time. Its state of one call is an input of the next one, and stays on the device.
 * usage: speech MODEL.onnx RECORDING.wav [--device DEVICE] [--all]
 *   MODEL     silero_vad.onnx of the Python package silero-vad (6.2)
 *   RECORDING one channel of 16000 numbers a second, 16 bits each
 *   --device  such as cuda:0; an error if it is not there. Without it cpu:0
 *   --all     prints the probability of speech of each part
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <rondo_onnx.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { RATE = 16000, PART = 512, BEFORE = 64, LATENT = 128 };

static uint32_t number_at(const unsigned char* bytes, int count) {
  uint32_t number = 0;
  while (count-- > 0) number = number << 8 | bytes[count];
  return number;
}

static void fail(const char* path, const char* why) {
  fprintf(stderr, "%s: %s\n", path, why);
  exit(1);
}

/* The samples of a WAV file, from -1 to 1; the caller frees them. */
static float* read_samples(const char* path, size_t* count) {
  FILE* file = fopen(path, "rb");
  unsigned char header[12], format[16];
  int known = 0;
  if (file == NULL) fail(path, "it cannot be opened");
  if (fread(header, 1, 12, file) != 12 || memcmp(header, "RIFF", 4) != 0 || memcmp(header + 8, "WAVE", 4) != 0)
    fail(path, "it is no WAV file");
  while (fread(header, 1, 8, file) == 8) {
    const uint32_t size = number_at(header + 4, 4);
    if (memcmp(header, "data", 4) == 0 && known) {
      /* The size is the file's word: what is there decides how much is read. */
      float* samples = NULL;
      unsigned char bytes[2];
      size_t room = 0;
      *count = 0;
      while (*count < size / 2 && fread(bytes, 1, 2, file) == 2) {
        if (*count == room) {
          float* more = realloc(samples, (room = room == 0 ? RATE : 2 * room) * sizeof *samples);
          if (more == NULL) fail(path, "it is too long");
          samples = more;
        }
        samples[(*count)++] = (float)(int16_t)number_at(bytes, 2) / 32768.0f;
      }
      fclose(file);
      if (*count == 0) fail(path, "it has no samples");
      return samples;
    }
    if (memcmp(header, "fmt ", 4) == 0 && size >= sizeof format) {
      if (fread(format, 1, sizeof format, file) != sizeof format) break;
      if (number_at(format, 2) != 1 || number_at(format + 2, 2) != 1 || number_at(format + 4, 4) != RATE ||
          number_at(format + 14, 2) != 16)
        fail(path, "it must have one channel of 16000 numbers a second, 16 bits each");
      known = 1;
      if (fseek(file, (long)(size - sizeof format + size % 2), SEEK_CUR) != 0) break;
    } else if (size > INT32_MAX - 1 || fseek(file, (long)(size + size % 2), SEEK_CUR) != 0) {
      break;
    }
  }
  fail(path, "it ends before its samples");
  return NULL;
}

static rondo_program* open_model(const char* path) {
  const char *dims[] = {"input:0", "input:1", "state:1"}, *rate[] = {"sr"};
  const int64_t sizes[] = {1, BEFORE + PART, 1};
  const size_t counts[] = {1};
  const double numbers[] = {RATE};
  rondo_onnx_convert_options options = RONDO_ONNX_CONVERT_OPTIONS_INIT;
  rondo_program* program = NULL;
  options.n_sizes = 3;
  options.size_names = dims;
  options.sizes = sizes;
  options.n_fixed = 1;
  options.fixed_names = rate;
  options.fixed_counts = counts;
  options.fixed_numbers = numbers;
  if (rondo_onnx_open(path, &options, &program) != RONDO_OK) fail(path, rondo_onnx_last_error());
  return program;
}

int main(int argc, char** argv) {
  const int64_t shape[] = {1, BEFORE + PART}, state_shape[] = {2, 1, LATENT};
  static const float zeros[2 * LATENT];
  rondo_device device = {RONDO_CPU, 0};
  rondo_engine* engine = NULL;
  rondo_program_instance* instance = NULL;
  rondo_tensor* in[2] = {NULL, NULL};
  const char* files[2] = {NULL, NULL};
  int all = 0, given = 0, i, speaks = 0;
  size_t count = 0, at;
  for (i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--all") == 0)
      all = 1;
    else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
      CHECK(rondo_device_parse(argv[++i], &device));
    else if (given < 2 && argv[i][0] != '-')
      files[given++] = argv[i];
    else
      given = 3;
  }
  if (given != 2) {
    fprintf(stderr, "usage: speech MODEL.onnx RECORDING.wav [--device DEVICE] [--all]\n");
    return 2;
  }
  float* const samples = read_samples(files[1], &count);
  rondo_program* const program = open_model(files[0]);
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_program_create_instance(program, engine, device, &instance));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 3, state_shape, zeros, &in[1]));
  for (at = 0; at < count; at += PART) {
    /* A part, after the last samples of the one before; zeros where there is nothing. */
    float part[BEFORE + PART], probability = 0;
    rondo_tensor* out[2] = {NULL, NULL};
    size_t k;
    for (k = 0; k < BEFORE + PART; ++k)
      part[k] = at + k >= BEFORE && at + k - BEFORE < count ? samples[at + k - BEFORE] : 0;
    CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 2, shape, part, &in[0]));
    CHECK(rondo_program_call(instance, "main", 2, in, 2, out));
    CHECK(rondo_tensor_read(out[0], &probability, sizeof probability));
    rondo_tensor_destroy(in[0]);
    rondo_tensor_destroy(in[1]);
    rondo_tensor_destroy(out[0]);
    in[1] = out[1];
    if (all) printf("%.3f s: %.6f\n", (double)at / RATE, (double)probability);
    /* It ends at a lower probability than it begins, so that it does not flutter. */
    if (!all && speaks != (probability >= (speaks ? 0.35f : 0.5f))) {
      speaks = !speaks;
      printf(speaks ? "speech from %.2f s" : " to %.2f s\n", (double)at / RATE);
    }
  }
  if (speaks) printf(" to the end, %.2f s\n", (double)count / RATE);
  rondo_tensor_destroy(in[1]);
  rondo_program_instance_destroy(instance);
  rondo_program_destroy(program);
  rondo_engine_destroy(engine);
  free(samples);
  return 0;
}
