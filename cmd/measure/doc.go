// SPDX-License-Identifier: Apache-2.0

// Package measure runs the kernels of a host program on a GPU, and writes their times as a
// CSV file that warptape correlate reads.
//
// The driver's library is loaded when it is needed. The host program runs as for a
// recording. Before each launch the buffers of the
// emulated device are copied to the GPU, and the kernel's pointers are replaced by those
// of the copies. So the GPU sees what the emulator sees. The launch is timed several
// times, each time from the same memory, and then the emulator executes it, so that the
// program goes on.
package measure
