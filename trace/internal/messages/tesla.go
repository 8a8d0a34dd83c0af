// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

func fromTesla(t *trace.Tesla) *wtapepb.Tesla {
	if t == nil {
		return nil
	}
	c := &t.RecordedIn
	m := &wtapepb.Tesla{
		Words: t.Words, WarpsPerBlock: uint32(t.WarpsPerBlock), RegistersPerThread: uint32(t.RegistersPerThread),
		SharedWords: uint32(t.SharedWords), ConstantWords: uint32(t.ConstantWords), AddressesWrap: t.AddressesWrap,
		RecordedIn: &wtapepb.TeslaConfiguration{
			Multiprocessors: uint32(c.Multiprocessors), Processors: uint32(c.Processors), WarpSlots: uint32(c.WarpSlots),
			BlockSlots: uint32(c.BlockSlots), Parameters: uint32(c.Parameters), WarpWidth: uint32(c.WarpWidth), InstructionAddressBits: uint32(c.InstructionAddressBits),
			RegisterAddressBits: uint32(c.RegisterAddressBits), ConstantAddressBits: uint32(c.ConstantAddressBits), SharedAddressBits: uint32(c.SharedAddressBits),
		},
	}
	for _, s := range t.Syncs {
		m.SyncInstruction, m.SyncBlock = append(m.SyncInstruction, s.Instruction), append(m.SyncBlock, s.Block)
	}
	for _, d := range t.Dependences {
		m.Dependences = append(m.Dependences, &wtapepb.TeslaDependence{On: wtapepb.TeslaDependsOn(d.On), Reason: d.Reason})
	}
	return m
}

// toTesla makes of numbers that are too large some that validate refuses.
func toTesla(m *wtapepb.Tesla) *trace.Tesla {
	if m == nil {
		return nil
	}
	c := m.GetRecordedIn()
	t := &trace.Tesla{
		Words: m.Words, WarpsPerBlock: int(m.WarpsPerBlock), RegistersPerThread: int(m.RegistersPerThread),
		SharedWords: int(m.SharedWords), ConstantWords: int(m.ConstantWords), AddressesWrap: m.AddressesWrap,
		RecordedIn: trace.TeslaConfiguration{
			Multiprocessors: int(c.GetMultiprocessors()), Processors: int(c.GetProcessors()), WarpSlots: int(c.GetWarpSlots()),
			BlockSlots: int(c.GetBlockSlots()), Parameters: int(c.GetParameters()), WarpWidth: warpWidth(c.GetWarpWidth()), InstructionAddressBits: int(c.GetInstructionAddressBits()),
			RegisterAddressBits: int(c.GetRegisterAddressBits()), ConstantAddressBits: int(c.GetConstantAddressBits()), SharedAddressBits: int(c.GetSharedAddressBits()),
		},
	}
	for i, instruction := range m.SyncInstruction {
		s := trace.TeslaSync{Instruction: instruction, Block: trace.NoBlock}
		if i < len(m.SyncBlock) {
			s.Block = m.SyncBlock[i]
		}
		t.Syncs = append(t.Syncs, s)
	}
	for _, d := range m.Dependences {
		on := trace.TeslaDependsOn(0)
		if trace.TeslaDependsOn(clampByte(uint32(d.On))).Known() {
			on = trace.TeslaDependsOn(d.On)
		}
		t.Dependences = append(t.Dependences, trace.TeslaDependence{On: on, Reason: d.Reason})
	}
	return t
}

// warpWidth of a trace that does not say it is that of recorded warps.
func warpWidth(n uint32) int {
	if n == 0 {
		return trace.WarpSize
	}
	return int(n)
}
