// SPDX-License-Identifier: Apache-2.0

// Package cae is compact affine execution (Kim, Torng, Srinath, Lockhart and Batten,
// ISCA 2013) as the paper on decoupled affine computation provisions it (section
// 5.1.1). Each scheduler of an SM has an affine unit, which executes a warp
// instruction on a base and an offset instead of on lanes.
//
// The hardware finds at run time which instructions can. Each register of a warp has a
// tag: a scalar (the same in all lanes), affine (a base and an offset from lane to
// lane) or a vector. Special registers, parameters and immediates begin it, each
// executed instruction carries it on. There is no support for divergence. An
// instruction in which not all lanes of the warp take part executes on the SIMT lanes,
// and affine registers that it reads or writes are expanded to vectors there. The unit
// has a single ALU for offsets, so that all lanes of a warp must have the same one. A
// warp that spans several rows of its thread block has no affine thread index.
//
// It plugs into the front end. The schedulers have two slots in a core cycle: an
// instruction for the 16 lanes of a scheduler takes both, an affine one takes one.
package cae
