// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"io"

	"github.com/warptape/warptape/traces"
)

// workloadJSON is a workload as --json prints it.
type workloadJSON struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Suite       string     `json:"suite"`
	Tables      []string   `json:"tables"`
	Digest      string     `json:"digest"`
	Sizes       []sizeJSON `json:"sizes"`
}

type sizeJSON struct {
	traces.Size
	Parameters      map[string]string `json:"parameters"`
	MeanActiveLanes float64           `json:"mean_active_lanes,omitempty"`
	MemoryIntensity float64           `json:"memory_intensity,omitempty"`
}

func listWorkloadsJSON(w io.Writer) error {
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		return err
	}
	all := []workloadJSON{}
	for i := range catalogue.Workloads {
		e := &catalogue.Workloads[i]
		p, wl, err := catalogueProgram(e.Name)
		if err != nil {
			return err
		}
		out := workloadJSON{Name: e.Name, Description: wl.Description, Suite: e.Suite, Tables: e.Tables, Digest: e.Digest, Sizes: []sizeJSON{}}
		for _, s := range p.Sizes() {
			known := e.Size(s.Name)
			if known == nil {
				continue
			}
			size := sizeJSON{Size: *known, Parameters: map[string]string{}}
			for _, parameter := range s.Parameters {
				size.Parameters[parameter.Name] = parameter.Value()
			}
			if f := known.Figures; f != nil {
				size.MeanActiveLanes, size.MemoryIntensity = f.MeanActiveLanes(), f.MemoryIntensity()
			}
			out.Sizes = append(out.Sizes, size)
		}
		all = append(all, out)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all)
}
