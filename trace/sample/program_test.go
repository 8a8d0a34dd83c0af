// SPDX-License-Identifier: Apache-2.0

package sample_test

import (
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/transcription"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// sink takes a recording: a Writer, a Recorder or a Profile.
type sink interface {
	transcription.Target
	UpdateHeader(func(*trace.Header))
}

// launch is a launch of the test program: its thread blocks visit the loop as often
// as trips says.
type launch struct {
	blocks uint64
	trips  func(block uint64) int
}

func same(n int) func(uint64) int { return func(uint64) int { return n } }

// kernel has an entry, a loop that loads and stores, and an exit.
func kernel() *trace.Kernel {
	memory := func(opcode string, class trace.OpClass) trace.Instruction {
		return trace.Instruction{Opcode: opcode, Types: []string{"f32"}, Class: class, Space: trace.SpaceGlobal, LaneBytes: 4}
	}
	return &trace.Kernel{
		Name: "loop",
		Instructions: []trace.Instruction{
			{Opcode: "mov", Class: trace.ClassMove},
			memory("ld", trace.ClassLoad), memory("st", trace.ClassStore),
			{Opcode: "ret", Class: trace.ClassExit},
		},
		Blocks: []trace.BasicBlock{
			{First: 0, Count: 1, Successors: []uint32{1}, PostDominator: 1},
			{First: 1, Count: 2, Successors: []uint32{1, 2}, PostDominator: 2},
			{First: 3, Count: 1, PostDominator: trace.NoBlock},
		},
	}
}

// play runs the program into a sink.
func play(to sink, launches ...launch) error {
	to.UpdateHeader(func(h *trace.Header) { h.Program = "loop" })
	k, err := to.AddKernel(kernel())
	if err != nil {
		return err
	}
	for _, l := range launches {
		if _, err := to.AddEvent(trace.HostEvent{Kind: trace.EventCopyToDevice, Address: 4096, HostAddress: 1 << 40, Bytes: 64}); err != nil {
			return err
		}
		if _, err := to.BeginLaunch(trace.Launch{Kernel: k, Grid: trace.Dim3{X: uint32(l.blocks), Y: 1, Z: 1}, Block: trace.Dim3{X: 48, Y: 1, Z: 1}}); err != nil {
			return err
		}
		for block := range l.blocks {
			to.BeginBlock(block)
			for warp, lanes := range []uint32{0xffffffff, 0xffff} {
				to.Visit(warp, 0, lanes)
				for trip := range l.trips(block) {
					to.Visit(warp, 1, lanes)
					at := 1<<20 + block*4096 + uint64(trip)*256 + uint64(warp)*128
					to.AccessStrided(warp, lanes, at, 4)
					to.AccessStrided(warp, lanes, at+1<<30, 4)
				}
				to.Visit(warp, 2, lanes)
			}
			if err := to.EndBlock(); err != nil {
				return err
			}
		}
		if err := to.EndLaunch(); err != nil {
			return err
		}
	}
	return nil
}

// parse reads a policy that is right.
func parse(t *testing.T, text string) sample.Policy {
	t.Helper()
	p, err := sample.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recorded records the program by a policy ("" for all of it) and opens the trace.
func recorded(t *testing.T, policy string, workers int, launches ...launch) *wtape.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.wtape")
	w, err := wtape.Create(path, trace.Header{Tool: "test"}, wtape.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if policy == "" {
		err = play(w, launches...)
	} else {
		err = playSampled(w, parse(t, policy), launches)
	}
	if err == nil {
		err = w.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func playSampled(w *wtape.Writer, p sample.Policy, launches []launch) error {
	var profile *sample.Profile
	if p.NeedsProfile() {
		profile = sample.NewProfile(p)
		if err := play(profile, launches...); err != nil {
			return err
		}
		profile.Choose()
	}
	r := sample.NewRecorder(w, p, profile)
	if err := play(r, launches...); err != nil {
		return err
	}
	r.Describe()
	return nil
}

func open(t *testing.T, path string) *wtape.Reader {
	t.Helper()
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := verification.Verify(r); err != nil {
		t.Fatal(err)
	}
	return r
}
