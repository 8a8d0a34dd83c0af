// SPDX-License-Identifier: Apache-2.0

//go:build linux

package recorder

import (
	"bytes"
	"context"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// soon fails a test whose session does not end.
func soon(t *testing.T, sent []byte) (Result, []byte, error) {
	t.Helper()
	hung := time.AfterFunc(5*time.Minute, func() { panic("the session hangs") })
	defer hung.Stop()
	return recorded(t, sent)
}

const someBuffer = 0xC0000000

func withBuffer() []byte { return append(greeting(), message(wire.KindAllocate, 0, 4096)...) }

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Rows that lie on each other have no bound: 2^63 of them would take years.
func TestRowsThatOverlapAreRefused(t *testing.T) {
	for name, m := range map[string][]byte{
		"fill":  message(wire.KindFill, someBuffer, 7, 1, 1, 1<<63, 0, 0),
		"short": message(wire.KindFill, someBuffer, 7, 1, 8, 1<<63, 7, 0),
		"to":    message(wire.KindMove, someBuffer, someBuffer+64, 1, 1<<62, 0, 1, 0),
		"from":  message(wire.KindMove, someBuffer, someBuffer+64, 1, 1<<62, 1, 0, 0),
		"both":  message(wire.KindMove, someBuffer, someBuffer+64, 1, 1<<62, 0, 0, 0),
	} {
		_, data, err := soon(t, joined(withBuffer(), m))
		if err != nil || len(timelineOf(t, data)) != 1 {
			t.Errorf("%s: %v, and %d events", name, err, len(timelineOf(t, data)))
		}
	}
}

func timelineOf(t *testing.T, data []byte) []trace.HostEvent {
	t.Helper()
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r.Timeline()
}

// What a program tells of its copies is no larger than the buffer that it names.
func TestCopiesBeyondTheirBufferAreNotRecorded(t *testing.T) {
	for _, n := range []uint64{4097, 1 << 40, 1 << 63, ^uint64(0)} {
		_, data, err := soon(t, joined(withBuffer(), message(wire.KindCopied, 1, someBuffer, 0x7f0000001000, n, 0, 1)))
		if got := len(timelineOf(t, data)); err != nil || got != 1 {
			t.Errorf("%d bytes: %v, and %d events", n, err, got)
		}
	}
}

// Streams need not be made to be named: those that steps name count as well.
func TestStreamsThatStepsNameAreBounded(t *testing.T) {
	sent := withBuffer()
	for id := range uint64(maxStreams + 100) {
		sent = append(sent, message(wire.KindRecord, 1, id)...)
	}
	sent = append(sent, message(wire.KindFill, someBuffer, 0, 1, 16, 1, 16, maxStreams+200)...)
	if _, data, err := soon(t, sent); err != nil || len(timelineOf(t, data)) != 1 {
		t.Errorf("%v, and %d events", err, len(timelineOf(t, data)))
	}
}

// Marks of many streams, joins of marks and waits for them take little time, and no more
// memory than their bound: some kilobytes of messages were worth gigabytes.
func TestWaitsForManyStepsAreBounded(t *testing.T) {
	tracetest.Nightly(t)
	const streams = 20_000
	sent := withBuffer()
	for id := range uint64(streams) {
		sent = append(sent, message(wire.KindFill, someBuffer, 0, 1, 16, 1, 16, id+1)...)
	}
	for mark := range uint64(200) {
		sent = append(sent, message(wire.KindRecord, mark, 0)...)
	}
	of := []uint64{1000, 100_000}
	for range 100_000 {
		of = append(of, 5)
	}
	sent = append(sent, message(wire.KindJoin, of...)...)
	for range 5000 { // 20,000 steps each
		sent = append(sent, message(wire.KindStreamWait, 70_000, 7)...)
		sent = append(sent, message(wire.KindFill, someBuffer, 0, 1, 16, 1, 16, 70_000)...)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := soon(t, sent)
	runtime.ReadMemStats(&after)
	if grown := after.Sys - before.Sys; err != nil || grown > 4<<30 {
		t.Errorf("%v, and %d MiB", err, grown>>20)
	}
}

// A message that no runtime library sends is told; it is no end of the program.
func TestMalformedMessagesAreToldWheneverTheyCome(t *testing.T) {
	huge := []byte{byte(wire.KindModule), 0, 0, 0, 0, 0, 0, 0x7f}
	unknown := []byte{200, 0, 0, 0, 0, 0, 0, 0}
	for name, m := range map[string][]byte{"huge": huge, "unknown": unknown} {
		if _, _, err := soon(t, joined(withBuffer(), m)); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := soon(t, joined(withBuffer(), huge[:5])); err != nil {
		t.Errorf("a program that is killed within a message: %v", err)
	}
}

// A file's name may have any bytes; a trace has text.
func TestNamesOfAnyBytesAreRecordedAsText(t *testing.T) {
	sent := greeting()
	sent = bytes.Replace(sent, []byte("program"), []byte("p\xff\xfeg\x80am"), 1)
	result, data, err := soon(t, append(sent, launch(0, 0)...))
	if err != nil || len(data) == 0 || !utf8.ValidString(result.Program) {
		t.Errorf("%q: %v", result.Program, err)
	}
}

// Images that wait for their first use have a bound together.
func TestImagesHaveABound(t *testing.T) {
	s := &session{}
	image := make([]byte, 200<<20)
	taken := 0
	for range 20 {
		if _, err := s.addModule(&wire.Module{Image: image}); err == nil {
			taken++
		}
	}
	if taken != maxImageBytes/len(image) {
		t.Errorf("%d images were taken", taken)
	}
	for _, m := range s.modules {
		s.forget(m)
	}
	if _, err := s.addModule(&wire.Module{Image: image}); err != nil {
		t.Errorf("after the others are loaded: %v", err)
	}
}

// A program that stands still, and takes no reply, ends the recording with an error: what
// it does later is missing in the trace.
func TestAProgramThatTakesNoReplyIsTold(t *testing.T) {
	defer func(before time.Duration) { replyTime = before }(replyTime)
	replyTime = 200 * time.Millisecond
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	program, err := net.DialUnix("unix", nil, listener.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	connection, err := listener.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	go func() {
		program.Write(greeting())
		for { // replies fill the connection
			if _, err := program.Write(message(wire.KindMemory)); err != nil {
				return
			}
		}
	}()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "test", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = Serve(ctx, connection, Options{Device: device, Sink: w, MaxInstructions: 1000})
	if err == nil || !strings.Contains(err.Error(), "has not taken a reply") {
		t.Errorf("the session ends with %v", err)
	}
	if err := w.Finish(); err != nil {
		t.Error(err)
	}
}
