// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// rewriter is a mechanism that rewrites the kernels of a name.
func rewriter(name string, err error) Mechanism {
	return Mechanism{Programs: func(_ *arch.Machine, kernels []trace.Kernel, _ []trace.Launch) ([]*core.Rewriting, error) {
		list := make([]*core.Rewriting, len(kernels))
		for i := range kernels {
			if kernels[i].Name == name {
				list[i] = &core.Rewriting{Kernel: &trace.Kernel{Name: name + " rewritten"}}
			}
		}
		return list, err
	}}
}

// Mechanisms may rewrite a kernel each. Two may not rewrite the same one, and the message names it.
func TestEachMechanismMayRewriteOtherKernels(t *testing.T) {
	kernels := []trace.Kernel{{Name: "first"}, {Name: "second"}, {Name: "third"}}
	failed := errors.New("no registers are left")
	for _, c := range []struct {
		mechanisms []Mechanism
		rewritten  string // the names of the kernels, "-" for none
		failure    string
	}{
		{nil, "- - -", ""},
		{[]Mechanism{{}, rewriter("second", nil)}, "- second -", ""},
		{[]Mechanism{rewriter("third", nil), {}, rewriter("first", nil)}, "first - third", ""},
		{[]Mechanism{rewriter("third", nil), rewriter("third", nil)}, "", "test: two mechanisms would both rewrite kernel third"},
		{[]Mechanism{rewriter("first", failed)}, "", "test: no registers are left"},
	} {
		g := &GPU{machine: gputest.Machine(), mechanisms: c.mechanisms}
		list, err := g.rewrite(kernels, nil)
		if c.failure != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.failure) {
				t.Errorf("want %q, got %v", c.failure, err)
			}
			continue
		}
		var names []string
		for _, r := range list {
			if r == nil {
				names = append(names, "-")
			} else {
				names = append(names, strings.TrimSuffix(r.Kernel.Name, " rewritten"))
			}
		}
		if got := strings.Join(names, " "); got != c.rewritten || err != nil {
			t.Errorf("rewritten: %q (%v), want %q", got, err, c.rewritten)
		}
	}
}
