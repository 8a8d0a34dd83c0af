// SPDX-License-Identifier: Apache-2.0

// Package timeline writes what a replay does as a trace for Perfetto
// (https://ui.perfetto.dev). It shows what became of every issue slot, what each
// warp waited for, and thread blocks, kernels and copies. It also shows memory
// requests with the level that served them, and the depths of queues.
//
// The file is a stream of TracePacket messages with TrackEvent payloads, as
// Perfetto's documentation describes under "Writing TrackEvent Protos
// Synthetically". One nanosecond of the file is one core cycle, so that all
// lengths are exact. It is written while the replay runs; memory does not grow
// with its length.
package timeline
