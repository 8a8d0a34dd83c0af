// SPDX-License-Identifier: Apache-2.0

package cache

// index is a set index function, arch.Cache.Index.
type index uint8

const (
	indexLinear index = iota
	indexXor
	indexFermi
	indexIPOLY
	indexModulo
)

func indexOf(name string) index {
	switch name {
	case "xor":
		return indexXor
	case "fermi":
		return indexFermi
	case "ipoly":
		return indexIPOLY
	case "modulo":
		return indexModulo
	}
	return indexLinear
}

// fermiIndex is the function that Nugteren et al. found in Fermi's L1 ("A
// detailed GPU cache model based on reuse distance theory", HPCA 2014), for
// lines of 128 bytes. The five address bits above the line offset are xored
// with address bits 13, 14, 15, 17 and 19. With 64 sets (48 KB) address bit 12
// is the sixth. Here n is the line number: the address without its seven lowest
// bits.
func fermiIndex(n uint64) uint64 {
	fold := n>>6&7 | n>>10&1<<3 | n>>12&1<<4
	return n&0x1f ^ fold | n&0x20
}
