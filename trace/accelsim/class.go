// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// meaning is what an opcode does.
type meaning struct {
	class trace.OpClass
	space trace.Space
}

// meanings are the opcodes of Volta, Turing and Ampere in Accel-Sim's opcode maps and
// the warp-group matrix instructions of Hopper, by the part before the first dot.
var meanings = newMeanings()

func newMeanings() map[string]meaning {
	m := map[string]meaning{}
	for class, names := range map[trace.OpClass]string{
		trace.ClassF32Add:    "FADD FADD32I FCHK FSEL FSET FSETP FSWZADD",
		trace.ClassF32MinMax: "FMNMX",
		trace.ClassF32Mul:    "FMUL FMUL32I",
		trace.ClassF32Fma:    "FFMA FFMA32I",
		trace.ClassF16:       "HADD2 HADD2_32I HFMA2 HFMA2_32I HMUL2 HMUL2_32I HSET2 HSETP2 HMNMX2",
		trace.ClassSpecial:   "MUFU",
		trace.ClassF64Add:    "DADD DSETP",
		trace.ClassF64Mul:    "DMUL",
		trace.ClassF64Fma:    "DFMA",
		trace.ClassIntAdd: "BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A ISCADD ISCADD32I ISETP LEA LOP LOP3 LOP32I POPC SHF SHL SHR " +
			"VABSDIFF VABSDIFF4 PRMT SEL SGXT",
		trace.ClassIntMinMax: "IMNMX",
		trace.ClassIntMul:    "IMUL IMUL32I",
		trace.ClassIntMad:    "IMAD",
		trace.ClassConvert:   "F2F F2I I2F I2I I2IP FRND F2FP I2FP F2IP",
		trace.ClassMove:      "MOV MOV32I S2R CS2R P2R R2P B2R R2B R2UR S2UR MOVM QSPC GETLMEMBASE SETLMEMBASE LEPC CSMTEST SETCTAID",
		trace.ClassPredicate: "PLOP3 PSETP",
		trace.ClassShuffle:   "SHFL VOTE VOTE_VTG VOTEU MATCH REDUX",
		trace.ClassTensor:    "HMMA BMMA IMMA DMMA HGMMA IGMMA QGMMA BGMMA",
		trace.ClassBarrier:   "BAR",
		trace.ClassFence:     "MEMBAR ERRBAR CCTL CCTLL CCTLT",
		trace.ClassBranch:    "BMOV BPT BRA BREAK BRX BSSY BSYNC JMP JMX BRXU JMXU WARPSYNC RET",
		trace.ClassCall:      "CALL",
		trace.ClassExit:      "EXIT KILL",
		trace.ClassNop:       "WARPGROUP NOP DEPBAR LDGDEPBAR PMTRIG NANOSLEEP YIELD RPCMOV RTT",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = meaning{class: class}
		}
	}
	for name, means := range map[string]meaning{
		"LDG": {trace.ClassLoad, trace.SpaceGlobal}, "LDL": {trace.ClassLoad, trace.SpaceLocal}, "LDS": {trace.ClassLoad, trace.SpaceShared},
		"LDSM": {trace.ClassLoad, trace.SpaceShared}, "LDC": {trace.ClassLoad, trace.SpaceConst}, "ULDC": {trace.ClassLoad, trace.SpaceConst},
		"LD": {trace.ClassLoad, trace.SpaceGeneric}, "LDGSTS": {trace.ClassLoad, trace.SpaceGlobal},
		"STG": {trace.ClassStore, trace.SpaceGlobal}, "STL": {trace.ClassStore, trace.SpaceLocal}, "STS": {trace.ClassStore, trace.SpaceShared},
		"ST":   {trace.ClassStore, trace.SpaceGeneric},
		"ATOM": {trace.ClassAtomic, trace.SpaceGeneric}, "ATOMG": {trace.ClassAtomic, trace.SpaceGlobal}, "ATOMS": {trace.ClassAtomic, trace.SpaceShared},
		"RED": {trace.ClassAtomic, trace.SpaceGlobal},
		"TLD": {trace.ClassLoad, trace.SpaceTexture}, "TEX": {trace.ClassTexture, trace.SpaceTexture}, "TLD4": {trace.ClassTexture, trace.SpaceTexture},
		"TMML": {trace.ClassTexture, trace.SpaceTexture}, "TXD": {trace.ClassTexture, trace.SpaceTexture}, "TXQ": {trace.ClassTexture, trace.SpaceTexture},
	} {
		m[name] = means
	}
	return m
}

// special are the opcodes of Export whose class or space is in a later part.
var special = map[string]meaning{
	"MUFU.IDIV": {class: trace.ClassIntDiv}, "MUFU.FDIV": {class: trace.ClassF32Div}, "MUFU.DDIV": {class: trace.ClassF64Div},
	"DSETP.MNMX": {class: trace.ClassF64MinMax},
	"LDC.PARAM":  {trace.ClassLoad, trace.SpaceParam}, "TEX.GLOBAL": {trace.ClassTexture, trace.SpaceGlobal},
}

// meaningOf looks an opcode up. Uniform instructions are taken for what they do to
// one lane. A memory instruction without an address is a move.
func meaningOf(opcode string) (meaning, bool) {
	parts := strings.SplitN(opcode, ".", 3)
	if len(parts) > 1 {
		if m, ok := special[parts[0]+"."+parts[1]]; ok {
			return m, true
		}
	}
	m, ok := meanings[parts[0]]
	if !ok {
		m, ok = meanings[strings.TrimPrefix(parts[0], "U")]
	}
	return m, ok
}

// laneBytes recomputes the bytes of a lane from the opcode as Accel-Sim does: the
// first part that is a number of bits, with or without U before it, else 4.
func laneBytes(opcode string) uint8 {
	for i, part := range strings.Split(opcode, ".") {
		if i == 0 {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimPrefix(part, "U"), 10, 16); err == nil && n >= 8 && n/8 < 256 {
			return uint8(n / 8)
		}
	}
	return 4
}
