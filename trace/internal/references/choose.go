// SPDX-License-Identifier: Apache-2.0

package references

// key says which chunks should resemble each other: those of one kernel that begin
// with the same thread block.
type key struct {
	kernel int
	block  uint64
}

// History is the frames that a later one may refer to, of the recording thread.
type History struct {
	kernel *memory // the first kernel
	chunks map[key]*memory
	first  map[int]*memory    // by kernel, its first chunk
	places map[uint64]*memory // by first thread block, of whatever kernel
	order  []memorySize       // oldest first
	bytes  int
}

type memorySize struct {
	key    key
	memory *memory
	bytes  int
}

// memoryBudget is about how many bytes of payloads a writer keeps.
const memoryBudget = 64 << 20

// candidates are what a frame may refer to: the best one is taken.
type candidates [3]reference

// reference is a frame to refer to, and by how much the referring frame must shrink
// for that to be worth the second read. It must shrink to less than so many
// sixteenths of what it has without, or with a reference before this one.
type reference struct {
	earlier    *memory
	sixteenths int
}

// A chunk at the same place of an earlier launch is worth a reference at once; of
// another kernel if that goes through the same data. One elsewhere only if that halves
// the frame: as a root of its own it may serve the launches to come, which refer to
// the same place first.
const (
	samePlaceSixteenths   = 15
	otherKernelSixteenths = 12
	elsewhereSixteenths   = 8
)

// AddKernel chooses the reference of a kernel's frame.
func (m *History) AddKernel(f *Frame) {
	f.memory = newMemory()
	if m.kernel == nil {
		m.kernel = f.memory
	}
	f.candidates = candidates{{m.kernel, samePlaceSixteenths}}
}

// AddChunk chooses the references of the frame of a chunk of a kernel that begins with a
// thread block, and whose payload takes about so many bytes.
func (m *History) AddChunk(f *Frame, kernel int, block uint64, estimate int) {
	if m.chunks == nil {
		m.chunks, m.first, m.places = map[key]*memory{}, map[int]*memory{}, map[uint64]*memory{}
	}
	at := key{kernel, block}
	f.memory = newMemory()
	f.candidates = candidates{{m.chunks[at], samePlaceSixteenths}, {m.places[block], otherKernelSixteenths}}
	if m.chunks[at] == nil {
		f.candidates[2] = reference{m.first[kernel], elsewhereSixteenths}
	}
	if m.first[kernel] == nil {
		m.first[kernel] = f.memory
	}
	m.keep(memorySize{at, f.memory, estimate})
}

// keep makes a chunk known to later ones, and forgets the oldest.
func (m *History) keep(s memorySize) {
	m.chunks[s.key], m.places[s.key.block] = s.memory, s.memory
	m.order = append(m.order, s)
	for m.bytes += s.bytes; m.bytes > memoryBudget; m.order = m.order[1:] {
		oldest := m.order[0]
		m.bytes -= oldest.bytes
		if m.chunks[oldest.key] == oldest.memory {
			delete(m.chunks, oldest.key)
		}
		if m.places[oldest.key.block] == oldest.memory {
			delete(m.places, oldest.key.block)
		}
	}
}
