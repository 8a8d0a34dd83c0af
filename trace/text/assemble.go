// SPDX-License-Identifier: Apache-2.0

package text

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/wtape"
)

// maxTextLine bounds a line of the text form: a kernel with its source text is one.
const maxTextLine = 64 << 20

// AssembleFile makes a trace of a file in the text form. The trace appears under
// its name only when all of the text was right.
func AssembleFile(path, output string, options wtape.Options) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return Assemble(f, path, func(h trace.Header) (*wtape.Writer, error) { return wtape.Create(output, h, options) })
}

// Assemble reads the text form (docs/trace-format.md, section 8) into the writer
// that create makes, and finishes it. Errors start with name and line number.
func Assemble(in io.Reader, name string, create func(trace.Header) (*wtape.Writer, error)) error {
	a := &assembler{create: create}
	if err := a.run(in); err != nil {
		if a.w != nil {
			a.w.Abort()
		}
		return fmt.Errorf("%s:%d: %w", name, a.line, err)
	}
	return nil
}

// assembler is the state of reading; the text is in the order of a recording.
type assembler struct {
	create func(trace.Header) (*wtape.Writer, error)
	w      *wtape.Writer
	line   int

	kernel   *wtapepb.Kernel // not yet added
	plans    []*content.Plan // of the kernels
	events   int
	launches int
	launch   *trace.Launch // the open one, or nil
	block    uint64        // current or last of the launch
	anyBlock bool
	stored   uint64 // thread blocks of the launch
	sampled  bool   // some thread block is missing
	inBlock  bool
	warp     textWarp
	warps    int // seen of the thread block
	threads  int // CPU threads
	header   trace.Header
	summary  *wtapepb.Summary
}

func (a *assembler) run(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxTextLine)
	for lines.Scan() {
		a.line++
		text := lines.Text()
		if a.line == 1 {
			if text != textMark {
				return fmt.Errorf("starts with %.40q, want %q: is it the output of trace dump --full?", text, textMark)
			}
			continue
		}
		if text == "" || text[0] == '#' {
			continue
		}
		keyword, rest, _ := strings.Cut(text, " ")
		if err := a.statement(keyword, rest); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return fmt.Errorf("the next line is longer than %d bytes", maxTextLine)
		}
		return err
	}
	if a.w == nil {
		return errors.New("the text ends before its header")
	}
	return a.finish()
}

func (a *assembler) statement(keyword, rest string) error {
	if (a.w == nil) != (keyword == "header") {
		return fmt.Errorf("%q: the header must be the first record, once", keyword)
	}
	if a.summary != nil {
		return fmt.Errorf("%q after the summary", keyword)
	}
	switch keyword {
	case "v", "g", "a", "l":
		return a.dynamic(keyword, rest)
	case "warp":
		return a.beginWarp(rest)
	case "thread-block", "chunk":
		return a.beginBlock(keyword, rest)
	case "cpu-thread", "cpu-chunk", "i", "sync":
		return a.cpu(keyword, rest)
	case "instruction", "basic-block":
		return a.kernelPart(keyword, rest)
	}
	if err := a.endLaunch(); err != nil {
		return err
	}
	return a.record(keyword, rest)
}

// record takes a record that ends the kernel or launch before it.
func (a *assembler) record(keyword, rest string) error {
	switch keyword {
	case "header":
		m := new(wtapepb.Header)
		if err := parseRecord(wtapepb.FrameKind_FRAME_KIND_HEADER, rest, m); err != nil {
			return err
		}
		var err error
		a.header = messages.ToHeader(m)
		a.w, err = a.create(a.header)
		return err
	case "kernel":
		a.kernel = new(wtapepb.Kernel)
		return parseRecord(wtapepb.FrameKind_FRAME_KIND_KERNEL, rest, a.kernel)
	case "event":
		return a.event(rest)
	case "summary":
		a.summary = new(wtapepb.Summary)
		return parseRecord(wtapepb.FrameKind_FRAME_KIND_SUMMARY, rest, a.summary)
	}
	return fmt.Errorf("unknown record %.40q", keyword)
}

// endLaunch ends the kernel, thread block and launch that are open.
func (a *assembler) endLaunch() error {
	if a.kernel != nil {
		k := messages.ToKernel(a.kernel)
		a.kernel = nil
		if _, err := a.w.AddKernel(k); err != nil {
			return err
		}
		a.plans = append(a.plans, content.NewPlan(k))
		return nil
	}
	if a.launch == nil {
		return nil
	}
	if err := a.endBlock(); err != nil {
		return err
	}
	a.sampled = a.sampled || a.stored != a.launch.Grid.Count()
	a.launch = nil
	return a.w.EndLaunch()
}

// finish checks or sets the totals and completes the trace.
func (a *assembler) finish() error {
	if err := a.endLaunch(); err != nil {
		return err
	}
	if err := a.w.BeginCPUChunk(); err != nil { // counts what is pending
		return err
	}
	if err := a.summarise(); err != nil {
		return err
	}
	if a.sampled && a.header.Sampling == "" {
		return errors.New("some thread blocks are missing: say in the summary's sampling how they were chosen")
	}
	return a.w.Finish()
}

// summarise takes what the summary says, if there is one.
func (a *assembler) summarise() error {
	if a.summary == nil {
		return nil
	}
	a.header = messages.ToHeader(a.summary.Header)
	sampling, err := messages.ToSampling(a.summary.Sampling)
	if err != nil {
		return err
	}
	if sampling != nil {
		a.w.SetSampling(sampling)
	}
	a.w.UpdateHeader(func(h *trace.Header) { *h = a.header })
	if a.summary.Totals == nil {
		return nil
	}
	totals := messages.ToTotals(a.summary.Totals)
	if have := a.w.Totals(); a.header.Sampling == "" && have != totals {
		return fmt.Errorf("the summary's totals are %+v, the thread blocks add up to %+v: correct it or leave the summary out", totals, have)
	}
	a.w.SetTotals(totals)
	return nil
}
