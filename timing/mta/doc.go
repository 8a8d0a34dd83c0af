// SPDX-License-Identifier: Apache-2.0

// Package mta is many-thread-aware prefetching (Lee, Lakshminarayana, Kim and
// Vuduc, MICRO 2010) as the paper on decoupled affine computation provisions it
// (section 5.1.1, Table 1). It finds strides of single warps and between warps for
// a few warps, and generalises them to all. Early evictions throttle it, and a
// prefetch buffer of 16 KB is next to the L1 of each SM.
//
// It plugs into the memory path: port wraps the seam.Port of an SM. A load of global
// memory looks its lines up in the buffer; those that are there, or on their way
// there, do not go to the L1. The load then trains the tables of strides, and where
// they know one, the lines that it predicts are read past the L1
// (seam.EarlyReader), behind all demand requests.
package mta
