// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/packed"
	"github.com/warptape/warptape/trace/wtape"
)

// Import makes one trace of the launches and copies of kernelslist.g files, taken
// one after the other. Files that end in .xz, .gz and .zst are decompressed. A
// kernel file with fewer thread blocks than its grid makes the trace a sample.
// Errors name file and line.
func Import(lists []string, output string, tool string, options wtape.Options) error {
	names := make([]string, len(lists))
	for i, list := range lists {
		names[i] = filepath.Base(filepath.Dir(list)) + "/" + filepath.Base(list)
	}
	w, err := wtape.Create(output, trace.Header{Tool: tool, Program: "accelsim " + strings.Join(names, " ")}, options)
	if err != nil {
		return err
	}
	defer w.Abort()
	m := &importer{w: w, streams: map[uint64]uint32{0: 0}}
	for _, list := range lists {
		if err := m.list(list); err != nil {
			return err
		}
	}
	if m.missing > 0 {
		w.UpdateHeader(func(h *trace.Header) {
			h.Sampling = fmt.Sprintf("accelsim: %d thread blocks are not in the files", m.missing)
		})
	}
	return w.Finish()
}

type importer struct {
	w       *wtape.Writer
	kernels []*trace.Kernel
	streams map[uint64]uint32 // handle to number in order of appearance
	missing uint64
}

// list executes the commands of a kernelslist.g. Like the simulator it passes over
// lines that it does not know.
func (m *importer) list(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(text, "MemcpyHtoD"):
			err = m.copy(text)
		case strings.HasPrefix(text, "kernel"):
			if strings.Contains(filepath.Base(text), ".tracez") {
				err = fmt.Errorf("%q is in the seekable form of tracer version 6: convert it to .traceg with the tracer's tools", text)
				break
			}
			if !filepath.IsLocal(text) {
				err = fmt.Errorf("%q is outside the folder of the list", text)
				break
			}
			if err := m.launch(filepath.Join(filepath.Dir(path), text)); err != nil {
				return err // names its own file
			}
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (m *importer) copy(text string) error {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return errors.New("want MemcpyHtoD,address,bytes")
	}
	address, err := strconv.ParseUint(strings.TrimPrefix(parts[1], "0x"), 16, 64)
	if err != nil {
		return fmt.Errorf("address %.40q is not hexadecimal", parts[1])
	}
	bytes, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil {
		return fmt.Errorf("size %.40q is not a number", parts[2])
	}
	_, err = m.w.AddEvent(trace.HostEvent{Kind: trace.EventCopyToDevice, Address: address, Bytes: bytes})
	return err
}

// launch imports a kernel file in two passes.
func (m *importer) launch(path string) error {
	var s *survey
	err := pass(path, func(p *parser) visitor {
		s = newSurvey(&p.header)
		return s
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	kernel, err := m.kernel(s.finish())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	h := s.file
	l := trace.Launch{Kernel: kernel, Grid: h.grid, Block: h.block, Stream: m.stream(h.stream)}
	if _, err := m.w.BeginLaunch(l); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c := &copier{survey: s, w: m.w, ids: s.blocks, known: len(s.kernel.Instructions)}
	if !ascending(s.blocks) || len(s.blocks) > 0 && s.blocks[len(s.blocks)-1] >= h.grid.Count() {
		c.ids = nil // the simulator takes them in the order of the file, whatever they are called
	}
	if err := pass(path, func(*parser) visitor { return c }); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	m.missing += h.grid.Count() - uint64(len(s.blocks))
	return m.w.EndLaunch()
}

func ascending(ids []uint64) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i] <= ids[i-1] {
			return false
		}
	}
	return true
}

func pass(path string, visit func(*parser) visitor) error {
	t, err := packed.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	p, err := newParser(t)
	if err != nil {
		return err
	}
	return p.walk(visit(p))
}

// kernel adds a kernel unless an equal one is there.
func (m *importer) kernel(k *trace.Kernel) (int, error) {
	if i := slices.IndexFunc(m.kernels, func(have *trace.Kernel) bool { return have.Name == k.Name && reflect.DeepEqual(have, k) }); i >= 0 {
		return i, nil
	}
	m.kernels = append(m.kernels, k)
	return m.w.AddKernel(k)
}

func (m *importer) stream(handle uint64) uint32 {
	n, ok := m.streams[handle]
	if !ok {
		n = uint32(len(m.streams))
		m.streams[handle] = n
	}
	return n
}
