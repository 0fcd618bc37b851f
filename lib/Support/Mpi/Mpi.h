//===- Mpi.h - What ranks need of MPI, loaded when needed ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// MPI brings a dozen libraries with it and has no stable binary interface, so
// it stays behind these few functions in a library of their own, which is
// loaded under a launcher.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_SUPPORT_MPI_MPI_H
#define PARALLAX_LIB_SUPPORT_MPI_MPI_H

#include <cstddef>

extern "C" {

/// Joins the job: says how many ranks it has, and which of them this is.
void parallaxMpiStart(int *rank, int *count);

/// Gives `size` bytes to all ranks, and gets as many of each, in their order.
/// False if some have not come within so many seconds; a negative number waits
/// as long as it takes. A waiting rank leaves the core to others.
bool parallaxMpiGather(const void *own, size_t size, void *all, double seconds);

/// Gives bytes of one rank to all others, which have come to this, too.
void parallaxMpiSpread(void *bytes, size_t size, int from);

/// Leaves the job, once all ranks do.
void parallaxMpiEnd();

/// Ends all ranks at once.
void parallaxMpiAbort(int code);
}

#endif // PARALLAX_LIB_SUPPORT_MPI_MPI_H
