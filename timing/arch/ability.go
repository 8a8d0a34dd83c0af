// SPDX-License-Identifier: Apache-2.0

package arch

// Ability is something that a machine, or a mechanism on it, can do for a mechanism,
// or a part that a machine has once. The word is what messages and documents say.
type Ability string

// The abilities. A machine has those that machineAbilities gives it, and those that
// mechanisms provide; a mechanism may take one away.
const (
	// EarlyReads read lines past the L1 before a load needs them (seam.EarlyReader).
	EarlyReads Ability = "early reads of lines past the L1"
	// LineLocks keep lines in the L1 (seam.LineLocker).
	LineLocks Ability = "locks on lines of the L1"
	// L1Cleaning makes an SM's caches write lines back (seam.Cleaner).
	L1Cleaning Ability = "cleaning of the SMs' data caches"
	// SharedLastLevel lets others use the last-level cache, and stand between it and
	// the L2 (seam.LastLevel, seam.L2Cleaner).
	SharedLastLevel Ability = "a last-level cache that others can use"
	// PartitionUnits are places for units at the memory partitions and at the ends of
	// the networks (seam.OffloadHost).
	PartitionUnits Ability = "units at the memory partitions"
	// RecordedCode: SMs execute the recorded instructions in their order.
	RecordedCode Ability = "kernels as they were recorded"
	// Warps32: a hardware warp has the threads of a recorded warp of 32 lanes.
	Warps32 Ability = "warps of 32 threads"
	// Reconvergence: lanes that part meet where they did when they were recorded.
	Reconvergence Ability = "reconvergence at post-dominators"
	// SureIssue: an instruction that can issue does.
	SureIssue Ability = "instructions that issue when they can"
	// SIMTCores are cores of the kind SIMTCore: what they execute, choose and count can
	// be reached (package sm).
	SIMTCores Ability = "SIMT cores"
	// BulkCopies are instructions that move many lines at once, past the L1.
	BulkCopies Ability = "bulk copies"
	// Cores of a CPU.
	Cores Ability = "CPU cores"
	// Translation of addresses behind the lanes.
	Translation Ability = "translation of the SMs' addresses"

	// What there is one of: mechanisms claim it.

	// IssueLogic chooses and issues an SM's instructions.
	IssueLogic Ability = "issue logic"
	// KernelCompiler changes a kernel for the machine.
	KernelCompiler Ability = "kernel compiler"

	// Places, by which mechanisms say where they stand.

	// BehindLanes is the way from the lanes to the L1.
	BehindLanes Ability = "a part between the lanes and the L1"
	// BesideL1 is what looks up the lines that the L1 looks up.
	BesideL1 Ability = "a part beside the L1"
	// InsteadOfL1 answers what the L1 would.
	InsteadOfL1 Ability = "a part in the place of the L1"
	// IssueGroups are SMs that issue together.
	IssueGroups Ability = "SMs that issue together"
)

// machineAbilities says which machines have what no mechanism has to provide.
var machineAbilities = map[Ability]func(m *Machine) bool{
	EarlyReads:      func(*Machine) bool { return true },
	LineLocks:       func(m *Machine) bool { return m.L1.Bytes > 0 && m.L1.Ways > 1 },
	L1Cleaning:      func(*Machine) bool { return true },
	SharedLastLevel: func(m *Machine) bool { return m.LLC.Bytes > 0 },
	PartitionUnits:  func(*Machine) bool { return true },
	RecordedCode:    func(*Machine) bool { return true },
	SIMTCores:       func(m *Machine) bool { return m.GPU.CoreKind() == SIMTCore },
	Warps32:         func(*Machine) bool { return true },
	Reconvergence:   func(m *Machine) bool { return m.GPU.Divergence == "pdom" },
	SureIssue:       func(*Machine) bool { return true },
	BulkCopies:      func(*Machine) bool { return true },
}

// Declaration says what a mechanism has to do with other parts of a machine. Nothing
// else decides whether mechanisms go together: none of them knows another.
type Declaration struct {
	// Needs are abilities without which the mechanism does nothing that makes sense.
	Needs []Need
	// Provides are abilities that the machine has with the mechanism.
	Provides []Ability
	// Takes are abilities that the machine has no longer with it.
	Takes []Why
	// Claims are parts that a machine has once, and that the mechanism brings.
	Claims []Why
	// Outside of those that provide these it stands: nearer to the lanes on the memory
	// path, farther from the baseline in other seams.
	Outside []Ability
	// WholeLaunches says why replays of some thread blocks of a launch tell nothing of the
	// whole launch; empty where they do.
	WholeLaunches string
}

// Need is an ability that a mechanism needs; For says what for, Remedy what to do when
// the machine itself has it not.
type Need struct {
	Ability     Ability
	For, Remedy string
}

// Why is an ability with the reason why a mechanism takes, or brings, it.
type Why struct {
	Ability Ability
	Because string
}
