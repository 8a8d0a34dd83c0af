// SPDX-License-Identifier: Apache-2.0

package transcriber

import "github.com/warptape/warptape/trace/internal/content"

// RunCPU copies the CPU threads of the trace. It comes after everything else
// that is copied. A thread without instructions is one too.
func (t *Transcriber) RunCPU() error {
	var c content.CPUChunk
	chunks := t.content.File.Index.CPU
	next := 0
	for thread := range int(t.content.Totals.CPU.Threads) {
		if _, err := t.w.BeginCPUThread(); err != nil {
			return err
		}
		for ; next < len(chunks) && chunks[next].Thread == thread; next++ {
			if err := t.content.ReadCPUChunkNumber(next, &c); err != nil {
				return err
			}
			if err := t.copyCPU(&c); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyCPU copies a chunk of the current thread as one of the same extent.
func (t *Transcriber) copyCPU(c *content.CPUChunk) error {
	if err := t.w.BeginCPUChunk(); err != nil {
		return err
	}
	at, syncs := 0, c.Syncs
	for i, entry := range c.Steps {
		for ; len(syncs) > 0 && int(syncs[0].At) == i; syncs = syncs[1:] {
			if err := t.w.AddCPUSync(syncs[0]); err != nil {
				return err
			}
		}
		in := &c.Table[entry]
		n := in.MemoryOperands()
		if err := t.w.AddCPU(in, c.Taken[i], c.Addresses[at:at+n]); err != nil {
			return err
		}
		at += n
	}
	return nil
}
