/* A picture inside a text, such as an SVG: PNG as base64. Not compressed, so that no library is needed.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_DATA_URL_H
#define EXAMPLES_DATA_URL_H

#include <stdint.h>
#include <stdio.h>

/* Writes "data:image/png;base64,..." of rgb [size][size][3]. Returns 0, or -1 if there is no memory; what goes wrong
 * with the file is the file's error. */
int data_url_write(FILE* file, const unsigned char* rgb, int64_t size);

#endif /* EXAMPLES_DATA_URL_H */
