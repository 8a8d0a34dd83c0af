// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Entry is one built-in machine or overlay.
type Entry struct {
	Name, Description string
	Overlay           bool
	// Parameters of an overlay, in the order of its file.
	Parameters []Parameter
}

// Signature is the name with the parameters and their defaults, as the entry can
// stand in a specification: "big-l1(factor=4)".
func (e *Entry) Signature() string {
	if len(e.Parameters) == 0 {
		return e.Name
	}
	return e.Name + "(" + strings.Join(e.Defaults(), ",") + ")"
}

// Defaults are the parameters with their defaults, each NAME=VALUE.
func (e *Entry) Defaults() []string {
	list := make([]string, len(e.Parameters))
	for i := range e.Parameters {
		list[i] = e.Parameters[i].Name + "=" + e.Parameters[i].Default
	}
	return list
}

// Show writes the entry with its parameters: what each may be, its default, the keys
// that it changes, and where the default comes from. The error is w's.
func (e *Entry) Show(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n", e.Name, e.Description)
	if len(e.Parameters) == 0 {
		fmt.Fprintf(&b, "no parameters; put it on a machine with +, such as gtx480+%s\n", e.Name)
	} else {
		t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
		fmt.Fprintln(t, "parameter\tdefault\tmay be\tchanges\tsource")
		for i := range e.Parameters {
			p := &e.Parameters[i]
			source := p.Source
			if p.About != "" {
				source = p.About + "; " + source
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.Name, p.Default, p.Expects, strings.Join(p.Keys, " "), strings.TrimSuffix(source, "; "))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
