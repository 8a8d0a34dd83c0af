// SPDX-License-Identifier: Apache-2.0

//go:build linux

package recorder

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

var device = Device{
	Name: "test", Major: 7, Multiprocessors: 2, Schedulers: 2, ClockKHz: 1e6, MemoryClockKHz: 1e6, BusBits: 64, MemoryBytes: 1 << 24,
	SharedPerBlock: 48 << 10, SharedPerSM: 96 << 10, SharedOptIn: 96 << 10, RegistersPerSM: 65536, ThreadsPerSM: 2048, BlocksPerSM: 32,
	RegisterUnit: 256, LinkBytesPerSecond: 1e9,
}

const kernels = `.version 6.3
.target sm_70
.address_size 64
.const .align 4 .u32 c;
.visible .entry k(.param .u64 p) {
	.reg .u64 %a; .reg .u32 %r;
	ld.param.u64 %a, [p];
	ld.const.u32 %r, [c];
	st.global.u32 [%a], %r;
	ret;
}
`

// recorded serves what a program sends, which then goes away, and gives the trace.
func recorded(t testing.TB, sent []byte) (Result, []byte, error) {
	t.Helper()
	return recordedTo(t, sent, io.Discard)
}

// recordedTo gives the replies to a writer, which no other goroutine looks at before it returns.
func recordedTo(t testing.TB, sent []byte, replies io.Writer) (Result, []byte, error) {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	program, err := net.DialUnix("unix", nil, listener.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	connection, err := listener.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	taken := make(chan struct{})
	go func() {
		program.SetDeadline(time.Now().Add(time.Minute))
		go func() {
			defer close(taken)
			io.Copy(replies, program)
		}()
		program.Write(sent)
		program.CloseWrite()
	}()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "test", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	result, err := Serve(context.Background(), connection, Options{Device: device, Sink: w, MaxInstructions: 1000, Compile: fakeCompile})
	connection.Close()
	<-taken
	if finish := w.Finish(); finish != nil {
		t.Fatalf("the trace: %v (the session: %v)", finish, err)
	}
	return result, out.Bytes(), err
}

func message(kind wire.Kind, numbers ...uint64) []byte {
	return wire.AppendReply(nil, uint32(kind), wire.AppendNumbers(nil, numbers...))
}

// greeting begins a session with one module and its kernel, as the runtime library does.
func greeting() []byte {
	out := wire.AppendReply(nil, uint32(wire.KindHello), wire.AppendBytes(wire.AppendNumbers(nil, wire.Version, uint64(wire.APICUDA)), "program"))
	out = wire.AppendReply(out, uint32(wire.KindModule), wire.AppendBytes(wire.AppendNumbers(nil, 1), kernels))
	return wire.AppendReply(out, uint32(wire.KindFunction), wire.AppendBytes(wire.AppendNumbers(nil, 0), "k"))
}

func launch(stream, argument uint64) []byte {
	body := wire.AppendNumbers(nil, 0, stream, 2, 1, 1, 32, 1, 1, 0, 0, 0, 0, 0)
	return wire.AppendReply(nil, uint32(wire.KindLaunch), wire.AppendBytes(body, binary.LittleEndian.AppendUint64(nil, argument)))
}

// The program's own addresses are not in the trace: it has the same bytes wherever the
// program's memory lies, in its copies and in arguments of launches.
func TestRecordingsDoNotDependOnAddressesOfTheProgram(t *testing.T) {
	const buffer = 0xC0000000
	play := func(base uint64) []byte {
		sent := greeting()
		sent = append(sent, message(wire.KindAllocate, 0, 4096)...)
		sent = append(sent, message(wire.KindCopied, 1, buffer, base+24, 100, 0, 1)...)
		sent = append(sent, message(wire.KindCopied, 0, buffer, base+40, 50, 0, 1)...)
		sent = append(sent, message(wire.KindCopied, 0, buffer, base+1<<20, 50, 0, 1)...)
		sent = append(sent, launch(0, buffer)...)
		sent = append(sent, launch(0, base+24)...) // it faults, after it was begun
		_, trace, err := recorded(t, sent)
		if err != nil {
			t.Fatal(err)
		}
		return trace
	}
	if a, b := play(0x7f12_3456_7000), play(0x55aa_0123_4000); !bytes.Equal(a, b) {
		t.Errorf("%d and %d bytes that differ", len(a), len(b))
	}
}

// What waits for what, by the rules of the legacy stream and of events.
func TestStreamsWaitAsCUDASays(t *testing.T) {
	const buffer = 0xC0000000
	fill := func(stream uint64) []byte { return message(wire.KindFill, buffer, 0, 1, 16, 1, 16, stream) }
	sent := greeting()
	sent = append(sent, message(wire.KindAllocate, 0, 4096)...) // event 0
	sent = append(sent, message(wire.KindStream, 1, 2, 0)...)
	sent = append(sent, message(wire.KindStream, 1, 3, 1)...) // non-blocking
	sent = append(sent, fill(2)...)                           // event 1
	sent = append(sent, fill(3)...)                           // 2
	sent = append(sent, fill(0)...)                           // 3: after 1
	sent = append(sent, message(wire.KindRecord, 9, 0)...)
	sent = append(sent, fill(2)...)                            // 4: after 3
	sent = append(sent, fill(3)...)                            // 5
	sent = append(sent, message(wire.KindStreamWait, 3, 9)...) //
	sent = append(sent, fill(3)...)                            // 6: after 3
	sent = append(sent, message(wire.KindWait, 3, 9)...)       // 7: after 3
	// A mark behind a wait marks what is waited for, too; one of the legacy stream marks
	// all blocking streams; a join what its marks mark.
	sent = append(sent, message(wire.KindStream, 1, 4, 1)...)
	sent = append(sent, message(wire.KindStream, 1, 5, 1)...)
	sent = append(sent, message(wire.KindStreamWait, 4, 9)...)
	sent = append(sent, message(wire.KindRecord, 10, 4)...)
	sent = append(sent, message(wire.KindStreamWait, 5, 10)...)
	sent = append(sent, fill(5)...) // 8: after 3
	sent = append(sent, message(wire.KindRecord, 11, 3)...)
	sent = append(sent, message(wire.KindJoin, 12, 2, 10, 11)...)
	sent = append(sent, message(wire.KindWait, 3, 12)...) // 9: after 3 and 6
	sent = append(sent, message(wire.KindStream, 1, 6, 0)...)
	sent = append(sent, fill(6)...) // 10: after 3
	sent = append(sent, message(wire.KindRecord, 13, 0)...)
	sent = append(sent, message(wire.KindWait, 3, 13)...) // 11: after 3, 4 and 10
	_, data, err := recorded(t, sent)
	if err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[int][]int{3: {1}, 4: {3}, 6: {3}, 7: {3}, 8: {3}, 9: {3, 6}, 10: {3}, 11: {3, 4, 10}}
	for i, e := range r.Timeline() {
		if !slices.Equal(e.After, want[i]) {
			t.Errorf("event %d (%v, stream %d) waits for %v", i, e.Kind, e.Stream, e.After)
		}
	}
}

// A module that is unloaded is gone for whatever comes later, and its launches stay.
func TestAnUnloadedModuleIsNoneAnyMore(t *testing.T) {
	sent := append(greeting(), message(wire.KindAllocate, 0, 4096)...)
	sent = append(sent, launch(0, 0xC0000000)...)
	for range 2 {
		sent = append(sent, message(wire.KindUnload, 0)...)
		sent = append(sent, launch(0, 0xC0000000)...)
	}
	sent = append(sent, wire.AppendReply(nil, uint32(wire.KindFunction), wire.AppendBytes(wire.AppendNumbers(nil, 0), "k"))...)
	sent = append(sent, message(wire.KindLoad, 0)...)
	sent = append(sent, message(wire.KindUnload, 1)...)
	result, _, err := recorded(t, sent)
	if err != nil || result.Launches != 1 || result.CutOff != "" {
		t.Errorf("%d launches are recorded, cut off %q, %v; want 1 and nothing else", result.Launches, result.CutOff, err)
	}
}

// A runtime library gone mad: whatever it sends, in the right form or not, the session
// ends, and what was recorded is a trace.
func TestASessionStandsAnyMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []uint64{0, 1, 2, 3, 16, 4096, 0xC0000000, 0xC0000010, 0xC0001000, 0x40000000, 1 << 31, 1 << 40, 1 << 63, ^uint64(0), 0x7f0000001000}
	for range 150 {
		sent := append(greeting(), message(wire.KindAllocate, 0, 4096)...)
		for range r.IntN(60) {
			var body []byte
			for range r.IntN(12) {
				body = wire.AppendNumbers(body, values[r.IntN(len(values))])
			}
			if r.IntN(3) == 0 {
				body = wire.AppendBytes(body, "\x00\x00\x00\xc0\x00\x00\x00\x00")
			}
			kind := 1 + r.IntN(int(wire.KindUnload))
			if r.IntN(4) == 0 {
				sent = append(sent, launch(values[r.IntN(4)], values[r.IntN(len(values))])...)
				continue
			}
			m := wire.AppendReply(nil, uint32(kind), body)
			if q, err := wire.Decode(wire.Message{Kind: wire.Kind(kind), Body: body}); err == nil && q != nil || r.IntN(10) == 0 {
				sent = append(sent, m...)
			}
		}
		if r.IntN(3) == 0 {
			sent = sent[:r.IntN(len(sent))]
		}
		_, _, err := recorded(t, sent)
		if err != nil && !errors.Is(err, wire.ErrMalformed) {
			t.Fatalf("%v", err)
		}
	}
}

// Freed memory is zero again, and joins what is free next to it.
func TestArenaGivesMemoryAgain(t *testing.T) {
	a, err := newArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	var taken [][]byte
	for {
		b, err := a.Take(50_000)
		if err != nil {
			break
		}
		for i := range b {
			b[i] = 0xff
		}
		taken = append(taken, b)
	}
	if len(taken) != (1<<20)/(13*pageBytes) {
		t.Errorf("%d buffers", len(taken))
	}
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(taken)) {
		a.Give(taken[i])
	}
	whole, err := a.Take(1<<20 - 200)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.Trim(whole, "\x00")) != 0 {
		t.Error("memory is not zero")
	}
}

// Pinned and registered memory stays in the host's: a program may have as much of it as
// the device has memory, and all of the device's memory besides.
func TestPinnedMemoryTakesNoneOfTheDevices(t *testing.T) {
	pinned, registered, ofDevice := uint64(wire.AllocatePinned), uint64(wire.AllocateRegistered), uint64(wire.AllocateDevice)
	half := device.MemoryBytes / 2
	for name, c := range map[string]struct {
		sent []byte
		want int // allocations that are made
	}{
		"all of both":                {slices.Concat(message(wire.KindAllocate, pinned, half), message(wire.KindAllocate, registered, half), message(wire.KindAllocate, ofDevice, device.MemoryBytes)), 3},
		"more than the host gives":   {slices.Concat(message(wire.KindAllocate, pinned, device.MemoryBytes), message(wire.KindAllocate, pinned, 4096)), 1},
		"more than the device has":   {slices.Concat(message(wire.KindAllocate, pinned, half), message(wire.KindAllocate, ofDevice, device.MemoryBytes+4096)), 1},
		"given back and had again":   {slices.Concat(message(wire.KindAllocate, pinned, half), message(wire.KindFree, firstBuffer), message(wire.KindAllocate, pinned, device.MemoryBytes)), 2},
		"managed is of the device's": {slices.Concat(message(wire.KindAllocate, uint64(wire.AllocateManaged), half+4096), message(wire.KindAllocate, ofDevice, half)), 1},
	} {
		_, bytes, err := recorded(t, append(greeting(), c.sent...))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := allocationsOf(t, bytes); got != c.want {
			t.Errorf("%s: %d allocations are made, want %d", name, got, c.want)
		}
	}
}

// firstBuffer is where the first buffer of a session lies.
const firstBuffer = 0xC0000000

// allocationsOf counts those of a trace.
func allocationsOf(t *testing.T, data []byte) int {
	t.Helper()
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for _, e := range r.Timeline() {
		if e.Kind == trace.EventAllocate {
			n++
		}
	}
	return n
}
