// Package divergence turns recorded paths into what hardware warps issue.
package divergence

import (
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
}

// Policies are the divergence policies by name.
var Policies = seam.NewRegistry[Policy]("divergence policy")

func init() {
	Policies.Open(arch.Word("gpu.divergence"))
	Policies.Register("pdom", Policy{New: func() seam.Divergence { return &postDominator{} }, KeepsInstructions: true, Independent: true})
	for _, rule := range []projection.Rule{projection.Serial, projection.SerialRounds} {
		Policies.Register(rule.String(), Policy{New: func() seam.Divergence { return newProjection(rule) }, Check: lanesApart, Independent: true})
	}
}
