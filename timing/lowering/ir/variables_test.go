// SPDX-License-Identifier: Apache-2.0

package ir

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
)

// Registers that differ in one field alone are different ones, and each keeps what it got
// first.
func TestVariablesAreThoseOfAMap(t *testing.T) {
	var v Variables
	want, order := map[trace.Register]Register{}, []trace.Register{}
	draw := rand.New(rand.NewPCG(1, 33))
	for n := range Register(4000) {
		r := trace.Register{File: trace.RegisterFile(draw.IntN(2)), Number: uint16(draw.IntN(12)), Words: uint8(1 + draw.IntN(2)), Virtual: fmt.Sprintf("%%r%d", draw.IntN(40))}
		if draw.IntN(3) == 0 {
			r.Virtual = "%other" + r.Virtual
		}
		if _, ok := want[r]; !ok {
			want[r] = n
			order = append(order, r)
		}
		if got := v.Register(&r, n); got != want[r] {
			t.Fatalf("%v is %d, want %d", r, got, want[r])
		}
	}
	v.Each(func(r trace.Register, n Register) {
		if len(order) == 0 || order[0] != r || want[r] != n {
			t.Fatalf("%v, %d: want %v", r, n, order)
		}
		order = order[1:]
	})
	if len(order) > 0 {
		t.Errorf("%d are missing", len(order))
	}
}

// A list has room for its entries alone: one more does not get into the next list.
func TestListsDoNotMeet(t *testing.T) {
	var l Lists[int]
	var all [][]int
	for n := range 2 * listed {
		list := l.Make(n % 5)
		for range n%5 + n%2 {
			list = append(list, n)
		}
		all = append(all, list)
	}
	all = append(all, append(l.Make(3*listed), len(all)))
	for n, list := range all {
		for _, x := range list {
			if x != n {
				t.Fatalf("list %d has an entry of list %d", n, x)
			}
		}
	}
}
