// C++17 over the C interface: owning handles, exceptions, callables as tasks. Header only, nothing but the C library.
//
// A handle moves and does not copy; its destructor destroys the object, which is safe with work in flight. A call that
// fails throws rondo::Error with the status and the message of rondo_last_error(). What blocks, which threads may call
// and what is allowed when: as the C function of the same name says. Since 0.1.
//
//   rondo::Engine engine;
//   rondo::Tensor a = engine.from_host<float>({RONDO_CPU, 0}, {4}, {1, 2, 3, 4});
//   rondo::Tensor b = a * 2.0 + a;
//   rondo::Graph graph = engine.record([&] { rondo::binary_into(RONDO_ADD, a, b, a); });
//   graph.launch();
//   std::vector<float> values = a.read<float>();
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_RONDO_HPP
#define RONDO_RONDO_HPP

#include <rondo/hpp/attention.hpp>
#include <rondo/hpp/base.hpp>
#include <rondo/hpp/cache.hpp>
#include <rondo/hpp/callable.hpp>
#include <rondo/hpp/comm.hpp>
#include <rondo/hpp/control.hpp>
#include <rondo/hpp/data_parallel.hpp>
#include <rondo/hpp/engine.hpp>
#include <rondo/hpp/images.hpp>
#include <rondo/hpp/mixed_precision.hpp>
#include <rondo/hpp/models.hpp>
#include <rondo/hpp/operators.hpp>
#include <rondo/hpp/optimizer.hpp>
#include <rondo/hpp/reclaim.hpp>
#include <rondo/hpp/recommender.hpp>
#include <rondo/hpp/recurrent.hpp>
#include <rondo/hpp/shapes.hpp>
#include <rondo/hpp/tape.hpp>
#include <rondo/hpp/tensor.hpp>
#include <rondo/hpp/user.hpp>

#endif  // RONDO_RONDO_HPP
