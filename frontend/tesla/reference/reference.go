// SPDX-License-Identifier: Apache-2.0

// Package reference reads the reference runs of the configurable Tesla-like GPGPU:
// kernels that the published register-transfer description has executed, repaired where
// it did not start, in simulation. One file is a kernel; it has what the kernel is and,
// for several configurations, what happened in which cycle.
package reference

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/trace"
)

// Variable names a folder with more files, which tests then read instead.
const Variable = "WARPTAPE_TESLA_REFERENCE"

// File is one kernel.
type File struct {
	Name          string   `json:"name"`
	Program       []string `json:"program"`
	Words         []string `json:"words"`
	Grid          [3]int   `json:"grid"`
	Block         [3]int   `json:"block"`
	Registers     int      `json:"regs_per_thread"`
	WarpsPerBlock int      `json:"warps_per_block"`
	Parameters    []uint32 `json:"params"`
	Constants     []uint32 `json:"const"`
	Data          []uint32 `json:"data"`
	ImageWords    int      `json:"kernel_mem_words"`
	Runs          []Run    `json:"runs"`
}

// Run is a kernel in one configuration.
type Run struct {
	Config struct {
		Processors          int `json:"SP_PER_MP"`
		Multiprocessors     int `json:"NUM_MPS"`
		WarpSlots           int `json:"NUM_WARPS"`
		BlockSlots          int `json:"NUM_BLOCKS"`
		Parameters          int `json:"NUM_PARAMS"`
		WarpWidth           int `json:"WARP_WIDTH"` // absent: 32
		RegisterAddressBits int `json:"R_ADDR_WIDTH"`
		SharedAddressBits   int `json:"L_ADDR_WIDTH"`
		ConstantAddressBits int `json:"C_ADDR_WIDTH"`
		InstructionBits     int `json:"I_ADDR_WIDTH"`
	} `json:"config"`
	Cycles      uint64              `json:"cycles"`
	LoadCycles  int                 `json:"load_cycles"`
	FirstIssue  uint64              `json:"first_issue"`
	Issues      uint64              `json:"warp_issues"`
	Rows        uint64              `json:"warp_rows"`
	Replays     uint64              `json:"conflict_replays"`
	Divergences uint64              `json:"divergences"`
	Dispatches  [][]int             `json:"dispatch"`
	Inits       [][]any             `json:"warp_init"`
	Trace       [][]any             `json:"issue_trace"`
	Memory      []map[string]uint32 `json:"final_memory"`
}

// ReadAll reads all files of a folder, or of the one that the variable names; files end
// in .json or .json.gz.
func ReadAll(folder string) ([]File, error) {
	if other := os.Getenv(Variable); other != "" {
		folder = other
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, ".json.gz") {
			continue
		}
		f, err := read(filepath.Join(folder, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no reference file, which ends in .json or .json.gz", folder)
	}
	return files, nil
}

func read(path string) (f File, err error) {
	in, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer in.Close()
	var text io.Reader = in
	if strings.HasSuffix(path, ".gz") {
		if text, err = gzip.NewReader(in); err != nil {
			return f, err
		}
	}
	return f, json.NewDecoder(text).Decode(&f)
}

// Kernel assembles the program.
func (f *File) Kernel() (*language.Kernel, error) {
	k, err := language.Assemble(f.Name, strings.Join(f.Program, "\n"))
	if err != nil {
		return nil, err
	}
	k.Grid, k.Block = dim(f.Grid), dim(f.Block)
	k.WarpsPerBlock, k.RegistersPerThread = f.WarpsPerBlock, f.Registers
	k.Parameters, k.Constants, k.Data = f.Parameters, f.Constants, f.Data
	return k, nil
}

func dim(d [3]int) trace.Dim3 {
	return trace.Dim3{X: uint32(d[0]), Y: uint32(d[1]), Z: uint32(d[2])}
}

// Machine is the configuration of a run.
func (r *Run) Machine() machine.Config {
	c := &r.Config
	return machine.Config{
		Multiprocessors: c.Multiprocessors, Processors: c.Processors, WarpSlots: c.WarpSlots, BlockSlots: c.BlockSlots, Parameters: c.Parameters, WarpWidth: cmp.Or(c.WarpWidth, language.WarpWidth),
		InstructionAddressBits: c.InstructionBits, RegisterAddressBits: c.RegisterAddressBits,
		ConstantAddressBits: c.ConstantAddressBits, SharedAddressBits: c.SharedAddressBits,
	}
}

// Log is what happened, in the form of an executed run. In one cycle multiprocessors
// come in their order.
func (r *Run) Log(grid trace.Dim3) (*machine.Log, error) {
	l := new(machine.Log)
	for _, d := range r.Dispatches {
		if len(d) != 5 {
			return nil, fmt.Errorf("a dispatch of %d numbers, want 5", len(d))
		}
		block := (uint64(d[4])*uint64(grid.Y)+uint64(d[3]))*uint64(grid.X) + uint64(d[2])
		l.Dispatches = append(l.Dispatches, machine.Dispatch{Cycle: uint64(d[0]), MP: d[1], Block: block})
	}
	for _, row := range r.Inits {
		n, mask, err := numbers(row, 4)
		if err != nil {
			return nil, err
		}
		l.Inits = append(l.Inits, machine.Init{Cycle: uint64(n[0]), MP: n[1], Slot: n[2], BlockPos: n[3], Mask: mask, Base: n[5]})
	}
	for _, row := range r.Trace {
		n, mask, err := numbers(row, 5)
		if err != nil {
			return nil, err
		}
		l.Issues = append(l.Issues, machine.Issue{Cycle: uint64(n[0]), MP: n[1], Slot: n[2], BlockPos: n[3], PC: n[4], Mask: mask})
	}
	slices.SortStableFunc(l.Inits, func(a, b machine.Init) int { return order(a.Cycle, b.Cycle, a.MP, b.MP) })
	slices.SortStableFunc(l.Issues, func(a, b machine.Issue) int { return order(a.Cycle, b.Cycle, a.MP, b.MP) })
	return l, nil
}

func order(a, b uint64, mpA, mpB int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return mpA - mpB
}

// numbers are those of a row of six; the one at place is a mask in hexadecimal.
func numbers(row []any, place int) (list [6]int, mask machine.Lanes, err error) {
	if len(row) != len(list) {
		return list, 0, fmt.Errorf("a row of %d numbers, want %d", len(row), len(list))
	}
	for i, v := range row {
		if i == place {
			text, _ := v.(string)
			m, err := strconv.ParseUint(text, 16, language.MaxWarpWidth)
			if err != nil {
				return list, 0, fmt.Errorf("mask %v: %w", v, err)
			}
			mask = machine.Lanes(m)
			continue
		}
		n, ok := v.(float64)
		if !ok {
			return list, 0, fmt.Errorf("%v is no number", v)
		}
		list[i] = int(n)
	}
	return list, mask, nil
}

// SharedWords are the words of a multiprocessor's shared memory at the end that are not
// zero, by address.
func (r *Run) SharedWords(mp int) (map[int]uint32, error) {
	words := map[int]uint32{}
	if mp >= len(r.Memory) {
		return nil, fmt.Errorf("no memory of multiprocessor %d", mp)
	}
	for text, value := range r.Memory[mp] {
		address, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		words[address] = value
	}
	return words, nil
}
