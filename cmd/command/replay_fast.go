// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

// fastPolicy is what a fast replay stores of a trace; behind it comes the machine.
const fastPolicy = "auto"

// fastFlag is --fast.
func fastFlag() cli.Flag {
	return &cli.BoolFlag{Name: "fast", Usage: "estimate: replay some thread blocks of each launch, chosen for each architecture, and say the interval; some percent of error, and the faster the longer the program is"}
}

// slowOnly are flags that ask for what an estimate does not have.
var slowOnly = []string{"cached", "cpu", "timeline", "report", "interval"}

// checkFast refuses --fast with flags that need an exact replay, and on machines that it
// is wrong for.
func checkFast(c *cli.Context, machines []*arch.Machine) error {
	if !c.Bool("fast") {
		return nil
	}
	for _, name := range slowOnly {
		if c.IsSet(name) {
			return commandline.Usagef("--fast: --%s needs an exact replay; leave one of them out", name)
		}
	}
	for _, m := range machines {
		if why := m.NeedsWholeLaunches(); why != "" {
			return commandline.Usagef("--fast: not on %s: %s; replay it exactly", m.Name, why)
		}
	}
	return nil
}

// checkFastTrace refuses samples, and traces with thread blocks that tell nothing of the others.
func checkFastTrace(r *wtape.Reader) error {
	if s := r.Header().Sampling; s != "" {
		return fmt.Errorf("--fast: %s is a sample already (%s), and its replay an estimate: leave out --fast", r.Name(), s)
	}
	for i := range r.Launches() {
		if k := &r.Kernels()[r.Launches()[i].Kernel]; len(k.TimingDependent) > 0 {
			return fmt.Errorf("--fast: kernel %s depends on timing (%s), so some of its thread blocks tell nothing of the others: replay it exactly", k.Name, k.TimingDependent[0])
		}
	}
	return nil
}

// fastReplay replays, for each machine, the thread blocks that suit it. Machines that the
// same blocks suit share them. It replays a short program whole, as well as one with most
// of its blocks to replay: such results are exact and have no interval.
func fastReplay(c *cli.Context, r *wtape.Reader, machines []*arch.Machine, o replay.Options) ([]replay.Result, error) {
	if err := checkFastTrace(r); err != nil {
		return nil, err
	}
	if r.Totals().WarpInstructions < sample.AutoLeast {
		return replay.Run(c.Context, r, machines, o) // all of it would be stored
	}
	folder, err := os.MkdirTemp("", "warptape-fast")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	groups, order := map[string][]int{}, []string(nil)
	for i, m := range machines {
		policy := fastPolicy + ",for=" + samplepolicy.FillOf(m).String()
		if groups[policy] == nil {
			order = append(order, policy)
		}
		groups[policy] = append(groups[policy], i)
	}
	results := make([]replay.Result, len(machines))
	for n, policy := range order {
		var group []*arch.Machine
		for _, i := range groups[policy] {
			group = append(group, machines[i])
		}
		made, err := replaySample(c, r, filepath.Join(folder, strconv.Itoa(n)+".wtape"), policy, group, o)
		if err != nil {
			return nil, err
		}
		for k, i := range groups[policy] {
			results[i] = made[k]
		}
	}
	return results, nil
}

// replaySample takes a sample and replays it. What a result says of its trace is of the
// whole one.
func replaySample(c *cli.Context, r *wtape.Reader, path, policy string, machines []*arch.Machine, o replay.Options) ([]replay.Result, error) {
	p, err := sample.Parse(policy)
	if err != nil {
		return nil, fmt.Errorf("BUG: --fast: %w", err)
	}
	if err := c.Context.Err(); err != nil {
		return nil, err
	}
	if err := sample.Trace(r, path, p, wtape.Options{}); err != nil {
		return nil, fmt.Errorf("--fast: %w", err)
	}
	part, err := wtape.Open(path)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	results, err := replay.Run(c.Context, part, machines, o)
	if err != nil {
		return nil, err
	}
	for i := range results {
		results[i].TraceDigest = r.Digest()
		if s := results[i].Sampled; s != nil {
			s.Policy = "fast: " + s.Policy
		}
	}
	return results, nil
}
