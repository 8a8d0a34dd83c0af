package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
)

// energyWorkloads are those that the documents on energy report on, at energySize.
var energyWorkloads = []string{"saxpy", "sgemm", "reduction", "hotspot"}

// energyMachines are those that they are replayed on.
var energyMachines = []string{"gtx480", "gpsim-soc", "mesh56"}

const energySize = "small"

// energyRun is a workload on energyMachines.
type energyRun struct {
	workload string
	results  []replay.Result
	// plain and calibrated hold the account of each machine.
	plain, calibrated []energy.Report
}

// energyRuns records and replays what the documents need, once.
var energyRuns = sync.OnceValues(func() ([]energyRun, error) {
	folder, err := os.MkdirTemp("", "warptape-docs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	machines, err := loadMachines(energyMachines)
	if err != nil {
		return nil, err
	}
	var runs []energyRun
	for _, name := range energyWorkloads {
		run, err := runForEnergy(name, filepath.Join(folder, name+".wtape"), machines)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
})

func runForEnergy(workload, path string, machines []*arch.Machine) (energyRun, error) {
	run := energyRun{workload: workload}
	program, _, err := catalogueProgram(workload)
	if err != nil {
		return run, err
	}
	w, err := trace.Create(path, trace.Header{Tool: "warptape"}, trace.Options{})
	if err != nil {
		return run, err
	}
	defer w.Abort() // without effect after Finish
	if _, err := program.Run(context.Background(), host.Options{Size: energySize, Seed: 1, Sink: w, Out: io.Discard}); err != nil {
		return run, err
	}
	if err := w.Finish(); err != nil {
		return run, err
	}
	r, err := trace.Open(path)
	if err != nil {
		return run, err
	}
	defer r.Close()
	if run.results, err = replay.Run(context.Background(), r, machines, replay.Options{}); err != nil {
		return run, err
	}
	for i := range machines {
		if err := run.price(&run.results[i]); err != nil {
			return run, err
		}
	}
	return run, nil
}

// price adds the accounts of a result.
func (r *energyRun) price(result *replay.Result) error {
	m, total := result.Architecture, &result.Total
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		return err
	}
	scaled, err := model.Calibrated()
	if err != nil {
		return err
	}
	set, seconds := (*counters.Set)(&total.Counters), total.Nanoseconds*1e-9
	plain, err := model.Account(set, seconds)
	if err != nil {
		return err
	}
	calibrated, err := scaled.Account(set, seconds)
	r.plain, r.calibrated = append(r.plain, plain), append(r.calibrated, calibrated)
	return err
}
