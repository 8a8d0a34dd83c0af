// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
	w := newWorkshop(&a, p, false)
	list := w.candidates()
	if len(list) == 0 {
		return Result{}, fmt.Errorf("an array of %d bytes in %d ways of %d bytes, %d of them read, has no organisation with subarrays of %d rows or more", a.Bytes, a.Ways, a.LineBytes, a.OutBytes, a.Rows)
	}
	tags := built{}
	if a.Tagged {
		w := newWorkshop(&a, p, true)
		list := w.candidates()
		if len(list) == 0 {
			return Result{}, fmt.Errorf("the tags of %d bytes in %d ways of %d bytes have no organisation with subarrays of %d rows or more", a.Bytes, a.Ways, a.LineBytes, a.Rows)
		}
		tags = w.quickest(list)
	}
	best := w.cheapest(list, &tags)
	return a.result(&best, &tags), nil
}

// result gives what data and tags take together.
func (a *Array) result(data, tags *built) Result {
	r := Result{Data: data.Partition, Tags: tags.Partition}
	r.ReadPJ, r.WritePJ = float64((data.read+tags.read)*1e12), float64((data.write+tags.write)*1e12)
	r.LeakageMW = float64((data.leak.channel + data.leak.gate + tags.leak.channel + tags.leak.gate) * 1e3 * float64(a.Banks))
	r.AreaMM2 = float64(max(data.height, tags.height) * (data.width + tags.width) * 1e-6)
	r.AccessNS, r.CycleNS = float64(a.accessTime(data, tags)*1e9), float64(max(data.cycle, tags.cycle)*1e9)
	return r
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

// least returns the lowest cost of the candidates. Trees can only raise a cost, so it builds trees only
// for candidates whose cost without them is below the lowest so far.
func (w *workshop) least(list []candidate, cost func(*built) float64) float64 {
	least := math.Inf(1)
	for _, n := range ascending(list, cost) {
		if cost(&list[n].least) >= least {
			break
		}
		least = min(least, cost(w.built(&list[n])))
	}
	return least
}

// ascending are the numbers of the candidates in the order of a cost; equal ones stay in theirs.
func ascending(list []candidate, cost func(*built) float64) []int {
	costs, order := make([]float64, len(list)), make([]int, len(list))
	for i := range list {
		costs[i], order[i] = cost(&list[i].least), i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(costs[i], costs[k]) })
	return order
}

func accessOf(b *built) float64 { return b.access }
func readOf(b *built) float64   { return b.read }

// cheapest chooses the data with the least energy times squared delay, of equal ones the first. What takes half
// again the least time and half again the least energy is left out.
func (w *workshop) cheapest(list []candidate, tags *built) built {
	const tolerated = 0.5
	time, energy := w.least(list, accessOf), w.least(list, readOf)
	cost := func(b *built) float64 {
		t := w.accessTime(b, tags)
		return float64(t * t * (b.read + tags.read))
	}
	first, least := -1, math.Inf(1)
	for _, n := range ascending(list, cost) {
		if first >= 0 && cost(&list[n].least) > least {
			break
		}
		b := w.built(&list[n])
		if (b.access-time)/time > tolerated && (b.read-energy)/energy > tolerated {
			continue
		}
		if c := cost(b); c < least || c == least && n < first {
			first, least = n, c
		}
	}
	return *w.built(&list[max(first, 0)])
}

// quickest chooses the tags with the shortest cycle, which trees have no part in. Their access takes at most a
// fifth longer than the shortest access; of equal tags the last are taken. CACTI's own configuration file has these weights.
func (w *workshop) quickest(list []candidate) built {
	const tolerated = 0.2
	least := w.least(list, accessOf)
	last := -1
	for i := len(list) - 1; i >= 0; i-- {
		if last >= 0 && list[i].least.cycle >= list[last].least.cycle || (list[i].least.access-least)/least > tolerated {
			continue
		}
		if (w.built(&list[i]).access-least)/least <= tolerated {
			last = i
		}
	}
	return *w.built(&list[max(last, 0)])
}
