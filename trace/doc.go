// SPDX-License-Identifier: Apache-2.0

// Package trace says what a trace is: what a GPU program did, free of any architecture.
// It holds the model and its checks, and knows of no file.
//
//   - Kernel is what a kernel is made of: its instructions, basic blocks and parameters.
//   - HostEvent and Launch say what the host asked for and when.
//   - Warp is the path of one warp: the basic blocks that it visited, with active masks,
//     guard masks and, as Access, lane addresses.
//   - CPUInstruction is what a CPU thread executed.
//   - Header is where the trace comes from, Totals what it counts, and Sampling what the
//     thread blocks of a sample stand for.
//
// The packages below it go from the file to what is done with it. Each imports only those
// before it, and the model.
//
//   - trace/wtape writes and reads trace files.
//   - trace/transcription copies, slices and merges traces; trace/text prints a whole trace
//     as text and reads it back; trace/verification checks what reading takes on trust;
//     trace/recovery saves what is whole in a damaged file; trace/info sums up a file.
//   - trace/dump, trace/diff, trace/statistics, trace/addresses, trace/projection and
//     trace/sample look at traces, and trace/champsim, trace/lackey and trace/accelsim
//     exchange them with other tools.
//   - trace/store keeps trace files and shares them.
//
// Inside, trace/internal/messages converts the model to the messages of the file format and
// back, and trace/internal/content holds what a file says besides its chunks, and decodes
// those. The codec is trace/internal/chunks on trace/internal/lanecode, which codes the
// addresses of lanes, and on trace/internal/columns. Package trace/internal/cpuchunks is
// the codec of the chunks of CPU threads. Package trace/internal/frames frames and
// compresses messages, and trace/internal/references compresses them with earlier ones.
// Package trace/internal/output does both in several workers, and trace/internal/container
// reads a file as frames, by its index.
//
// The file format is described in docs/trace-format.md and proto/wtape.proto.
// The packages know nothing of PTX text and nothing of cycles.
package trace
