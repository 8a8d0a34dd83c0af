package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
)

// maxTextLine bounds a line of the text form: a kernel with its source text is one.
const maxTextLine = 64 << 20

// AssembleFile makes a trace of a file in the text form. The trace appears under
// its name only when all of the text was right.
func AssembleFile(path, output string, options Options) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return Assemble(f, path, func(h Header) (*Writer, error) { return Create(output, h, options) })
}

// Assemble reads the text form (docs/trace-format.md, section 8) into the writer
// that create makes, and finishes it. Errors start with name and line number.
func Assemble(in io.Reader, name string, create func(Header) (*Writer, error)) error {
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
	create func(Header) (*Writer, error)
	w      *Writer
	line   int

	kernel   *wtapepb.Kernel // not yet added
	inLaunch bool
	inBlock  bool
	warp     textWarp
	warps    int // seen of the thread block
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
	case "cpu-thread", "cpu-chunk", "i":
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
		a.w, err = a.create(headerFromProto(m))
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

// parseRecord reads a message and applies the limits of its kind of frame.
func parseRecord(kind wtapepb.FrameKind, text string, m proto.Message) error {
	if err := protojson.Unmarshal([]byte(text), m); err != nil {
		return err
	}
	raw, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return checkMessageSize(kind, raw)
}

func (a *assembler) kernelPart(keyword, rest string) error {
	k := a.kernel
	switch {
	case k == nil:
		return fmt.Errorf("%s without a kernel before it", keyword)
	case len(k.Instructions) > maxKernelInstructions || len(k.Blocks) > maxKernelBlocks:
		return fmt.Errorf("kernel %q: more than %d instructions or %d basic blocks", k.Name, maxKernelInstructions, maxKernelBlocks)
	case keyword == "instruction":
		m := new(wtapepb.Instruction)
		k.Instructions = append(k.Instructions, m)
		return protojson.Unmarshal([]byte(rest), m)
	}
	m := new(wtapepb.BasicBlock)
	k.Blocks = append(k.Blocks, m)
	return protojson.Unmarshal([]byte(rest), m)
}

func (a *assembler) event(rest string) error {
	m := new(wtapepb.HostEvent)
	if err := protojson.Unmarshal([]byte(rest), m); err != nil {
		return err
	}
	e, err := eventFromProto(m, len(a.w.timeline), len(a.w.launches))
	if err != nil {
		return err
	}
	if e.Kind != EventLaunch {
		_, err := a.w.AddEvent(e)
		return err
	}
	a.inLaunch = true
	_, err = a.w.BeginLaunch(launchFromProto(m.Launch), e.After...)
	return err
}

// endLaunch ends the kernel, thread block and launch that are open.
func (a *assembler) endLaunch() error {
	if a.kernel != nil {
		k := kernelFromProto(a.kernel)
		a.kernel = nil
		_, err := a.w.AddKernel(k)
		return err
	}
	if !a.inLaunch {
		return nil
	}
	if err := a.endBlock(); err != nil {
		return err
	}
	a.inLaunch = false
	return a.w.EndLaunch()
}

// finish checks or sets the totals and completes the trace.
func (a *assembler) finish() error {
	if err := a.endLaunch(); err != nil {
		return err
	}
	a.w.flushCPU()
	header := a.w.header
	if a.summary != nil {
		header = headerFromProto(a.summary.Header)
		a.w.UpdateHeader(func(h *Header) { *h = header })
	}
	if a.summary != nil {
		var err error
		if a.w.sampling, err = samplingFromProto(a.summary.Sampling); err != nil {
			return err
		}
	}
	if a.summary != nil && a.summary.Totals != nil {
		totals := totalsFromProto(a.summary.Totals)
		if have := a.w.Totals(); header.Sampling == "" && have != totals {
			return fmt.Errorf("the summary's totals are %+v, the thread blocks add up to %+v: correct it or leave the summary out", totals, have)
		}
		a.w.totals = totals
	}
	if a.w.sampled && header.Sampling == "" {
		return errors.New("some thread blocks are missing: say in the summary's sampling how they were chosen")
	}
	return a.w.Finish()
}
