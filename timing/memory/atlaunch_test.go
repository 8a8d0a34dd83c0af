// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// On every card, with as many bytes as a launch brings: the first lines of a kernel are there, the
// line behind them is not, and a parameter takes a hit if it is among them.
func TestALaunchBringsTheFirstLinesAndParameters(t *testing.T) {
	parameter := func(token uint32, offset uint64) seam.MemoryAccess {
		a := load(token, offset, 0)
		a.Space = trace.SpaceParam
		return a
	}
	for _, spec := range tracetest.Draw(t, []string{"gtx480", "qv100-ref", "v100", "rtx2080ti", "rtx3090", "a100", "h100"}, 2) {
		for _, lines := range []int{0, 1, 3} {
			t.Run(fmt.Sprint(spec, " ", lines), func(t *testing.T) {
				m := machine(t, spec, func(m *arch.Machine) {
					m.GPU.SMs = 1
					m.Constant.Perfect, m.Instruction.Perfect = false, false
					m.Instruction.LaunchBytes, m.Constant.LaunchBytes = lines*m.Instruction.LineBytes, lines*m.Constant.LineBytes
				})
				r := newRig(t, m)
				port := r.sms[0].port
				const code = 1 << 16
				for kernel := range uint32(3) {
					port.KernelBegin(seam.KernelStart{Code: code, Division: seam.Division{L1Ways: r.m.L1.Ways}})
					for line := range lines + 1 {
						at := uint64(code + line*m.Instruction.LineBytes)
						if got, want := port.HasLine(at), line < lines || kernel > 0; got != want {
							t.Fatalf("kernel %d: line %d is there: %v, want %v", kernel, line, got, want)
						}
					}
					port.FetchLine(r.now, uint64(code+lines*m.Instruction.LineBytes))
					r.sms[0].next = r.now + 1
					r.drain()
					hit := clock.Cycle(m.Constant.LatencyCycles)
					for line := range lines + 1 {
						took := r.latency(0, parameter(100*kernel+uint32(line), uint64(line*m.Constant.LineBytes)))
						if there := took <= hit+1; there != (line < lines || m.Constant.Kept && kernel > 0) {
							t.Errorf("kernel %d: parameter in line %d takes %d cycles, a hit %d", kernel, line, took, hit)
						}
					}
					port.KernelEnd(r.now)
				}
			})
		}
	}
}

// What is brought ends with its last byte: the line of that is there, and the one behind it is not.
func TestWhatIsBroughtEndsWithItsLastByte(t *testing.T) {
	m := machine(t, "gtx480", func(m *arch.Machine) {
		m.GPU.SMs, m.Instruction.Perfect, m.Instruction.SectorBytes = 1, false, m.Instruction.LineBytes
	})
	for bytes, lines := range map[int]int{1: 1, m.Instruction.LineBytes: 1, m.Instruction.LineBytes + 1: 2, 2 * m.Instruction.LineBytes: 2, 2*m.Instruction.LineBytes + 1: 3} {
		port := newRig(t, m).sms[0].port.(*Port)
		const code = 1 << 16
		port.instructions.bring(port.system.code+code, bytes)
		for line := range 4 {
			if got := port.HasLine(uint64(code + line*m.Instruction.LineBytes)); got != (line < lines) {
				t.Errorf("%d bytes: line %d is there: %v", bytes, line, got)
			}
		}
	}
}
