// SPDX-License-Identifier: Apache-2.0

package reproduce

import "fmt"

// tinyPick is tCpick: each launch on the configuration that gives it the least
// energy-delay product, that without tinyCaches included. A launch is measured
// where those before it ran on the same configuration. Lanes keep nothing from one
// launch to the next, and little of what the L2 keeps depends on tinyCaches.
func tinyPick(d *Data, workload string) (run, error) {
	if r, ok := d.picks[workload]; ok {
		return r, nil
	}
	var candidates []*Measurement
	for _, spec := range []string{tinyOff, tinyBase, tinyBypassShared, tinyBypassGlobal} {
		m, err := d.Run(workload, spec)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, m)
	}
	var picked run
	for i := range candidates[0].Launches {
		best, err := leastEnergyDelay(d, candidates, i)
		if err != nil {
			return nil, err
		}
		picked = append(picked, best)
	}
	d.picks[workload] = picked
	return picked, nil
}

// leastEnergyDelay is launch i of the measurement whose launch i has the least
// energy-delay product, the first of several.
func leastEnergyDelay(d *Data, of []*Measurement, i int) (*Measurement, error) {
	var best *Measurement
	least := 0.0
	for _, m := range of {
		if i >= len(m.Launches) {
			return nil, fmt.Errorf("%s on %s: launch %d has not been measured by itself; measure again", m.Workload, m.Architecture, i)
		}
		l := &m.Launches[i]
		alone := &Measurement{Workload: m.Workload, Architecture: m.Architecture, Cycles: l.Cycles, Nanoseconds: l.Nanoseconds, Counters: l.Counters}
		v, err := tinyEnergyDelay(d, run{alone})
		if err != nil {
			return nil, err
		}
		if best == nil || v < least {
			best, least = alone, v
		}
	}
	return best, nil
}
