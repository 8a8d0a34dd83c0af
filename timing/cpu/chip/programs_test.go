// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/process"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// captured is a trace of CPU threads of twenty instructions each. They meet at a barrier if meet says so.
func captured(t *testing.T, threads int, meet bool, arguments map[string]string) *wtape.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "captured", trace.Header{Tool: "test", Arguments: arguments}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range threads {
		if _, err := w.BeginCPUThread(); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if meet && i == 10 {
				if err := w.AddCPUSync(trace.CPUSync{Kind: trace.CPUBarrier, Object: 64, Threads: uint32(threads)}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.AddCPU(&trace.CPUInstruction{IP: 0x400 + 4*uint64(i)}, false, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The threads of a trace are programs, of one process where they synchronise; several have numbers in their names.
func TestThreadsOfATraceAreItsPrograms(t *testing.T) {
	for _, c := range []struct {
		threads int
		meet    bool
		names   string
	}{{1, false, "[p]"}, {3, false, "[p/0 p/1 p/2]"}, {1, true, "[p]"}, {3, true, "[p/0 p/1 p/2]"}} {
		programs, err := ThreadsOf("p", captured(t, c.threads, c.meet, nil))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i, p := range programs {
			names = append(names, p.Name)
			if p.Thread != i || p.Stream == nil || p.Process != programs[0].Process || (p.Process != nil) != c.meet || c.meet && p.Process.Threads() != c.threads {
				t.Errorf("%d threads, that meet %v: %+v", c.threads, c.meet, p)
			}
		}
		if fmt.Sprint(names) != c.names {
			t.Errorf("%d threads are %v, want %s", c.threads, names, c.names)
		}
		r := outcomes(t, nil, programs)
		for i, o := range r.Programs {
			if o.Name != names[i] || o.Core != i || o.Counters[cpu.Instructions] != 20 || o.Runs < 1 {
				t.Errorf("program %d: %s on core %d, %d instructions in %d runs", i, o.Name, o.Core, o.Counters[cpu.Instructions], o.Runs)
			}
		}
	}
}

// A trace without CPU threads, one that lacks instructions of them, and one with pages of another size are refused.
func TestTracesThatCannotBeProgramsAreRefused(t *testing.T) {
	cut := captured(t, 2, false, nil)
	cut.Content().File.Index.CPU = cut.Content().File.Index.CPU[1:]
	for want, c := range map[string]struct {
		r     *wtape.Reader
		pages int
	}{
		"has no CPU threads":        {captured(t, 0, false, nil), 4096},
		"holds 20 of 40":            {cut, 4096},
		"cpu.page_bytes is 8192":    {captured(t, 1, false, map[string]string{trace.CPUPageBytes: "4096"}), 8192},
		"pages of many bytes, and ": {captured(t, 1, false, map[string]string{trace.CPUPageBytes: "many"}), 8192},
		"":                          {captured(t, 1, false, map[string]string{trace.CPUPageBytes: "4096"}), 4096},
	} {
		if _, err := ProgramsOf("p", c.r, &cpu.Section{PageBytes: c.pages}); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// counted is a stream that counts how often it begins again.
type counted struct {
	list
	rewound int
}

func (c *counted) Rewind() error { c.rewound++; return c.list.Rewind() }

// Of several processes each has an address space of its own, and begins again by itself when its last thread has ended.
func TestEachProcessBeginsAgainByItself(t *testing.T) {
	streams := make([]*counted, 7)
	for i := range streams {
		streams[i] = new(counted)
	}
	p, q := process.New("p", 2), process.New("q", 3)
	programs := []Program{
		{Stream: streams[0]}, {Stream: streams[1], Process: p}, {Stream: streams[2], Process: p, Thread: 1},
		{Stream: streams[3], Process: q}, {Stream: streams[4], Process: q, Thread: 1}, {Stream: streams[5], Process: q, Thread: 2}, {Stream: streams[6]},
	}
	l := NewLaunches(programs, 5)
	var spaces []cpu.Space
	for i := range programs {
		first, again := l.First(i), l.Again(i)
		spaces = append(spaces, first.Space)
		if first.Repeat != (programs[i].Process == nil) || first.Uncounted || !again.Uncounted || first.Token != uint32(i) {
			t.Errorf("program %d: %+v, again %+v", i, first, again)
		}
	}
	if want := []cpu.Space{5, 6, 6, 7, 7, 7, 8}; !slices.Equal(spaces, want) {
		t.Errorf("spaces %v, want %v", spaces, want)
	}
	rewound := make([]int, len(programs))
	for _, x := range []struct{ core, from, to int }{{0, 0, 0}, {5, 0, 0}, {1, 0, 0}, {3, 0, 0}, {4, 3, 6}, {2, 1, 3}, {6, 0, 0}, {1, 0, 0}, {2, 1, 3}} {
		from, to, err := l.Ended(x.core)
		if from != x.from || to != x.to || err != nil {
			t.Errorf("core %d ends: cores %d to %d begin again (%v), want %d to %d", x.core, from, to, err, x.from, x.to)
		}
		for i := x.from; i < x.to; i++ {
			rewound[i]++
		}
	}
	for i, s := range streams {
		if s.rewound != rewound[i] {
			t.Errorf("stream %d begins again %d times, want %d", i, s.rewound, rewound[i])
		}
	}
}

// A thread that ends with a lock ends the replay.
func TestAThreadThatEndsWithALockIsRefused(t *testing.T) {
	programs := processOf("prog", &scripted{n: 10, events: map[int][]trace.CPUSync{5: {lockIt}}}, &scripted{n: 10})
	if _, err := build(t, nil).Run(t.Context(), programs); err == nil || !strings.Contains(err.Error(), "thread 0 ends and has 1 locks") {
		t.Errorf("got %v", err)
	}
}

// Reports have all programs of all machines: the table ratios of counters, JSON the counters that are not zero, by name.
func TestReportsHaveAllPrograms(t *testing.T) {
	outcome := func(name string, core int, n uint64) Outcome {
		o := Outcome{Name: name, Core: core, Runs: core + 1}
		o.Counters[cpu.Instructions], o.Counters[cpu.Cycles], o.Counters[cpu.L2Misses] = n, 4*n, n/50
		return o
	}
	results := []*Result{
		{Programs: []Outcome{outcome("one", 0, 1000), outcome("two", 1, 3000)}, Cycles: 12_000},
		{Programs: []Outcome{{Name: "none"}}, Cycles: 7},
	}
	results[0].Total[counters.DRAMRead] = 77
	var table, text bytes.Buffer
	if err := WriteTable(&table, []string{"a", "b"}, results); err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(table.String()) {
		rows = append(rows, strings.Fields(line))
	}
	want := [][]string{
		{"a", "one", "0", "1000", "4000", "0.250", "0.00", "0.00", "20.00", "0.00", "1"},
		{"a", "two", "1", "3000", "12000", "0.250", "0.00", "0.00", "20.00", "0.00", "2"},
		{"b", "none", "0", "0", "0", "0.000", "0.00", "0.00", "0.00", "0.00", "0"},
	}
	if len(rows) != 4 || fmt.Sprint(rows[1:]) != fmt.Sprint(want) {
		t.Errorf("the table is\n%s", &table)
	}
	if err := WriteJSON(&text, []string{"a", "b"}, []string{"da", "db"}, results); err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Architecture, Digest string
		Cycles               uint64 `json:"cpu_cycles"`
		Programs             []struct {
			Program    string
			Core, Runs int
			IPC        float64
			Counters   map[string]uint64
		}
		Total map[string]uint64
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(got); said != "[{a da 12000 [{one 0 1 0.25 map[cpu_cycles:4000 cpu_instructions:1000 cpu_l2_misses:20]} {two 1 2 0.25 map[cpu_cycles:12000 cpu_instructions:3000 cpu_l2_misses:60]}] map[dram_reads:77]} {b db 7 [{none 0 0 0 map[]}] map[]}]" {
		t.Errorf("JSON says %s", said)
	}
}

// A walk has a load for each level of the page table. A table fills a page with entries of eight bytes, for addresses of 48
// bits: that makes four levels of 4 KiB, as on x86-64, three of 64 KiB, and two of 2 MiB.
func TestWalksLoadEachLevelOfThePageTable(t *testing.T) {
	loads, _ := counters.Lookup("cpu_exception_loads")
	for bytes, levels := range map[int]uint64{4 << 10: 4, 64 << 10: 3, 2 << 20: 2} {
		r := outcomes(t, func(s *cpu.Section) { s.PageBytes = bytes }, []Program{{Stream: &list{all: chain(10, 0)}}})
		if walks := r.Total[cpu.PageWalks]; walks == 0 || r.Total[loads] != levels*walks {
			t.Errorf("pages of %d bytes: %d walks with %d loads", bytes, walks, r.Total[loads])
		}
	}
}

// A line that another core has modified comes from there: each costs the probe, to the cycle.
func TestLinesOfOtherCoresCostAProbe(t *testing.T) {
	const n = 200
	cycles := func(probe int) (cpu.Cycle, uint64) {
		one := &meeting{stores: n, meet: true}
		two := &meeting{loads: n, meet: true}
		p := process.New("p", 2)
		r := outcomes(t, func(s *cpu.Section) { s.ProbeCycles, s.Order = probe, "in_order" }, []Program{{Stream: one, Process: p}, {Stream: two, Process: p, Thread: 1}})
		return r.Cycles, r.Total[cpu.CacheToCache]
	}
	a, lines := cycles(10)
	b, _ := cycles(310)
	if lines < n || b-a < n*300*98/100 || b-a > n*300*103/100 {
		t.Errorf("%d lines come from another core, and %d cycles later with probes of 300 cycles more", lines, b-a)
	}
}

// meeting is a thread that stores into lines before a barrier, or loads them in a chain behind it.
type meeting struct {
	stores, loads int
	meet          bool
	at            int
}

func (m *meeting) Rewind() error { m.at = 0; return nil }

func (m *meeting) NextSync() trace.CPUSync {
	return trace.CPUSync{Kind: trace.CPUBarrier, Object: 0x200, Threads: 2}
}

func (m *meeting) Next(into []cpu.Instruction) (n int, err error) {
	for ; n < len(into) && m.at <= m.stores+m.loads; n++ {
		in := cpu.Instruction{IP: 0x1000 + uint64(m.at%16)*4}
		address := 0x100000 + 64*uint64(m.at)
		switch {
		case m.loads == 0 && m.at == m.stores || m.stores == 0 && m.at == 0:
			in.Syncs = 1
		case m.stores > 0:
			in.Stores, in.StoreAddresses[0] = 1, address
		default:
			in.Loads, in.LoadAddresses[0], in.Sources[0], in.Destinations[0] = 1, address-64, 1, 1
		}
		into[n] = in
		m.at++
	}
	return n, nil
}
