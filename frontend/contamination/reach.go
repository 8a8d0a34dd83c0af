// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// Where the shared memory of a cluster's other thread blocks lies is known to the device only.
// But getctarank tells whose an address is, and mapa what it is in the first thread block
// (9.7.9.23, 9.7.9.24), where the kernel tells the places of variables. So the log has both.

// reaching says what a logged address can be of.
type reaching int

const (
	reachesNone    reaching = iota // no shared memory of other thread blocks
	reachesShared                  // .shared::cluster
	reachesGeneric                 // a generic address, which may be such
)

// RankShift is where a logged address has one more than the rank of the thread block whose
// shared memory it is in, if the kernel has mapped it there. Below is what it is in the
// cluster's first thread block. Zero stands for an address that is no mapped one.
const RankShift = 56

// MapsShared reports whether a kernel maps addresses to other thread blocks.
func MapsShared(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Op == ptx.OpMapa })
}

// reachesCluster tells what an operand of an instruction can be an address of.
func reachesCluster(k *contaminator.Kernel, in *ptx.Instruction, o *ptx.Operand) reaching {
	if o.Kind != ptx.OperandAddress || Sampled(in) || !MapsShared(k) {
		return reachesNone
	}
	space := in.Space
	if in.Bulk() {
		space = ptx.SpaceGlobal
		if b := bulkOf(in); o == b.Barrier {
			space = ptx.SpaceShared
		} else if o == b.From && in.Space != ptx.SpaceGlobal {
			space = in.Space
		}
	}
	switch space {
	case ptx.SpaceShared:
		return reachesShared
	case ptx.SpaceGeneric, ptx.SpaceNone:
		return reachesGeneric
	}
	return reachesNone
}

// reach writes the code that makes of the address in $value what the log has of it. Mapped is an
// address of another thread block, or what mapa gives of the own one.
func (e *emitter) reach(r reaching) {
	space, on := ".shared::cluster", ""
	switch r {
	case reachesNone:
		return
	case reachesGeneric:
		space, on = "", "@$same "
		e.line("isspacep.shared::cluster $same, $value;")
	case reachesShared: // whose addresses have 32 bits
		e.line("cvt.u32.u64 $t, $value;")
		e.line("cvt.u64.u32 $value, $t;")
	}
	e.line("mov.u32 $u, %%cluster_ctarank;")
	e.line("mov.u32 $t, $u;")
	e.line("mov.b64 $second, $value;")
	e.line("mov.b64 $base, $value;")
	e.line("%sgetctarank%s.u64 $t, $value;", on, space)
	e.line("%smapa%s.u64 $second, $value, $u;", on, space)
	e.line("%smapa%s.u64 $base, $value, 0;", on, space)
	e.line("setp.eq.u64 $one, $second, $value;")
	e.line("setp.ne.or.u32 $one, $t, $u, $one;")
	if on != "" {
		e.line("and.pred $one, $one, $same;")
	}
	e.line("add.u32 $t, $t, 1;")
	e.line("shl.b32 $t, $t, %d;", RankShift-32)
	e.line("mov.u32 $u, 0;")
	e.line("mov.b64 $second, {$u, $t};")
	e.line("add.s64 $base, $base, $second;")
	e.line("selp.b64 $value, $base, $value, $one;")
}
