// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"math"
	"slices"

	"github.com/warptape/warptape/cmd/internal/median"
	"github.com/warptape/warptape/cmd/tune"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
)

// count notes what was executed: registers, instructions by class, and warps.
func (in *FoundIn) count(spec string, o *tune.Outcome, ways passages) error {
	m, err := arch.Load(spec)
	if err != nil {
		return err
	}
	l := &o.Launches[0]
	var of *shares
	for i := range o.Kernels {
		k := &o.Kernels[i]
		if k.Name != l.Kernel {
			continue
		}
		made, err := lowering.For(m, k, int(l.Block.Count()+trace.WarpSize-1)/trace.WarpSize*trace.WarpSize, true)
		if err != nil {
			return err
		}
		if made != nil {
			in.Registers, in.SpillBytes = int(made.Kernel.RegistersPerThread), int(made.Kernel.LocalBytes-k.LocalBytes)
			if at := slices.IndexFunc(o.Profiles, func(p replay.Profile) bool { return p.Kernel == k.Name }); at >= 0 {
				of = sharesOf(made, k, &o.Profiles[at], ways[k.Name])
			}
		}
	}
	c := (*counters.Set)(&l.Counters)
	in.Counts = &Counts{WarpInstructions: float64(c[counters.IssuedWarp])}
	if sms := float64(c[counters.ActiveSMCycles]); sms > 0 {
		in.Counts.WarpsActive = math.Round(1e4*float64(c[counters.ResidentWarpCycles])/sms/float64(m.SM.MaxWarps)) / 100
	}
	if of == nil { // no kernel was lowered, so that no operation has the profiler's class
		return nil
	}
	for class := range of {
		for n, share := range of[class] {
			in.Counts.Lanes[n] += float64(share * float64(c[counters.LaneOps(trace.OpClass(class))]))
		}
	}
	return nil
}

// Agreement compares what was executed in the model with all stages with what the card's
// counters and compiler say, by rows.
type Agreement struct {
	// About says what is compared, and Within how near it shall be.
	About, Within string
	Rows          int
	// Near is how many rows are that near; Median is that of the difference, in percent, or in
	// registers.
	Near   int
	Median float64
}

// Agreements are those of a space, of the rows that are replayed: even ones (parity 0), odd
// ones (1) or all (-1).
func (f *Found) Agreements(s *Space, parity int) []Agreement {
	type compared struct {
		about, within string
		limit         float64
		off           func(r *Row, f *FoundRow) (float64, bool)
	}
	percent := func(ours, measured float64) (float64, bool) {
		return 100 * (ours/measured - 1), measured > 0 && ours > 0
	}
	ours := func(f *FoundRow) FoundIn { return f.Models[lowered] }
	list := []compared{
		{"registers of a thread", "2", 2, func(r *Row, f *FoundRow) (float64, bool) {
			return float64(ours(f).Registers - r.Registers), ours(f).Registers > 0
		}},
		{"thread blocks an SM (occupancy)", "5 %", 5, func(_ *Row, f *FoundRow) (float64, bool) {
			return percent(float64(ours(f).Occupancy), float64(f.Models["vendor"].Occupancy))
		}},
		{"warps there, as counted", "5 %", 5, func(r *Row, f *FoundRow) (float64, bool) {
			return percent(ours(f).Counts.WarpsActive, r.Counts.WarpsActive)
		}},
		{"warp instructions", "5 %", 5, func(r *Row, f *FoundRow) (float64, bool) {
			return percent(ours(f).Counts.WarpInstructions, r.Counts.WarpInstructions)
		}},
	}
	for n, class := range Classes {
		list = append(list, compared{"thread instructions, " + class, "10 %", 10, func(r *Row, f *FoundRow) (float64, bool) {
			return percent(ours(f).Counts.Lanes[n], r.Counts.Lanes[n])
		}})
	}
	var out []Agreement
	of := f.of(s.Card, s.Workload)
	if of == nil {
		return nil
	}
	for _, c := range list {
		a := Agreement{About: c.about, Within: c.within}
		var offs []float64
		for i := range of.Rows {
			n := of.Rows[i].Row
			in, ok := of.Rows[i].Models[lowered]
			if !ok || in.Counts == nil || n >= len(s.Rows) || parity >= 0 && n%2 != parity {
				continue
			}
			off, known := c.off(&s.Rows[n], &of.Rows[i])
			if !known {
				continue
			}
			offs = append(offs, off)
			if math.Abs(off) <= c.limit {
				a.Near++
			}
		}
		if a.Rows = len(offs); a.Rows == 0 {
			continue
		}
		a.Median = median.Of(offs)
		out = append(out, a)
	}
	return out
}
