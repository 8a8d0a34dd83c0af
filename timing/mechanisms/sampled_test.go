// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// The warp instructions of the whole run are those recorded. A mechanism that issues
// others in their place does so in what is not stored as well: neither its cycles nor
// its counters may grow by what it saves.
func TestSamplesAreExtrapolatedWithMechanismsThatIssueLess(t *testing.T) {
	tracetest.Nightly(t)
	whole := replaytest.Recorded(t, "saxpy")
	policy, err := sample.Parse("fraction=0.4,min=1,waves=3")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sample.wtape")
	if err := sample.Trace(whole, path, policy, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	part, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	var machines []*arch.Machine
	for _, spec := range tracetest.Draw(t, []string{"gtx480-15", "gtx480-15+dac", "gtx480-15+cae", "gtx480-15+wide(threads=64)"}, 1) {
		m := replaytest.Load(t, spec)
		m.GPU.SMs = 1 // so that there are many waves
		machines = append(machines, m)
	}
	full, estimated := replaytest.Run(t, whole, replay.Options{}, machines...), replaytest.Run(t, part, replay.Options{}, machines...)
	for i, m := range machines {
		f, e := &full[i].Total, &estimated[i].Total
		if estimated[i].Sampled == nil {
			t.Fatalf("%s: not of a sample", m.Name)
		}
		for what, c := range map[string][2]float64{
			"cycles": {float64(e.Cycles), float64(f.Cycles)}, "instructions": {float64(e.Counters[counters.IssuedWarp]), float64(f.Counters[counters.IssuedWarp])},
			"thread instructions": {float64(e.Counters[counters.IssuedThread]), float64(f.Counters[counters.IssuedThread])},
		} {
			if off := 100 * math.Abs(c[0]/c[1]-1); off > 5 {
				t.Errorf("%s: %g %s are estimated, %g are those of the whole run", m.Name, c[0], what, c[1])
			}
		}
	}
}
