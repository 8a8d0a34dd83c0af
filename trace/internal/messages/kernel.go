// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"cmp"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

func FromKernel(k *trace.Kernel) *wtapepb.Kernel {
	m := &wtapepb.Kernel{
		Name: k.Name, File: k.File, Digest: k.Digest,
		RegistersPerThread: k.RegistersPerThread, PredicatesPerThread: k.PredicatesPerThread,
		SharedBytes: k.SharedBytes, LocalBytes: k.LocalBytes, ConstBytes: k.ConstBytes,
		MaxThreads: k.MaxThreads, MaxRegisters: k.MaxRegisters, MinBlocksPerSm: k.MinBlocksPerSM, TimingDependent: k.TimingDependent, Source: k.Source,
	}
	for i := range k.Instructions {
		m.Instructions = append(m.Instructions, fromInstruction(&k.Instructions[i]))
	}
	for _, b := range k.Blocks {
		// NoBlock + 1 wraps to 0, as the schema wants.
		m.Blocks = append(m.Blocks, &wtapepb.BasicBlock{
			First: b.First, Count: b.Count, Successors: b.Successors, PostDominatorPlusOne: b.PostDominator + 1, Joins: b.Joins})
	}
	for _, p := range k.Params {
		m.Params = append(m.Params, &wtapepb.Param{Name: p.Name, Type: p.Type, Offset: p.Offset, Bytes: p.Bytes, Align: p.Align})
	}
	for _, f := range k.Functions {
		m.Functions = append(m.Functions, &wtapepb.Function{Name: f.Name, First: f.First, Count: f.Count, FirstLine: f.FirstLine, Source: f.Source})
	}
	for _, v := range k.SharedVariables {
		m.SharedVariables = append(m.SharedVariables, &wtapepb.SharedVariable{Name: v.Name, Offset: v.Offset, Bytes: v.Bytes})
	}
	for number, name := range k.SourceFiles {
		m.SourceFiles = append(m.SourceFiles, &wtapepb.SourceFile{Number: number, Name: name})
	}
	m.Tesla = fromTesla(k.Tesla)
	slices.SortFunc(m.SourceFiles, func(a, b *wtapepb.SourceFile) int { return cmp.Compare(a.Number, b.Number) })
	return m
}

func ToKernel(m *wtapepb.Kernel) *trace.Kernel {
	k := &trace.Kernel{
		Name: m.Name, File: m.File, Digest: m.Digest,
		RegistersPerThread: m.RegistersPerThread, PredicatesPerThread: m.PredicatesPerThread,
		SharedBytes: m.SharedBytes, LocalBytes: m.LocalBytes, ConstBytes: m.ConstBytes,
		MaxThreads: m.MaxThreads, MaxRegisters: m.MaxRegisters, MinBlocksPerSM: m.MinBlocksPerSm, TimingDependent: m.TimingDependent, Source: m.Source,
	}
	k.Tesla = toTesla(m.Tesla)
	for _, in := range m.Instructions {
		k.Instructions = append(k.Instructions, toInstruction(in))
	}
	for _, b := range m.Blocks {
		k.Blocks = append(k.Blocks, trace.BasicBlock{
			First: b.First, Count: b.Count, Successors: b.Successors, PostDominator: b.PostDominatorPlusOne - 1, Joins: b.Joins})
	}
	for _, p := range m.Params {
		k.Params = append(k.Params, trace.Param{Name: p.Name, Type: p.Type, Offset: p.Offset, Bytes: p.Bytes, Align: p.Align})
	}
	for _, f := range m.Functions {
		k.Functions = append(k.Functions, trace.Function{Name: f.Name, First: f.First, Count: f.Count, FirstLine: f.FirstLine, Source: f.Source})
	}
	for _, v := range m.SharedVariables {
		k.SharedVariables = append(k.SharedVariables, trace.SharedVariable{Name: v.Name, Offset: v.Offset, Bytes: v.Bytes})
	}
	if len(m.SourceFiles) > 0 {
		k.SourceFiles = make(map[uint32]string, len(m.SourceFiles))
	}
	for _, f := range m.SourceFiles {
		k.SourceFiles[f.Number] = f.Name
	}
	return k
}
