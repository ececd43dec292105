/* Rondo: record work once, replay it for almost nothing. Includes every public header.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_H
#define RONDO_H

#include <rondo/attention.h>
#include <rondo/base.h>
#include <rondo/cache.h>
#include <rondo/callable.h>
#include <rondo/comm.h>
#include <rondo/control.h>
#include <rondo/convolution.h>
#include <rondo/data_parallel.h>
#include <rondo/device.h>
#include <rondo/engine.h>
#include <rondo/graph.h>
#include <rondo/hooks.h>
#include <rondo/launch.h>
#include <rondo/mixed_precision.h>
#include <rondo/models.h>
#include <rondo/normalisation.h>
#include <rondo/ops.h>
#include <rondo/optimizer.h>
#include <rondo/pooling.h>
#include <rondo/programs.h>
#include <rondo/reclaim.h>
#include <rondo/recommender.h>
#include <rondo/recurrent.h>
#include <rondo/shapes.h>
#include <rondo/status.h>
#include <rondo/tape.h>
#include <rondo/tensor.h>
#include <rondo/trace.h>
#include <rondo/user.h>

#endif /* RONDO_H */
