// SPDX-License-Identifier: Apache-2.0

package clock

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPeriodsAreExactRatios(t *testing.T) {
	d, err := Domains([]string{"core", "network", "l2", "dram"}, []uint64{700_000, 1_400_000, 700_000, 924_000})
	if err != nil {
		t.Fatal(err)
	}
	for i := range d {
		for j := range d {
			// Equal times: period times frequency is the same in all domains.
			if uint64(d[i].Period)*d[i].KHz != uint64(d[j].Period)*d[j].KHz {
				t.Errorf("%+v and %+v differ", d[i], d[j])
			}
		}
	}
	if d[0].Period != 66 || d[1].Period != 33 || d[3].Period != 50 {
		t.Errorf("periods %d, %d, %d, want 66, 33, 50", d[0].Period, d[1].Period, d[3].Period)
	}
}

// The edge functions against rational arithmetic.
func TestEdgesAgreeWithRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		d := Domain{Period: Time(1 + r.Int64N(1000))}
		at := Time(r.Int64N(1 << 50))
		k := d.CyclesUntil(at)
		if d.Start(k) < at || k > 0 && d.Start(k-1) >= at {
			t.Fatalf("edge %d of period %d for time %d", k, d.Period, at)
		}
		q := new(big.Rat).SetFrac64(int64(at), int64(d.Period))
		if exact := q.IsInt(); exact != (d.EdgeAtOrAfter(at) == at) || d.EdgeAtOrAfter(at) != d.Start(k) {
			t.Fatalf("edge at or after %d of period %d is %d", at, d.Period, d.EdgeAtOrAfter(at))
		}
	}
}

func TestEdgesOfASeekerAreThoseOfItsDomain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		d := Domain{Period: Time(1 + r.Int64N(50))}
		e := d.Edges()
		at := Time(0)
		for range 100 {
			k := Cycle(at / d.Period) // the last one not after at
			if next, when := e.Next(at); next != k+1 || when != d.Start(k+1) || e.Cycle(at) != k || e.After(at) != when {
				t.Fatalf("the edge of period %d after %d is number %d at %d", d.Period, at, next, when)
			}
			if got := e.CyclesUntil(at); got != d.CyclesUntil(at) {
				t.Fatalf("edge %d of period %d is the first not before %d, not %d", d.CyclesUntil(at), d.Period, at, got)
			}
			if at += Time(r.Int64N(3 * int64(d.Period))); r.IntN(8) == 0 {
				at = Time(r.Int64N(1000))
			}
		}
	}
}

// Each question stands by itself, whatever was asked before, also of the very edges.
func TestASeekerAnswersEveryQuestionByItself(t *testing.T) {
	d := Domain{Period: 7}
	for from := range Time(30) {
		for at := from; at < 60; at++ {
			k := Cycle(at / 7)
			for what, got := range map[string]func(e *Edges) Cycle{
				"cycle": (func(e *Edges) Cycle { return e.Cycle(at) }),
				"next":  (func(e *Edges) Cycle { n, _ := e.Next(at); return n - 1 }),
				"after": (func(e *Edges) Cycle { return Cycle(e.After(at)/7) - 1 }),
			} {
				e := d.Edges()
				e.Cycle(from)
				if n := got(&e); n != k {
					t.Fatalf("%s: %d is in cycle %d of 7, got %d after %d", what, at, k, n, from)
				}
			}
			e := d.Edges()
			e.Cycle(from)
			if got := e.CyclesUntil(at); got != d.CyclesUntil(at) {
				t.Fatalf("%d is before edge %d, got %d after %d", at, d.CyclesUntil(at), got, from)
			}
		}
	}
}

func TestUnmanageableFrequenciesAreRefusedByName(t *testing.T) {
	if _, err := Domains([]string{"a", "b"}, []uint64{1000, 0}); err == nil || !strings.Contains(err.Error(), "clock b") {
		t.Errorf("got %v", err)
	}
	if _, err := Domains([]string{"a", "b"}, []uint64{1<<63 + 1, 1<<63 - 1}); err == nil {
		t.Error("a product beyond 64 bits was accepted")
	}
	if _, err := Domains([]string{"a", "b", "c"}, []uint64{999_983, 1_000_003, 1_000_033}); err == nil || !strings.Contains(err.Error(), "whole MHz") {
		t.Errorf("got %v", err)
	}
}
