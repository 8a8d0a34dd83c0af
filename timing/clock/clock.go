// SPDX-License-Identifier: Apache-2.0

// Package clock keeps time exactly across clock domains: all domains of a
// machine count in a common unit in which every period is an integer.
package clock

import "fmt"

// Cycle counts cycles of the core (SM) clock.
type Cycle int64

// Time counts base units: the longest time that divides every domain's period into
// whole parts. Comparisons between domains are therefore exact.
type Time int64

// Never is later than every event.
const (
	Never      Cycle = 1<<63 - 1
	NeverTime  Time  = 1<<63 - 1
	maxPeriods       = 1 << 40
)

// Domain is one clock: its k-th edge is at time k*Period.
type Domain struct {
	Name   string
	KHz    uint64
	Period Time
}

// Domains gives the domains for the named frequencies (in kHz, none zero)
// periods in their common base unit.
func Domains(names []string, khz []uint64) ([]Domain, error) {
	lcm := uint64(1)
	for i, f := range khz {
		if f == 0 {
			return nil, fmt.Errorf("clock %s: frequency is zero", names[i])
		}
		factor := f / gcd(lcm, f)
		if factor > maxPeriods/lcm {
			return nil, fmt.Errorf("clock %s: %d kHz has no manageable common multiple with the other clocks; round the frequencies to whole MHz", names[i], f)
		}
		lcm *= factor
	}
	out := make([]Domain, len(khz))
	for i, f := range khz {
		out[i] = Domain{Name: names[i], KHz: f, Period: Time(lcm / f)}
	}
	return out, nil
}

// EdgeAtOrAfter is the first edge that is not before t.
func (d Domain) EdgeAtOrAfter(t Time) Time { return (t + d.Period - 1) / d.Period * d.Period }

// Start is the time of the k-th edge.
func (d Domain) Start(k Cycle) Time { return Time(k) * d.Period }

// CyclesUntil is the number of the first edge that is not before t.
func (d Domain) CyclesUntil(t Time) Cycle { return Cycle((t + d.Period - 1) / d.Period) }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
