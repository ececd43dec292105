/* EfficientNet-Lite0 (Tan and Le, 2019; the variant for small devices), a pretrained network that says which of 1000
 * things is on a photograph. examples/data/photographs.py makes its file.
 *
 * Used by one thread. What a caller can get wrong, the file, is an error; other failures end the program (check.h).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_LITE0_H
#define EXAMPLES_LITE0_H

#include <rondo/rondo.h>

enum { LITE0_LAYERS = 50 };

struct lite0 {
  int64_t classes;
  int next; /* the layer that the pass through the network is at */
  rondo_tensor *weights[LITE0_LAYERS], *biases[LITE0_LAYERS];
  char* text;         /* names of the classes, each with its zero */
  const char** names; /* [classes], in the text */
};

/* Loads the file `path` to a device. Returns 0, or -1 after a line on stderr. Both ways lite0_destroy frees it. */
int lite0_load(struct lite0* net, rondo_engine* engine, rondo_device device, const char* path);
void lite0_destroy(struct lite0* net);

/* Scores of the classes, [n, classes] f32, of pixels u8 [n, size, size, 3]. Only operators, so it can be recorded. The
 * caller owns the result. */
rondo_tensor* lite0_forward(struct lite0* net, rondo_tensor* pixels);

#endif /* EXAMPLES_LITE0_H */
