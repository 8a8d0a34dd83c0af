// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// trial is the section of a mechanism of these tests.
type trial struct {
	Level int `yaml:"level" unit:"levels" range:"0..1"`
}

func (s *trial) On() bool                                  { return s.Level > 0 }
func (s *trial) Check(*arch.Machine, func(_, _ string))    {}
func (s *trial) Structures(*arch.Machine) []arch.Structure { return nil }

// trialNeeds says which instructions a kernel needs for the mechanisms to have something to do; the first one
// needs nothing.
var trialNeeds = map[string]trace.OpClass{"trial_any": trace.ClassExit, "trial_shuffles": trace.ClassShuffle, "trial_tensors": trace.ClassTensor}

// trialFailed is Mechanism.Failed of the one that is made for each machine.
var trialFailed func() error

func init() {
	for key, class := range trialNeeds {
		arch.RegisterSection(key, nil, func() arch.Section { return new(trial) }, arch.Declaration{})
		x := Mechanism{Lacks: func(_ *arch.Machine, k *trace.Kernel) string {
			if slices.ContainsFunc(k.Instructions, func(in trace.Instruction) bool { return in.Class == class }) {
				return ""
			}
			return "has no " + class.String()
		}}
		if class == trace.ClassExit {
			x.Lacks = nil
			x.New = func(m *arch.Machine) Mechanism {
				return Mechanism{WithoutClusters: "made for " + m.Name, Failed: trialFailed}
			}
		}
		Mechanisms.Register(key, x)
	}
}

// A mechanism is idle where each kernel lacks what it needs. It is named with the reason of the first.
func TestAMechanismIsIdleWhereEveryKernelLacksWhatItNeeds(t *testing.T) {
	m := gputest.Machine()
	for key := range trialNeeds {
		m.SetSection(key, &trial{Level: 1})
	}
	kernels := map[string]trace.Kernel{}
	for name, class := range map[string]trace.OpClass{"add": trace.ClassIntAdd, "shuffle": trace.ClassShuffle, "tensor": trace.ClassTensor} {
		kernels[name] = operation(name, class).Kernel
	}
	for _, c := range []struct{ kernels, idle string }{
		{"", ""},
		{"add", "trial_shuffles trial_tensors"},
		{"shuffle", "trial_tensors"}, {"tensor", "trial_shuffles"},
		{"shuffle add", "trial_tensors"}, {"add shuffle", "trial_tensors"},
		{"add tensor add", "trial_shuffles"},
		{"tensor shuffle", ""}, {"shuffle add tensor", ""},
	} {
		var list []trace.Kernel
		for _, name := range strings.Fields(c.kernels) {
			list = append(list, kernels[name])
		}
		idle, err := Idle(m, list)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, line := range idle {
			name, _, _ := strings.Cut(line, " ")
			names = append(names, name)
			if want := "kernel " + list[0].Name + " has no "; !strings.Contains(line, want) {
				t.Errorf("kernels %q: %q does not say %q", c.kernels, line, want)
			}
		}
		if got := strings.Join(names, " "); got != c.idle {
			t.Errorf("kernels %q: idle are %q, want %q", c.kernels, got, c.idle)
		}
	}
}

// A machine has the mechanisms that are on. One that is made for each machine takes the place of what is registered.
func TestAMachineHasTheMechanismsThatAreOn(t *testing.T) {
	m := gputest.Machine()
	for key := range trialNeeds {
		m.SetSection(key, &trial{})
	}
	m.SetSection("trial_any", &trial{Level: 1})
	m.SetSection("trial_tensors", &trial{Level: 1})
	on, err := mechanismsOf(m)
	if err != nil || len(on) != 2 {
		t.Fatalf("%d mechanisms are on (%v), want two", len(on), err)
	}
	for _, x := range on {
		if made := x.WithoutClusters == "made for test"; made == (x.Lacks != nil) {
			t.Errorf("made for the machine: %v, needs something: %v", made, x.Lacks != nil)
		}
	}
}

// A mechanism is asked after every cycle whether something has gone wrong. That ends the replay, with the launches that run.
func TestAMechanismThatFailsEndsTheReplay(t *testing.T) {
	wrong := errors.New("a table is full")
	asked := 0
	trialFailed = func() error {
		if asked++; asked < 3 {
			return nil
		}
		return wrong
	}
	defer func() { trialFailed = nil }()
	m := concurrent(2, 2)
	m.SetSection("trial_any", &trial{Level: 1})
	l := gputest.Launch{Kernel: chain(50), Blocks: 1, Threads: 32}
	other := l
	other.Stream = 1
	src := gputest.NewSource(gputest.Trace(t, l, other))
	_, err := build(t, m, &gputest.Memory{}).Replay(t.Context(), src, nil)
	if want := "test: launches 0 (chain), 1 (chain): a table is full"; !errors.Is(err, wrong) || err.Error() != want || asked != 3 {
		t.Errorf("asked %d times, got %v, want %q", asked, err, want)
	}
}
