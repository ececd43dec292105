/* See data_url.h. A PNG is a signature and chunks, each with a length, a name and a CRC-32; its pixels are a zlib
 * stream, here of stored blocks.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "data_url.h"

#include <stdlib.h>
#include <string.h>

enum { STORED_MOST = 65535 };

static unsigned char* put32(unsigned char* at, uint32_t value) {
  int i;
  for (i = 0; i < 4; ++i) *at++ = (unsigned char)(value >> (24 - 8 * i));
  return at;
}

static uint32_t crc32_of(const unsigned char* data, size_t bytes) {
  uint32_t crc = UINT32_C(0xFFFFFFFF);
  size_t i;
  int bit;
  for (i = 0; i < bytes; ++i) {
    crc ^= data[i];
    for (bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
  }
  return ~crc;
}

static uint32_t adler32_of(const unsigned char* data, size_t bytes) {
  uint32_t a = 1, b = 0;
  size_t i;
  for (i = 0; i < bytes; ++i) {
    a = (a + data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

/* Ends a chunk whose name and data stand from `begin` to `end`, behind room for its length. */
static unsigned char* end_chunk(unsigned char* begin, unsigned char* end) {
  put32(begin - 4, (uint32_t)(end - begin - 4));
  return put32(end, crc32_of(begin, (size_t)(end - begin)));
}

static unsigned char* put_stored(unsigned char* at, const unsigned char* data, size_t bytes) {
  const uint32_t check = adler32_of(data, bytes);
  *at++ = 0x78;
  *at++ = 0x01;
  while (bytes > 0) {
    const size_t part = bytes < STORED_MOST ? bytes : STORED_MOST;
    *at++ = part == bytes; /* the last block */
    *at++ = (unsigned char)part;
    *at++ = (unsigned char)(part >> 8);
    *at++ = (unsigned char)~part;
    *at++ = (unsigned char)(~part >> 8);
    memcpy(at, data, part);
    at += part;
    data += part;
    bytes -= part;
  }
  return put32(at, check);
}

static void write_base64(FILE* file, const unsigned char* data, size_t bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t i;
  for (i = 0; i < bytes; i += 3) {
    const unsigned second = i + 1 < bytes ? data[i + 1] : 0, third = i + 2 < bytes ? data[i + 2] : 0;
    const unsigned three = (unsigned)data[i] << 16 | second << 8 | third;
    fputc(digits[three >> 18], file);
    fputc(digits[three >> 12 & 63], file);
    fputc(i + 1 < bytes ? digits[three >> 6 & 63] : '=', file);
    fputc(i + 2 < bytes ? digits[three & 63] : '=', file);
  }
}

int data_url_write(FILE* file, const unsigned char* rgb, int64_t size) {
  static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  const size_t row = (size_t)(3 * size), raw_bytes = (size_t)size * (row + 1);
  unsigned char* raw = malloc(raw_bytes);
  unsigned char *png = malloc(raw_bytes + raw_bytes / STORED_MOST * 5 + 128), *at = png, *chunk;
  int64_t y;
  if (raw == NULL || png == NULL) {
    free(raw);
    free(png);
    return -1;
  }
  for (y = 0; y < size; ++y) { /* in front of each row: not filtered */
    raw[(size_t)y * (row + 1)] = 0;
    memcpy(raw + (size_t)y * (row + 1) + 1, rgb + (size_t)y * row, row);
  }
  memcpy(at, signature, sizeof signature);
  chunk = at + sizeof signature + 4;
  memcpy(chunk, "IHDR", 4);
  at = put32(put32(chunk + 4, (uint32_t)size), (uint32_t)size);
  memcpy(at, "\x08\x02\x00\x00\x00", 5); /* 8 bits, RGB, and the only methods there are */
  chunk = end_chunk(chunk, at + 5) + 4;
  memcpy(chunk, "IDAT", 4);
  chunk = end_chunk(chunk, put_stored(chunk + 4, raw, raw_bytes)) + 4;
  memcpy(chunk, "IEND", 4);
  at = end_chunk(chunk, chunk + 4);
  fputs("data:image/png;base64,", file);
  write_base64(file, png, (size_t)(at - png));
  free(raw);
  free(png);
  return 0;
}
