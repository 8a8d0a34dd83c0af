// SPDX-License-Identifier: Apache-2.0

package lackey

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/packed"
	"github.com/warptape/warptape/trace/wtape"
)

// Capture is a file of lackey with what is to be made of it.
type Capture struct {
	// Path is of lackey's output; it may be compressed (.xz, .gz, .zst, .bz2).
	Path string
	// Disassembly is the path of the program's objdump -d, which may be compressed.
	Disassembly string
	// Function is where recording begins, at its first call, until that returns;
	// empty: the whole program.
	Function string
	// Threads says that the program was linked with traces/cpu/capture, and its threads
	// become CPU threads of one process. Function, Skip and Max are not used then.
	Threads bool
	// Skip and Max choose instructions of those; Max 0: all.
	Skip, Max uint64
}

// Options are of the whole import.
type Options struct {
	Tool string
	// PageBytes is the page size of the machine on which the program ran: it placed
	// the program's memory. A replay refuses pages of another size.
	PageBytes int
	Trace     wtape.Options
}

// Import makes a trace of captures, each a CPU thread, in their order. Errors name
// file, line and remedy; the trace appears only when all is well.
func Import(captures []Capture, output string, o Options) error {
	header := trace.Header{Tool: o.Tool, Program: "lackey", Arguments: map[string]string{trace.CPUPageBytes: strconv.Itoa(o.PageBytes)}}
	for i, c := range captures {
		name := filepath.Base(c.Path)
		header.Program += " " + name
		header.Arguments[fmt.Sprintf("cpu.%d", i)] = name
		if c.Threads && len(captures) > 1 {
			return fmt.Errorf("%s: is of a process with threads, which is alone in its trace: import the %d captures into traces of their own", c.Path, len(captures))
		}
		if c.Function != "" {
			header.Arguments[fmt.Sprintf("cpu.%d.function", i)] = c.Function
		}
	}
	w, err := wtape.Create(output, header, o.Trace)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, c := range captures {
		if err := importCapture(w, &c); err != nil {
			return err
		}
	}
	return w.Finish()
}

func importCapture(w *wtape.Writer, c *Capture) error {
	code, err := packed.Open(c.Disassembly)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Disassembly, err)
	}
	defer code.Close()
	d, err := ReadDisassembly(code)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Disassembly, err)
	}
	in, err := packed.Open(c.Path)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	defer in.Close()
	if err := Read(w, in, d, c); err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	return nil
}

// recorder is the state of one import.
type recorder struct {
	w sink
	d *Disassembly
	c *Capture

	begin   uint64 // address of Capture.Function
	inside  bool   // of the function, or there is none
	over    bool
	back    uint64 // where the function returns to
	started bool
	seen    uint64 // instructions inside
	written uint64

	// The instruction whose accesses are being read.
	pending       bool
	ip, following uint64
	loads, stores [trace.CPUOperands]uint64
	nLoads        int
	nStores       int
	addresses     []uint64

	threads *threads // of a process; nil: there is one thread
}

// sink takes the instructions of a CPU thread; *wtape.Writer is one.
type sink interface {
	AddCPU(in *trace.CPUInstruction, taken bool, addresses []uint64) error
}

// Read records lackey's output as the next CPU thread, or as threads of one process.
func Read(w *wtape.Writer, in io.Reader, d *Disassembly, c *Capture) error {
	if c.Threads {
		return readThreads(w, in, d, c)
	}
	if _, err := w.BeginCPUThread(); err != nil {
		return err
	}
	r := &recorder{w: w, d: d, c: c, inside: c.Function == ""}
	if c.Function != "" {
		at, ok := d.functions[c.Function]
		if !ok {
			return fmt.Errorf("the disassembly has no function %s: is it inlined, or static? compile it with __attribute__((noinline))", c.Function)
		}
		r.begin = at
	}
	whole, err := r.lines(in)
	if err != nil {
		return err
	}
	return r.end(whole)
}

// lines takes lackey's output, up to the end of what is recorded. whole says that
// lackey has ended it.
func (r *recorder) lines(in io.Reader) (whole bool, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, maxLineBytes), maxLineBytes)
	for n := 1; lines.Scan() && !r.over; n++ {
		if bytes.HasPrefix(lines.Bytes(), []byte("==")) {
			whole = whole || bytes.Contains(lines.Bytes(), []byte("Exit code:"))
			continue
		}
		if err := r.line(lines.Bytes()); err != nil {
			if !lines.Scan() && lines.Err() == nil {
				return whole, errCutOff // the last line is half of one
			}
			return whole, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return whole, fmt.Errorf("%w: want the output of valgrind --tool=lackey --trace-mem=yes", err)
	}
	return whole, nil
}

var errCutOff = errors.New("is cut off: lackey's last line, with the exit code, is missing; capture it again, with --log-file")

// end checks that the capture is whole.
func (r *recorder) end(whole bool) error {
	if !r.over {
		if !whole {
			return errCutOff
		}
		if err := r.finish(0); err != nil {
			return err
		}
	}
	if r.written == 0 {
		if r.c.Function != "" && !r.started {
			return fmt.Errorf("function %s is never called", r.c.Function)
		}
		return errors.New("holds no instruction to record: was it captured with --trace-mem=yes?")
	}
	return nil
}

// line takes one line of the trace.
func (r *recorder) line(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if len(text) < 4 {
		return notLackey(text)
	}
	address, size, ok := parse(text[3:])
	if !ok {
		return notLackey(text)
	}
	switch string(text[:3]) {
	case "I  ":
		return r.instruction(address, size)
	case " L ":
		return r.load(address)
	case " S ":
		return r.store(address)
	case " M ":
		if err := r.load(address); err != nil {
			return err
		}
		return r.store(address)
	}
	return notLackey(text)
}

func notLackey(text []byte) error {
	return fmt.Errorf("%.60q is not lackey's: want I, L, S or M, an address and a size (write it with --log-file, so that the program's output stays apart)", text)
}

func parse(text []byte) (address, size uint64, ok bool) {
	a, s, ok := bytes.Cut(bytes.TrimSpace(text), []byte(","))
	if !ok {
		return 0, 0, false
	}
	address, errA := strconv.ParseUint(string(a), 16, 64)
	size, errS := strconv.ParseUint(string(s), 10, 16)
	return address, size, errA == nil && errS == nil
}

// instruction ends the one before, and begins the next.
func (r *recorder) instruction(ip, size uint64) error {
	if r.threads != nil {
		if marks, err := r.threads.mark(r, ip); marks || err != nil {
			return err
		}
	}
	if err := r.finish(ip); err != nil {
		return err
	}
	if r.c.Function != "" {
		switch {
		case !r.started && ip == r.begin:
			r.started, r.inside, r.back = true, true, r.following
		case r.inside && ip == r.back:
			r.inside, r.over = false, true
			return nil
		}
	}
	r.pending, r.ip, r.following = true, ip, ip+size
	r.nLoads, r.nStores = 0, 0
	return nil
}

func (r *recorder) load(address uint64) error {
	return r.access(&r.loads, &r.nLoads, address)
}

func (r *recorder) store(address uint64) error {
	return r.access(&r.stores, &r.nStores, address)
}

// access notes an access of the pending instruction.
func (r *recorder) access(list *[trace.CPUOperands]uint64, n *int, address uint64) error {
	if !r.pending {
		return errors.New("an access comes before the first instruction")
	}
	if *n == len(list) {
		if !r.inside {
			return nil
		}
		return fmt.Errorf("the instruction at %x makes more than %d accesses of a kind; compile without vector gathers (-march=x86-64)", r.ip, len(list))
	}
	list[*n] = address
	*n++
	return nil
}

// finish records the pending instruction; next follows it, 0 when nothing does.
func (r *recorder) finish(next uint64) error {
	if !r.pending || !r.inside {
		r.pending = false
		return nil
	}
	r.pending = false
	r.seen++
	if r.seen <= r.c.Skip {
		return nil
	}
	in, ok := r.d.instructions[r.ip]
	if !ok {
		return fmt.Errorf("the instruction at %x is not in the disassembly; link the program with -static -no-pie, and disassemble that very file", r.ip)
	}
	in.StoreSlots, in.LoadSlots = 1<<r.nStores-1, 1<<r.nLoads-1
	r.addresses = append(append(r.addresses[:0], r.stores[:r.nStores]...), r.loads[:r.nLoads]...)
	taken := in.Branch && (in.BranchKind() != trace.CPUConditional || next != 0 && next != r.following)
	if r.threads != nil {
		if err := r.threads.orders(r); err != nil {
			return err
		}
	}
	if err := r.w.AddCPU(&in, taken, r.addresses); err != nil {
		return err
	}
	if r.written++; r.written == r.c.Max {
		r.over = true
	}
	return nil
}
