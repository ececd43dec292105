// C++17 over the C interface: owning handles, exceptions, callables as tasks. Header only, nothing but the C library.
//
// A handle moves, and its destructor destroys the object, which is safe with work in flight; a Tensor copies too, as
// the same handle once more. A call that fails throws rondo::Error with the status and the message of
// rondo_last_error(); what these headers refuse themselves is a std::logic_error. A const object does all that leaves
// its handle as it is. What blocks, which threads may call and what is allowed when: as the C function of the same name
// says. docs/cpp.md explains. Since 0.1.
//
//   rondo::Engine engine;
//   rondo::Tensor a = engine.from_host<float>({RONDO_CPU, 0}, {4}, {1, 2, 3, 4});
//   rondo::Tensor b = a * 2.0 + a;
//   rondo::Graph graph = engine.record([&] { a += b; });
//   graph.launch();
//   std::vector<float> values = a.read<float>();
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_RONDO_HPP
#define RONDO_RONDO_HPP

#if __cplusplus < 201703L
#error "rondo.hpp needs C++17: compile with -std=c++17 or newer, or use rondo/rondo.h"
#elif !defined(__cpp_exceptions)
#error "rondo.hpp throws: compile with exceptions, without -fno-exceptions, or use rondo/rondo.h"
#else

#include <rondo/hpp/arguments.hpp>
#include <rondo/hpp/attention.hpp>
#include <rondo/hpp/base.hpp>
#include <rondo/hpp/cache.hpp>
#include <rondo/hpp/callable.hpp>
#include <rondo/hpp/comm.hpp>
#include <rondo/hpp/control.hpp>
#include <rondo/hpp/create.hpp>
#include <rondo/hpp/data_parallel.hpp>
#include <rondo/hpp/elementwise.hpp>
#include <rondo/hpp/engine.hpp>
#include <rondo/hpp/grad.hpp>
#include <rondo/hpp/graph.hpp>
#include <rondo/hpp/images.hpp>
#include <rondo/hpp/mixed_precision.hpp>
#include <rondo/hpp/models.hpp>
#include <rondo/hpp/operators.hpp>
#include <rondo/hpp/optimizer.hpp>
#include <rondo/hpp/print.hpp>
#include <rondo/hpp/programs.hpp>
#include <rondo/hpp/reclaim.hpp>
#include <rondo/hpp/recommender.hpp>
#include <rondo/hpp/recurrent.hpp>
#include <rondo/hpp/shapes.hpp>
#include <rondo/hpp/tape.hpp>
#include <rondo/hpp/task.hpp>
#include <rondo/hpp/tensor.hpp>
#include <rondo/hpp/user.hpp>
#include <rondo/hpp/views.hpp>

#endif

#endif  // RONDO_RONDO_HPP
