// SPDX-License-Identifier: Apache-2.0

package memory

// bring makes so many bytes from an address on valid, as those used last, but for sectors that are
// on their way, and sets that are full of such.
func (f *frontCache) bring(first uint64, bytes int) {
	t := f.tags
	if t == nil {
		return
	}
	last := first + uint64(bytes) - 1
	for line := t.Line(first); line <= last; line = t.Line(line) + f.lineBytes {
		i := t.Find(line)
		if i < 0 {
			if i = t.Victim(line); i < 0 {
				continue
			}
			t.Replace(i, line)
		}
		for at := max(line, first) &^ (f.sectorBytes - 1); at <= last && at < line+f.lineBytes; at += f.sectorBytes {
			if sector := t.SectorOf(at); t.Pending(i)>>sector&1 == 0 {
				t.Load(i, sector)
			}
		}
		t.Use(i)
		t.Settle(i)
	}
}
