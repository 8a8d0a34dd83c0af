// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/tune"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

const (
	// kernelsCard is the machine of the kernels of AccelWattch.
	kernelsCard = "v100"
	// kernelsMachine is that machine at the clock of AccelWattch's configuration of the card (GPGPU-Sim
	// SM7_GV100: 1447 MHz); its crossbar has twice that, as on v100.
	kernelsMachine = kernelsCard + "+set(clocks.core_mhz=1447,clocks.l2_mhz=1447,clocks.network_mhz=2894)"
)

// kernels replays, whole, the programs with kernels that were measured on a V100.
func (c *Comparison) kernels(ctx context.Context) error {
	text, err := files.ReadFile("data/v100.csv")
	if err != nil {
		return err
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	c.Found.Kernels = nil
	outcomes := map[string]tune.Outcome{}
	for _, line := range lines[1:] {
		k := FoundKernel{Workload: line[0], Kernel: line[2]}
		if k.MeasuredCycles, err = strconv.ParseFloat(line[3], 64); err != nil {
			return err
		}
		if k.MeasuredWatts, err = strconv.ParseFloat(line[4], 64); err != nil {
			return err
		}
		o, ok := outcomes[k.Workload]
		if !ok {
			if o, err = evaluateKernels(ctx, k.Workload, line[1]); err != nil {
				return err
			}
			outcomes[k.Workload] = o
		}
		if err := k.mean(&o); err != nil {
			return err
		}
		c.Found.Kernels = append(c.Found.Kernels, k)
	}
	return nil
}

func evaluateKernels(ctx context.Context, workload, settings string) (tune.Outcome, error) {
	program, _, err := programs.Load(workload)
	if err != nil {
		return tune.Outcome{}, err
	}
	set, err := programs.Settings(strings.Fields(settings))
	if err != nil {
		return tune.Outcome{}, err
	}
	m, err := arch.Load(kernelsMachine)
	if err != nil {
		return tune.Outcome{}, err
	}
	job := tune.Job{Program: program, Size: "paper", Set: set, Seed: 1, Machine: m}
	o, err := job.Evaluate(ctx, nil)
	if err == nil {
		err = o.Refused
	}
	return o, err
}

// mean takes the means over the launches of the kernel.
func (k *FoundKernel) mean(o *tune.Outcome) error {
	m, err := arch.Load(kernelsMachine)
	if err != nil {
		return err
	}
	model, err := pricing.Model(m, energy.TechnologyOf(m), "", nil)
	if err != nil {
		return err
	}
	joules, seconds := 0.0, 0.0
	for i := range o.Launches {
		l := &o.Launches[i]
		if l.Kernel != k.Kernel {
			continue
		}
		account, err := model.Account((*counters.Set)(&l.Counters), l.Nanoseconds*1e-9)
		if err != nil {
			return err
		}
		total := account.Total()
		joules, seconds = joules+total.TotalJ(), seconds+float64(l.Nanoseconds*1e-9)
		k.Cycles += float64(l.Cycles)
		k.Launches++
	}
	if k.Launches == 0 {
		return fmt.Errorf("%s has no kernel %s", k.Workload, k.Kernel)
	}
	k.Cycles = math.Round(k.Cycles / float64(k.Launches))
	k.Watts = math.Round(10*joules/seconds) / 10
	return nil
}

// CyclesOff and WattsOff are how far off we are, in percent of what was measured.
func (k *FoundKernel) CyclesOff() float64 { return 100 * (k.Cycles/k.MeasuredCycles - 1) }

// WattsOff is that of the power.
func (k *FoundKernel) WattsOff() float64 { return 100 * (k.Watts/k.MeasuredWatts - 1) }
