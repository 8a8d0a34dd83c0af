// SPDX-License-Identifier: Apache-2.0

// Package gpu assembles a machine from its architecture and replays traces on it.
//
// The machine is the five seams joined. A dispatcher hands thread blocks to SMs, a
// divergence policy lays recorded warps out as hardware warps, a front end per SM
// fetches and issues, and a memory system answers. The event loop visits a core
// cycle only when something happens in it, and in it only the SMs that something
// happens to.
//
// Within a core cycle the order is: memory events up to the cycle's edge, dispatch
// of thread blocks, SMs by number.
package gpu
