// SPDX-License-Identifier: Apache-2.0

package command

import (
	"flag"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/trace/tracetest"
)

// everyMachineAndPolicy are all built-in machines under all divergence policies.
func everyMachineAndPolicy(t *testing.T) (list []struct{ machine, policy, spec string }) {
	t.Helper()
	entries, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Overlay {
			continue
		}
		for _, policy := range divergence.Policies.Names() {
			list = append(list, struct{ machine, policy, spec string }{e.Name, policy, e.Name + "+divergence(policy=" + policy + ")"})
		}
	}
	return list
}

// remedies are the words of refusals of a divergence policy, and the specifications that
// they say would work.
var remedies = map[*regexp.Regexp]func(machine, policy, named string) string{
	regexp.MustCompile(`take the machine ([^\s,;]+)`): func(_, policy, named string) string { return named + "+divergence(policy=" + policy + ")" },
	regexp.MustCompile(`set it to (pdom)`):            func(machine, _, named string) string { return machine + "+divergence(policy=" + named + ")" },
	regexp.MustCompile(`; set (eesi-t|eesi-m)`):       func(machine, _, named string) string { return machine + "+divergence(policy=" + named + ")" },
	regexp.MustCompile(`; set eesi-t or (eesi-m)`):    func(machine, _, named string) string { return machine + "+divergence(policy=" + named + ")" },
	regexp.MustCompile(`; set (one of them)`):         func(machine, _, _ string) string { return machine + "+divergence(policy=sbi)" },
	regexp.MustCompile(`set it to (0)`): func(machine, policy, named string) string {
		return machine + "+divergence(policy=" + policy + ")+set(eesi.tiny_lines=" + named + ")"
	},
	regexp.MustCompile(`leave it (out|as it was)`): func(machine, _, _ string) string { return machine },
}

// TestRemediesOfDivergencePoliciesWork: a policy on a machine without its parts is refused
// with remedies, and each of them is a machine that loads. Refusals have once named none.
func TestRemediesOfDivergencePoliciesWork(t *testing.T) {
	refused, tried := 0, map[string]bool{}
	for _, x := range everyMachineAndPolicy(t) {
		_, err := arch.Load(x.spec)
		if err == nil {
			continue
		}
		refused++
		for line := range strings.SplitSeq(err.Error(), "\n") {
			found := 0
			for words, spec := range remedies {
				for _, m := range words.FindAllStringSubmatch(line, -1) {
					found++
					remedy := spec(x.machine, x.policy, m[1])
					tried[remedy] = true
					if _, err := arch.Load(remedy); err != nil {
						t.Errorf("%s: %q means %s: %v", x.spec, line, remedy, err)
					}
				}
			}
			if found == 0 {
				t.Errorf("%s: no remedy in %q", x.spec, line)
			}
		}
	}
	if refused < 20 || !tried["eesi+divergence(policy=eesi-m)"] || !tried["gpsim-sbi+divergence(policy=sbi)"] {
		t.Errorf("%d refusals, remedies %v", refused, tried)
	}
}

// TestRemediesOfCPUProgramsWork: where a machine, under whatever policy, does not run CPU
// programs, the machine that the refusal names does. It once named the overlay cpu on the
// same machine, which tesla-rtl refuses, and which has too few cores for 64 threads.
func TestRemediesOfCPUProgramsWork(t *testing.T) {
	named := regexp.MustCompile(`these programs run on (\S+)`)
	answers := map[string]error{}
	refusal := func(spec, programs string) error { // nil where the machine takes the programs
		key := spec + " " + programs
		if err, known := answers[key]; known {
			return err
		}
		m, err := arch.Load(spec)
		if err == nil {
			c := contextOfPrograms(t, programs)
			if _, closeAll, refused := admitCPU(c, m); refused == nil {
				closeAll()
			} else {
				err = advisedCPU(c, m, refused)
			}
		}
		answers[key] = err
		return err
	}
	remedies, all := map[string]bool{}, everyMachineAndPolicy(t)
	for _, x := range tracetest.Draw(t, all, len(all)/12) {
		if _, err := arch.Load(x.spec); err != nil {
			continue
		}
		programs := []string{"S1", "fft"}
		if x.policy == "pdom" {
			programs = []string{"S1", "S1,S2", "fft", "fft-4"}
		}
		for _, programs := range programs {
			err := refusal(x.spec, programs)
			if err == nil {
				continue
			}
			m := named.FindStringSubmatch(err.Error())
			if m == nil {
				t.Errorf("%s on %s: no remedy in %q", programs, x.spec, err)
				continue
			}
			remedies[m[1]] = true
			if err := refusal(m[1], programs); err != nil {
				t.Errorf("%s on %s: the refusal names %s: %v", programs, x.spec, m[1], err)
			}
		}
	}
	if tracetest.Whole() && (!remedies["gpsim-soc+cpu"] || !remedies["eesi"] || !remedies["mimd"]) {
		t.Errorf("remedies: %v", remedies)
	}
}

// contextOfPrograms is a command's with nothing but --cpu.
func contextOfPrograms(t *testing.T, programs string) *cli.Context {
	t.Helper()
	flags := flag.NewFlagSet(t.Name(), flag.ContinueOnError)
	flags.String("cpu", programs, "")
	flags.Bool("check-consistency", false, "")
	c := cli.NewContext(newApp(io.Discard, io.Discard), flags, nil)
	c.Context = t.Context()
	return c
}
