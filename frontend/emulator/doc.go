// SPDX-License-Identifier: Apache-2.0

// Package emulator runs contaminated kernels and records what they do.
//
// A Device has memory, modules and a scheduler (Device.Launch), which owns thread
// blocks, warps, barriers, reconvergence and exit, and pieces the trace together. Below
// it lie, each knowing only those before it:
//
//   - lanes: what an instruction computes in 32 lanes;
//   - memory: buffers, textures and tensor maps;
//   - coexecution: the contract with the coexecutors of segments, and the state of launches
//     and thread blocks;
//   - interpreter: the coexecutor that lowers PTX to operations and walks them.
package emulator
