// SPDX-License-Identifier: Apache-2.0

package testtraces

import (
	"bytes"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Counted has something of everything that totals count.
func Counted(t testing.TB) *wtape.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "counted", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddKernel(LayOut("counted", LaidBlock{"aL", []uint32{0, 1}}, LaidBlock{"sx", nil})); err != nil {
		t.Fatal(err)
	}
	for _, e := range []trace.HostEvent{
		{Kind: trace.EventCopyToDevice, Address: 256, HostAddress: 512, Bytes: 160},
		{Kind: trace.EventCopyToHost, Address: 256, HostAddress: 512, Bytes: 96},
	} {
		if _, err := w.AddEvent(e); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 3, Y: 1, Z: 1}, Block: trace.Dim3{X: 40, Y: 1, Z: 1}})
		for block := range uint64(3) {
			w.BeginBlock(block)
			for warp, lanes := range []uint32{AllLanes, 0xff} {
				for range 2 {
					w.Visit(warp, 0, lanes)
					w.Guard(warp, lanes&0xf)
					w.AccessStrided(warp, lanes&0xf, 4096, 4)
				}
				w.Visit(warp, 1, lanes)
				w.AccessStrided(warp, lanes, 8192, 4)
			}
			if err := w.EndBlock(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.EndLaunch(); err != nil {
			t.Fatal(err)
		}
	}
	thread := []trace.CPUInstruction{{IP: 4, LoadSlots: 3}, {IP: 8, StoreSlots: 1}, {IP: 12, Branch: true}}
	w.BeginCPUThread()
	for i := range uint64(10) {
		w.AddCPU(&thread[0], false, []uint64{64 * i, 32 * i})
		w.AddCPU(&thread[1], false, []uint64{64 * i})
		w.AddCPU(&thread[2], i < 7, nil)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return Open(t, out.Bytes())
}
