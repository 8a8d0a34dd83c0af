// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// FaultKind says what went wrong in a kernel.
type FaultKind uint8

// The kinds of fault.
const (
	FaultOutOfBounds FaultKind = iota
	FaultMisaligned
	FaultNull
	FaultUseAfterFree
	FaultReadOnly
	FaultUninitialisedShared
	FaultBarrierDivergence
	FaultTrap
	FaultBudget
	// FaultPartialWarp is a matrix instruction that not all lanes execute.
	FaultPartialWarp
	// FaultStack is a call for which the thread has no stack left, FaultCall one
	// through a pointer that is no function's.
	FaultStack
	FaultCall
	// FaultAssert is a failed assert of the kernel.
	FaultAssert
	// FaultRace is an access to shared memory that no barrier orders with another
	// thread's.
	FaultRace
	// FaultEndless is a loop that comes back to the same state.
	FaultEndless
	// FaultTexture is a fetch by a handle that is no texture's.
	FaultTexture
	// FaultMemberMask is an instruction that waits for lanes which do not come.
	FaultMemberMask
	// FaultMetadata is a sparse matrix product whose metadata have no meaning.
	FaultMetadata
	// FaultDiffering is a store by which lanes of a warp write different values to one
	// place. It is a warning, and ends no launch.
	FaultDiffering

	faultEnd
)

var faultNames = [faultEnd]string{
	"out-of-bounds", "misaligned", "null", "use-after-free", "read-only", "uninitialised-shared",
	"barrier-divergence", "trap", "instruction-budget", "partial-warp", "stack-overflow", "call", "assert", "race", "endless", "texture", "member-mask", "metadata", "differing stores",
}

func (k FaultKind) String() string {
	if k < faultEnd {
		return faultNames[k]
	}
	return "unknown"
}

// Fault is an error of a running kernel, told as a GPU debugger would.
type Fault struct {
	Kind   FaultKind
	Kernel string
	// Function has the instruction; empty when the kernel itself has it.
	Function string
	// File and Line are the instruction's place in the PTX; SourceFile and
	// SourceLine that of its .loc, empty and zero without one.
	File       string
	Line       int
	SourceFile string
	SourceLine int
	// Block and Thread are indices in the grid and in the thread block. For a
	// fault of a whole warp Thread is its first lane that took part.
	Block, Thread trace.Dim3
	// Access says what was tried ("store of 4 bytes"), Address where, Space in
	// which state space; empty for faults that are no accesses.
	Access  string
	Address uint64
	Space   ptx.Space
	// Instruction is the text of the PTX line.
	Instruction string
	// Detail explains the fault, for instance by the nearest buffer.
	Detail string
}

// Error is the whole report in one line.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: ", f.File, f.Line)
	if f.Access != "" {
		fmt.Fprintf(&b, "%s %s at 0x%x", f.headline(), f.Access, f.Address)
	} else {
		b.WriteString(f.headline())
	}
	fmt.Fprintf(&b, " by thread (%d,%d,%d) of block (%d,%d,%d) in kernel %s",
		f.Thread.X, f.Thread.Y, f.Thread.Z, f.Block.X, f.Block.Y, f.Block.Z, f.Kernel)
	if f.Function != "" {
		fmt.Fprintf(&b, ", function %s", f.Function)
	}
	if f.Detail != "" {
		b.WriteString(": ")
		b.WriteString(f.Detail)
	}
	if f.SourceLine != 0 {
		fmt.Fprintf(&b, " (source %s:%d)", f.SourceFile, f.SourceLine)
	}
	return b.String()
}

func (f *Fault) headline() string {
	switch f.Kind {
	case FaultNull:
		return "null-pointer"
	case FaultReadOnly:
		return "forbidden"
	case FaultUninitialisedShared:
		return "uninitialised shared memory:"
	case FaultRace:
		return "race:"
	case FaultDiffering:
		return "differing stores:"
	case FaultBarrierDivergence:
		return "barrier divergence"
	case FaultEndless:
		return "endless loop"
	case FaultBudget:
		return "instruction budget exhausted"
	}
	return f.Kind.String()
}

// Locate fills in the place of a fault: the instruction, and the thread of a
// lane of warp w.
func (f *Fault) Locate(k *ptx.Kernel, instruction int, w *WarpIdentity, lane int) {
	in := &k.Body[instruction]
	f.Kernel, f.File, f.Line = k.Name, in.File, in.Line
	f.Function = k.FunctionAt(instruction)
	f.SourceFile, f.SourceLine = k.Module.SourceFiles[in.SourceFile], in.SourceLine
	f.Instruction = LineOf(k.Module.Text, in.Line)
	f.Block = w.Block.Index
	f.Thread = w.Launch.Thread(w.Warp*trace.WarpSize + lane)
}

// LineOf cuts line n (from 1) out of text, without surrounding white space.
func LineOf(text []byte, n int) string {
	lines := strings.SplitN(string(text), "\n", n+1)
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}
