// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/packed"
	"github.com/warptape/warptape/trace/wtape"
)

// Compressions are the suffixes that files may have: none, or that of a program.
var Compressions = packed.Suffixes

// ExportOptions of Export. The zero value writes plain files without lines.
type ExportOptions struct {
	Compression string // one of Compressions
	LineInfo    bool   // put the PTX line before every instruction; version 4 and later
	// Version of the tracer whose form the files have, 3 to 6; 0 is 5. Version 3 has no
	// immediate, version 6 names predicates and ends its lines with NoVal.
	Version int
}

// binaryVersion is the opcode map that the files ask for: Volta.
const binaryVersion = 70

// Export writes a trace as kernelslist.g and kernel-N.traceg files to a folder,
// which must not exist yet; it appears when all of it is written. A launch without
// thread blocks has no file. A sample is refused: the simulator takes as many
// thread blocks from a file as the grid has.
func Export(r *wtape.Reader, folder string, o ExportOptions) (err error) {
	if o.Version == 0 {
		o.Version = 5
	}
	if o.Version < oldestVersion || o.Version > newestVersion || o.LineInfo && o.Version < 4 {
		return fmt.Errorf("tracer version %d, line info %v: there are versions %d to %d, line info from 4 on", o.Version, o.LineInfo, oldestVersion, newestVersion)
	}
	if err := checkComplete(r); err != nil {
		return err
	}
	if err := r.CheckDigest(context.Background()); err != nil {
		return err
	}
	if _, err := os.Lstat(folder); err == nil {
		return fmt.Errorf("%s: exists already; name a new folder", folder)
	}
	temporary, err := os.MkdirTemp(filepath.Dir(folder), "."+filepath.Base(folder)+".tmp*")
	if err != nil {
		return fmt.Errorf("%s: cannot write here: %w", folder, err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(temporary)
		}
	}()
	x := &exporter{r: r, folder: temporary, options: o, chunk: wtape.NewChunk()}
	if err := x.run(); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return os.Rename(temporary, folder)
}

func checkComplete(r *wtape.Reader) error {
	for i := range r.Launches() {
		stored := uint64(0)
		first, end := r.LaunchChunks(i)
		for _, c := range r.Chunks()[first:end] {
			stored += uint64(c.Blocks)
		}
		if grid := r.Launches()[i].Grid.Count(); stored != grid {
			return fmt.Errorf("%s: launch %d has %d of %d thread blocks: a sample cannot be exported, record all of it", r.Name(), i, stored, grid)
		}
	}
	return nil
}

type exporter struct {
	r       *wtape.Reader
	folder  string
	options ExportOptions
	chunk   *wtape.Chunk
	kernel  *kernelText
	lines   []byte
	lanes   [trace.WarpSize]uint64
}

func (x *exporter) run() error {
	var list strings.Builder
	for _, e := range x.r.Timeline() {
		switch e.Kind {
		case trace.EventCopyToDevice:
			fmt.Fprintf(&list, "MemcpyHtoD,0x%016x,%d\n", e.Address, e.Bytes)
		case trace.EventLaunch:
			if x.r.Launches()[e.Launch].Grid.Count() == 0 {
				continue
			}
			name := fmt.Sprintf("kernel-%d.traceg%s", e.Launch+1, x.options.Compression)
			fmt.Fprintln(&list, name)
			if err := x.file(name, func(out io.Writer) error { return x.launch(out, e.Launch, e.Stream) }); err != nil {
				return err
			}
		}
	}
	note := fmt.Sprintf("Exported by Warptape from the trace with digest %s.\nRecorded at the level of PTX: opcodes are SASS-like stand-ins for PTX instructions, one to one.\n", x.r.Digest())
	if err := os.WriteFile(filepath.Join(x.folder, "warptape.txt"), []byte(note), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(x.folder, "kernelslist.g"), []byte(list.String()), 0o644)
}

func (x *exporter) file(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(x.folder, name))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := packed.NewWriter(x.options.Compression, f)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(z, 64<<10)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}

func (x *exporter) launch(out io.Writer, launch int, stream uint32) error {
	l := &x.r.Launches()[launch]
	k := &x.r.Kernels()[l.Kernel]
	var err error
	if x.kernel, err = newKernelText(k, &x.options); err != nil {
		return fmt.Errorf("launch %d: kernel %q: %w", launch, k.Name, err)
	}
	version := fmt.Sprint(x.options.Version)
	switch {
	case x.options.LineInfo:
		version += "\n-enable lineinfo = 1"
	case x.options.Version >= 4:
		version += "\n-enable lineinfo = 0"
	}
	_, err = fmt.Fprintf(out, `-kernel name = %s
-kernel id = %d
-grid dim = (%d,%d,%d)
-block dim = (%d,%d,%d)
-shmem = %d
-nregs = %d
-binary version = %d
-cuda stream id = %d
-shmem base_addr = 0x%016x
-local mem base_addr = 0x%016x
-nvbit version = none
-accelsim tracer version = %s

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate
`, strings.Join(strings.Fields(k.Name), "_"), launch+1, l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z,
		k.SharedBytes+l.DynamicSharedBytes, k.RegistersPerThread, binaryVersion, stream,
		uint64(trace.SharedWindowBase), uint64(trace.LocalWindowBase), version)
	if err != nil {
		return err
	}
	for i, end := x.r.LaunchChunks(launch); i < end; i++ {
		if err := x.r.ReadChunk(i, x.chunk); err != nil {
			return err
		}
		for _, block := range x.chunk.Blocks() {
			if err := x.block(out, l, block); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *exporter) block(out io.Writer, l *trace.Launch, block uint64) error {
	gx, gy := uint64(l.Grid.X), uint64(l.Grid.Y)
	fmt.Fprintf(out, "\n#BEGIN_TB\n\nthread block = %d,%d,%d\n", block%gx, block/gx%gy, block/gx/gy)
	for w := range x.chunk.WarpsPerBlock() {
		n := 0
		x.lines, n = x.warp(x.lines[:0], x.chunk.Warp(block, w))
		fmt.Fprintf(out, "\nwarp = %d\ninsts = %d\n", w, n)
		if _, err := out.Write(x.lines); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, "\n#END_TB\n")
	return err
}

// warp appends the instructions of a warp and counts them.
func (x *exporter) warp(dst []byte, w trace.Warp) ([]byte, int) {
	leaving, n := lastLanes(w), 0
	for e := range w.Executed(x.kernel.kernel) {
		mask := e.Mask
		if !e.In.Guarded() && e.In.Class == trace.ClassExit && e.In.Guard.Present {
			mask &= leaving[e.Visit]
		}
		var lanes *[trace.WarpSize]uint64
		if e.Access != nil {
			x.chunk.Addresses(*e.Access, mask, &x.lanes)
			for i := range x.lanes {
				x.lanes[i] = trace.AddressOf(x.lanes[i])
			}
			lanes = &x.lanes
		}
		dst = x.kernel.append(dst, int(e.Index), mask, lanes)
		n++
	}
	return dst, n
}

// lastLanes has for every visit the lanes that no later visit has.
func lastLanes(w trace.Warp) []uint32 {
	last := make([]uint32, len(w.Masks))
	later := uint32(0)
	for v := len(w.Masks) - 1; v >= 0; v-- {
		last[v] = ^later
		later |= w.Masks[v]
	}
	return last
}
