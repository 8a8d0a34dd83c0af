// SPDX-License-Identifier: Apache-2.0

// Package text is the text form of a trace (docs/trace-format.md, section 8). Dump prints a
// whole trace, and Assemble makes the same trace of it, or of one that was written by hand.
package text

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/transcriber"
	"github.com/warptape/warptape/trace/wtape"
)

// textMark is the first line of the text form.
const textMark = "wtape-text 1"

// Dump prints a whole trace in the text form that Assemble reads
// (docs/trace-format.md, section 8). The text depends on nothing but the content.
func Dump(r *wtape.Reader, out io.Writer) error {
	c := r.Content()
	t := &textWriter{out: bufio.NewWriter(out)}
	fmt.Fprintln(t.out, textMark)
	t.record("header", messages.FromHeader(&c.Initial))
	copied := transcriber.New(c, t)
	if err := copied.Run(); err != nil {
		return err
	}
	if err := copied.RunCPU(); err != nil {
		return err
	}
	t.record("summary", &wtapepb.Summary{Header: messages.FromHeader(&c.Header), Totals: messages.FromTotals(&c.Totals), Sampling: messages.FromSampling(c.Sampling)})
	if t.err != nil {
		return fmt.Errorf("%s: %w", c.Name, t.err)
	}
	return t.out.Flush()
}

// textWriter is the sink that prints.
type textWriter struct {
	out      *bufio.Writer
	err      error
	events   int
	kernels  int
	threads  int
	launches []trace.Launch
	warp     int // of the last visit in the thread block, -1 before
}

// record prints a message as one line of JSON.
func (t *textWriter) record(keyword string, m proto.Message) {
	raw, err := protojson.Marshal(m)
	var line bytes.Buffer
	if err == nil {
		err = json.Compact(&line, raw) // protojson varies its spacing
	}
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("%s: %w", keyword, err)
	}
	fmt.Fprintf(t.out, "%s %s\n", keyword, line.Bytes())
}

func (t *textWriter) AddKernel(k *trace.Kernel) (int, error) {
	m := messages.FromKernel(k)
	instructions, blocks := m.Instructions, m.Blocks
	m.Instructions, m.Blocks = nil, nil
	t.record("kernel", m)
	for _, in := range instructions {
		t.record("instruction", in)
	}
	for _, b := range blocks {
		t.record("basic-block", b)
	}
	t.kernels++
	return t.kernels - 1, t.err
}

func (t *textWriter) AddEvent(e trace.HostEvent) (int, error) {
	t.record("event", messages.FromEvent(&e, t.launches))
	t.events++
	return t.events - 1, t.err
}

func (t *textWriter) BeginLaunch(l trace.Launch, after ...int) (int, error) {
	t.launches = append(t.launches, l)
	launch := len(t.launches) - 1
	_, err := t.AddEvent(trace.HostEvent{Kind: trace.EventLaunch, Launch: launch, Stream: l.Stream, After: after})
	return launch, err
}

func (t *textWriter) BeginChunk() { fmt.Fprintln(t.out, "chunk") }

func (t *textWriter) BeginBlock(block uint64) {
	fmt.Fprintf(t.out, "thread-block %d\n", block)
	t.warp = -1
}

func (t *textWriter) Visit(warp int, block, mask uint32) {
	if warp != t.warp {
		fmt.Fprintf(t.out, "warp %d\n", warp)
		t.warp = warp
	}
	fmt.Fprintf(t.out, "v %d %08x\n", block, mask)
}

func (t *textWriter) Guard(_ int, mask uint32) { fmt.Fprintf(t.out, "g %08x\n", mask) }

func (t *textWriter) Access(_ int, mask uint32, addresses *[trace.WarpSize]uint64) {
	fmt.Fprintf(t.out, "l %08x", mask)
	for m := mask; m != 0; m &= m - 1 {
		fmt.Fprintf(t.out, " %x", addresses[bits.TrailingZeros32(m)])
	}
	fmt.Fprintln(t.out)
}

func (t *textWriter) AccessStrided(_ int, mask uint32, base uint64, stride int64) {
	if mask == 0 {
		base, stride = 0, 0 // no lane took part
	}
	fmt.Fprintf(t.out, "a %08x %x %d\n", mask, base, stride)
}

func (t *textWriter) EndBlock() error { return t.err }

func (t *textWriter) EndLaunch() error { return t.err }
