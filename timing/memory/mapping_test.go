// SPDX-License-Identifier: Apache-2.0

package memory

import "testing"

// TestEveryMappingFillsRowsOnceAndFollowsItsName checks the named orders of
// address bits over a slice's addresses line by line.
func TestEveryMappingFillsRowsOnceAndFollowsItsName(t *testing.T) {
	for _, spec := range []string{"gtx480", "mesh56"} {
		for _, mapping := range []string{"row_bank_column", "row_column_bank", "row_bank_column_group"} {
			for _, hash := range []string{"none", "xor"} {
				m := machine(t, spec, nil)
				m.DRAM.Mapping, m.DRAM.BankHash = mapping, hash
				a := newAddressMap(m)
				slices, groups := m.L2.SlicesPerPartition, m.DRAM.BankGroups
				type row struct {
					bank int
					row  int64
				}
				lines := map[row]int{}
				sameBank, sameGroup, total := 0, 0, 0
				lastBank := -1
				for line := range uint64(m.DRAM.RowBytes / 128 * m.DRAM.Banks / slices * 8) {
					bank, r := a.bank(1%slices, line*128)
					if bank < 0 || bank >= m.DRAM.Banks || bank%slices != 1%slices {
						t.Fatalf("%s %s: line %d is in bank %d of slice 1", mapping, hash, line, bank)
					}
					if bank2, r2 := a.bank(1%slices, line*128+127); bank2 != bank || r2 != r {
						t.Fatalf("%s %s: line %d is cut", mapping, hash, line)
					}
					lines[row{bank, r}]++
					if lastBank >= 0 {
						total++
						if bank == lastBank {
							sameBank++
						}
						if bank%groups == lastBank%groups {
							sameGroup++
						}
					}
					lastBank = bank
				}
				if want := m.DRAM.Banks / slices * 8; len(lines) != want {
					t.Errorf("%s %s %s: %d rows are used, want %d", spec, mapping, hash, len(lines), want)
				}
				for at, n := range lines {
					if n != m.DRAM.RowBytes/128 {
						t.Errorf("%s %s %s: %d lines in %+v, want %d", spec, mapping, hash, n, at, m.DRAM.RowBytes/128)
					}
				}
				switch {
				case mapping == "row_bank_column" && sameBank < total*9/10:
					t.Errorf("%s: %d of %d neighbours share a bank", mapping, sameBank, total)
				case mapping == "row_column_bank" && sameBank > total/10:
					t.Errorf("%s: %d of %d neighbours share a bank", mapping, sameBank, total)
				case mapping == "row_bank_column_group" && groups > slices && sameGroup > total/10:
					t.Errorf("%s: %d of %d neighbours share a bank group", mapping, sameGroup, total)
				}
			}
		}
	}
}

// TestBankHashSpreadsTheRowsOfOneBank: addresses that are all of a stride apart
// that keeps the bank bits meet in one bank without the hash, and in all with it.
func TestBankHashSpreadsTheRowsOfOneBank(t *testing.T) {
	for hash, want := range map[string]int{"none": 1, "xor": 8} {
		m := machine(t, "gtx480", nil)
		m.DRAM.BankHash = hash
		a := newAddressMap(m)
		banks := map[int]bool{}
		for i := range uint64(64) {
			bank, _ := a.bank(0, i*uint64(m.DRAM.RowBytes*m.DRAM.Banks/2))
			banks[bank] = true
		}
		if len(banks) != want {
			t.Errorf("hash %s: %d banks, want %d", hash, len(banks), want)
		}
	}
}

// The places of addresses in machines with known bits, worked out by hand: stretches
// of 256 bytes go round the partitions, and in every second round to the other slice.
func TestPartitionsAreChosenByTheirBits(t *testing.T) {
	type place struct {
		slice  int
		inside uint64
	}
	for _, c := range []struct {
		partitions int
		hash       string
		want       map[uint64]place
	}{
		{6, "none", map[uint64]place{
			0: {0, 0}, 255: {0, 255}, 256: {2, 0}, 5 * 256: {10, 0}, 6 * 256: {1, 0}, 12 * 256: {0, 256}, 19*256 + 44: {3, 256 + 44},
		}},
		{4, "none", map[uint64]place{0: {0, 0}, 256: {2, 0}, 1 << 10: {1, 0}, 1 << 11: {0, 256}, 1 << 18: {0, 128 << 8}}},
		// The two partition bits, 8 and 9, are xored with bits 10 and 11, and 18 and 19.
		{4, "xor", map[uint64]place{
			0: {0, 0}, 1 << 8: {2, 0}, 1 << 9: {4, 0}, 1 << 10: {2 + 1, 0}, 1 << 11: {4, 256}, 1<<10 | 1<<8: {1, 0}, 1 << 12: {0, 512},
			1 << 17: {0, 64 << 8}, 1 << 18: {2, 128 << 8}, 1 << 19: {4, 256 << 8}, 1 << 20: {0, 512 << 8}, 1<<18 | 1<<11 | 1<<9: {2, 129 << 8},
		}},
	} {
		m := machine(t, "gtx480", nil)
		m.L2.Partitions, m.L2.PartitionHash = c.partitions, c.hash
		a := newAddressMap(m)
		for address, want := range c.want {
			slice, inside := a.slice(address)
			if got := (place{slice, inside}); got != want {
				t.Errorf("%d partitions, %s: %#x is at %+v, want %+v", c.partitions, c.hash, address, got, want)
			}
		}
	}
}

// Rows of 4 KiB in the 8 banks of one of two slices, worked out by hand.
func TestBanksAndRowsAreChosenByTheirBits(t *testing.T) {
	type place struct {
		bank int
		row  int64
	}
	for _, c := range []struct {
		mapping, hash string
		want          map[uint64]place // of slice 0; those of slice 1 are in the next bank
	}{
		{"row_bank_column", "none", map[uint64]place{
			0: {0, 0}, 4095: {0, 0}, 4096: {2, 0}, 7 * 4096: {14, 0}, 8 * 4096: {0, 1}, 27 * 4096: {6, 3},
		}},
		{"row_bank_column", "xor", map[uint64]place{
			4096: {2, 0}, 8 * 4096: {2, 1}, 9 * 4096: {0, 1}, 16 * 4096: {4, 2}, 32 * 4096: {8, 4}, 64 * 4096: {0, 8}, 27 * 4096: {0, 3},
		}},
		{"row_column_bank", "none", map[uint64]place{
			0: {0, 0}, 127: {0, 0}, 128: {2, 0}, 7 * 128: {14, 0}, 8 * 128: {0, 0}, 4096: {0, 0}, 8 * 4096: {0, 1}, 8*4096 + 128: {2, 1},
		}},
		// The slice's bit and the next choose one of four groups; lines alternate in
		// the second of these.
		{"row_bank_column_group", "none", map[uint64]place{
			0: {0, 0}, 128: {2, 0}, 256: {0, 0}, 4096: {0, 0}, 8192: {4, 0}, 8192 + 128: {6, 0}, 16384: {8, 0}, 8 * 4096: {0, 1},
		}},
	} {
		m := machine(t, "gtx480", nil)
		m.DRAM.Mapping, m.DRAM.BankHash = c.mapping, c.hash
		a := newAddressMap(m)
		for inside, want := range c.want {
			for slice := range 2 {
				bank, row := a.bank(slice, inside)
				if bank != want.bank+slice || row != want.row {
					t.Errorf("%s, %s: %#x of slice %d is in bank %d, row %d; want bank %d, row %d", c.mapping, c.hash, inside, slice, bank, row, want.bank+slice, want.row)
				}
			}
		}
	}
}
