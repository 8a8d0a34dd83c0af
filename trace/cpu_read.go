package trace

import (
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
)

// CPUThreads is the number of CPU threads of the trace.
func (r *Reader) CPUThreads() int { return int(r.totals.CPU.Threads) }

// CPUChunks lists the CPU chunks, by thread and instruction. Read-only.
func (r *Reader) CPUChunks() []CPUChunkInfo { return r.index.cpu }

// ReadCPUChunk reads and decodes CPU chunk i, replacing what was in the chunk. The
// error names the file and the chunk; the chunk's content is undefined then.
func (r *Reader) ReadCPUChunk(i int, into *CPUChunk) error {
	if i < 0 || i >= len(r.index.cpu) {
		return fmt.Errorf("%s: CPU chunk %d of %d does not exist", r.name, i, len(r.index.cpu))
	}
	info := &r.index.cpu[i]
	if err := r.readCPUChunk(info, into); err != nil {
		return fmt.Errorf("%s: CPU chunk %d (thread %d, instructions from %d, offset %d): %w", r.name, i, info.Thread, info.First, info.Offset, err)
	}
	return nil
}

func (r *Reader) readCPUChunk(info *CPUChunkInfo, into *CPUChunk) error {
	h, raw, err := r.readFrame(info.Offset, info.Length, into.scratch)
	if err != nil {
		return err
	}
	if h.Kind != wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK {
		return fmt.Errorf("is a frame of kind %d", h.Kind)
	}
	if err := into.decode(raw); err != nil {
		return err
	}
	if into.Thread != info.Thread || into.First != info.First || len(into.Steps) != info.Instructions {
		return fmt.Errorf("holds %d instructions of thread %d from %d, contrary to the index", len(into.Steps), into.Thread, into.First)
	}
	return nil
}

// follows reports whether a CPU chunk can come after those in the list.
func (c *CPUChunkInfo) follows(before []CPUChunkInfo) bool {
	if len(before) == 0 {
		return c.First == 0
	}
	last := &before[len(before)-1]
	if c.Thread == last.Thread {
		return c.First == last.First+uint64(last.Instructions)
	}
	return c.Thread > last.Thread && c.First == 0
}

// transcribeCPU copies the CPU threads of the trace. It comes after everything else
// that is copied. A thread without instructions is one too.
func (t *transcription) transcribeCPU() error {
	c := NewCPUChunk()
	next := 0
	for thread := range t.r.CPUThreads() {
		if err := t.w.beginCPU(); err != nil {
			return err
		}
		for ; next < len(t.r.index.cpu) && t.r.index.cpu[next].Thread == thread; next++ {
			if err := t.r.ReadCPUChunk(next, c); err != nil {
				return err
			}
			if err := t.w.copyCPU(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) beginCPU() error {
	_, err := w.BeginCPUThread()
	return err
}
