// SPDX-License-Identifier: Apache-2.0

// Package tracesizes compares the sizes of traces with two others: the same recordings
// as Accel-Sim files, and the lower bounds that information theory gives.
package tracesizes

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/trace/accelsim"
	"github.com/warptape/warptape/trace/wtape"
)

// Command tables the sizes of traces.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "sizes",
		Usage:     "table the sizes of traces per warp instruction, as Markdown",
		ArgsUsage: "FILE.wtape...",
		Description: `With --accelsim every trace is exported to a temporary folder in each compression,
which takes much longer than reading it. A sample or a trace that cannot be exported
has a dash there.

Examples:
  warptape-dev sizes *.wtape
  warptape-dev sizes saxpy.wtape bfs.wtape --accelsim`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "accelsim", Usage: "compare with Accel-Sim files: plain, gzip, xz, zstd"}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return commandline.Usagef("sizes: missing argument FILE.wtape")
			}
			s := &sizeTable{out: c.App.Writer, compare: c.Bool("accelsim")}
			s.head()
			for _, path := range c.Args().Slice() {
				if err := s.row(path); err != nil {
					return err
				}
			}
			_, err := fmt.Fprintf(s.out, "\nGeometric mean of %d: %.3f bytes per warp instruction.\n", s.rows, math.Exp(s.logs/float64(max(1, s.rows))))
			return err
		},
	}
}

// sizeTable prints bytes per warp instruction.
type sizeTable struct {
	out     io.Writer
	compare bool
	rows    int
	logs    float64 // sum of the logarithms of the sizes
}

func (s *sizeTable) head() {
	fmt.Fprint(s.out, "| trace | warp instructions | bytes | bytes each |")
	if s.compare {
		fmt.Fprint(s.out, " Accel-Sim text | gzip | xz | zstd | xz over .wtape |")
	}
	fmt.Fprint(s.out, "\n| --- | ---: | ---: | ---: |")
	if s.compare {
		fmt.Fprint(s.out, " ---: | ---: | ---: | ---: | ---: |")
	}
	fmt.Fprintln(s.out)
}

func (s *sizeTable) row(path string) error {
	r, err := wtape.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	executed := uint64(0)
	for i := range r.Chunks() {
		executed += r.Chunks()[i].WarpInstructions
	}
	if executed == 0 {
		return fmt.Errorf("%s: holds no warp instruction", path)
	}
	each := float64(r.Size()) / float64(executed)
	s.rows++
	s.logs += math.Log(each)
	fmt.Fprintf(s.out, "| %s | %s | %s | %.3f |", strings.TrimSuffix(filepath.Base(path), ".wtape"), numbers.Grouped(executed), numbers.Grouped(uint64(r.Size())), each)
	if s.compare {
		if err := s.accelsim(r, executed); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(s.out)
	return err
}

func (s *sizeTable) accelsim(r *wtape.Reader, executed uint64) error {
	folder, err := os.MkdirTemp("", "warptape-sizes-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	sizes := map[string]uint64{}
	for _, suffix := range []string{"", ".gz", ".xz", ".zst"} {
		to := filepath.Join(folder, "x"+suffix)
		if err := accelsim.Export(r, to, accelsim.ExportOptions{Compression: suffix}); err != nil {
			fmt.Fprint(s.out, " – | – | – | – | – |")
			return nil
		}
		if sizes[suffix], err = folderBytes(to); err != nil {
			return err
		}
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		fmt.Fprintf(s.out, " %.3f |", float64(sizes[suffix])/float64(executed))
	}
	fmt.Fprintf(s.out, " %.1f |", float64(sizes[".xz"])/float64(r.Size()))
	return nil
}

// folderBytes is the size of all files of a folder.
func folderBytes(folder string) (n uint64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += uint64(info.Size())
		}
		return err
	})
	return n, err
}
