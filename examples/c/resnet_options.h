/* The command line of resnet50. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_RESNET_OPTIONS_H
#define EXAMPLES_RESNET_OPTIONS_H

#include "resnet.h"

struct resnet_options {
  rondo_device device;
  rondo_dtype dtype, autocast; /* of images and filters; of layers in training, whose images and filters are f32 */
  int channels_last;
  int64_t size, batch; /* of the images */
  int steps;           /* of training; 0: none */
  int pyramid;
  const char* program; /* a file for the network that asks; NULL: none */
  struct resnet net;
};

/* Returns -1 if there is something to do, otherwise what the program ends with, having said why. */
int resnet_options_parse(int argc, char** argv, struct resnet_options* options);

#endif /* EXAMPLES_RESNET_OPTIONS_H */
