// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// The address map of the emulated device is that of package trace, whose
// windows tell where the spaces lie inside the generic space (6.4.1.1); global
// memory lies above them. All bases fit into 32 bits, so that modules with
// .address_size 32 see the same map; global memory alone may grow past 4 GiB.
//
// A trace records global accesses by device address, accesses to a named
// space by the space-relative address, and generic accesses by the generic
// address.
const (
	ParamWindowBase  = trace.ParamWindowBase
	ConstWindowBase  = trace.ConstWindowBase
	SharedWindowBase = trace.SharedWindowBase
	LocalWindowBase  = trace.LocalWindowBase
	WindowBytes      = trace.WindowBytes

	// NullBytes is the size of the never-mapped page at address zero.
	NullBytes = 4096

	// GlobalBase is the address of the first allocation in global memory.
	GlobalBase = 0xC000_0000

	// AllocationAlign is the alignment of buffers in global memory, in bytes.
	AllocationAlign = 256
)

// InWindow reports whether a generic address lies in the window at base.
func InWindow(address, base uint64) bool { return address-base < WindowBytes }

// Narrow reports whether addresses of a space have 32 bits: a register with more is
// truncated (6.4.1), and sums wrap around there. All spaces that are small on every GPU
// do; LLVM's NVPTX gives pointers to the shared, constant and local space 32 bits
// (--nvptx-short-ptr). Those of parameters, which lie in constant memory, are as wide.
func Narrow(space ptx.Space) bool {
	switch space {
	case ptx.SpaceShared, ptx.SpaceLocal, ptx.SpaceArgument, ptx.SpaceConst, ptx.SpaceParam:
		return true
	}
	return false
}

// SpaceRelative turns the generic address of something in a space into its
// address inside the space.
func SpaceRelative(space ptx.Space, generic uint64) uint64 { return generic - WindowBase(space) }

// WindowBase is the place of a space in the generic space.
func WindowBase(space ptx.Space) uint64 {
	switch space {
	case ptx.SpaceConst:
		return ConstWindowBase
	case ptx.SpaceShared:
		return SharedWindowBase
	case ptx.SpaceLocal:
		return LocalWindowBase
	case ptx.SpaceParam:
		return ParamWindowBase
	}
	return 0 // global and generic addresses are the same
}

// AlignUp is n rounded up to a multiple of align, a power of two.
func AlignUp(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }
