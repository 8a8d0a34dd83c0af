package trace

// Header is the provenance of a trace. It holds nothing that would differ
// between two recordings of the same program: no date, no host name.
type Header struct {
	// Tool is name and version of the program that wrote the trace.
	Tool string
	// Program is the host program's name; ProgramDigest and the PTX digests are
	// lower-case hex SHA-256.
	Program, ProgramDigest string
	Seed                   uint64 // of the generated inputs
	Arguments              map[string]string
	PTX                    []SourceDigest
	// Sampling is empty when every thread block is stored.
	Sampling string
}

// SourceDigest names one input file.
type SourceDigest struct{ Name, Digest string }

// Launch is one kernel launch of the host timeline.
type Launch struct {
	Kernel      int // index into the trace's kernels
	Grid, Block Dim3
	// DynamicSharedBytes is added to the kernel's static shared memory.
	DynamicSharedBytes uint32
	Stream             uint32
	// Arguments is the packed parameter space (see Kernel.Params).
	Arguments []byte
}

// Warps is the number of warps of one thread block of the launch.
func (l *Launch) Warps() int { return int((l.Block.Count() + WarpSize - 1) / WarpSize) }

// EventKind says what a HostEvent is.
type EventKind uint8

// The host events. Part of the file format: only ever appended.
const (
	EventInvalid      EventKind = iota
	EventAllocate               // Address, Bytes, Name
	EventFree                   // Address
	EventCopyToDevice           // Address (device), HostAddress, Bytes
	EventCopyToHost             // Address (device), HostAddress, Bytes
	EventFill                   // Address, Bytes: device memset
	EventLaunch                 // Launch
	EventCompute                // host computation: Name, Operations
	EventSynchronize            // the host waits for Stream (or all, if AllStreams)
	EventHostAllocate           // HostAddress, Bytes, Name
	eventEnd
)

var eventNames = [eventEnd]string{"invalid", "allocate", "free", "copy-to-device", "copy-to-host", "fill", "launch", "compute", "synchronize", "host-allocate"}

func (k EventKind) String() string {
	if k < eventEnd {
		return eventNames[k]
	}
	return "unknown"
}

// HostEvent is one step of the host timeline, in program order.
type HostEvent struct {
	Kind                        EventKind
	Name                        string
	Address, HostAddress, Bytes uint64
	Launch                      int // index into the trace's launches
	Stream                      uint32
	AllStreams                  bool
	Operations                  uint64
	// After lists earlier events (indexes in the timeline) that this one must
	// wait for beyond the order of its own stream.
	After []int
}

// Totals are exact counts of the whole run, also when only a sample is stored.
type Totals struct {
	Launches, ThreadBlocks, Warps, Threads uint64
	// WarpInstructions counts executed warp instructions (a warp instruction
	// whose guard is false in all lanes counts); ThreadInstructions counts
	// lanes that were active and whose guard held; of a predicated branch or exit,
	// whose outcome is in the path, all active lanes.
	WarpInstructions, ThreadInstructions uint64
	Visits                               uint64             // basic-block visits of warps
	MemoryInstructions                   uint64             // warp instructions with lane addresses
	ByClass                              [ClassCount]uint64 // warp instructions
	BytesToDevice, BytesToHost           uint64
}

// Add adds the counts of b to t.
func (t *Totals) Add(b *Totals) {
	t.Launches += b.Launches
	t.ThreadBlocks += b.ThreadBlocks
	t.Warps += b.Warps
	t.Threads += b.Threads
	t.WarpInstructions += b.WarpInstructions
	t.ThreadInstructions += b.ThreadInstructions
	t.Visits += b.Visits
	t.MemoryInstructions += b.MemoryInstructions
	for i, n := range b.ByClass {
		t.ByClass[i] += n
	}
	t.BytesToDevice += b.BytesToDevice
	t.BytesToHost += b.BytesToHost
}
