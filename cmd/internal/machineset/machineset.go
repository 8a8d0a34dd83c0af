// Package machineset loads the machines that a command line names.
package machineset

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace"
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

// Names are those of the built-in machines.
func Names() ([]string, error) {
	entries, err := arch.List()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.Overlay {
			names = append(names, e.Name)
		}
	}
	return names, nil
}

// Refusal says why the machine cannot run the trace, if it cannot.
func Refusal(r *trace.Reader, machine *arch.Machine) (string, error) {
	g, err := gpu.New(machine, gpu.Options{})
	if err != nil {
		return "", err
	}
	if err := g.Check(r.Kernels(), r.Launches()); err != nil {
		return err.Error(), nil
	}
	return "", nil
}
