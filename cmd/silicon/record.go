// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"encoding/json"
	"fmt"

	"github.com/warptape/warptape/cmd/tune"
)

// DataFile is the committed file of what the last comparison found, relative to the
// source tree.
const DataFile = "cmd/silicon/silicon.json"

// Models are the ways in which each variant is replayed.
var Models = []Model{
	{"recorded", "recorded PTX, with registers as the machine allocates them"},
	{"vendor", "recorded PTX, with as many registers a thread as the vendor's compiler took"},
	{"selected", "machine operations of the card's generation in the order of the PTX, with as many registers as that needs (lowering.md)"},
	{"scheduled", "the same in the order of the scheduler"},
	{lowered, "the same with registers allocated as a thread may have them"},
}

// lowered is the model with all stages of the lowering.
const lowered = "lowered"

// stages are the models with machine operations, by the last stage of the lowering.
var stages = map[string]string{"selected": "selection", "scheduled": "scheduling", lowered: "allocation"}

// generations are the values of gpu.lowering of the cards.
var generations = map[string]string{"v100": "volta", "rtx2080ti": "turing", "rtx3090": "ampere"}

// Model is one of them.
type Model struct{ Name, About string }

// Found is what a comparison has found.
type Found struct {
	Spaces  []FoundSpace  `json:"spaces"`
	Kernels []FoundKernel `json:"kernels"`
	// Seconds is what the comparison took, on one core.
	Seconds float64 `json:"seconds"`
}

// FoundSpace is of the variants of a workload on a card.
type FoundSpace struct {
	Card     string     `json:"card"`
	Workload string     `json:"workload"`
	Rows     []FoundRow `json:"rows"`
}

// FoundRow is a variant: its place in Space.Rows, and what each model says of it.
type FoundRow struct {
	Row    int                `json:"row"`
	Models map[string]FoundIn `json:"models"`
}

// FoundIn is what a model says: a time with its 95 % interval, or why there is none.
type FoundIn struct {
	Microseconds float64 `json:"us,omitempty"`
	Percent      float64 `json:"interval_percent,omitempty"`
	Occupancy    int     `json:"blocks_per_sm,omitempty"`
	Limit        string  `json:"limit,omitempty"`
	Refused      string  `json:"refused,omitempty"`
	// Registers and SpillBytes are of a thread, as the lowering allocates them.
	Registers  int     `json:"registers,omitempty"`
	SpillBytes int     `json:"spill_bytes,omitempty"`
	Counts     *Counts `json:"counts,omitempty"`
}

// FoundKernel is a kernel on a V100: means over its launches.
type FoundKernel struct {
	Workload       string  `json:"workload"`
	Kernel         string  `json:"kernel"`
	Launches       int     `json:"launches"`
	Cycles         float64 `json:"cycles"`
	MeasuredCycles float64 `json:"measured_cycles"`
	Watts          float64 `json:"watts"`
	MeasuredWatts  float64 `json:"measured_watts"`
}

// Last is the committed file.
func Last() (*Found, error) {
	text, err := files.ReadFile("silicon.json")
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// Parse reads the file.
func Parse(text []byte) (*Found, error) {
	f := new(Found)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", DataFile, err)
	}
	return f, nil
}

// of finds a space; nil when nothing was found of it.
func (f *Found) of(card, workload string) *FoundSpace {
	for i := range f.Spaces {
		if s := &f.Spaces[i]; s.Card == card && s.Workload == workload {
			return s
		}
	}
	return nil
}

// Evidence is what the last comparison says of the model's order of a program's variants
// on a machine. It is that of that program on that card, else of that program on other
// cards, else of all that was measured.
func Evidence(program, machine string) (tune.Evidence, error) {
	found, err := Last()
	if err != nil {
		return tune.Evidence{}, err
	}
	spaces, err := Spaces()
	if err != nil {
		return tune.Evidence{}, err
	}
	for _, fits := range []func(s *Space) bool{
		func(s *Space) bool { return s.Workload == program && s.Card == machine },
		func(s *Space) bool { return s.Workload == program },
		func(*Space) bool { return true },
	} {
		var all tune.Evidence
		for i := range spaces {
			if !fits(&spaces[i]) {
				continue
			}
			if e, ok := found.evidence(&spaces[i]); ok {
				if all.Of != "" {
					all.Of += ", "
				}
				all.Of += e.Of
				all.Add(&e)
				all.Here = spaces[i].Card == machine && spaces[i].Workload == program
			}
		}
		if all.Of != "" {
			return all, nil
		}
	}
	return tune.Evidence{}, nil
}

func (f *Found) evidence(s *Space) (tune.Evidence, bool) {
	pairs := f.pairs(s, lowered) // as the machines of these cards are
	if len(pairs) < 3 {
		return tune.Evidence{}, false
	}
	var model, measured []float64
	for _, p := range pairs {
		model, measured = append(model, p.Ours), append(measured, p.Measured)
	}
	return tune.Compare(fmt.Sprintf("%d variants of %s on %s", len(pairs), s.Workload, s.Card), model, measured), true
}

// Pair is a row that a model has a time for, in microseconds.
type Pair struct {
	Row            *Row
	In             FoundIn
	Measured, Ours float64
}

// pairs are the rows of a space that a model has times for.
func (f *Found) pairs(s *Space, model string) []Pair {
	var list []Pair
	of := f.of(s.Card, s.Workload)
	if of == nil {
		return nil
	}
	for _, r := range of.Rows {
		if in, ok := r.Models[model]; ok && in.Refused == "" && r.Row < len(s.Rows) {
			row := &s.Rows[r.Row]
			list = append(list, Pair{row, in, row.Microseconds, in.Microseconds})
		}
	}
	return list
}
