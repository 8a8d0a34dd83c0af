// SPDX-License-Identifier: Apache-2.0

// Package machineset loads the machines that a command line names.
package machineset

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace/wtape"
)

// Load loads architectures by their specifications, MACHINE[+OVERLAY...].
func Load(specs []string) ([]*arch.Machine, error) {
	var machines []*arch.Machine
	for _, spec := range specs {
		m, err := arch.Load(spec)
		if err != nil {
			return nil, err
		}
		machines = append(machines, m)
	}
	return machines, nil
}

// Names lists the names of the built-in machines that execute PTX: their cores are
// SIMT cores.
func Names() ([]string, error) {
	entries, err := arch.List()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Overlay {
			continue
		}
		m, err := arch.Load(e.Name)
		if err != nil {
			return nil, err
		}
		if m.GPU.CoreKind() == arch.SIMTCore {
			names = append(names, e.Name)
		}
	}
	return names, nil
}

// Refusal says why the machine cannot run the trace, if it cannot.
func Refusal(r *wtape.Reader, machine *arch.Machine) (string, error) {
	g, err := gpu.New(machine, gpu.Options{})
	if err != nil {
		return "", err
	}
	if err := g.Check(r.Kernels(), r.Launches()); err != nil {
		return err.Error(), nil
	}
	return "", nil
}
