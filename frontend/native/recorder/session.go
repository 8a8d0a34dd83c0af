// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/trace"
)

// Sink takes the recording; *wtape.Writer is one.
type Sink interface {
	host.Sink
	// DropBlock forgets a thread block that has begun and will not end.
	DropBlock()
}

// Options say how to record a program.
type Options struct {
	Device Device
	Sink   Sink
	// Coexecutor runs kernels; nil stands for the interpreter.
	Coexecutor coexecution.Coexecutor
	// Workers is the number of cores that run the thread blocks of a launch.
	Workers int
	// MaxInstructions is the number of warp instructions that one launch may execute;
	// zero means no limit.
	MaxInstructions uint64
	// LaunchTime, if not nil, gives the nanoseconds of the recorded launch whose thread
	// blocks have just ended, for times of events; TimeSource says what it is. Without
	// it, and for launches that are not recorded, counts of instructions give them.
	LaunchTime func() (float64, error)
	TimeSource string
	// Slack is the number of bytes before and behind each buffer of cudaMalloc that
	// kernels may touch, as they may on a GPU, whose pages are larger than buffers.
	Slack uint64
	// Turn is how many basic blocks a warp executes before the next one has its turn; zero
	// lets it go on until it waits.
	Turn int
	// Together is the number of thread blocks up to which all of a launch run at the same
	// time, as on a GPU that has room for them. Others run one after the other.
	Together uint64
	// CheckRaces and CheckGlobalRaces end a launch in which accesses to shared memory, or of
	// a thread block to global memory, race. Both warn of stores by which lanes of a warp
	// write different values to one place.
	CheckRaces, CheckGlobalRaces bool
	// CheckBounds keeps buffers apart, so that accesses a little beyond one are faults.
	CheckBounds bool
	// Choose, if not nil, says which launches are recorded, counted from 0. Others
	// run and leave no mark.
	Choose func(kernel string, launch int) bool
	// Claim, if not nil, is asked before a session first does more than look at the device. If
	// another session has the device, it is false, and this one ends with ErrTaken.
	Claim func() bool
	// Compile compiles OpenCL C; without it programs cannot.
	Compile func(ctx context.Context, q *CompileRequest) (*Compiled, error)
	// Say takes what the user should read.
	Say io.Writer
	// Progress, if not nil, is told of finished thread blocks.
	Progress func(kernel string, launch int, warpInstructions uint64)
}

// Result sums up what a program did.
type Result struct {
	Program                                  string
	Launches, LaunchesLeftOut                int
	ThreadBlocks, WarpInstructions, Messages uint64
	// CutOff says why the trace ends early; empty when it does not.
	CutOff string
	// LeftOut are kernels of launches that were left out; at most 16 are named.
	LeftOut []string
	// EndedBy says what ended the program before its time. Who started the program knows it.
	EndedBy string
	// Refused are kernels that the device refused: the trace has no launches of theirs. At
	// most 64 are named.
	Refused []string
}

// counting counts the events of the timeline.
type counting struct {
	Sink
	events, waits int
}

// wait refuses what would make a few messages a large timeline.
func (c *counting) wait(n int) error {
	if c.waits+n > maxWaits {
		return refuse(errMemory, "the steps of the timeline wait for more than %d others together", maxWaits)
	}
	c.waits += n
	return nil
}

func (c *counting) AddEvent(e trace.HostEvent) (int, error) {
	if err := c.wait(len(e.After)); err != nil {
		return 0, err
	}
	n, err := c.Sink.AddEvent(e)
	if err == nil {
		c.events = n + 1
	}
	return n, err
}

func (c *counting) BeginLaunch(l trace.Launch, after ...int) (int, error) {
	if err := c.wait(len(after)); err != nil {
		return 0, err
	}
	n, err := c.Sink.BeginLaunch(l, after...)
	if err == nil {
		c.events++
	}
	return n, err
}

// session is one program's use of the device.
type session struct {
	ctx     context.Context
	options Options
	sink    *counting
	device  *emulator.Device
	arena   *arena
	output  limited

	program     string
	names       map[wire.AllocateKind]string // of buffers in the timeline
	modules     []*module
	kernels     []*kernel
	streams     map[uint32]*stream
	order       []*stream // the streams as they came
	marks       map[uint64]mark
	marked      int   // steps that the marks are of, together
	imageBytes  int64 // of modules that are not loaded yet
	host        *hostMap
	ends        []float64 // of the events of the timeline
	hostTime    float64
	allocations int
	launches    int
	traced      int
	timed       bool
	claimed     bool
	// pending is the error of a message without reply, lost that of the device.
	pending, lost error
	result        Result
}

// limited keeps what kernels print until the program takes it; what is too much is
// dropped, as CUDA does.
type limited struct {
	bytes.Buffer
	dropped bool
}

const maxOutput = 64 << 20

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxOutput {
		l.dropped = true
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// spread is how much larger the addresses of device memory are than the memory: the host's
// pinned memory takes as much again, and buffers find room between others.
const spread = 3

// Serve is the device of one program, until the connection ends or ctx does. What the
// program did wrong is told on Options.Say and to the program; the error is of the
// recording itself, or of a program that breaks the protocol.
func Serve(ctx context.Context, connection *net.UnixConn, o Options) (Result, error) {
	a, err := newArena(spread*o.Device.MemoryBytes + 1<<20)
	if err != nil {
		return Result{}, err
	}
	defer a.close()
	s := &session{
		ctx: ctx, options: o, sink: &counting{Sink: o.Sink}, arena: a, host: newHostMap(),
		streams: map[uint32]*stream{}, marks: map[uint64]mark{},
	}
	if o.Say == nil {
		s.options.Say = io.Discard
	}
	s.device = emulator.NewDevice(emulator.Options{
		Coexecutor: o.Coexecutor, GlobalBytes: o.Device.MemoryBytes, GlobalStore: a, MaxInstructions: o.MaxInstructions, Workers: o.Workers, Output: &s.output,
		Turn: o.Turn, CheckRaces: o.CheckRaces, CheckGlobalRaces: o.CheckGlobalRaces, CheckBounds: o.CheckBounds,
		Warn: func(w error) { s.say("warning: %v", w) },
	})
	defer context.AfterFunc(ctx, func() { connection.SetDeadline(time.Now()) })()
	err = s.serve(connection)
	if s.output.Len() > 0 { // of a program that ended without taking it
		s.options.Say.Write(s.output.Bytes())
	}
	return s.result, err
}

func (s *session) say(format string, a ...any) {
	fmt.Fprintf(s.options.Say, "warptape: "+format+"\n", a...)
}

// replyTime is how long a program may take to accept a reply.
var replyTime = 30 * time.Second

func (s *session) serve(connection *net.UnixConn) error {
	in := newReader(connection)
	for first := true; ; first = false {
		m, err := wire.ReadMessage(in)
		if err != nil {
			return s.ended(err)
		}
		s.result.Messages++
		q, err := wire.Decode(m)
		if err != nil {
			return fmt.Errorf("the program's runtime library: %w", err)
		}
		if hello, ok := q.(*wire.Hello); ok != first {
			return fmt.Errorf("the program's runtime library: %w: a greeting is the first message, and only that", wire.ErrMalformed)
		} else if ok {
			if err := s.greet(connection, hello); err != nil {
				return err
			}
			continue
		}
		if err := s.claim(q); err != nil {
			return err
		}
		body, err := s.carryOut(q)
		if err := s.fatal(err); err != nil {
			return err
		}
		if !m.Kind.HasReply() {
			if s.pending == nil {
				s.pending = err
			}
			continue
		}
		if err := s.reply(connection, body, err); err != nil {
			return s.ended(err)
		}
		if m.Kind == wire.KindGoodbye {
			return nil
		}
	}
}

// ErrTaken is the error of a session whose device another one has.
var ErrTaken = errors.New("a second process asks for the device; one process can be recorded")

// claim asks for the device before the first message that does more than look at it.
func (s *session) claim(q wire.Request) error {
	switch q.(type) {
	case *wire.Memory, *wire.Wait, *wire.Goodbye:
		return nil
	}
	if s.claimed || s.options.Claim == nil {
		return nil
	}
	if s.claimed = s.options.Claim(); !s.claimed {
		return ErrTaken
	}
	return nil
}

// newReader reads ahead, so that many small messages cost few system calls.
func newReader(r io.Reader) io.Reader { return &ahead{r: r, buffer: make([]byte, 0, 64<<10)} }

type ahead struct {
	r      io.Reader
	buffer []byte
	at     int
}

func (a *ahead) Read(p []byte) (int, error) {
	if a.at == len(a.buffer) {
		if len(p) >= cap(a.buffer) {
			return a.r.Read(p)
		}
		n, err := a.r.Read(a.buffer[:cap(a.buffer)])
		a.buffer, a.at = a.buffer[:n], 0
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, a.buffer[a.at:])
	a.at += n
	return n, nil
}

// ended is the end of a connection: no error, unless the user ended the recording, the first
// message was cut off, or the program breaks the protocol or stands still.
func (s *session) ended(err error) error {
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the program has not taken a reply for %v, and the recording has ended before it", replyTime)
	case errors.Is(err, wire.ErrMalformed) && (s.result.Messages == 0 || !errors.Is(err, wire.ErrCutOff)):
		return fmt.Errorf("the program's runtime library: %w", err)
	}
	return nil // the program has ended, of itself or not
}

// fatal keeps the errors that the program need not know from those that it must.
func (s *session) fatal(err error) error {
	if err == nil {
		return nil // before errors.As, whose target takes memory
	}
	var c *cudaError
	if errors.As(err, &c) {
		return nil
	}
	return err
}

func (s *session) greet(connection *net.UnixConn, q *wire.Hello) error {
	if q.Version != wire.Version {
		return fmt.Errorf("the program's runtime library is of version %d, this recorder of %d: build the program again with this warptape", q.Version, wire.Version)
	}
	if len(q.Program) > 256 {
		return fmt.Errorf("%w: a program's name of %d bytes", wire.ErrMalformed, len(q.Program))
	}
	s.program, s.names = strings.ToValidUTF8(q.Program, "?"), bufferNames[q.API]
	s.result.Program = s.program
	reply := wire.AppendReply(nil, 0, s.options.Device.hello(uint64(len(s.arena.bytes))))
	connection.SetWriteDeadline(time.Now().Add(replyTime))
	return s.ended(s.arena.send(connection, reply))
}

// reply answers: first with what kernels have printed, then with the oldest error that the
// program does not know yet, or the result.
func (s *session) reply(connection *net.UnixConn, body []byte, err error) error {
	if err == nil {
		err = s.pending
	}
	s.pending = nil
	var out []byte
	if s.output.Len() > 0 {
		out = wire.AppendReply(out, wire.StatusOutput, s.output.Bytes())
		s.output.Reset()
	}
	if s.output.dropped {
		s.say("kernels printed more than %d bytes between two waits of the program; the rest is dropped", maxOutput)
		s.output.dropped = false
	}
	status := uint32(0)
	var c *cudaError
	if errors.As(err, &c) {
		status, body = c.status, nil
		if c.sticky {
			status |= wire.StatusSticky
		}
	}
	out = wire.AppendReply(out, status, body)
	connection.SetWriteDeadline(time.Now().Add(replyTime))
	_, err = connection.Write(out)
	return err
}

// carryOut does what a message asks for.
func (s *session) carryOut(q wire.Request) (body []byte, err error) {
	if s.lost != nil {
		if _, leaves := q.(*wire.Goodbye); leaves {
			return nil, nil
		}
		return nil, s.lost
	}
	switch q := q.(type) {
	case *wire.Module:
		body, err = s.addModule(q)
	case *wire.Load:
		body, err = s.loadable(q)
	case *wire.Unload:
		body, err = s.unload(q)
	case *wire.Function:
		body, err = s.function(q)
	case *wire.Symbol:
		body, err = s.symbol(q)
	case *wire.Allocate:
		body, err = s.allocate(q)
	case *wire.Free:
		err = s.free(q)
	case *wire.Launch:
		err = s.launch(q)
	case *wire.Range:
		err = s.launchRange(q)
	case *wire.Compile:
		body, err = s.compile(q)
	case *wire.Binary:
		body, err = s.binary(q)
	case *wire.Copied:
		err = s.copied(q)
	case *wire.Move:
		err = s.move(q)
	case *wire.Fill:
		err = s.fill(q)
	case *wire.Write:
		err = s.write(q)
	case *wire.Read:
		body, err = s.read(q)
	case *wire.Wait:
		err = s.wait(q)
	case *wire.Stream:
		err = s.makeStream(q)
	case *wire.Record:
		err = s.record(q.Event, q.Stream)
	case *wire.StreamWait:
		err = s.streamWait(q.Stream, q.Event)
	case *wire.Join:
		err = s.join(q)
	case *wire.Profile:
		body, err = s.profile(q)
	case *wire.Elapsed:
		body, err = s.elapsed(q)
	case *wire.Texture:
		body, err = s.texture(q)
	case *wire.Bind:
		err = s.bind(q)
	case *wire.TensorMap:
		body, err = s.tensorMap(q)
	case *wire.Memory:
		total := s.options.Device.MemoryBytes
		body = wire.AppendNumbers(nil, total-min(total, s.device.Global.Used()), total)
	}
	s.explain(err)
	return body, err
}

// explain tells the user what the program learns as a number.
func (s *session) explain(err error) {
	if err == nil {
		return
	}
	var c *cudaError
	if errors.As(err, &c) && c.status != errNotFound && s.ctx.Err() == nil {
		s.say("%v", c.err)
	}
}

func (s *session) wait(q *wire.Wait) error {
	switch q.Mode {
	case wire.WaitStream:
		t, err := s.stream(q.Of)
		if err != nil {
			return err
		}
		return s.synchronize(t)
	case wire.WaitAll:
		return s.synchronizeAll()
	case wire.WaitEvent:
		return s.synchronizeMark(q.Of)
	}
	return nil
}

const maxStreams = 1 << 16

func (s *session) makeStream(q *wire.Stream) error {
	if q.Ends {
		return nil // its steps stay in the timeline
	}
	t, err := s.stream(q.ID)
	if err == nil {
		t.nonBlocking = q.Flags&1 != 0
	}
	return err
}

// elapsed is the time between two marks, estimated: the recording has no clock.
func (s *session) elapsed(q *wire.Elapsed) ([]byte, error) {
	start, ok := s.marks[q.Start]
	end, ok2 := s.marks[q.End]
	if !ok || !ok2 {
		return nil, refuse(errInvalidHandle, "the time between events that were not recorded")
	}
	s.sayEstimated()
	return wire.AppendNumbers(nil, uint64(int64(end.at-start.at))), nil
}

// sayEstimated tells once what times are.
func (s *session) sayEstimated() {
	if !s.timed {
		s.timed = true
		if s.options.LaunchTime != nil {
			s.say("times of events are those of %s; copies are estimates, from their bytes", s.options.TimeSource)
		} else {
			s.say("times of events are estimates, from counts of instructions and bytes on %s; replay the trace for a model of them, or run with --event-times replay", s.options.Device.Name)
		}
	}
}

// profile gives the times of a mark.
func (s *session) profile(q *wire.Profile) ([]byte, error) {
	m, ok := s.marks[q.Event]
	if !ok {
		return nil, refuse(errInvalidHandle, "the times of an event that was not recorded")
	}
	s.sayEstimated()
	return wire.AppendNumbers(nil, uint64(m.asked), uint64(m.began), uint64(m.at)), nil
}
