// SPDX-License-Identifier: Apache-2.0

package trace

// CPUBranch is the kind of a CPU branch.
type CPUBranch uint8

// The kinds.
const (
	CPUNoBranch CPUBranch = iota
	CPUDirectJump
	CPUIndirectJump
	CPUConditional
	CPUCall
	CPUIndirectCall
	CPUReturn
	CPUOtherBranch

	CPUBranchCount
)

var cpuBranchNames = [CPUBranchCount]string{"none", "direct-jump", "indirect-jump", "conditional", "call", "indirect-call", "return", "other"}

func (b CPUBranch) String() string {
	if b < CPUBranchCount {
		return cpuBranchNames[b]
	}
	return "unknown"
}

// The registers by which ChampSim knows a branch.
const (
	cpuStackPointer = 6
	cpuFlags        = 25
	cpuIP           = 26
)

// BranchKind derives the kind of branch from the registers, as ChampSim does. All
// kinds write the instruction pointer.
func (in *CPUInstruction) BranchKind() CPUBranch {
	if !in.Branch {
		return CPUNoBranch
	}
	var writesIP, writesSP, readsIP, readsSP, readsFlags, readsOther bool
	for i := range in.Destinations {
		writesIP = writesIP || in.Destinations[i] == cpuIP
		writesSP = writesSP || in.Destinations[i] == cpuStackPointer
		switch in.Sources[i] {
		case 0:
		case cpuIP:
			readsIP = true
		case cpuStackPointer:
			readsSP = true
		case cpuFlags:
			readsFlags = true
		default:
			readsOther = true
		}
	}
	switch {
	case !writesIP:
	case readsSP && writesSP && readsIP && !readsFlags && readsOther:
		return CPUIndirectCall
	case readsSP && writesSP && readsIP && !readsFlags:
		return CPUCall
	case readsSP && writesSP && !readsIP:
		return CPUReturn
	case readsSP || writesSP:
	case readsIP && (readsFlags || readsOther):
		return CPUConditional
	case readsOther && !readsIP && !readsFlags:
		return CPUIndirectJump
	case !readsFlags && !readsOther:
		return CPUDirectJump
	}
	return CPUOtherBranch
}
