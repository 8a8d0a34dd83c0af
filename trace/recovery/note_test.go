// SPDX-License-Identifier: Apache-2.0

package recovery

import "testing"

// What a recovered trace says of itself: whose totals it has, and what was lost.
func TestTheNoteSaysWhoseTotalsTheseAre(t *testing.T) {
	for _, c := range []struct {
		report     Report
		summarised bool
		want       string
	}{
		{Report{Chunks: 3, Losses: []Loss{{}}}, true, "recovered: 3 whole chunks, totals of the whole run"},
		{Report{Chunks: 3, Losses: []Loss{{}}}, false, "recovered: 3 whole chunks, totals of what is stored"},
		{Report{Chunks: 3, Indexed: true}, false, "recovered: 3 whole chunks, which do not have the digest that was recorded, totals of what is stored"},
		{Report{Chunks: 1, LostChunks: 2, LostBlocks: 9, Losses: []Loss{{}}}, false, "recovered: 1 whole chunks, 2 chunks and 9 thread blocks lost, totals of what is stored"},
		{Report{Chunks: 1, LostBlocks: 9, AtLeast: true, Losses: []Loss{{}}}, false, "recovered: 1 whole chunks, at least 0 chunks and 9 thread blocks lost, totals of what is stored"},
		{Report{Chunks: 1, AtLeast: true, Losses: []Loss{{}}}, false, "recovered: 1 whole chunks, how many are lost is not known, totals of what is stored"},
		{Report{Chunks: 1, Losses: []Loss{{Kind: "kernel"}, {Kind: "timeline"}, {Kind: "kernel"}, {Kind: "header"}, {Kind: "summary"}}}, false,
			"recovered: 1 whole chunks, 1 header frames lost, 2 kernel frames lost, 1 timeline frames lost, 1 summary frames lost, totals of what is stored"},
	} {
		if got := c.report.note(c.summarised); got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
}
