// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/trace/tracetest"
)

// TestCertifiedVariantsReplayAlike draws machines, mechanisms and workloads, replays them, and
// changes limits and caches at random: to the least values that the certificate allows,
// above all. A variant that the certificate covers replays in the same way for real.
func TestCertifiedVariantsReplayAlike(t *testing.T) {
	p := newPool(t)
	covered, refused := map[string]int{}, 0
	for _, seed := range tracetest.Seeds(t, 1500, tracetest.Fewer(4, 10)) {
		r := rand.New(rand.NewPCG(seed, 29))
		d := p.draw(t, r)
		m := d.load(t)
		if m == nil {
			continue
		}
		run, c := certified(d, m)
		if run == nil || c == nil {
			continue
		}
		for range 3 {
			v, changed := variant(m, c, r)
			if v.Validate() != nil || v.FamilyDigest() != m.FamilyDigest() || v.TimingDigest() == m.TimingDigest() {
				continue
			}
			if !c.Covers(m, v) {
				refused++
				continue
			}
			for _, key := range changed {
				covered[key]++
			}
			if again, _ := certified(d, v); again == nil {
				t.Errorf("seed %d: the variant is refused", seed)
			} else if diff := differ(run, again); diff != "" {
				t.Errorf("seed %d: %v of workload %s on\n%sreplay otherwise:\n%.600s", seed, changed, d.tape.name, d.text(), diff)
			}
		}
	}
	t.Logf("%d are refused, covered are %v", refused, covered)
	for _, key := range []string{"l1.mshrs", "l2.slice.mshrs", "dram.queue", "l2.input_queue", "network.output_queue", "l1", "l2.slice"} {
		if covered[key] == 0 && tracetest.Whole() {
			t.Errorf("no variant of %s was covered", key)
		}
	}
	if refused == 0 && tracetest.Whole() {
		t.Error("no variant was refused")
	}
}

// load gives the machine of a drawing; nil when it does not load.
func (d *drawing) load(t testing.TB) *arch.Machine {
	t.Helper()
	m, err := d.loadIn(t.TempDir())
	if err != nil {
		return nil
	}
	return m
}

// loadIn makes the machine of a drawing by way of a file in a folder.
func (d *drawing) loadIn(dir string) (*arch.Machine, error) {
	path := filepath.Join(dir, "drawn.yaml")
	if err := os.WriteFile(path, []byte(d.text()), 0o600); err != nil {
		return nil, err
	}
	return arch.Load(path)
}

// certified replays a drawing on a machine; nil where the workload does not go with it.
func certified(d *drawing, m *arch.Machine) (*gpu.Run, *limits.Certificate) {
	g, err := gpu.New(m, gpu.Options{WatchdogCycles: 500_000})
	if err != nil {
		return nil, nil
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(d.tape.tape), nil)
	if err != nil {
		return nil, nil
	}
	return run, g.Certificate()
}

// variant changes some limits and caches of a machine, and says which.
func variant(m *arch.Machine, c *limits.Certificate, r *rand.Rand) (*arch.Machine, []string) {
	v := m.Clone()
	var changed []string
	for _, key := range arch.LimitKeys() {
		if before := m.LimitValue(key); before > 0 && r.IntN(3) == 0 {
			n := before * (1 + r.IntN(4))
			if least, ok := c.Least(key); ok && r.IntN(4) > 0 {
				n = max(least+r.IntN(2), 1)
			}
			v.SetLimit(key, n)
			changed = append(changed, key)
		}
	}
	for _, section := range arch.CacheSections() {
		x := v.CacheOf(section)
		if x.Bytes == 0 || r.IntN(3) > 0 {
			continue
		}
		if ways := []int{1, 1, 2, 4}[r.IntN(4)]; x.Ways*ways <= 64 {
			x.Ways, x.Bytes = x.Ways*ways, x.Bytes*ways
		}
		switch r.IntN(4) {
		case 0:
			x.Bytes *= 2
		case 1:
			x.Bytes /= 2
		case 2:
			x.Index = []string{"linear", "xor", "ipoly"}[r.IntN(3)]
		}
		if r.IntN(3) == 0 {
			x.Replacement = []string{"lru", "fifo", "random", "srrip", "nru"}[r.IntN(5)]
		}
		if !x.SameContents(m.CacheOf(section)) {
			changed = append(changed, section)
		}
	}
	return v, slices.Clip(changed)
}
