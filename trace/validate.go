// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/trace/internal/limits"
)

// Validate reports the first inconsistency of the kernel. It may be a basic block or a function
// outside the instruction table or sharing an instruction with another, or a successor that does
// not exist. It may be a class or space that the format does not know, or an operand that refers
// to nothing. The error names the kernel and the place in it.
func (k *Kernel) Validate() error {
	if err := k.validateBlocks(); err != nil {
		return fmt.Errorf("kernel %q: %w", k.Name, err)
	}
	if err := k.validateFunctions(); err != nil {
		return fmt.Errorf("kernel %q: %w", k.Name, err)
	}
	if err := k.validateShared(); err != nil {
		return fmt.Errorf("kernel %q: %w", k.Name, err)
	}
	if err := k.Tesla.validate(k); err != nil {
		return fmt.Errorf("kernel %q: %w", k.Name, err)
	}
	operands := 0
	for i := range k.Instructions {
		if operands += k.Instructions[i].countOperands(); operands > limits.KernelOperands {
			return fmt.Errorf("kernel %q: more than %d operands", k.Name, limits.KernelOperands)
		}
		if err := k.Instructions[i].validate(len(k.Blocks)); err != nil {
			return fmt.Errorf("kernel %q: instruction %d (%s, line %d): %w", k.Name, i, k.Instructions[i].Opcode, k.Instructions[i].Line, err)
		}
	}
	return nil
}

func (in *Instruction) countOperands() int {
	n := len(in.Operands)
	for i := range in.Operands {
		n += len(in.Operands[i].Elements)
	}
	return n
}

func (k *Kernel) validateBlocks() error {
	if len(k.Instructions) > limits.KernelInstructions {
		return fmt.Errorf("%d instructions, want at most %d", len(k.Instructions), limits.KernelInstructions)
	}
	if len(k.Blocks) == 0 || len(k.Blocks) > limits.KernelBlocks {
		return fmt.Errorf("%d basic blocks, want 1 to %d", len(k.Blocks), limits.KernelBlocks)
	}
	owned := make([]bool, len(k.Instructions))
	for id, b := range k.Blocks {
		end := uint64(b.First) + uint64(b.Count)
		if b.Count == 0 || end > uint64(len(k.Instructions)) {
			return fmt.Errorf("basic block %d: instructions %d to %d of %d", id, b.First, int64(end)-1, len(k.Instructions))
		}
		for i := b.First; i < uint32(end); i++ {
			if owned[i] {
				return fmt.Errorf("basic block %d: instruction %d belongs to another block as well", id, i)
			}
			owned[i] = true
		}
		if len(b.Successors) > limits.Successors {
			return fmt.Errorf("basic block %d: %d successors, want at most %d", id, len(b.Successors), limits.Successors)
		}
		if i := slices.IndexFunc(b.Successors, func(s uint32) bool { return int64(s) >= int64(len(k.Blocks)) }); i >= 0 {
			return fmt.Errorf("basic block %d: its successor %d does not exist", id, b.Successors[i])
		}
		if b.PostDominator != NoBlock && int64(b.PostDominator) >= int64(len(k.Blocks)) {
			return fmt.Errorf("basic block %d: its post-dominator %d does not exist", id, b.PostDominator)
		}
		if len(b.Joins) > limits.Joins {
			return fmt.Errorf("basic block %d: %d joins, want at most %d", id, len(b.Joins), limits.Joins)
		}
		if i := slices.IndexFunc(b.Joins, func(s uint32) bool { return int64(s) >= int64(len(k.Blocks)) }); i >= 0 {
			return fmt.Errorf("basic block %d: its join %d does not exist", id, b.Joins[i])
		}
	}
	return nil
}

// validateFunctions: functions follow each other and lie in the table.
func (k *Kernel) validateFunctions() error {
	end := uint64(0)
	for _, f := range k.Functions {
		if f.Count == 0 || uint64(f.First) < end || uint64(f.First)+uint64(f.Count) > uint64(len(k.Instructions)) {
			return fmt.Errorf("function %.60q: instructions %d to %d of %d, after %d", f.Name, f.First, int64(f.First)+int64(f.Count)-1, len(k.Instructions), end)
		}
		end = uint64(f.First) + uint64(f.Count)
	}
	return nil
}

// validateShared: variables lie behind each other in static shared memory, and what launches
// add lies behind it.
func (k *Kernel) validateShared() error {
	end := uint64(0)
	for _, v := range k.SharedVariables {
		switch {
		case v.Bytes > 0 && (uint64(v.Offset) < end || uint64(v.Offset)+uint64(v.Bytes) > uint64(k.SharedBytes)):
			return fmt.Errorf("shared variable %.60q: bytes %d to %d of %d, after %d", v.Name, v.Offset, uint64(v.Offset)+uint64(v.Bytes)-1, k.SharedBytes, end)
		case v.Bytes == 0 && v.Offset < k.SharedBytes:
			return fmt.Errorf("shared variable %.60q: what a launch adds begins at %d, in the %d static bytes", v.Name, v.Offset, k.SharedBytes)
		}
		end = uint64(v.Offset) + uint64(v.Bytes)
	}
	return nil
}

func (in *Instruction) validate(blocks int) error {
	switch {
	case in.Class == ClassInvalid || in.Class >= classEnd:
		return fmt.Errorf("unknown class %d", in.Class)
	case in.Space >= spaceEnd:
		return fmt.Errorf("unknown state space %d", in.Space)
	case in.Values && in.Class != ClassBarrier:
		return fmt.Errorf("class %s has no values in its accesses", in.Class)
	case int(in.Destinations) > len(in.Operands):
		return fmt.Errorf("%d destinations but %d operands", in.Destinations, len(in.Operands))
	case in.Guard.Present && in.Guard.Register.File != FilePredicate:
		return fmt.Errorf("its guard is not a predicate register")
	}
	for i := range in.Operands {
		if err := in.Operands[i].validate(blocks, true); err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
	}
	return nil
}

func (o *Operand) validate(blocks int, vector bool) error {
	switch {
	case o.Kind == OperandInvalid || o.Kind >= operandEnd:
		return fmt.Errorf("unknown kind %d", o.Kind)
	case o.HasRegister() && o.Register.File > FilePredicate:
		return fmt.Errorf("unknown register file %d", o.Register.File)
	case o.Kind == OperandBlock && (o.Value < 0 || o.Value >= int64(blocks)):
		return fmt.Errorf("basic block %d does not exist", o.Value)
	case o.Kind != OperandVector && len(o.Elements) > 0:
		return fmt.Errorf("has elements but is no vector")
	case o.Kind == OperandVector && !vector:
		return fmt.Errorf("a vector inside a vector")
	}
	for i := range o.Elements {
		if err := o.Elements[i].validate(blocks, false); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

// Validate checks the launch against the number of kernels before it.
func (l *Launch) Validate(kernels int) error {
	if l.Kernel < 0 || l.Kernel >= kernels {
		return fmt.Errorf("kernel %d of %d does not exist", l.Kernel, kernels)
	}
	if threads, ok := l.Block.count(); !ok || threads == 0 || threads > limits.BlockThreads {
		return fmt.Errorf("thread block of %dx%dx%d threads, want 1 to %d", l.Block.X, l.Block.Y, l.Block.Z, limits.BlockThreads)
	}
	if _, ok := l.Grid.count(); !ok {
		return fmt.Errorf("grid of %dx%dx%d thread blocks is too large", l.Grid.X, l.Grid.Y, l.Grid.Z)
	}
	return l.validateCluster()
}

func (l *Launch) validateCluster() error {
	c := l.Cluster
	if c == (Dim3{}) {
		return nil
	}
	if n, ok := c.count(); !ok || n == 0 || n > limits.ClusterBlocks {
		return fmt.Errorf("cluster of %dx%dx%d thread blocks, want 1 to %d", c.X, c.Y, c.Z, limits.ClusterBlocks)
	}
	if l.Grid.X%c.X != 0 || l.Grid.Y%c.Y != 0 || l.Grid.Z%c.Z != 0 {
		return fmt.Errorf("grid of %dx%dx%d thread blocks, which clusters of %dx%dx%d do not divide", l.Grid.X, l.Grid.Y, l.Grid.Z, c.X, c.Y, c.Z)
	}
	return nil
}
