// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"slices"
	"testing"
)

// The lines of 128 bytes of an access are distinct, in the order in which its lanes come to them: also where lanes
// take turns with two lines, and where a word lies in two. A lane without bytes touches one.
func TestLinesOfAnAccessAreDistinct(t *testing.T) {
	type lane struct{ address, bytes uint64 }
	for _, c := range []struct {
		lanes []lane
		lines []uint64
		bytes uint64
	}{
		{[]lane{{0, 4}, {128, 4}, {4, 4}, {132, 4}}, []uint64{0, 1}, 16},
		{[]lane{{1280, 4}, {0, 4}, {640, 4}, {1284, 4}, {124, 4}}, []uint64{10, 0, 5}, 20},
		{[]lane{{126, 4}, {254, 4}}, []uint64{0, 1, 2}, 8},
		{[]lane{{127, 0}, {128, 1}}, []uint64{0, 1}, 2},
		{[]lane{{64, 512}}, []uint64{0, 1, 2, 3, 4}, 512},
		{[]lane{{128, 128}}, []uint64{1}, 128},
		{[]lane{{^uint64(0), 1}}, []uint64{^uint64(0) / 128}, 1},
	} {
		s := &counting{report: new(Report)}
		for _, l := range c.lanes {
			s.addSegments(l.address, l.bytes)
		}
		if !slices.Equal(s.segments, c.lines) || s.report.Global.RequestedBytes != c.bytes {
			t.Errorf("%v: lines %v with %d bytes, want %v with %d", c.lanes, s.segments, s.report.Global.RequestedBytes, c.lines, c.bytes)
		}
	}
}
