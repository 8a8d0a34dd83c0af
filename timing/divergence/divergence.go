// SPDX-License-Identifier: Apache-2.0

// Package divergence turns recorded paths into what hardware warps issue.
package divergence

import (
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
)

// Policy is a divergence policy.
type Policy struct {
	New func() seam.Divergence
	// Check, when not nil, says why a kernel cannot be replayed under the policy.
	Check func(k *trace.Kernel) error
	// KeepsInstructions says that a replay issues exactly the recorded warp
	// instructions. A policy that regroups lanes issues others.
	KeepsInstructions bool
	// Independent says that streams may be used side by side (but not opened or
	// closed).
	Independent bool
	// Core is the kind of cores whose lanes the policy lays out; empty: SIMT cores. The
	// package that registers such a policy tells arch.RegisterPolicyCore.
	Core string
}

// CoreKind is the kind of cores that the policy is for.
func (p *Policy) CoreKind() string {
	if p.Core == "" {
		return arch.SIMTCore
	}
	return p.Core
}

// NamesFor lists the policies for cores of a kind.
func NamesFor(core string) []string {
	return slices.DeleteFunc(Policies.Names(), func(name string) bool {
		p, err := Policies.Lookup(name)
		return err != nil || p.CoreKind() != core
	})
}

// Policies are the divergence policies by name.
var Policies = seam.NewRegistry[Policy]("divergence policy")

func init() {
	Policies.Open(arch.Word("gpu.divergence"))
	Policies.Register("pdom", Policy{New: func() seam.Divergence { return &postDominator{} }, KeepsInstructions: true, Independent: true})
	for _, rule := range []projection.Rule{projection.Serial, projection.SerialRounds} {
		Policies.Register(rule.String(), Policy{New: func() seam.Divergence { return newProjection(rule) }, Check: LanesApart, Independent: true})
	}
}
