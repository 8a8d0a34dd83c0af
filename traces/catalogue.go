// SPDX-License-Identifier: Apache-2.0

package traces

import (
	"bytes"
	_ "embed" // for the catalogue file
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// CatalogueFile is the generated file with what the workloads do, relative to
// this package's folder.
const CatalogueFile = "catalogue.json"

//go:embed catalogue.json
var catalogueText []byte

// Catalogue is what is known of every workload without running it.
type Catalogue struct {
	// Workloads are in the order of their names.
	Workloads []Entry `json:"workloads"`
}

// Entry is one workload of the catalogue.
type Entry struct {
	Name string `json:"name"`
	// Digest is the Workload.Digest that the figures were measured with.
	Digest string `json:"digest"`
	// Suite and Tables are the host program's About.
	Suite  string   `json:"suite"`
	Tables []string `json:"tables"`
	// Sizes are in the host program's order.
	Sizes []Size `json:"sizes"`
}

// Size is what a run of one problem size does, with the seed CatalogueSeed.
type Size struct {
	Name string `json:"name"`
	// Unmeasured, when not empty, says why there are no figures.
	Unmeasured string `json:"unmeasured,omitempty"`
	// Figures is nil when they were not measured.
	Figures *Figures `json:"figures,omitempty"`
}

// CatalogueSeed is the seed of the inputs that the figures are measured with. It
// is the one that warptape record takes when none is given.
const CatalogueSeed = 1

// Figures are exact counts of one run.
type Figures struct {
	Launches     uint64 `json:"launches"`
	ThreadBlocks uint64 `json:"thread_blocks"`
	Threads      uint64 `json:"threads"`
	// WarpInstructions are executed instructions of warps of 32 threads;
	// ThreadInstructions counts each once for every thread that executes it.
	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
	// MemoryInstructions are the warp instructions that have addresses.
	MemoryInstructions uint64 `json:"memory_instructions"`
	// BytesToDevice and BytesToHost are copied by the host program.
	BytesToDevice uint64 `json:"bytes_to_device"`
	BytesToHost   uint64 `json:"bytes_to_host"`
}

// MeanActiveLanes is the mean number of threads that execute a warp instruction,
// at most 32; zero without instructions. It measures divergence: a program whose
// warps are full and never diverge has 32.
func (f *Figures) MeanActiveLanes() float64 {
	return perWarpInstruction(f.ThreadInstructions, f)
}

// MemoryIntensity is the fraction of warp instructions that access memory.
func (f *Figures) MemoryIntensity() float64 {
	return perWarpInstruction(f.MemoryInstructions, f)
}

func perWarpInstruction(n uint64, f *Figures) float64 {
	if f.WarpInstructions == 0 {
		return 0
	}
	return float64(n) / float64(f.WarpInstructions)
}

// ReadCatalogue is the catalogue file that is part of the executable.
func ReadCatalogue() (*Catalogue, error) { return ParseCatalogue(CatalogueFile, catalogueText) }

// ParseCatalogue reads a catalogue file; name stands for it in errors.
func ParseCatalogue(name string, text []byte) (*Catalogue, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	c := new(Catalogue)
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w; regenerate it with 'make figures'", name, err)
	}
	return c, nil
}

// Text is the catalogue as the file has it: the same for the same contents.
func (c *Catalogue) Text() ([]byte, error) {
	text, err := json.MarshalIndent(c, "", "  ")
	return append(text, '\n'), err
}

// Find gives the entry of a workload, nil when there is none.
func (c *Catalogue) Find(workload string) *Entry {
	i, found := slices.BinarySearchFunc(c.Workloads, workload, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	if !found {
		return nil
	}
	return &c.Workloads[i]
}

// Size gives what is known of a size, nil when there is none of that name.
func (e *Entry) Size(name string) *Size {
	for i := range e.Sizes {
		if e.Sizes[i].Name == name {
			return &e.Sizes[i]
		}
	}
	return nil
}
