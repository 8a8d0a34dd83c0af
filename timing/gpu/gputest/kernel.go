// SPDX-License-Identifier: Apache-2.0

package gputest

import "github.com/warptape/warptape/trace"

// None stands for no register.
const None = -1

// Kernel builds a kernel instruction by instruction; registers are numbers.
type Kernel struct{ trace.Kernel }

// NewKernel starts a kernel with its first basic block.
func NewKernel(name string) *Kernel {
	k := &Kernel{trace.Kernel{Name: name, File: name + ".ptx", RegistersPerThread: 16}}
	k.Block()
	return k
}

// Block starts the next basic block and gives its id.
func (k *Kernel) Block() uint32 {
	k.Blocks = append(k.Blocks, trace.BasicBlock{First: uint32(len(k.Instructions)), PostDominator: trace.NoBlock})
	return uint32(len(k.Blocks) - 1)
}

func (k *Kernel) add(in trace.Instruction) *Kernel {
	in.Line = uint32(len(k.Instructions) + 1)
	k.Instructions = append(k.Instructions, in)
	k.Blocks[len(k.Blocks)-1].Count++
	return k
}

func register(n int) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: uint16(n), Words: 1}}
}

// Op adds an instruction of a class that writes dst (or None) and reads sources.
func (k *Kernel) Op(class trace.OpClass, dst int, sources ...int) *Kernel {
	in := trace.Instruction{Opcode: class.String(), Class: class}
	if dst != None {
		in.Operands, in.Destinations = append(in.Operands, register(dst)), 1
	}
	for _, s := range sources {
		in.Operands = append(in.Operands, register(s))
	}
	return k.add(in)
}

// Memory adds a load, store or atomic of 4 bytes per lane: dst (or None) is
// written, address read, and value (or None) read.
func (k *Kernel) Memory(class trace.OpClass, space trace.Space, dst, address, value int) *Kernel {
	in := trace.Instruction{Opcode: class.String(), Class: class, Space: space, LaneBytes: 4}
	if dst != None {
		in.Operands, in.Destinations = append(in.Operands, register(dst)), 1
	}
	in.Operands = append(in.Operands, trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: trace.Register{Number: uint16(address), Words: 1}})
	if value != None {
		in.Operands = append(in.Operands, register(value))
	}
	return k.add(in)
}

// Load adds a load of dst.
func (k *Kernel) Load(space trace.Space, dst, address int) *Kernel {
	return k.Memory(trace.ClassLoad, space, dst, address, None)
}

// Store adds a store of value.
func (k *Kernel) Store(space trace.Space, address, value int) *Kernel {
	return k.Memory(trace.ClassStore, space, None, address, value)
}

// Barrier adds bar.<modifier> with immediate operands, and starts a basic block.
func (k *Kernel) Barrier(modifier string, operands ...int64) *Kernel {
	in := trace.Instruction{Opcode: "bar", Modifiers: []string{modifier}, Class: trace.ClassBarrier}
	for _, v := range operands {
		in.Operands = append(in.Operands, trace.Operand{Kind: trace.OperandImmediate, Value: v})
	}
	k.add(in)
	k.Block()
	return k
}

// InRegisters puts the immediate operands of a barrier into registers 90 and 91, which no
// instruction of a random kernel writes. Their values stay in the operands, where the recorder
// finds them for accesses (trace.BarrierVisit).
func InRegisters(in *trace.Instruction) {
	for i := range in.Operands {
		value := in.Operands[i].Value
		in.Operands[i] = register(90 + i)
		in.Operands[i].Value = value
	}
	in.Values = true
}

// values records what lanes bring to a barrier whose operands are in registers; nothing of other
// instructions.
func (w *Warp) values(in *trace.Instruction, mask uint32) {
	if !in.Values {
		return
	}
	v := trace.BarrierVisit{Number: uint32(in.Operands[0].Value)}
	if len(in.Operands) > 1 {
		v.Threads = uint32(in.Operands[1].Value)
	}
	w.writer.AccessStrided(w.Warp, mask, v.Word(), 0)
}

// BarrierApart is Barrier with barrier.<modifier>, at which threads arrive by themselves.
func (k *Kernel) BarrierApart(modifier string, operands ...int64) *Kernel {
	at := len(k.Instructions)
	k.Barrier(modifier, operands...)
	k.Instructions[at].Opcode = "barrier"
	return k
}

// AsyncCopy adds cp.async of 4 bytes per lane, from an address in a register.
func (k *Kernel) AsyncCopy(address int) *Kernel {
	k.Load(trace.SpaceGlobal, None, address)
	in := &k.Instructions[len(k.Instructions)-1]
	in.Opcode, in.Modifiers = "cp", []string{"async", "ca"}
	return k
}

// Commit adds cp.async.commit_group.
func (k *Kernel) Commit() *Kernel {
	return k.add(trace.Instruction{Opcode: "cp", Modifiers: []string{"async", "commit_group"}, Class: trace.ClassNop})
}

// AwaitGroups adds cp.async.wait_group, for all but the latest groups.
func (k *Kernel) AwaitGroups(latest int) *Kernel {
	return k.add(trace.Instruction{
		Opcode: "cp", Modifiers: []string{"async", "wait_group"}, Class: trace.ClassFence,
		Operands: []trace.Operand{{Kind: trace.OperandImmediate, Value: int64(latest)}},
	})
}

// Product adds wgmma.mma_async, which writes and reads a register.
func (k *Kernel) Product(sum int) *Kernel {
	k.Op(trace.ClassTensor, sum, sum)
	in := &k.Instructions[len(k.Instructions)-1]
	in.Opcode, in.Modifiers, in.Types = "wgmma", []string{"mma_async", "sync", "m64n256k16"}, []string{"f32", "f16", "f16"}
	return k
}

// CommitProducts adds wgmma.commit_group.
func (k *Kernel) CommitProducts() *Kernel {
	k.Commit()
	in := &k.Instructions[len(k.Instructions)-1]
	in.Opcode, in.Modifiers = "wgmma", []string{"commit_group", "sync"}
	return k
}

// AwaitProducts adds wgmma.wait_group, for all but the latest groups.
func (k *Kernel) AwaitProducts(latest int) *Kernel {
	k.AwaitGroups(latest)
	in := &k.Instructions[len(k.Instructions)-1]
	in.Opcode, in.Modifiers, in.Class = "wgmma", []string{"wait_group", "sync"}, trace.ClassNop
	return k
}

// AwaitAll adds cp.async.wait_all.
func (k *Kernel) AwaitAll() *Kernel {
	return k.add(trace.Instruction{Opcode: "cp", Modifiers: []string{"async", "wait_all"}, Class: trace.ClassFence})
}

// ClusterArrive adds barrier.cluster.arrive, relaxed or with release.
func (k *Kernel) ClusterArrive(relaxed bool) *Kernel {
	in := trace.Instruction{Opcode: "barrier", Modifiers: []string{"cluster", "arrive", "release"}, Class: trace.ClassFence}
	if relaxed {
		in.Modifiers[2], in.Class = "relaxed", trace.ClassNop
	}
	return k.add(in)
}

// ClusterWait adds barrier.cluster.wait, and starts a basic block.
func (k *Kernel) ClusterWait() *Kernel {
	k.add(trace.Instruction{Opcode: "barrier", Modifiers: []string{"cluster", "wait"}, Class: trace.ClassBarrier})
	k.Block()
	return k
}

// Guarded puts a predicate in front of the last instruction.
func (k *Kernel) Guarded(predicate int) *Kernel {
	k.Instructions[len(k.Instructions)-1].Guard = trace.Guard{
		Present: true, Register: trace.Register{File: trace.FilePredicate, Number: uint16(predicate), Words: 1},
	}
	return k
}

// Branch ends the basic block and starts the next.
func (k *Kernel) Branch() uint32 {
	k.Op(trace.ClassBranch, None)
	return k.Block()
}

// Exit adds the kernel's end.
func (k *Kernel) Exit() *Kernel { return k.Op(trace.ClassExit, None) }
