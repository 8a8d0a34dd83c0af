// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/tesla"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/transcription"
	"github.com/warptape/warptape/trace/wtape"
)

var allPairs = flag.Bool("combinations.all", false, "test every ordered pair of mechanisms on every built-in machine")

// part is a mechanism by an overlay of it, and counters that show that it works.
type part struct {
	key      string
	overlays []string // the last is the mechanism's own
	alive    []string
}

// parts has an overlay, or several of different kinds, of every mechanism.
var parts = []part{
	{"buddy", []string{"buddy(members=2)"}, []string{"buddy_slave_instructions"}},
	{"buddy", []string{"buddy(members=4,halfway=true)"}, []string{"buddy_slave_instructions"}},
	{"cae", []string{"cae"}, []string{"cae_affine_instructions", "cae_scalar_instructions"}},
	{"cpu", []string{"cpu"}, nil},
	{"dac", []string{"dac"}, []string{"dac_affine_instructions", "dac_early_requests", "dac_address_reads"}},
	{"mta", []string{"mta"}, []string{"mta_loads", "mta_prefetches", "mta_fills"}},
	{"offload", []string{"llc-compute"}, []string{"offload_chains", "offload_partition_ops"}},
	{"offload", []string{"omni-compute"}, []string{"offload_chains"}},
	{"perfect_memory", []string{"perfect-memory"}, nil},
	// An L1 without latency asks for next lines in the cycle of a miss. They are all that the
	// trained prefetcher next to it would ask for: adjacent ones leave it half.
	{"prefetch", []string{"prefetch(l1=adjacent)"}, []string{"l1_prefetch_trainings", "l1_prefetches"}},
	{"prefetch", []string{"l2-prefetch(l2=next-line)"}, []string{"l2_prefetch_trainings", "l2_prefetches"}},
	{"soc", []string{"cpu", "fusetlb"}, []string{"soc_tlb_lookups_sm", "soc_walks", "soc_kernel_flushes", "soc_copies_elided"}},
	{"soc", []string{"cpu", "copysoc"}, []string{"soc_tlb_lookups_sm", "soc_walks", "soc_kernel_flushes", "cpu_cycles"}},
	{"soc", []string{"cpu", "typsoc"}, []string{"soc_tlb_lookups_sm", "soc_walks", "soc_sm_directory_lookups", "cpu_cycles"}},
	{"soc", []string{"cpu", "privtlb"}, []string{"soc_sm_tlb_lookups", "soc_walks"}},
	{"tinycache", []string{"tinycache"}, []string{"tinycache_reads", "tinycache_line_fills"}},
	{"wide", []string{"wide(threads=64)"}, []string{"wide_later_passes"}},
	{"wide", []string{"wide(threads=128)"}, []string{"wide_later_passes"}},
}

func (p *part) name() string { return p.overlays[len(p.overlays)-1] }

// spec is a machine with parts, each overlay once.
func spec(machine string, list ...*part) string {
	out := []string{machine}
	for _, p := range list {
		for _, o := range p.overlays {
			if !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return strings.Join(out, "+")
}

func TestEveryMechanismIsAmongTheParts(t *testing.T) {
	entries, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]bool{"restless": true, tesla.Key: true, eesi.Key: true} // of a test, and of machines with cores of their own
	for i := range parts {
		of[parts[i].key] = true
	}
	for _, key := range gpu.Mechanisms.Names() {
		if !of[key] {
			t.Errorf("no pair has mechanism %s: name an overlay of it in parts", key)
		}
	}
	for i := range parts {
		overlay, _, _ := strings.Cut(parts[i].name(), "(") // parameters follow
		if !slices.ContainsFunc(entries, func(e arch.Entry) bool { return e.Name == overlay }) {
			t.Errorf("there is no overlay %s", parts[i].name())
		}
	}
	for _, p := range parts {
		for _, name := range p.alive {
			if _, ok := counters.Lookup(name); !ok {
				t.Errorf("%s: no counter %s", p.name(), name)
			}
		}
	}
}

// machines are the built-in ones that execute PTX.
func machines(t testing.TB) []string {
	t.Helper()
	entries, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		if !e.Overlay && replaytest.Load(t, e.Name).GPU.CoreKind() == arch.SIMTCore {
			list = append(list, e.Name)
		}
	}
	return list
}

// slice gives a few launches and thread blocks of a recorded trace.
func slice(t testing.TB, name string, launches, blocks trace.Range) *wtape.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".wtape")
	if err := transcription.Slice(replaytest.Recorded(t, name), path, launches, blocks, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestEveryOrderedPairRunsWithBothAliveOrIsRefusedWithTheReason, on every built-in machine:
// without -combinations.all on one of a few.
func TestEveryOrderedPairRunsWithBothAliveOrIsRefusedWithTheReason(t *testing.T) {
	on, tapes := []string{"gpsim-soc", "mesh56", "gtx480-15", eesi.Kind}, []*wtape.Reader{slice(t, "spmv", trace.Everything, trace.Range{First: 0, Last: 3})}
	if *allPairs {
		on = append(machines(t), eesi.Kind, "gpsim-sbi")
		tapes = append(tapes, replaytest.Recorded(t, "spmv"), slice(t, "reduction", trace.Range{}, trace.Range{Last: 3}),
			slice(t, "hotspot", trace.Range{Last: 1}, trace.Range{Last: 7}))
	} else {
		on = tracetest.Draw(t, on, 1)
	}
	type ordered struct{ first, second int }
	var drawn []ordered
	for i := range parts {
		for k := range parts {
			if parts[i].key != parts[k].key {
				drawn = append(drawn, ordered{i, k})
			}
		}
	}
	if !*allPairs {
		drawn = tracetest.Draw(t, drawn, len(drawn)/tracetest.Fewer(3, 1))
	}
	for _, machine := range on {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			for _, tape := range tapes {
				p := pairing{machine: machine, tape: tape, alone: map[string]*gpu.Run{}}
				for i := range parts {
					p.runAlone(t, &parts[i])
				}
				for _, x := range drawn {
					p.pair(t, &parts[x.first], &parts[x.second])
				}
				t.Logf("%d pairs run, %d are refused", p.ran, p.refused)
				for i := range parts {
					if x := &parts[i]; p.alone[x.name()] != nil && len(x.alive) > 0 && named(t, &p.alone[x.name()].Total, x.alive[0]) == 0 && tape == tapes[0] {
						t.Errorf("%s+%s does nothing: the trace does not test it", machine, x.name())
					}
				}
			}
		})
	}
}

// pairing replays one trace on one machine with parts.
type pairing struct {
	machine string
	tape    *wtape.Reader
	alone   map[string]*gpu.Run

	ran, refused int
}

func (p *pairing) replay(t testing.TB, m *arch.Machine) *gpu.Run {
	t.Helper()
	g, err := gpu.New(m, gpu.Options{WatchdogCycles: 200_000})
	if err != nil {
		t.Errorf("%s: loads, and cannot be built: %v", m.Name, err)
		return nil
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(p.tape), nil)
	if err != nil {
		t.Errorf("%s: %v", m.Name, err)
		return nil
	}
	gputest.Conserves(t, m, &run.Total)
	return run
}

func (p *pairing) runAlone(t testing.TB, x *part) {
	t.Helper()
	if m, err := arch.Load(spec(p.machine, x)); err == nil {
		p.alone[x.name()] = p.replay(t, m)
	}
}

// pair tests an ordered pair; it skips one with a part that does not go with the machine.
func (p *pairing) pair(t testing.TB, a, b *part) {
	t.Helper()
	if p.alone[a.name()] == nil || p.alone[b.name()] == nil {
		return
	}
	m, err := arch.Load(spec(p.machine, a, b))
	if err != nil {
		explained(t, err, a, b)
		p.refused++
		return
	}
	p.ran++
	run := p.replay(t, m)
	if run == nil {
		return
	}
	for _, x := range []*part{a, b} {
		for _, name := range x.alive {
			if named(t, &p.alone[x.name()].Total, name) > 0 && named(t, &run.Total, name) == 0 {
				t.Errorf("%s: %s is 0, and not where %s is alone", m.Name, name, x.name())
			}
		}
		if x.key == "perfect_memory" && run.Total[counters.RequestsSent] > 0 {
			t.Errorf("%s: %d requests leave SMs", m.Name, run.Total[counters.RequestsSent])
		}
	}
	if a.name() > b.name() {
		return
	}
	swapped, err := arch.Load(spec(p.machine, b, a))
	if err != nil {
		t.Errorf("%s is refused in the other order: %v", m.Name, err)
	} else if diff := differ(run, p.replay(t, swapped)); diff != "" {
		t.Errorf("%s: the order of overlays matters (-%s +%s):\n%.400s", m.Name, a.name(), b.name(), diff)
	}
}

// explained checks that a refusal names both mechanisms, or the value of the machine
// that one of them cannot live with.
func explained(t testing.TB, err error, a, b *part) {
	t.Helper()
	text := err.Error()
	both := strings.Contains(text, a.key+" ") && strings.Contains(text, b.key+" ")
	value := strings.Contains(text, a.key+".") || strings.Contains(text, b.key+".")
	if !both && !value {
		t.Errorf("%s with %s is refused without the reason: %v", a.name(), b.name(), err)
	}
}

// TestTheMechanismsOfThePapersGoTogether: five papers, and what of them has a meaning in
// threes and more. Every counter that shows a mechanism at work alone shows it there.
func TestTheMechanismsOfThePapersGoTogether(t *testing.T) {
	tape := slice(t, "spmv", trace.Everything, trace.Range{First: 0, Last: 3})
	for _, c := range tracetest.Draw(t, []struct {
		machine string
		parts   []string
	}{
		{"gpsim-soc", []string{"fusetlb", "tinycache", "buddy(members=2)"}},
		{"gpsim-soc", []string{"fusetlb", "tinycache", "dac"}},
		{"gpsim-soc", []string{"typsoc", "tinycache", "mta"}},
		{"gpsim-soc", []string{"copysoc", "dac", "buddy(members=2)"}},
		{"gpsim-soc", []string{"privtlb", "mta", "dac"}},
		{"gpsim-tiny", []string{"tinycache", "dac", "buddy(members=2)"}},
		{"mesh56", []string{"omni-compute", "tinycache", "mta"}},
		{"mesh56", []string{"llc-compute", "tinycache", "cpu"}},
		{"mesh56", []string{"llc-compute", "tinycache", "prefetch(l1=adjacent)"}},
		{"gpsim-soc", []string{"fusetlb", "dac", "prefetch(l1=adjacent)", "l2-prefetch(l2=next-line)"}},
		{"gpsim-soc", []string{"fusetlb", "tinycache", "dac", "buddy(members=2)", "mta"}},
	}, 3) {
		p, list := pairing{tape: tape}, []*part{}
		for _, name := range c.parts {
			at := slices.IndexFunc(parts, func(x part) bool { return x.name() == name })
			if at < 0 {
				t.Fatalf("no part %s", name)
			}
			list = append(list, &parts[at])
		}
		together := p.replay(t, fast(t, spec(c.machine, list...)))
		if together == nil {
			continue
		}
		for _, x := range list {
			alone := p.replay(t, fast(t, spec(c.machine, x)))
			for _, name := range x.alive {
				if alone != nil && named(t, &alone.Total, name) > 0 && named(t, &together.Total, name) == 0 {
					t.Errorf("%s: %s is 0, and not where %s is alone", spec(c.machine, list...), name, x.name())
				}
			}
		}
	}
}

// fast loads a machine whose clusters have a network as fast as any SM.
func fast(t testing.TB, spec string) *arch.Machine {
	t.Helper()
	if !strings.Contains(spec, "buddy") {
		return replaytest.Load(t, spec)
	}
	path := filepath.Join(t.TempDir(), "fast.yaml")
	if err := os.WriteFile(path, []byte("base: "+spec+"\nname: fast\ndescription: fast\nbuddy:\n  network_mhz: 1700\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return replaytest.Load(t, path)
}
