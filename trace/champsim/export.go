// SPDX-License-Identifier: Apache-2.0

package champsim

import (
	"bufio"
	"fmt"
	"io"

	"github.com/warptape/warptape/trace/internal/packed"
	"github.com/warptape/warptape/trace/wtape"
)

// Export writes a CPU thread of a trace as records and counts them.
func Export(r *wtape.Reader, thread int, out io.Writer, layout Layout) (records uint64, err error) {
	if thread < 0 || thread >= r.CPUThreads() {
		return 0, fmt.Errorf("%s: CPU thread %d does not exist: it has %d", r.Name(), thread, r.CPUThreads())
	}
	w := bufio.NewWriterSize(out, 64<<10)
	c := wtape.NewCPUChunk()
	record := make([]byte, layout.bytes)
	for i, info := range r.CPUChunks() {
		if info.Thread != thread {
			continue
		}
		if err := r.ReadCPUChunk(i, c); err != nil {
			return records, err
		}
		addresses := c.Addresses
		for n, entry := range c.Steps {
			in := &c.Table[entry]
			operands := in.Stores() + in.Loads()
			if err := layout.encode(record, in, c.Taken[n], addresses[:operands]); err != nil {
				return records, fmt.Errorf("CPU thread %d, instruction %d (ip %x): %w", thread, records, in.IP, err)
			}
			addresses = addresses[operands:]
			if _, err := w.Write(record); err != nil {
				return records, err
			}
			records++
		}
	}
	return records, w.Flush()
}

// Compressions are the suffixes that ExportCompressed knows.
var Compressions = packed.Suffixes

// ExportCompressed is Export with the compression of a suffix.
func ExportCompressed(r *wtape.Reader, thread int, out io.Writer, layout Layout, suffix string) (records uint64, err error) {
	z, err := packed.NewWriter(suffix, out)
	if err != nil {
		return 0, err
	}
	if records, err = Export(r, thread, z, layout); err != nil {
		return records, err
	}
	return records, z.Close()
}
