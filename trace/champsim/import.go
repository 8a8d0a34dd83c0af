// SPDX-License-Identifier: Apache-2.0

package champsim

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/packed"
	"github.com/warptape/warptape/trace/wtape"
)

// Import makes a trace of ChampSim files, each a CPU thread, in their order. Files
// that end in .xz, .gz, .zst and .bz2 are decompressed. Errors name file, record and
// offset; the trace appears only when all is well.
func Import(files []string, output, tool string, layout Layout, options wtape.Options) error {
	header := trace.Header{Tool: tool, Arguments: map[string]string{}}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = filepath.Base(file)
		header.Arguments[fmt.Sprintf("cpu.%d", i)] = names[i]
	}
	header.Program = "champsim " + strings.Join(names, " ")
	w, err := wtape.Create(output, header, options)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, file := range files {
		if err := importFile(w, file, layout); err != nil {
			return err
		}
	}
	return w.Finish()
}

func importFile(w *wtape.Writer, path string, layout Layout) error {
	in, err := packed.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer in.Close()
	if err := Read(w, in, layout); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Read records the instructions of one stream of records as the next CPU thread.
func Read(w *wtape.Writer, in io.Reader, layout Layout) error {
	if _, err := w.BeginCPUThread(); err != nil {
		return err
	}
	const batch = 1024 // records read at once
	buffer := make([]byte, batch*layout.bytes)
	var instruction trace.CPUInstruction
	var addresses []uint64
	for records := uint64(0); ; {
		n, err := io.ReadFull(in, buffer)
		for b := buffer[:n]; len(b) > 0; b = b[layout.bytes:] {
			offset := records * uint64(layout.bytes)
			if len(b) < layout.bytes {
				return fmt.Errorf("ends inside record %d at offset %d: %d of %d bytes; get the file again", records, offset, len(b), layout.bytes)
			}
			taken, a, err := layout.decode(b[:layout.bytes], &instruction, addresses[:0])
			if err != nil {
				return fmt.Errorf("record %d at offset %d: %w", records, offset, err)
			}
			addresses = a
			if err := w.AddCPU(&instruction, taken, addresses); err != nil {
				return err
			}
			records++
		}
		switch {
		case errors.Is(err, io.EOF) && records == 0:
			return errors.New("holds no record: an empty file is no ChampSim trace")
		case err == io.EOF || err == io.ErrUnexpectedEOF && n%layout.bytes == 0:
			return nil
		case err != nil:
			return fmt.Errorf("after record %d, offset %d: %w", records, records*uint64(layout.bytes), err)
		}
	}
}
