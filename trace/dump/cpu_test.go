// SPDX-License-Identifier: Apache-2.0

package dump

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// cpuThreads is a trace of two CPU threads, which meet at a barrier.
func cpuThreads(t *testing.T) *wtape.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "cpu", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	for thread := range uint64(2) {
		_, err := w.BeginCPUThread()
		check(err)
		check(w.AddCPUSync(trace.CPUSync{Kind: trace.CPULock, Object: 0x700}))
		check(w.AddCPU(&trace.CPUInstruction{IP: 0x400, Destinations: [trace.CPUOperands]uint8{3}, Sources: [trace.CPUOperands]uint8{5, 0, 7}, StoreSlots: 1, LoadSlots: 3}, false, []uint64{0x1000 + thread, 0x2000, 0x3000}))
		check(w.AddCPUSync(trace.CPUSync{Kind: trace.CPUUnlock, Object: 0x700}))
		check(w.AddCPUSync(trace.CPUSync{Kind: trace.CPUBarrier, Object: 0x800, Threads: 2}))
		// A conditional branch writes the instruction pointer, number 26, and reads it and the flags, 25.
		check(w.AddCPU(&trace.CPUInstruction{IP: 0x404, Branch: true, Destinations: [trace.CPUOperands]uint8{26}, Sources: [trace.CPUOperands]uint8{25, 26}}, thread == 1, nil))
		check(w.AddCPU(&trace.CPUInstruction{IP: 0x408, LoadSlots: 1}, false, []uint64{0x40 * thread}))
	}
	check(w.Finish())
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(err)
	return r
}

// Each instruction of a CPU thread is a line, with its registers, the addresses of its stores, then those of its loads, and
// lines of what it synchronises before.
func TestDumpPrintsCPUInstructions(t *testing.T) {
	r := cpuThreads(t)
	lines := []string{
		"cpu 0 sync lock 0x700", "cpu 0 instruction 0 ip 0x400 writes 3 reads 5 7 store 0x1000 load 0x2000 load 0x3000",
		"cpu 0 sync unlock 0x700", "cpu 0 sync barrier 0x800 of 2 threads", "cpu 0 instruction 1 ip 0x404 conditional writes 26 reads 25 26",
		"cpu 0 instruction 2 ip 0x408 load 0x0",
		"cpu 1 sync lock 0x700", "cpu 1 instruction 0 ip 0x400 writes 3 reads 5 7 store 0x1001 load 0x2000 load 0x3000",
		"cpu 1 sync unlock 0x700", "cpu 1 sync barrier 0x800 of 2 threads", "cpu 1 instruction 1 ip 0x404 conditional taken writes 26 reads 25 26",
		"cpu 1 instruction 2 ip 0x408 load 0x40",
	}
	first, second := 0, 1
	for _, c := range []struct {
		o    Options
		want []string
	}{
		{Options{CPU: &first}, lines[:6]}, {Options{CPU: &second}, lines[6:]},
		{Options{CPU: &first, CPUInstructions: &trace.Range{First: 0, Last: 0}}, lines[:2]},
		{Options{CPU: &second, CPUInstructions: &trace.Range{First: 1, Last: 1}}, lines[8:11]},
		{Options{CPU: &second, CPUInstructions: &trace.Range{First: 2, Last: 9}}, lines[11:]},
		{Options{CPU: &first, CPUInstructions: &trace.Range{First: 3, Last: 9}}, nil},
	} {
		var out strings.Builder
		if err := Write(r, &out, c.o); err != nil {
			t.Fatal(err)
		}
		want := strings.Join(append(c.want[:len(c.want):len(c.want)], ""), "\n")
		if d := cmp.Diff(want, out.String()); d != "" {
			t.Errorf("thread %d, %v: %s", *c.o.CPU, c.o.CPUInstructions, d)
		}
	}
}

// The JSON dump has the same of CPU threads, an object for each line. Without a choice there are those of all.
func TestJSONDumpHasCPUInstructions(t *testing.T) {
	want := []string{
		`{"kind":"cpu-sync","thread":1,"sync":"lock","object":"0x700"}`,
		`{"kind":"cpu","thread":1,"instruction":0,"ip":"0x400","writes":[3],"reads":[5,7],"stores":["0x1001"],"loads":["0x2000","0x3000"]}`,
		`{"kind":"cpu-sync","thread":1,"sync":"unlock","object":"0x700"}`,
		`{"kind":"cpu-sync","thread":1,"sync":"barrier","object":"0x800","threads":2}`,
		`{"kind":"cpu","thread":1,"instruction":1,"ip":"0x404","branch":"conditional","taken":true,"writes":[26],"reads":[25,26]}`,
		`{"kind":"cpu","thread":1,"instruction":2,"ip":"0x408","loads":["0x40"]}`,
	}
	second := 1
	r := cpuThreads(t)
	if d := cmp.Diff(want, dumped(t, r, Options{CPU: &second, JSON: true})); d != "" {
		t.Error(d)
	}
	if all := dumped(t, r, Options{JSON: true}); len(all) != 2*len(want) {
		t.Errorf("both threads have %d objects, want %d:\n%s", len(all), 2*len(want), strings.Join(all, "\n"))
	}
}

// A visit of the JSON dump has its number, its basic block and lanes of eight digits, and what it executes has the same.
func TestJSONDumpPlacesVisits(t *testing.T) {
	launch, block, warp := 1, uint64(2), 1
	want := []string{
		`{"kind":"visit","launch":1,"block":2,"warp":1,"visit":0,"basic_block":0,"lanes":"000000ff"}`,
		`{"kind":"visit","launch":1,"block":2,"warp":1,"visit":1,"basic_block":0,"lanes":"000000ff"}`,
		`{"kind":"visit","launch":1,"block":2,"warp":1,"visit":2,"basic_block":1,"lanes":"000000ff"}`,
	}
	var got []string
	last := ""
	for _, line := range dumped(t, openSmall(t), Options{Launch: &launch, Block: &block, Warp: &warp, JSON: true}) {
		switch {
		case strings.Contains(line, `"kind":"visit"`):
			got = append(got, line)
			last = strings.TrimSuffix(strings.TrimPrefix(line, `{"kind":"visit"`), `,"lanes":"000000ff"}`)
		case strings.Contains(line, `"kind":"instruction"`) && !strings.Contains(line, last+","):
			t.Errorf("%s is not in the visit %s", line, last)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
