// SPDX-License-Identifier: Apache-2.0

package energypages

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// energyWorkloads are those that the documents on energy report on, at energySize.
var energyWorkloads = []string{"saxpy", "sgemm", "reduction", "hotspot"}

// energyMachines are those that they are replayed on.
var energyMachines = []string{"gtx480", "gpsim-tiny", "mesh56", "gtx480+published-icache"}

const energySize = "small"

// energyRun is a workload on energyMachines.
type energyRun struct {
	workload string
	results  []replay.Result
	// accounts holds that of each machine, by calibration.
	accounts map[string][]energy.Report
}

// energyRuns records and replays what the documents need, once.
var energyRuns = sync.OnceValues(func() ([]energyRun, error) {
	folder, err := os.MkdirTemp("", "warptape-docs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	machines, err := machineset.Load(energyMachines)
	if err != nil {
		return nil, err
	}
	var runs []energyRun
	for _, name := range energyWorkloads {
		path := filepath.Join(folder, name+".wtape")
		if err := recordForEnergy(name, path); err != nil {
			return nil, err
		}
		run, err := runForEnergy(name, path, machines)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
})

func recordForEnergy(workload, path string) error {
	entry, err := traces.Find(workload)
	if err != nil {
		return err
	}
	program, err := host.Load(entry.Files, entry.Program)
	if err != nil {
		return err
	}
	w, err := wtape.Create(path, trace.Header{Tool: "warptape"}, wtape.Options{})
	if err != nil {
		return err
	}
	defer w.Abort() // without effect after Finish
	if _, err := program.Run(context.Background(), host.Options{Size: energySize, Seed: 1, Sink: w, Out: io.Discard}); err != nil {
		return err
	}
	return w.Finish()
}

func runForEnergy(workload, path string, machines []*arch.Machine) (energyRun, error) {
	run := energyRun{workload: workload, accounts: map[string][]energy.Report{}}
	r, err := wtape.Open(path)
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
	for _, calibration := range compared {
		model, err := pricing.Model(m, energy.TechnologyOf(m), calibration, nil)
		if err != nil {
			return err
		}
		account, err := model.Account((*counters.Set)(&total.Counters), total.Nanoseconds*1e-9)
		if err != nil {
			return err
		}
		r.accounts[calibration] = append(r.accounts[calibration], account)
	}
	return nil
}

// refusal says why the machine cannot run the trace of a file, if it cannot.
func refusal(path, machine string) (string, error) {
	machines, err := machineset.Load([]string{machine})
	if err != nil {
		return "", err
	}
	r, err := wtape.Open(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	return machineset.Refusal(r, machines[0])
}

// compared are the calibrations that pages compare: those that were fitted to the machines of
// the papers, or to none.
var compared = []string{"cacti", "circuit", "gpuwattch"}
