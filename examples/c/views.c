/* Views on an image: crop, flip, transpose, split into channels and sum over a window, all without a copy. A view
 * shares its tensor's memory; what is written through one is seen through all. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { HEIGHT = 6, WIDTH = 8, CHANNELS = 3 };

/* Prints a view of two dimensions row by row. */
static void print(const char* title, rondo_tensor* view) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  uint8_t values[HEIGHT * WIDTH];
  CHECK(rondo_tensor_query(view, &info));
  CHECK(rondo_tensor_read(view, values, (size_t)info.bytes)); /* gathers the elements in row-major order */
  printf("%s, %d x %d\n", title, (int)info.shape[0], (int)info.shape[1]);
  for (int64_t y = 0; y < info.shape[0]; ++y) {
    for (int64_t x = 0; x < info.shape[1]; ++x) printf("%4d", values[y * info.shape[1] + x]);
    printf("\n");
  }
}

int main(void) {
  const rondo_device device = {RONDO_CPU, 0};
  const int64_t shape[3] = {HEIGHT, WIDTH, CHANNELS};
  uint8_t pixels[HEIGHT][WIDTH][CHANNELS];
  rondo_engine* engine = NULL;
  rondo_tensor *image = NULL, *channel = NULL, *red = NULL, *rows = NULL, *crop = NULL, *mirrored = NULL,
               *turned = NULL;
  const int64_t plane[2] = {HEIGHT, WIDTH};

  for (int y = 0; y < HEIGHT; ++y)
    for (int x = 0; x < WIDTH; ++x)
      for (int c = 0; c < CHANNELS; ++c) pixels[y][x][c] = (uint8_t)(100 * c + 10 * y + x);

  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_U8, 3, shape, pixels, &image));

  /* Channel 0 of interleaved pixels: a slice of the last axis, then that axis dropped. Neighbours are 3 elements apart.
   */
  CHECK(rondo_tensor_slice(image, 2, 0, 1, 1, &channel));
  CHECK(rondo_tensor_reshape(channel, 2, plane, &red));
  print("red", red);

  CHECK(rondo_tensor_slice(red, 0, 1, 5, 1, &rows));                       /* rows 1 to 4 */
  CHECK(rondo_tensor_slice(rows, 1, 2, 6, 1, &crop));                      /* of these, columns 2 to 5 */
  CHECK(rondo_tensor_slice(crop, 1, INT64_MAX, INT64_MIN, -1, &mirrored)); /* from the last column to the first */
  print("cropped and mirrored", mirrored);

  CHECK(rondo_fill(crop, 255)); /* written in place: the image itself has it */
  CHECK(rondo_tensor_transpose(red, NULL, &turned));
  print("red with the crop painted, transposed", turned);

  rondo_tensor_destroy(turned);
  rondo_tensor_destroy(mirrored);
  rondo_tensor_destroy(crop);
  rondo_tensor_destroy(rows);
  rondo_tensor_destroy(red);
  rondo_tensor_destroy(channel);
  rondo_tensor_destroy(image);
  rondo_engine_destroy(engine);
  return 0;
}
