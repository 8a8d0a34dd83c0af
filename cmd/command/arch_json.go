// SPDX-License-Identifier: Apache-2.0

package command

import (
	"io"

	"github.com/warptape/warptape/timing/arch"
)

// entryJSON is a machine or an overlay as --json prints it.
type entryJSON struct {
	Name        string          `json:"name"`
	Kind        string          `json:"kind"` // "machine" or "overlay"
	Description string          `json:"description"`
	Parameters  []parameterJSON `json:"parameters"`
}

type parameterJSON struct {
	Name    string   `json:"name"`
	Keys    []string `json:"keys"`
	Default string   `json:"default"`
	Expects string   `json:"expects"`
	About   string   `json:"about,omitempty"`
	Source  string   `json:"source,omitempty"`
}

func newEntryJSON(e *arch.Entry) entryJSON {
	out := entryJSON{Name: e.Name, Kind: "machine", Description: e.Description, Parameters: []parameterJSON{}}
	if e.Overlay {
		out.Kind = "overlay"
	}
	for _, p := range e.Parameters {
		out.Parameters = append(out.Parameters, parameterJSON{p.Name, append([]string{}, p.Keys...), p.Default, p.Expects, p.About, p.Source})
	}
	return out
}

func listArchitecturesJSON(w io.Writer) error {
	entries, err := arch.List()
	if err != nil {
		return err
	}
	list := []entryJSON{}
	for i := range entries {
		list = append(list, newEntryJSON(&entries[i]))
	}
	return writeJSON(w, list)
}

// showArchitectureJSON is showArchitecture as JSON.
func showArchitectureJSON(w io.Writer, spec string) error {
	entries, err := arch.List()
	if err != nil {
		return err
	}
	for i := range entries {
		if entries[i].Overlay && entries[i].Name == spec {
			return writeJSON(w, newEntryJSON(&entries[i]))
		}
	}
	m, err := arch.Load(spec)
	if err != nil {
		return err
	}
	return writeJSON(w, m)
}
