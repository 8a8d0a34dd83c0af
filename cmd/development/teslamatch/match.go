// SPDX-License-Identifier: Apache-2.0

// Package teslamatch holds the machine "tesla-rtl" against what executes kernels of the
// Tesla-like GPGPU with all values. A kernel is recorded in one configuration, and its
// trace is replayed in others. Every issue has to be in the same cycle as where the
// kernel is executed there.
package teslamatch

import (
	"bytes"
	"context"
	"fmt"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/frontend/tesla/record"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/tesla"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Record gives the trace of a kernel.
func Record(k *language.Kernel, c machine.Config) (*wtape.Reader, *machine.Result, error) {
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, k.File, trace.Header{Program: k.File}, wtape.Options{Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	defer w.Abort()
	result, err := record.Kernel(w, k, "kernel", "", c, machine.Options{})
	if err != nil {
		return nil, nil, err
	}
	if err := w.Finish(); err != nil {
		return nil, nil, err
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	return r, result, err
}

// Spec is the architecture of a configuration.
func Spec(c machine.Config) string {
	return fmt.Sprintf("tesla-rtl+set(gpu.sms=%d,tesla.processors=%d,tesla.warp_width=%d,tesla.warp_slots=%d,tesla.block_slots=%d,tesla.parameters=%d,"+
		"tesla.instruction_address_bits=%d,tesla.register_address_bits=%d,tesla.constant_address_bits=%d,tesla.shared_address_bits=%d)",
		c.Multiprocessors, c.Processors, c.WarpWidth, c.WarpSlots, c.BlockSlots, c.Parameters,
		c.InstructionAddressBits, c.RegisterAddressBits, c.ConstantAddressBits, c.SharedAddressBits)
}

// Replayed is what a replay has done, in the terms of an executed run.
type Replayed struct {
	Log                                *machine.Log
	Cycles                             uint64
	Issues, Rows, Replays, Divergences uint64
}

// Replay replays a trace in a configuration.
func Replay(r *wtape.Reader, c machine.Config) (*Replayed, error) {
	m, err := arch.Load(Spec(c))
	if err != nil {
		return nil, err
	}
	l := &listener{log: new(machine.Log)}
	g, err := newGPU(m, l)
	if err != nil {
		return nil, err
	}
	run, err := g.Replay(context.Background(), newSource(r), nil)
	if err != nil {
		return nil, err
	}
	total := &run.Total
	return &Replayed{
		Log: l.log, Cycles: uint64(run.Cycles), Issues: total[counters.IssuedWarp] + counted(total, "tesla_replays"),
		Rows: counted(total, "tesla_rows"), Replays: counted(total, "tesla_replays"), Divergences: counted(total, "tesla_divergences"),
	}, nil
}

func counted(set *counters.Set, name string) uint64 {
	id, _ := counters.Lookup(name)
	return set[id]
}

// listener writes a log; it implements tesla.Watcher.
type listener struct{ log *machine.Log }

func (l *listener) Watches(int) bool                           { return true }
func (l *listener) ClockOffset(clock.Cycle)                    {}
func (l *listener) Bound(clock.Cycle, int, int, *trace.Kernel) {}
func (l *listener) Slots(clock.Cycle, seam.IssueSlots)         {}
func (l *listener) Warp(clock.Cycle, seam.WarpSlot)            {}
func (l *listener) Block(clock.Cycle, int, int, uint64, bool)  {}
func (l *listener) Request(clock.Cycle, seam.Request)          {}

func (l *listener) Dispatched(now clock.Cycle, mp int, block uint64) {
	l.log.Dispatches = append(l.log.Dispatches, machine.Dispatch{Cycle: uint64(now), MP: mp, Block: block})
}

func (l *listener) Initialised(now clock.Cycle, mp, slot, place int, mask uint64, base int) {
	l.log.Inits = append(l.log.Inits, machine.Init{Cycle: uint64(now), MP: mp, Slot: slot, BlockPos: place, Mask: machine.Lanes(mask), Base: base})
}

func (l *listener) Entered(now clock.Cycle, mp, slot, place int, instruction uint32, mask uint64) {
	l.log.Issues = append(l.log.Issues, machine.Issue{Cycle: uint64(now), MP: mp, Slot: slot, BlockPos: place, PC: int(instruction), Mask: machine.Lanes(mask)})
}

var _ tesla.Watcher = (*listener)(nil)
