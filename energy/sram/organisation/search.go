// SPDX-License-Identifier: Apache-2.0

package organisation

import "fmt"

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
	tags := &built{}
	if a.Tagged {
		if tags = newWorkshop(&a, p, true).quickest(); tags == nil {
			return Result{}, fmt.Errorf("the tags of %d bytes in %d ways of %d bytes have no organisation with subarrays of %d rows or more", a.Bytes, a.Ways, a.LineBytes, a.Rows)
		}
	}
	data := newWorkshop(&a, p, false).cheapest(tags)
	if data == nil {
		return Result{}, fmt.Errorf("an array of %d bytes in %d ways of %d bytes, %d of them read, has no organisation with subarrays of %d rows or more", a.Bytes, a.Ways, a.LineBytes, a.OutBytes, a.Rows)
	}
	return a.result(data, tags), nil
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
