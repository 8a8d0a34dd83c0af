// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/cpuchunks"
)

// cpuRecording is what a Writer knows of the CPU threads.
type cpuRecording struct {
	threads int
	encoder cpuchunks.Encoder
	totals  trace.CPUTotals // of the pending chunk
}

// BeginCPUThread starts the next CPU thread and returns its number. The CPU threads
// come last in a trace: after the first one there can be no kernel, event or launch.
func (w *Writer) BeginCPUThread() (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if w.recording.active || w.cpu.threads == cpuchunks.MaxThreads {
		return 0, w.fail(fmt.Errorf("BUG: CPU thread %d began inside a launch, or is one of more than %d", w.cpu.threads, cpuchunks.MaxThreads))
	}
	w.flushTimeline()
	w.flushCPU()
	thread := w.cpu.threads
	w.cpu.threads++
	w.totals.CPU.Threads++
	w.cpu.encoder.Begin(thread, 0)
	return thread, w.err
}

// AddCPU records that the current CPU thread executes an instruction. taken is the
// outcome of a branch; addresses are those of the stores by slot, then of the loads.
func (w *Writer) AddCPU(in *trace.CPUInstruction, taken bool, addresses []uint64) error {
	if w.cpu.threads == 0 || w.ended || w.err != nil || len(addresses) != in.MemoryOperands() || in.Branch && in.MarkedTaken {
		if err := w.check(); err != nil {
			return err
		}
		return w.fail(fmt.Errorf("BUG: CPU instruction %+v with %d addresses, in %d threads", *in, len(addresses), w.cpu.threads))
	}
	e := &w.cpu.encoder
	e.Add(in, taken, addresses)
	w.cpu.totals.Count(in, taken)
	if e.Instructions == cpuchunks.FlushInstructions {
		w.flushCPU()
	}
	return nil
}

// AddCPUSync records that the current CPU thread synchronises before the instruction that
// is added next, which there must be. s.At is ignored.
func (w *Writer) AddCPUSync(s trace.CPUSync) error {
	if err := w.check(); err != nil {
		return err
	}
	if w.cpu.threads == 0 || !s.Valid(cpuchunks.MaxThreads) || w.cpu.encoder.Syncs >= cpuchunks.MaxInstructions {
		return w.fail(fmt.Errorf("BUG: synchronisation %+v, in %d threads", s, w.cpu.threads))
	}
	w.cpu.encoder.AddSync(&s)
	w.cpu.totals.Syncs++
	return nil
}

// flushCPU submits the pending CPU chunk.
func (w *Writer) flushCPU() {
	e := &w.cpu.encoder
	if w.err != nil {
		return
	}
	if !e.Whole() {
		w.fail(fmt.Errorf("no instruction of CPU thread %d follows its last synchronisation, in the thread or its chunk", e.Thread))
		return
	}
	if e.Instructions == 0 {
		return
	}
	j := w.out.Take()
	j.Kind, j.Raw = wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK, e.Append(j.Raw[:0])
	if e.Syncs > 0 {
		j.Kind = wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK
	}
	j.CPU = CPUChunkInfo{Thread: e.Thread, First: e.First, Instructions: e.Instructions, RawBytes: int64(len(j.Raw))}
	w.out.Submit(j)
	w.totals.CPU.Add(&w.cpu.totals)
	w.cpu.totals = trace.CPUTotals{}
	e.Begin(e.Thread, e.First+uint64(e.Instructions))
}

// BeginCPUChunk ends the pending CPU chunk early, so that a copy has the CPU chunks of
// its original.
func (w *Writer) BeginCPUChunk() error {
	w.flushCPU()
	return w.check()
}
