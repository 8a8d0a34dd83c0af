// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
	_ "github.com/warptape/warptape/timing/prefetch" // whose counters are priced here
)

// TestPrefetchesCostWhatTheyDoToTheirCaches: a proposal looks the tags up, as a read does. A
// prefetch is a miss of a line: the tags, the data and a new MSHR are written, in the L2 for each of
// the line's two sectors. The other level, and the last-level cache, have no part in it.
func TestPrefetchesCostWhatTheyDoToTheirCaches(t *testing.T) {
	counter := func(name string) counters.ID {
		id, ok := counters.Lookup(name)
		if !ok {
			t.Fatalf("%s is not a counter", name)
		}
		return id
	}
	m := modelAt(t, load(t, "gtx480+prefetch(l1=next-line)+l2-prefetch(l2=next-line)"), at40, DefaultCoefficients())
	none := modelAt(t, load(t, "gtx480"), at40, DefaultCoefficients())
	for _, c := range []struct {
		level      string
		read, miss counters.ID
		sectors    float64
	}{{"l1", counters.L1Read, counters.L1ReadMiss, 1}, {"l2", counters.L2Read, counters.L2ReadMiss, 2}} {
		proposal, prefetch := counter(c.level+"_prefetch_proposals"), counter(c.level+"_prefetches")
		part := map[string]string{"l1": "sm/L1/", "l2": "L2/"}[c.level]
		for i := range m.Components {
			x := &m.Components[i]
			var looked, written float64
			switch x.Path {
			case "chip/" + part + "tags":
				looked, written = x.pricePJ(c.read), c.sectors*x.pricePJ(c.miss)
			case "chip/" + part + "data", "chip/" + part + "MSHRs":
				written = c.sectors * x.pricePJ(c.miss)
			}
			if got := x.pricePJ(proposal); !near(got, looked) {
				t.Errorf("%s: %s costs %g pJ, a look-up %g", x.Path, c.level+"_prefetch_proposals", got, looked)
			}
			if got := x.pricePJ(prefetch); !near(got, written) {
				t.Errorf("%s: %s costs %g pJ, a miss %g", x.Path, c.level+"_prefetches", got, written)
			}
			if before := none.component(x.Path[len("chip/"):]); before != nil && before.pricePJ(prefetch)+before.pricePJ(proposal) != 0 {
				t.Errorf("%s charges prefetches without a prefetcher", x.Path)
			}
		}
	}
}
