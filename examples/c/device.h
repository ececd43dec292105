/* The device that an example runs on, and what it says of it.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_DEVICE_H
#define EXAMPLES_DEVICE_H

#include <rondo/rondo.h>
#include <stddef.h>

/* The device named by `text`, which rondo_device_parse takes; "auto": the first CUDA device if it works, else cpu, and
 * why is printed. */
rondo_device device_choose(const char* text);
/* Prints what the work runs on, with the libraries that serve there; writes the device's name to `name`. */
void device_print(rondo_engine* engine, rondo_device device, char* name, size_t capacity);

#endif /* EXAMPLES_DEVICE_H */
