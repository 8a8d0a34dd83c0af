// SPDX-License-Identifier: Apache-2.0

package trace

// CPUSyncKind says how a CPU thread synchronises with the others of its process.
type CPUSyncKind uint8

// The kinds. All of them order the thread's accesses before and after: on real machines
// their instructions do, or the functions that they stand for.
const (
	CPUNoSync  CPUSyncKind = iota
	CPULock                // takes the lock of an object, which no other thread has
	CPUUnlock              // gives it back
	CPUBarrier             // waits until as many threads have come as the barrier holds
	CPUFence               // orders accesses, and nothing else
	CPUAtomic              // the instruction that follows reads and writes the object at once
	CPUCode                // the program has written code

	CPUSyncCount
)

var cpuSyncNames = [CPUSyncCount]string{"none", "lock", "unlock", "barrier", "fence", "atomic", "code"}

func (k CPUSyncKind) String() string {
	if k < CPUSyncCount {
		return cpuSyncNames[k]
	}
	return "unknown"
}

// CPUSyncNamed is the kind of a name, CPUNoSync without one.
func CPUSyncNamed(name string) CPUSyncKind {
	for k := CPULock; k < CPUSyncCount; k++ {
		if cpuSyncNames[k] == name {
			return k
		}
	}
	return CPUNoSync
}

// CPUSync is a synchronisation of a CPU thread. The threads of a trace that has any are
// one process: they share an address space.
type CPUSync struct {
	At      uint32 // the instruction of the chunk that follows it
	Kind    CPUSyncKind
	Object  uint64 // address of the lock, the barrier or what is accessed at once
	Threads uint32 // of a barrier: how many it holds; else 0
}

// Valid reports whether it is of a kind that exists, and of 1 to so many threads if it is
// a barrier.
func (s *CPUSync) Valid(threads uint32) bool {
	if s.Kind == CPUBarrier {
		return s.Threads >= 1 && s.Threads <= threads
	}
	return s.Kind > CPUNoSync && s.Kind < CPUSyncCount && s.Threads == 0
}
