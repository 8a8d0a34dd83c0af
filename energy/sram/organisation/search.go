// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"fmt"
	"math"
)

// Result is what the best organisation costs, of all banks but for the energies of one access.
type Result struct {
	ReadPJ, WritePJ   float64
	LeakageMW         float64
	AreaMM2           float64
	AccessNS, CycleNS float64
	Data, Tags        Partition
}

// Search finds the organisation that CACTI takes. An error says what it cannot organise.
func Search(a Array) (Result, error) {
	if err := a.check(); err != nil {
		return Result{}, err
	}
	p := processOf(a.NodeNM, a.LowPower)
	data := a.all(p, false)
	if len(data) == 0 {
		return Result{}, fmt.Errorf("an array of %d bytes in %d ways of %d bytes, %d of them read, has no organisation with subarrays of %d rows or more", a.Bytes, a.Ways, a.LineBytes, a.OutBytes, a.Rows)
	}
	data = promising(data)
	tags := built{}
	if a.Tagged {
		list := a.all(p, true)
		if len(list) == 0 {
			return Result{}, fmt.Errorf("the tags of %d bytes in %d ways of %d bytes have no organisation with subarrays of %d rows or more", a.Bytes, a.Ways, a.LineBytes, a.Rows)
		}
		tags = quickest(list)
	}
	best := data[0]
	least := math.Inf(1)
	for _, d := range data {
		t := a.accessTime(&d, &tags)
		if cost := float64(t * t * (d.read + tags.read)); cost < least {
			best, least = d, cost
		}
	}
	r := Result{Data: best.Partition, Tags: tags.Partition}
	r.ReadPJ, r.WritePJ = float64((best.read+tags.read)*1e12), float64((best.write+tags.write)*1e12)
	r.LeakageMW = float64((best.leak.channel + best.leak.gate + tags.leak.channel + tags.leak.gate) * 1e3 * float64(a.Banks))
	r.AreaMM2 = float64(max(best.height, tags.height) * (best.width + tags.width) * 1e-6)
	r.AccessNS, r.CycleNS = float64(a.accessTime(&best, &tags)*1e9), float64(max(best.cycle, tags.cycle)*1e9)
	return r, nil
}

// accessTime is that of data with tags. Way selection waits for the tags.
func (a *Array) accessTime(data, tags *built) float64 {
	switch {
	case !a.Tagged:
		return data.access
	case a.Sequential:
		return tags.access + data.access
	}
	return max(tags.access+data.selected, data.beforeOut) + data.out
}

func (a *Array) check() error {
	for _, n := range []struct {
		what string
		v    int
	}{{"ways", a.Ways}, {"banks", a.Banks}} {
		if n.v < 1 || n.v&(n.v-1) != 0 {
			return fmt.Errorf("%s are %d: CACTI organises powers of two", n.what, n.v)
		}
	}
	_, known := nodes[a.NodeNM]
	switch {
	case !known:
		return fmt.Errorf("node %d nm: the tables have 65, 45, 32 and 22", a.NodeNM)
	case a.Rows < 1 || a.LineBytes < 1 || a.OutBytes < 1 || a.OutBytes > a.LineBytes:
		return fmt.Errorf("%d bytes are read of lines of %d, with subarrays of %d rows or more", a.OutBytes, a.LineBytes, a.Rows)
	case a.LineBytes > 1<<16 || a.Ways > 1<<12 || a.Banks > 1<<12 || a.Bytes > 1<<32:
		return fmt.Errorf("%d bytes, lines of %d bytes, %d ways, %d banks: more than CACTI organises", a.Bytes, a.LineBytes, a.Ways, a.Banks)
	case a.Bytes/a.Banks < 64 || a.Bytes/a.Banks/(a.LineBytes*a.Ways) <= 1:
		return fmt.Errorf("%d bytes in %d banks with lines of %d bytes in %d ways are too small for CACTI", a.Bytes, a.Banks, a.LineBytes, a.Ways)
	}
	return nil
}

// all builds the organisations of data or tags, in CACTI's order.
func (a *Array) all(p *process, tags bool) []built {
	sets := 0.125
	if !tags {
		sets = float64(a.OutBytes) / float64(a.LineBytes)
	}
	var list []built
	for ; sets <= mostSets; sets = float64(sets * 2) {
		for word := 2; word <= mostCuts; word *= 2 {
			for bit := 2; bit <= mostCuts; bit *= 2 {
				part := Partition{WordCuts: word, BitCuts: bit, SetsPerRow: sets}
				if l, ok := a.subarray(tags, part); ok {
					list = a.multiplexed(p, tags, &l, list)
				}
			}
		}
	}
	return list
}

// multiplexed adds the organisations of a subarray with all degrees of multiplexers. What they share is
// made for the first that can be laid out.
func (a *Array) multiplexed(p *process, tags bool, of *layout, list []built) []built {
	m := mat{p: p}
	part := of.Partition
	for part.Columns = 1; part.Columns <= min(mostColumns, of.columns); part.Columns *= 2 {
		m.column = nil
		for part.FirstLevel = 1; part.FirstLevel <= min(mostColumns, of.columns/part.Columns); part.FirstLevel *= 2 {
			for part.SecondLevel = 1; part.SecondLevel <= min(mostColumns, of.columns/part.Columns/part.FirstLevel); part.SecondLevel *= 2 {
				l, ok := a.lay(tags, part)
				if !ok {
					continue
				}
				m.make(a, &l)
				if b, ok := a.build(&m, tags); ok {
					list = append(list, b)
				}
			}
		}
	}
	return list
}

// promising leaves out what takes half again the least time and half again the least energy.
func promising(list []built) []built {
	const tolerated = 0.5
	time, joule := list[0].access, list[0].read
	for i := range list {
		time, joule = min(time, list[i].access), min(joule, list[i].read)
	}
	var kept []built
	for i := range list {
		if (list[i].access-time)/time > tolerated && (list[i].read-joule)/joule > tolerated {
			continue
		}
		kept = append(kept, list[i])
	}
	return kept
}

// quickest chooses the tags with the shortest cycle. Their access takes at most a fifth longer than the shortest
// access; of equal tags the last are taken. CACTI's own configuration file has these weights.
func quickest(list []built) built {
	const tolerated = 0.2
	least := math.Inf(1)
	for i := range list {
		least = min(least, list[i].access)
	}
	best := built{cycle: math.Inf(1)}
	for i := len(list) - 1; i >= 0; i-- {
		if (list[i].access-least)/least <= tolerated && list[i].cycle < best.cycle {
			best = list[i]
		}
	}
	return best
}
