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
