// SPDX-License-Identifier: Apache-2.0

// Package recorder is the device of programs in CUDA and OpenCL that run as they are. It
// owns the emulator, carries out what the program's runtime library sends (package wire),
// and records it.
//
// Messages are carried out in the order in which they come, one after the other, which
// is one of the orders that CUDA allows. The timeline of the trace has what could have
// run together, by streams and what waits for what. Nothing in a recording depends on
// time or on the addresses that the host's system gives: a program that does the same
// again is recorded in the same bytes.
package recorder
