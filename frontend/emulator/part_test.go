// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

// Turns go through the ranges in order.
func TestAPartNumbersItsThreadBlocks(t *testing.T) {
	for _, c := range []struct {
		only []trace.Range
		want []uint64
	}{
		{nil, []uint64{0, 1, 2, 3, 4, 5, 6, 7}},
		{[]trace.Range{{First: 2, Last: 2}}, []uint64{2}},
		{[]trace.Range{{First: 0, Last: 1}, {First: 4, Last: 4}, {First: 6, Last: 7}}, []uint64{0, 1, 4, 6, 7}},
	} {
		p := newPart(&LaunchRequest{Grid: trace.Dim3{X: 4, Y: 2, Z: 1}, Only: c.only})
		var got []uint64
		for turn := range p.count {
			got = append(got, p.at(turn))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.only, got, c.want)
		}
	}
}

func TestPartsOutsideTheGridAreRefused(t *testing.T) {
	m, err := NewDevice(Options{}).LoadModule(parse(t, "k.ptx", ptxHeader+".entry k() { ret; }\n"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	for want, only := range map[string][]trace.Range{
		"ascending ranges": {{First: 0, Last: 3}, {First: 3, Last: 4}},
		"of 8":             {{First: 5, Last: 8}},
		"5 to 4":           {{First: 5, Last: 4}},
	} {
		l := LaunchRequest{Kernel: k, Grid: trace.Dim3{X: 8, Y: 1, Z: 1}, Block: trace.Dim3{X: 1, Y: 1, Z: 1}, Only: only}
		if err := l.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", only, err, want)
		}
	}
	l := LaunchRequest{Kernel: k, Grid: trace.Dim3{X: 8, Y: 1, Z: 1}, Block: trace.Dim3{X: 1, Y: 1, Z: 1}, Cluster: trace.Dim3{X: 2, Y: 1, Z: 1}, Only: []trace.Range{{Last: 1}}}
	if err := l.check(); err == nil || !strings.Contains(err.Error(), "clusters are executed whole") {
		t.Errorf("of clusters: got %v", err)
	}
}
