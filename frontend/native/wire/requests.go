// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"fmt"

	"github.com/warptape/warptape/trace"
)

// Request is a decoded message: one of the types below.
type Request interface{ decode(*fields) }

// Hello begins a session. The reply has the size of the shared device memory, the
// properties of the device and its name; the memory's descriptor comes with it.
type Hello struct {
	Version uint64
	API     API
	Program string
}

// API is the interface that a runtime library has to its program.
type API uint64

// The interfaces.
const (
	APICUDA API = iota
	APIOpenCL
	apiEnd
)

// Module brings an image: PTX text or a fat binary. Those that a compiler registered are
// linked with each other. The reply is the module's number.
type Module struct {
	Registered bool
	Image      []byte
}

// Load asks whether a module can be loaded. The reply is the error's number, 0 without one, and
// what is wrong.
type Load struct{ Module uint64 }

// Unload gives back what a module has, which is unknown from now on. The reply is how many
// variables it had, and their addresses.
type Unload struct{ Module uint64 }

// Function asks for a kernel of a module, Symbol for a variable.
type (
	Function struct {
		Module uint64
		Name   string
	}
	Symbol struct {
		Module uint64
		Name   string
	}
)

// AllocateKind says what else has a buffer.
type AllocateKind uint64

// The kinds of buffer. Managed, pinned and registered memory is the host's, too.
const (
	AllocateDevice AllocateKind = iota
	AllocateManaged
	AllocatePinned
	AllocateRegistered
)

// Allocate asks for memory; the reply has its address, and its offset in shared memory.
type Allocate struct {
	Kind  AllocateKind
	Bytes uint64
}

// Free gives memory back.
type Free struct{ Address uint64 }

// Launch runs a kernel. Arguments is the packed parameter space. A Cluster of zeros is what the
// kernel requires, or clusters of one thread block.
type Launch struct {
	Function, Stream uint64
	Grid, Block      trace.Dim3
	Cluster          trace.Dim3
	Shared           uint32
	Cooperative      bool
	Arguments        []byte
}

// Copied tells of a copy between the host and the device that the program has done.
type Copied struct {
	ToDevice             bool
	Address, Host, Bytes uint64
	Stream               uint64
	Blocking             bool
}

// Move copies rows on the device.
type Move struct {
	To, From, Width, Height, ToPitch, FromPitch, Stream uint64
}

// Fill sets rows of elements of Element bytes. With none, the program has filled rows of
// Width bytes itself.
type Fill struct {
	Address, Value, Element, Width, Height, Pitch, Stream uint64
}

// Write copies to constant memory, Read from it.
type (
	Write struct {
		Address, Host, Stream uint64
		Blocking              bool
		Data                  []byte
	}
	Read struct{ Address, Bytes, Host, Stream uint64 }
)

// WaitMode says what a Wait is for.
type WaitMode uint64

// The modes: a stream, all streams, what has been sent (which leaves no mark in the
// recording), an event.
const (
	WaitStream WaitMode = iota
	WaitAll
	WaitSent
	WaitEvent
	waitEnd
)

// Wait is answered when the device has done what was asked before.
type Wait struct {
	Mode WaitMode
	Of   uint64
}

// Stream makes a stream or ends it.
type Stream struct {
	Ends  bool
	ID    uint64
	Flags uint64
}

// Record marks a place in a stream, StreamWait lets a stream wait for one.
type (
	Record     struct{ Event, Stream uint64 }
	StreamWait struct{ Stream, Event uint64 }
	Elapsed    struct{ Start, End uint64 }
)

// Texture makes a texture of memory; the reply is its handle.
type Texture struct {
	Name                         string
	Address                      uint64
	Width, Height, Depth, Layers uint32
	Channels, Bits               uint32
	Format                       uint32    // cudaChannelFormatKind
	Modes                        [3]uint32 // cudaTextureAddressMode of the dimensions
	Pitch                        uint64    // bytes from row to row; zero without gaps
	Linear, Normalized, Floats   bool
	BGRA                         bool // the order of channels
}

// Bind makes a texture or surface reference of a module stand for a texture.
type Bind struct {
	Module, Handle uint64
	Name           string
}

// Stage says what a Compile is for.
type Stage uint64

// The stages: a source becomes a module; a source becomes an object; objects become a
// module; objects become one object.
const (
	StageBuild Stage = iota
	StageCompile
	StageLink
	StageLibrary
	stageEnd
)

// Compile compiles OpenCL C. Inputs is one source, or objects; Names and Headers are
// sources that it includes by name, Folder is the program's, for relative names. The reply
// has 1 when it went well (2: the options are at fault), the module's number, the output,
// and what the compiler said. The output is PTX with what is known of its kernels, or an
// object.
type Compile struct {
	Stage           Stage
	Options, Folder string
	Inputs          [][]byte
	Names           []string
	Headers         [][]byte
}

// Binary asks for PTX of a module that a Compile made which heeds the offsets of a Range.
type Binary struct{ Module uint64 }

// Range launches a kernel of OpenCL C: Offset is that of its global numbers, Dimensions how
// many it has. Constants are the numbers of the parameters that point to constant memory;
// their arguments are addresses of buffers, which the recorder copies there.
type Range struct {
	Launch
	Offset     [3]uint32
	Dimensions uint32
	Constants  []byte
}

// Join marks what several marks mark.
type Join struct {
	Event uint64
	Of    []uint64
}

// Profile asks for the times of a mark. The replies are nanoseconds of the estimate: when the
// program asked for the last step before it, when the step began, when it ended.
type Profile struct{ Event uint64 }

// TensorMap asks for the bytes of a tensor map; the reply has them. Dimensions are listed
// innermost first. Strides are those of all dimensions but the innermost, in bytes. The last
// three lists are of im2col mode, where Box has the channels and the pixels of a column.
type TensorMap struct {
	Element        uint32 // by its number in tensormap.replace
	Swizzle        uint32 // 0 for none, or 1 to 3 for 32, 64 and 128 bytes
	FillNaN        bool
	Im2col         bool
	Address        uint64
	Sizes, Strides []uint64
	Box            []uint64
	ElementStrides []uint64
	Lower, Upper   []uint64 // signed numbers
}

// Goodbye ends a session, Memory asks how much of it is free.
type (
	Goodbye struct{}
	Memory  struct{}
)

func (q *Hello) decode(f *fields) {
	q.Version, q.API, q.Program = f.number(), API(f.number()), string(f.bytes())
	if q.API >= apiEnd {
		f.fail()
	}
}
func (q *Module) decode(f *fields)   { q.Registered, q.Image = f.flag(), f.bytes() }
func (q *Function) decode(f *fields) { q.Module, q.Name = f.number(), string(f.bytes()) }
func (q *Load) decode(f *fields)     { q.Module = f.number() }
func (q *Unload) decode(f *fields)   { q.Module = f.number() }
func (q *Symbol) decode(f *fields)   { q.Module, q.Name = f.number(), string(f.bytes()) }
func (q *Allocate) decode(f *fields) { q.Kind, q.Bytes = AllocateKind(f.number()), f.number() }
func (q *Free) decode(f *fields)     { q.Address = f.number() }
func (q *Launch) decode(f *fields) {
	q.Function, q.Stream = f.number(), f.number()
	q.Grid = trace.Dim3{X: f.small(), Y: f.small(), Z: f.small()}
	q.Block = trace.Dim3{X: f.small(), Y: f.small(), Z: f.small()}
	q.Cluster = trace.Dim3{X: f.small(), Y: f.small(), Z: f.small()}
	q.Shared, q.Cooperative, q.Arguments = f.small(), f.number()&1 != 0, f.bytes()
}

func (q *Copied) decode(f *fields) {
	q.ToDevice, q.Address, q.Host, q.Bytes, q.Stream, q.Blocking = f.flag(), f.number(), f.number(), f.number(), f.number(), f.flag()
}

func (q *Move) decode(f *fields) {
	f.numbers(&q.To, &q.From, &q.Width, &q.Height, &q.ToPitch, &q.FromPitch, &q.Stream)
}

func (q *Fill) decode(f *fields) {
	f.numbers(&q.Address, &q.Value, &q.Element, &q.Width, &q.Height, &q.Pitch, &q.Stream)
}

func (q *Write) decode(f *fields) {
	f.numbers(&q.Address, &q.Host, &q.Stream)
	q.Blocking, q.Data = f.flag(), f.bytes()
}
func (q *Read) decode(f *fields) { f.numbers(&q.Address, &q.Bytes, &q.Host, &q.Stream) }

func (q *Wait) decode(f *fields) {
	if q.Mode, q.Of = WaitMode(f.number()), f.number(); q.Mode >= waitEnd {
		f.fail()
	}
}
func (q *Stream) decode(f *fields)     { q.Ends, q.ID, q.Flags = f.number() == 2, f.number(), f.number() }
func (q *Record) decode(f *fields)     { f.numbers(&q.Event, &q.Stream) }
func (q *StreamWait) decode(f *fields) { f.numbers(&q.Stream, &q.Event) }
func (q *Elapsed) decode(f *fields)    { f.numbers(&q.Start, &q.End) }
func (q *Texture) decode(f *fields) {
	q.Name, q.Address = string(f.bytes()), f.number()
	q.Width, q.Height, q.Depth, q.Layers = f.small(), f.small(), f.small(), f.small()
	q.Channels, q.Bits, q.Format, q.Pitch = f.small(), f.small(), f.small(), f.number()
	q.Modes = [3]uint32{f.small(), f.small(), f.small()}
	q.Linear, q.Normalized, q.Floats, q.BGRA = f.flag(), f.flag(), f.flag(), f.flag()
}
func (q *Bind) decode(f *fields) {
	q.Module, q.Name, q.Handle = f.number(), string(f.bytes()), f.number()
}
func (q *Compile) decode(f *fields) {
	if q.Stage = Stage(f.number()); q.Stage >= stageEnd {
		f.fail()
	}
	q.Options, q.Folder = string(f.bytes()), string(f.bytes())
	for n := f.parts(); n > 0; n-- {
		q.Inputs = append(q.Inputs, f.bytes())
	}
	for n := f.parts(); n > 0; n-- {
		q.Names, q.Headers = append(q.Names, string(f.bytes())), append(q.Headers, f.bytes())
	}
}
func (q *Binary) decode(f *fields) { q.Module = f.number() }
func (q *Range) decode(f *fields) {
	q.Launch.decode(f)
	q.Offset = [3]uint32{f.small(), f.small(), f.small()}
	q.Dimensions, q.Constants = f.small(), f.bytes()
}

func (q *Join) decode(f *fields) {
	q.Event = f.number()
	for n := f.count(); n > 0; n-- {
		q.Of = append(q.Of, f.number())
	}
}
func (q *Profile) decode(f *fields) { q.Event = f.number() }
func (q *TensorMap) decode(f *fields) {
	q.Element, q.Swizzle, q.FillNaN, q.Im2col, q.Address = f.small(), f.small(), f.flag(), f.flag(), f.number()
	for _, list := range []*[]uint64{&q.Sizes, &q.Strides, &q.Box, &q.ElementStrides, &q.Lower, &q.Upper} {
		for n := f.count(); n > 0; n-- {
			*list = append(*list, f.number())
		}
	}
}
func (q *Goodbye) decode(*fields)  {}
func (q *Memory) decode(f *fields) {}

// MaxParts bounds the inputs, and the headers, of a compilation: each takes more memory here
// than its eight bytes in a message.
const MaxParts = 1 << 12

// parts is a count of parts of a compilation.
func (f *fields) parts() uint64 {
	n := f.count()
	if n > MaxParts {
		f.fail()
		return 0
	}
	return n
}

// count is a number of fields that follow, which have eight bytes at least.
func (f *fields) count() uint64 {
	n := f.number()
	if n > uint64(len(f.rest)/8) {
		f.fail()
		return 0
	}
	return n
}

func (f *fields) numbers(to ...*uint64) {
	for _, n := range to {
		*n = f.number()
	}
}

// requests makes an empty request of each kind.
var requests = [kindEnd]func() Request{
	KindHello: func() Request { return new(Hello) }, KindModule: func() Request { return new(Module) },
	KindFunction: func() Request { return new(Function) }, KindSymbol: func() Request { return new(Symbol) },
	KindAllocate: func() Request { return new(Allocate) }, KindFree: func() Request { return new(Free) },
	KindLaunch: func() Request { return new(Launch) }, KindCopied: func() Request { return new(Copied) },
	KindMove: func() Request { return new(Move) }, KindFill: func() Request { return new(Fill) },
	KindWrite: func() Request { return new(Write) }, KindRead: func() Request { return new(Read) },
	KindWait: func() Request { return new(Wait) }, KindStream: func() Request { return new(Stream) },
	KindRecord: func() Request { return new(Record) }, KindStreamWait: func() Request { return new(StreamWait) },
	KindElapsed: func() Request { return new(Elapsed) }, KindTexture: func() Request { return new(Texture) },
	KindBind: func() Request { return new(Bind) }, KindGoodbye: func() Request { return new(Goodbye) },
	KindMemory: func() Request { return new(Memory) }, KindCompile: func() Request { return new(Compile) },
	KindBinary: func() Request { return new(Binary) }, KindRange: func() Request { return new(Range) },
	KindJoin: func() Request { return new(Join) }, KindProfile: func() Request { return new(Profile) },
	KindLoad: func() Request { return new(Load) }, KindUnload: func() Request { return new(Unload) },
	KindTensorMap: func() Request { return new(TensorMap) },
}

// Decode reads the fields of a message. Byte fields share its memory.
func Decode(m Message) (Request, error) {
	if m.Kind == 0 || m.Kind >= kindEnd {
		return nil, fmt.Errorf("%w: kind %d", ErrMalformed, m.Kind)
	}
	q, f := requests[m.Kind](), &fields{rest: m.Body}
	q.decode(f)
	if f.err == nil && len(f.rest) > 0 {
		f.err = fmt.Errorf("%w: %d bytes behind its fields", ErrMalformed, len(f.rest))
	}
	if f.err != nil {
		return nil, f.err
	}
	return q, nil
}

// HasReply says whether the program waits for an answer.
func (k Kind) HasReply() bool {
	switch k {
	case KindFree, KindLaunch, KindCopied, KindMove, KindFill, KindWrite, KindStream, KindRecord, KindStreamWait, KindRange, KindJoin:
		return false
	}
	return true
}
