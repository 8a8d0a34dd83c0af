// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/cmd/development/cputime"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// wholeReplay is the replay of a whole trace on a machine. It takes long and is kept
// next to the trace.
type wholeReplay struct {
	TraceDigest        string  `json:"trace_digest"`
	ArchitectureDigest string  `json:"architecture_digest"`
	Cycles             int64   `json:"cycles"`
	Joules             float64 `json:"joules"`
	Seconds            float64 `json:"seconds"` // of processor time
	// Refused says why the machine cannot run the trace; all figures are zero then.
	Refused string `json:"refused,omitempty"`
}

// record gives the path of the workload's whole trace, which is recorded when it
// is not there.
func (m *samplingMeasurement) record(w samplingSubject) (string, error) {
	path := filepath.Join(m.folder, w.name()+".wtape")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	program, err := host.Load(w.Files, w.Program)
	if err != nil {
		return "", err
	}
	out, err := wtape.Create(path, trace.Header{Tool: "warptape " + release.Version()}, wtape.Options{})
	if err != nil {
		return "", err
	}
	defer out.Abort() // without effect after Finish
	if _, err := program.Run(m.ctx, host.Options{Size: samplingSize, Set: w.parameters(), Seed: 1, Sink: out}); err != nil {
		return "", err
	}
	return path, out.Finish()
}

// whole replays the whole trace on a machine, unless that has been done.
func (m *samplingMeasurement) whole(path string, machine *arch.Machine) (wholeReplay, error) {
	var f wholeReplay
	r, err := wtape.Open(path)
	if err != nil {
		return f, err
	}
	defer r.Close()
	kept := fmt.Sprintf("%s.%s.json", path, machine.Name)
	if found, err := readWhole(kept, &f); err != nil {
		return f, err
	} else if found && f.TraceDigest == r.Digest() && f.ArchitectureDigest == machine.Digest() {
		return f, nil
	}
	if m.spent() {
		return f, errBudget
	}
	f = wholeReplay{TraceDigest: r.Digest(), ArchitectureDigest: machine.Digest()}
	if f.Refused, err = machineset.Refusal(r, machine); err != nil {
		return f, err
	}
	if f.Refused == "" {
		result, seconds, err := m.replay(r, machine)
		if err != nil {
			return f, err
		}
		f.Cycles, f.Seconds = int64(result.Total.Cycles), seconds
		if f.Joules, err = totalJoules(result); err != nil {
			return f, err
		}
		fmt.Fprintf(m.out, "%-22s whole on %-16s %.2f s\n", filepath.Base(path), machine.Name, seconds)
	}
	return f, resultfile.Write(kept, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(f) })
}

func readWhole(path string, f *wholeReplay) (found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(text, f); err != nil {
		return false, fmt.Errorf("%s: %w; remove it", path, err)
	}
	return true, nil
}

// replay replays a trace with one worker and says how much processor time it took.
func (m *samplingMeasurement) replay(r *wtape.Reader, machine *arch.Machine) (*replay.Result, float64, error) {
	before := cputime.Used()
	results, err := replay.Run(m.ctx, r, []*arch.Machine{machine}, replay.Options{Workers: 1, Version: release.Version()})
	if err != nil {
		return nil, 0, err
	}
	return &results[0], (cputime.Used() - before).Seconds(), nil
}

// totalJoules is the energy of a replay by the default model of the machine.
func totalJoules(result *replay.Result) (float64, error) {
	machine := result.Architecture
	model, err := energy.NewModel(machine, energy.TechnologyOf(machine), energy.DefaultCoefficients())
	if err != nil {
		return 0, err
	}
	accounts, err := pricing.Accounts([]*energy.Model{model}, []replay.Result{*result})
	if err != nil {
		return 0, err
	}
	return pricing.Joules(&accounts[0]), nil
}
