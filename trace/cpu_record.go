package trace

import (
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
)

// cpuRecording is what a Writer knows of the CPU threads.
type cpuRecording struct {
	threads int
	encoder cpuEncoder
	totals  CPUTotals // of the pending chunk
}

// BeginCPUThread starts the next CPU thread and returns its number. The CPU threads
// come last in a trace: after the first one there can be no kernel, event or launch.
func (w *Writer) BeginCPUThread() (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if w.recording.active || w.cpu.threads == maxCPUThreads {
		return 0, w.fail(fmt.Errorf("BUG: CPU thread %d began inside a launch, or is one of more than %d", w.cpu.threads, maxCPUThreads))
	}
	w.flushTimeline()
	w.flushCPU()
	thread := w.cpu.threads
	w.cpu.threads++
	w.totals.CPU.Threads++
	w.cpu.encoder.begin(thread, 0)
	return thread, w.err
}

// AddCPU records that the current CPU thread executes an instruction. taken is the
// outcome of a branch; addresses are those of the stores by slot, then of the loads.
func (w *Writer) AddCPU(in *CPUInstruction, taken bool, addresses []uint64) error {
	if w.cpu.threads == 0 || w.ended || w.err != nil || len(addresses) != in.operands() || in.Branch && in.MarkedTaken {
		if err := w.check(); err != nil {
			return err
		}
		return w.fail(fmt.Errorf("BUG: CPU instruction %+v with %d addresses, in %d threads", *in, len(addresses), w.cpu.threads))
	}
	e := &w.cpu.encoder
	e.add(in, taken, addresses)
	w.cpu.totals.count(in, taken)
	if e.instructions == flushCPUInstructions {
		w.flushCPU()
	}
	return nil
}

// flushCPU submits the pending CPU chunk.
func (w *Writer) flushCPU() {
	e := &w.cpu.encoder
	if e.instructions == 0 || w.err != nil {
		return
	}
	j := w.out.take()
	j.kind, j.raw = wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK, e.append(j.raw[:0])
	j.cpu = CPUChunkInfo{Thread: e.thread, First: e.first, Instructions: e.instructions, RawBytes: int64(len(j.raw))}
	w.out.submit(j)
	w.totals.CPU.add(&w.cpu.totals)
	w.cpu.totals = CPUTotals{}
	e.begin(e.thread, e.first+uint64(e.instructions))
}

// copyCPU records a whole chunk of the current thread as one of the same extent.
func (w *Writer) copyCPU(c *CPUChunk) error {
	at := 0
	for i, entry := range c.Steps {
		in := &c.Table[entry]
		n := in.operands()
		if err := w.AddCPU(in, c.Taken[i], c.Addresses[at:at+n]); err != nil {
			return err
		}
		at += n
	}
	w.flushCPU()
	return w.check()
}
