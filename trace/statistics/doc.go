// SPDX-License-Identifier: Apache-2.0

// Package statistics counts what a trace's stored thread blocks did, free of any
// architecture. It counts instruction mix, divergence, coalescing, footprint and
// reuse of global memory, each also by PTX line, and the CPU threads.
package statistics
