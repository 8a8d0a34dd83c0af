// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
)

// figure is a column of the table: a ratio of two counters.
type figure struct {
	title     string
	of, per   counters.ID
	scale     float64
	precision int
}

func figures() []figure {
	kilo := func(title string, of counters.ID) figure { return figure{title, of, cpu.Instructions, 1000, 2} }
	return []figure{
		{"IPC", cpu.Instructions, cpu.Cycles, 1, 3},
		kilo("mispredicted/k", cpu.MispredictedBranches),
		kilo("L1 misses/k", cpu.L1ReadMisses),
		kilo("L2 misses/k", cpu.L2Misses),
		kilo("TLB misses/k", cpu.DataPageMisses),
	}
}

func (f *figure) value(s *counters.Set) float64 {
	if s[f.per] == 0 {
		return 0
	}
	return f.scale * float64(s[f.of]) / float64(s[f.per])
}

// WriteTable prints a row for each program of each machine's result.
func WriteTable(out io.Writer, machines []string, results []*Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "architecture\tprogram\tcore\tinstructions\tCPU cycles\t")
	for _, f := range figures() {
		fmt.Fprintf(w, "%s\t", f.title)
	}
	fmt.Fprint(w, "runs\t\n")
	for i, r := range results {
		for k := range r.Programs {
			o := &r.Programs[k]
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t", machines[i], o.Name, o.Core, o.Counters[cpu.Instructions], o.Counters[cpu.Cycles])
			for _, f := range figures() {
				fmt.Fprintf(w, "%.*f\t", f.precision, f.value(&o.Counters))
			}
			fmt.Fprintf(w, "%d\t\n", o.Runs)
		}
	}
	return w.Flush()
}

// programJSON and machineJSON are the forms in which WriteJSON gives results: all
// counters of cores that are not zero, by name.
type programJSON struct {
	Program  string            `json:"program"`
	Core     int               `json:"core"`
	IPC      float64           `json:"ipc"`
	Runs     int               `json:"runs"`
	Counters map[string]uint64 `json:"counters"`
}

type machineJSON struct {
	Architecture string            `json:"architecture"`
	Digest       string            `json:"digest"`
	CPUCycles    cpu.Cycle         `json:"cpu_cycles"`
	Programs     []programJSON     `json:"programs"`
	Total        map[string]uint64 `json:"total"`
}

// WriteJSON writes all statistics; digests are those of the machines.
func WriteJSON(out io.Writer, machines, digests []string, results []*Result) error {
	var all []machineJSON
	for i, r := range results {
		m := machineJSON{Architecture: machines[i], Digest: digests[i], CPUCycles: r.Cycles, Total: named(&r.Total)}
		for k := range r.Programs {
			o := &r.Programs[k]
			m.Programs = append(m.Programs, programJSON{o.Name, o.Core, o.IPC(), o.Runs, named(&o.Counters)})
		}
		all = append(all, m)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

// named gives the counters that are not zero by name; JSON sorts them.
func named(s *counters.Set) map[string]uint64 {
	out := map[string]uint64{}
	for id, v := range s {
		if v != 0 {
			out[counters.Declared(counters.ID(id)).Name] = v
		}
	}
	return out
}
