package command

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace"
)

func loadMachines(specs []string) ([]*arch.Machine, error) {
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

func machineNames() ([]string, error) {
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

// cannotRun says why the machine cannot run the trace, if it cannot.
func cannotRun(r *trace.Reader, machine *arch.Machine) (string, error) {
	g, err := gpu.New(machine, gpu.Options{})
	if err != nil {
		return "", err
	}
	if err := g.Check(r.Kernels(), r.Launches()); err != nil {
		return err.Error(), nil
	}
	return "", nil
}
