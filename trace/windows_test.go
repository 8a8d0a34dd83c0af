// SPDX-License-Identifier: Apache-2.0

package trace

import "testing"

// Generic addresses lie in the window of their space, from its first byte to its last, and count from there. All others are
// those of global memory, beside the windows, too.
func TestGenericAddressesLieInTheirWindows(t *testing.T) {
	for base, space := range map[uint64]Space{SharedWindowBase: SpaceShared, LocalWindowBase: SpaceLocal, ConstWindowBase: SpaceConst, ParamWindowBase: SpaceParam} {
		for _, at := range []uint64{0, 1, 4096, WindowBytes - 1} {
			if s, relative := ResolveGeneric(base + at); s != space || relative != at {
				t.Errorf("%#x lies at %#x of %v, want %#x of %v", base+at, relative, s, at, space)
			}
		}
	}
	for _, at := range []uint64{0, 4096, 1 << 40, ^uint64(0), min(SharedWindowBase, LocalWindowBase, ConstWindowBase, ParamWindowBase) - 1, max(SharedWindowBase, LocalWindowBase, ConstWindowBase, ParamWindowBase) + WindowBytes} {
		if s, relative := ResolveGeneric(at); s != SpaceGlobal || relative != at {
			t.Errorf("%#x lies at %#x of %v", at, relative, s)
		}
	}
}
