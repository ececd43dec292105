/* Training the examples' networks: gradient descent with momentum and weight decay, one step of which is nothing but
 * operators, so it can be run or recorded. Of a model in 16 bits the parameters are trained in f32 and rounded for the
 * layers; the loss may be scaled meanwhile, so that small gradients are not lost. Of a model in f32 layers may compute
 * in 16 bits: then an autocast scope casts for them, and a loss scaler finds the scale.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_DESCENT_H
#define EXAMPLES_DESCENT_H

#include "layers.h"

struct descent {
  double rate, momentum, decay;
  double loss_scale;         /* 1: the loss as it is */
  rondo_loss_scaler* scaler; /* of layers that are cast; NULL otherwise, and so is */
  rondo_optimizer* optimizer;
  rondo_expression* update; /* of parameters */
  rondo_expression* round;  /* of those whose values for the layers are rounded */
};

/* A pass: forward(arg, model) submits it and returns a scalar, the loss, which is destroyed by who asked for it. */
typedef rondo_tensor* (*model_forward)(void* arg, struct model* model);

/* Makes the model's parameters, by a pass whose result goes nowhere, and their velocities, 0. */
void descent_create(struct descent* descent, struct model* model, model_forward forward, void* arg, double rate,
                    double momentum, double decay);
void descent_destroy(struct descent* descent);
/* A step. loss: an f32 scalar that the loss is copied to. */
void descent_step(const struct descent* descent, struct model* model, model_forward forward, void* arg,
                  rondo_tensor* loss);

#endif /* EXAMPLES_DESCENT_H */
