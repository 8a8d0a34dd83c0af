// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"

	"github.com/warptape/warptape/cmd/command"
	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/timing/arch"
)

//go:embed machines.md.tmpl
var machinesPage string

// machinePeaks is what a machine reaches at most.
type machinePeaks struct {
	Name                     string
	SMs, MaxWarps, MaxBlocks int
	arch.Peaks
}

// WriteMachines writes docs/machines.md.
func WriteMachines(b *bytes.Buffer) error {
	var list bytes.Buffer
	if code := command.Main([]string{"warptape", "arch", "list"}, &list, os.Stderr); code != commandline.ExitOK {
		return fmt.Errorf("warptape arch list: exit code %d", code)
	}
	names, err := machineset.Names()
	if err != nil {
		return err
	}
	machines, err := machineset.Load(names)
	if err != nil {
		return err
	}
	var peaks []machinePeaks
	for i, m := range machines {
		peaks = append(peaks, machinePeaks{names[i], m.GPU.SMs, m.SM.MaxWarps, m.SM.MaxBlocks, m.Peaks()})
	}
	return page.Write(b, machinesPage, map[string]any{"List": list.String(), "Peaks": peaks})
}
