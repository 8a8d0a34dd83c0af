// SPDX-License-Identifier: Apache-2.0

package trace

// The windows of the generic address space (PTX ISA 6.4.1.1). They are part of
// the file format: an instruction of SpaceGeneric has addresses of this map in
// the trace, and a replay resolves the space by them. Instructions of a named
// space have space-relative addresses, except that global addresses are the
// same in both. All windows lie below 4 GiB, so that modules with 32-bit
// addressing see the same map.
const (
	// ParamWindowBase is where kernel parameters appear.
	ParamWindowBase = 0x1000_0000
	// ConstWindowBase is where the constant bank appears.
	ConstWindowBase = 0x2000_0000
	// SharedWindowBase is where a thread block sees its shared memory.
	SharedWindowBase = 0x4000_0000
	// LocalWindowBase is where a thread sees its local memory.
	LocalWindowBase = 0x8000_0000
	// WindowBytes is the size of each of the four windows.
	WindowBytes = 0x1000_0000
)

// An address of shared memory in a launch in clusters names the thread block whose memory it
// is: above the place there stands one more than that block's rank in the cluster. Zeros name
// the executing thread block.
const (
	ClusterRankShift = 18
	ClusterRankMask  = 0x1f << ClusterRankShift
)

// ClusterRank is the rank of the thread block in whose shared memory an address lies; own is
// that of the executing one.
func ClusterRank(address uint64, own int) int {
	if rank := address & ClusterRankMask >> ClusterRankShift; rank != 0 {
		return int(rank) - 1
	}
	return own
}

// ResolveGeneric gives the space that a generic address lies in, and the
// address relative to that space, without the number that its word may have.
func ResolveGeneric(address uint64) (Space, uint64) {
	address = AddressOf(address)
	switch {
	case address-SharedWindowBase < WindowBytes:
		return SpaceShared, address - SharedWindowBase
	case address-LocalWindowBase < WindowBytes:
		return SpaceLocal, address - LocalWindowBase
	case address-ConstWindowBase < WindowBytes:
		return SpaceConst, address - ConstWindowBase
	case address-ParamWindowBase < WindowBytes:
		return SpaceParam, address - ParamWindowBase
	}
	return SpaceGlobal, address
}
