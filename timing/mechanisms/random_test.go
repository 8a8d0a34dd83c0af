// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/dispatch"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/memory/dram"
	"github.com/warptape/warptape/timing/replacement"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

var (
	drawTime  = flag.Duration("combinations.time", 0, "draw machines, overlays, parameters and workloads for so long; 0: a few draws")
	drawSeed  = flag.Uint64("combinations.seed", 1, "seed of the draws")
	drawFirst = flag.Uint64("combinations.first", 0, "number of the first draw")
	drawCount = flag.Uint64("combinations.count", 0, "how many draws; 0: by time, or a few")
)

// make whole makes fewDraws of the first ownDraws, and a plain run some.
const ownDraws, fewDraws = 150, 40

// drawing is a machine, overlays and parameters, and a workload.
type drawing struct {
	machine  string
	overlays []string
	set      map[string]string // dotted keys
	tape     workload
}

// workload is a trace by name.
type workload struct {
	name string
	tape *wtape.Reader
}

// text is the drawing as an architecture file.
func (d *drawing) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "base: %s\nname: drawn\ndescription: drawn at random\n", strings.Join(append([]string{d.machine}, d.overlays...), "+"))
	sections := map[string]map[string]string{}
	for path, value := range d.set {
		at := strings.LastIndexByte(path, '.')
		if sections[path[:at]] == nil {
			sections[path[:at]] = map[string]string{}
		}
		sections[path[:at]][path[at+1:]] = value
	}
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		indent := ""
		for _, part := range strings.Split(section, ".") {
			fmt.Fprintf(&b, "%s%s:\n", indent, part)
			indent += "  "
		}
		for _, key := range slices.Sorted(maps.Keys(sections[section])) {
			fmt.Fprintf(&b, "%s%s: %s\n", indent, key, sections[section][key])
		}
	}
	return b.String()
}

// choices are parameters of the baseline with values worth meeting.
var choices = []struct {
	key    string
	values []string
}{
	{"gpu.sms", []string{"1", "2", "4", "8"}},
	{"gpu.blocks_per_cycle", []string{"1", "2"}},
	{"gpu.concurrent_kernels", []string{"1", "2", "8"}},
	{"sm.scheduler", []string{"lrr", "gto", "oldest", "two-level", "warp-limit", "srr"}},
	{"sm.scheduler_warps", []string{"1", "2", "6"}},
	{"sm.schedulers", []string{"1", "2", "4"}},
	{"sm.issue_per_scheduler", []string{"1", "2"}},
	{"sm.fetch_width", []string{"1", "2"}},
	{"sm.max_blocks", []string{"1", "2", "8"}},
	{"sm.max_warps", []string{"8", "24", "32", "48", "64", "65", "96", "128"}},
	{"sm.max_threads", []string{"1024", "4096"}},
	{"sm.registers", []string{"32768", "262144"}},
	{"l1.bytes", []string{"0", "4KiB", "16KiB"}},
	{"l1.ways", []string{"1", "2", "4"}},
	{"l1.mshrs", []string{"1", "2", "8"}},
	{"l1.mshr_merges", []string{"1", "2", "8"}},
	{"l1.miss_queue", []string{"1", "4"}},
	{"l1.write", []string{"through_no_allocate", "local_back_no_allocate", "back_allocate"}},
	{"l1.allocate", []string{"on_miss", "on_fill"}},
	{"shared_memory.banks", []string{"8", "16", "32"}},
	{"l2.slice.mshrs", []string{"1", "8"}},
	{"l2.slice.miss_queue", []string{"1", "8"}},
	{"l2.slice.bytes", []string{"8KiB", "64KiB"}},
	{"dram.queue", []string{"1", "4", "32"}},
	{"dram.scheduler", dram.Schedulers.Names()},
	{"l1.replacement", replacement.Policies.Names()},
	{"l2.slice.replacement", replacement.Policies.Names()},
	{"l1.prefetcher", prefetchers},
	{"l1.prefetcher", prefetchers},
	{"l2.slice.prefetcher", prefetchers},
	{"gpu.dispatch", dispatch.Policies.Names()},
	{"gpu.clusters.gpcs", []string{"1", "2", "3"}},
	{"gpu.clusters.remote_cycles", []string{"2", "500"}},
	{"gpu.clusters.bytes_per_cycle", []string{"1", "128"}},
	{"gpu.clusters.barrier_cycles", []string{"1", "500"}},
	{"gpu.kernel_order", dispatch.Orders.Names()},
	{"gpu.divergence", divergence.Policies.Names()},
	{"gpu.divergence", divergence.Policies.Names()},
}

// prefetchers are words with arguments worth meeting.
var prefetchers = []string{"none", "adjacent", "next-line", "next-line(degree=4)", "stride", "stride(degree=1,entries=1,per_warp=0)", "stride(degree=4,entries=8)", "stream", "stream(streams=1,depth=8,filter=1)"}

// partChoices are those of mechanisms, by key of the section.
var partChoices = map[string][]struct {
	key    string
	values []string
}{
	"tinycache": {{"entries", []string{"4", "16", "64"}}, {"ways", []string{"1", "2", "4"}}, {"line_bytes", []string{"16", "32", "64", "128"}}, {"latency_cycles", []string{"1", "3"}},
		{"policy", []string{"bypass_none", "bypass_shared", "bypass_global", "bypass_all"}}, {"queue_entries", []string{"1", "4", "64"}}},
	"mta": {{"strides", []string{"both", "intra_warp", "inter_thread", "none"}}, {"distance", []string{"1", "7"}}, {"outstanding_lines", []string{"1", "32"}}, {"queue_entries", []string{"1", "8"}},
		{"training_warps", []string{"1", "3"}}, {"latency_cycles", []string{"1", "40"}}},
	"dac": {{"tuple_entries", []string{"1", "3", "24"}}, {"address_entries", []string{"48", "64"}}, {"predicate_entries", []string{"48", "64"}}, {"stack_depth", []string{"1", "2", "8"}},
		{"keep_scratchpad", []string{"true", "false"}}, {"data_dependent", []string{"follow", "leave", "stop"}}, {"barrier", []string{"requests", "expansion"}}, {"issue_before_data", []string{"true", "false"}}, {"gather_cycles", []string{"0", "9", "1000"}}, {"gather_share", []string{"0", "1"}}},
	"buddy": {{"formation", []string{"default", "adaptive"}}, {"regroup", []string{"new_kernel", "halfway"}}, {"divergence", []string{"path", "mask"}}, {"power_up_cycles", []string{"0", "12", "500"}},
		{"network_mhz", []string{"1700", "4000"}}, {"hop_cycles", []string{"0", "1", "4"}}},
	"cae":     {{"tracks", []string{"affine", "scalar", "none"}}, {"units", []string{"1", "2"}}, {"fetches_per_cycle", []string{"1", "2"}}, {"read_cycles", []string{"1", "4"}}},
	"offload": {{"queue_entries", []string{"1", "4", "48"}}, {"service_entries", []string{"1", "8", "96"}}, {"buffer_entries", []string{"1", "4"}}, {"partition_lanes", []string{"1", "32"}}, {"meet", []string{"any", "cores"}}, {"operands", []string{"asked", "lines"}}, {"answers", []string{"line", "lanes"}}, {"core_lanes", []string{"0", "4"}}},
	"soc": {{"tlb_ways", []string{"1", "4", "16"}}, {"tlbs", []string{"shared", "split", "private"}}, {"tlb_entries", []string{"16", "512"}}, {"walks", []string{"1", "8"}}, {"copies", []string{"executed", "elided"}},
		{"tlb_replacement", replacement.Policies.Names()}, {"copy_on_write", []string{"true", "false"}}, {"coherence", []string{"true", "false"}}, {"queue", []string{"1", "2", "4", "8", "64"}}},
	"eesi": {{"turn", []string{"any", "all"}}, {"tiny_lines", []string{"0", "8", "64"}}, {"tiny_line_bytes", []string{"32", "64"}}, {"line_requests", []string{"1", "4"}}, {"read_cycles", []string{"0", "3"}},
		{"memory_queue", []string{"1", "8"}}, {"upper_registers", []string{"0", "16"}}},
	"wide": {{"threads", []string{"64", "128"}}},
}

// pool is what drawings are made of.
type pool struct {
	machines, overlays []string
	tapes              []workload
}

func newPool(t testing.TB) *pool {
	t.Helper()
	p := &pool{machines: append(machines(t), eesi.Kind, "gpsim-sbi")}
	entries, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Overlay {
			p.overlays = append(p.overlays, e.Name)
		}
	}
	for i := range parts {
		for range 4 { // mechanisms are drawn more often than single numbers
			p.overlays = append(p.overlays, parts[i].name())
		}
	}
	for _, c := range []struct {
		name             string
		launches, blocks trace.Range
	}{
		{"spmv", trace.Everything, trace.Range{Last: 1}}, {"hotspot", trace.Range{Last: 1}, trace.Range{Last: 1}}, {"needle", trace.Range{First: 1, Last: 3}, trace.Everything},
		{"saxpy", trace.Everything, trace.Range{Last: 5}}, {"transpose", trace.Range{}, trace.Range{Last: 5}}, {"transformer-block", trace.Range{}, trace.Range{Last: 0}},
		{"lbm", trace.Range{}, trace.Range{Last: 0}}, {"saxpy", trace.Everything, trace.Range{Last: 30}},
	} {
		r := slice(t, c.name, c.launches, c.blocks)
		if n := r.Totals().WarpInstructions; n > 12_000 {
			t.Logf("%s: %d warp instructions are many for a draw", c.name, n)
		}
		p.tapes = append(p.tapes, workload{c.name, r})
	}
	for seed := range uint64(2) {
		l := gputest.RandomClusterLaunch(rand.New(rand.NewPCG(seed, 5)))
		l.Stored = nil
		p.tapes = append(p.tapes, workload{fmt.Sprintf("clusters of %v", l.Cluster), gputest.Trace(t, l)})
	}
	for _, pipeline := range []gputest.Pipeline{
		{Stages: 2, Items: 9, Ranks: 1, Warps: 4, Work: 20, Early: 2}, {Stages: 3, Items: 7, Ranks: 2, Warps: 3, Bytes: 640, Stored: true, Work: 30},
	} {
		p.tapes = append(p.tapes, workload{fmt.Sprintf("pipeline of %d", pipeline.Ranks), gputest.Trace(t, pipeline.Launch(3))})
	}
	return p
}

// draw makes a drawing.
func (p *pool) draw(t testing.TB, r *rand.Rand) *drawing {
	d := &drawing{machine: p.machines[r.IntN(len(p.machines))], set: map[string]string{}}
	if r.IntN(3) == 0 {
		d.machine = []string{"gpsim-soc", "gpsim-tiny", "mesh56", "gtx480"}[r.IntN(4)]
	}
	for range r.IntN(5) {
		o := p.overlays[r.IntN(len(p.overlays))]
		for i := range parts {
			if parts[i].name() == o && len(parts[i].overlays) > 1 && r.IntN(8) > 0 && !slices.Contains(d.overlays, "cpu") {
				d.overlays = append(d.overlays, "cpu")
				if r.IntN(4) > 0 {
					d.machine = "gpsim-soc"
				}
			}
		}
		if !slices.Contains(d.overlays, o) {
			d.overlays = append(d.overlays, o)
		}
	}
	if r.IntN(2) == 0 {
		for range r.IntN(5) {
			c := choices[r.IntN(len(choices))]
			d.set[c.key] = c.values[r.IntN(len(c.values))]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(partChoices)) {
		list := partChoices[key]
		if !d.has(key) || r.IntN(2) == 0 {
			continue
		}
		for range r.IntN(4) {
			c := list[r.IntN(len(list))]
			d.set[key+"."+c.key] = c.values[r.IntN(len(c.values))]
		}
	}
	// Cores take long for the copies of whole programs.
	if d.tape = p.tapes[r.IntN(len(p.tapes))]; r.IntN(3) == 0 || d.has("soc") && copied(d.tape.tape) > 64<<10 {
		d.tape = p.random(t, r, pipelines(r)...)
	}
	return d
}

// pipelines are a few random ones, some in clusters.
func pipelines(r *rand.Rand) (launches []gputest.Launch) {
	for range r.IntN(3) * r.IntN(2) {
		pipeline := gputest.RandomPipeline(r, r.IntN(2) == 0)
		pipeline.Bytes *= uint32(r.IntN(2)) // copies are refused by many
		launches = append(launches, pipeline.Launch(1+r.IntN(5)))
	}
	return launches
}

// random is a random program with more launches behind: some of its launches may run at the same
// time, some copies are made before them.
func (p *pool) random(t testing.TB, r *rand.Rand, more ...gputest.Launch) workload {
	launches := append(gputest.RandomLaunches(r), more...)
	for i := range launches {
		launches[i].Stream = uint32(r.IntN(2) * i)
		if r.IntN(2) == 0 {
			launches[i].Before = []trace.HostEvent{{Kind: trace.EventCopyToDevice, Address: 0xC000_0000 + uint64(r.IntN(4)<<12), HostAddress: 1<<40 | uint64(r.IntN(1<<20)), Bytes: uint64(1 + r.IntN(8<<10))}}
		}
	}
	return workload{"random", gputest.Trace(t, launches...)}
}

// copied is what the host copies.
func copied(tape *wtape.Reader) uint64 {
	n := uint64(0)
	for _, e := range tape.Timeline() {
		if e.Kind == trace.EventCopyToDevice || e.Kind == trace.EventCopyToHost {
			n += e.Bytes
		}
	}
	return n
}

// has reports whether an overlay of a mechanism is among the drawing's.
func (d *drawing) has(key string) bool {
	if key == eesi.Key {
		return d.machine == eesi.Kind || d.machine == "gpsim-sbi"
	}
	for i := range parts {
		if parts[i].key == key && slices.Contains(d.overlays, parts[i].name()) {
			return true
		}
	}
	return false
}

// try replays a drawing; refused says that it does not load, failure what is wrong.
func (d *drawing) try(dir string, twin bool) (refused bool, failure string) {
	defer func() {
		if x := recover(); x != nil {
			failure = fmt.Sprintf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	m, err := d.loadIn(dir)
	if err != nil {
		return true, ""
	}
	run, err := d.run(m, gpu.Options{WatchdogCycles: 500_000})
	switch {
	case err != nil && excused(err):
		return true, ""
	case err != nil:
		return false, err.Error()
	}
	var list faults
	gputest.Conserves(&list, m, &run.Total)
	if len(list.said) == 0 && twin {
		again, err := d.run(m, gpu.Options{WatchdogCycles: 500_000, EveryCycle: true})
		if err != nil {
			return false, "with every cycle visited: " + err.Error()
		}
		if diff := differ(outcome(again), outcome(run)); diff != "" {
			list.Errorf("sleeping changes the result (-every cycle +event driven):\n%.2000s", diff)
		}
	}
	return false, strings.Join(list.said, "\n")
}

// outcome is what a run gives, but for which of launches that overlap is charged with
// what they share.
func outcome(r *gpu.Run) *gpu.Run {
	c := *r
	c.Launches = slices.Clone(r.Launches)
	for i := range c.Launches {
		if c.Launches[i].Overlapped {
			c.Launches[i].Counters = counters.Set{}
			c.Overlap = counters.Set{}
		}
	}
	return &c
}

// excused are refusals that need the workload: a thread block that no SM has room for,
// a timeline that a machine cannot execute, a program of another machine.
func excused(err error) bool {
	text := err.Error()
	for _, known := range []string{"a thread block needs", "record the program with", "an SM has", "cannot execute", "which the machine lacks", "runs lanes apart", "clusters of", "takes them away", "cannot be laid out anew"} {
		if strings.Contains(text, known) && !strings.Contains(text, "BUG") && !strings.Contains(text, "stuck") {
			return true
		}
	}
	return false
}

func (d *drawing) run(m *arch.Machine, o gpu.Options) (*gpu.Run, error) {
	g, err := gpu.New(m, o)
	if err != nil {
		return nil, err
	}
	return g.Replay(context.Background(), gputest.NewSource(d.tape.tape), nil)
}

// faults takes down what is wrong.
type faults struct {
	testing.TB
	said []string
}

func (f *faults) Helper() {}

func (f *faults) Errorf(format string, arguments ...any) {
	f.said = append(f.said, fmt.Sprintf(format, arguments...))
}

// shrink takes away what a failure does not need.
func (d *drawing) shrink(dir string, twin bool) {
	fails := func(c *drawing) bool {
		_, failure := c.try(dir, twin)
		return failure != ""
	}
	for again := true; again; {
		again = false
		for i := range d.overlays {
			c := *d
			c.overlays = slices.Delete(slices.Clone(d.overlays), i, i+1)
			if fails(&c) {
				*d, again = c, true
				break
			}
		}
		for _, key := range slices.Sorted(maps.Keys(d.set)) {
			c := *d
			c.set = maps.Clone(d.set)
			delete(c.set, key)
			if fails(&c) {
				*d, again = c, true
			}
		}
	}
}

// TestRandomCombinations draws machines, overlays, parameters and workloads. Whatever
// loads is replayed without a panic, a stuck replay or a broken invariant. One draw in
// sixteen is also replayed with every cycle visited, which changes nothing.
func TestRandomCombinations(t *testing.T) {
	p := newPool(t)
	count, few := *drawCount, []uint64(nil)
	if count == 0 && *drawTime == 0 {
		few = tracetest.Seeds(t, ownDraws, tracetest.Fewer(15, fewDraws))
		count = uint64(len(few))
	}
	var next, refused, failed atomic.Uint64
	began := time.Now()
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		dir := t.TempDir()
		group.Go(func() {
			for failed.Load() < 5 {
				n := next.Add(1) - 1
				if count > 0 && n >= count || count == 0 && time.Since(began) > *drawTime {
					break
				}
				number := *drawFirst + n
				if few != nil {
					number = *drawFirst + few[n]
				}
				d := p.draw(t, rand.New(rand.NewPCG(*drawSeed, number)))
				twin := number%16 == 0
				no, failure := d.try(dir, twin)
				if no {
					refused.Add(1)
				}
				if failure == "" {
					continue
				}
				failed.Add(1)
				d.shrink(dir, twin)
				_, still := d.try(dir, twin)
				t.Errorf("draw %d of seed %d, repeat with -run TestRandomCombinations -combinations.seed=%d -combinations.first=%d -combinations.count=1\nworkload %s on\n%s\n%.3000s",
					number, *drawSeed, *drawSeed, number, d.tape.name, d.text(), still)
			}
		})
	}
	group.Wait()
	made := next.Load()
	if count > 0 {
		made = min(made, count)
	}
	t.Logf("seed %d: %d draws in %.0f s, %d refused with a reason, %d failed", *drawSeed, made, time.Since(began).Seconds(), refused.Load(), failed.Load())
	// More than half of the draws are refused, so of a few draws any number may be.
	if made >= 100 && refused.Load() > made*3/4 {
		t.Errorf("%d of %d draws are refused: too few are replayed", refused.Load(), made)
	}
}
