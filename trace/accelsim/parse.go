// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// maxLine bounds a line of a kernel file in bytes.
const maxLine = 1 << 20

// visitor takes what a kernel file says, in its order.
type visitor interface {
	block(x, y, z uint32) error
	warp(n int) error
	execute(e *execution) error
	endBlock() error
}

// execution is one line of a warp.
type execution struct {
	line   uint32 // source line, 0 without line info
	pc     uint64
	mask   uint32
	static string // the text that does not change between executions, without the mask
	opcode string
	writes []register
	reads  []register
	bytes  uint8 // per lane as the opcode says, 0 without a memory operand
	lanes  [trace.WarpSize]uint64
}

// parser reads one kernel file.
type parser struct {
	header header
	in     *bufio.Scanner
	line   int
	left   int // instructions that the warp still has
	inside bool
	e      execution
}

func newParser(in io.Reader) (*parser, error) {
	p := &parser{in: bufio.NewScanner(in)}
	p.in.Buffer(make([]byte, 0, 4096), maxLine)
	for {
		text, err := p.next()
		if err != nil {
			return nil, p.at(err)
		}
		if text == "" {
			return nil, p.at(errors.New("ends inside its header: is it a kernel trace of Accel-Sim?"))
		}
		if text[0] == '#' {
			return p, p.at(p.header.check())
		}
		key, value, ok := strings.Cut(text, "=")
		if !ok || text[0] != '-' {
			return nil, p.at(fmt.Errorf("%.40q in the header: is it a kernel trace of Accel-Sim?", text))
		}
		if err := p.header.set(strings.TrimSpace(key[1:]), strings.TrimSpace(value)); err != nil {
			return nil, p.at(err)
		}
	}
}

// at puts the line number before an error.
func (p *parser) at(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("line %d: %w", p.line, err)
}

// next is the next line that is not blank, "" at the end.
func (p *parser) next() (string, error) {
	for p.in.Scan() {
		p.line++
		if text := strings.TrimSpace(p.in.Text()); text != "" {
			return text, nil
		}
	}
	if err := p.in.Err(); err != nil {
		return "", fmt.Errorf("after this line: %w", err)
	}
	return "", nil
}

// walk reads the body.
func (p *parser) walk(v visitor) error {
	for {
		text, err := p.next()
		if err == nil && text == "" {
			if p.inside {
				return p.at(errors.New("the file ends inside a thread block: trace the program again"))
			}
			return nil
		}
		if err == nil {
			err = p.statement(v, text)
		}
		if err != nil {
			return p.at(err)
		}
	}
}

func (p *parser) statement(v visitor, text string) error {
	if p.left > 0 {
		p.left--
		if err := p.parseExecution(text); err != nil {
			return err
		}
		return v.execute(&p.e)
	}
	name, value, ok := strings.Cut(text, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(text, "#BEGIN_TB") && !p.inside:
		p.inside = true
		return nil
	case strings.HasPrefix(text, "#END_TB") && p.inside:
		p.inside = false
		return v.endBlock()
	case text[0] == '#', p.inside && p.header.version >= typedVersion && strings.HasPrefix(name, "cluster"):
		return nil
	case !ok || !p.inside:
		return fmt.Errorf("%.60q is no part of a thread block", text)
	case name == "thread block":
		d, err := parseDim(value)
		if err != nil {
			return fmt.Errorf("thread block %.40q: want x,y,z", value)
		}
		return v.block(d.X, d.Y, d.Z)
	}
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return fmt.Errorf("%s %.40q: not a number", name, value)
	}
	switch name {
	case "warp":
		return v.warp(int(n))
	case "insts":
		p.left = int(n)
		return nil
	}
	return fmt.Errorf("%.60q is no part of a thread block", text)
}

// parseExecution reads [line] PC mask nd {Rd} OPCODE ns {Rs} width [mode addrs] [imm].
func (p *parser) parseExecution(text string) (err error) {
	e := &p.e
	fields := fields{left: strings.Fields(text), typed: p.header.version >= typedVersion}
	e.line = 0
	if p.header.lineInfo {
		e.line = uint32(fields.number(10, 32))
	}
	e.pc = fields.number(16, 64)
	e.mask = uint32(fields.number(16, 32))
	rest := fields.left
	e.writes = fields.registers(e.writes[:0])
	e.opcode = fields.take()
	e.reads = fields.registers(e.reads[:0])
	if fields.typed && strings.Contains(e.opcode, "GMMA") {
		fields.take() // whether the matrix is in registers
	}
	if strings.HasPrefix(e.opcode, "UTMA") {
		return fmt.Errorf("%.100q: bulk copies by the tensor memory accelerator have no lane addresses and cannot be imported", text)
	}
	width := fields.number(10, 16)
	if fields.err != nil {
		return fmt.Errorf("%.100q: %w", text, fields.err)
	}
	e.static = strings.Join(rest[:len(rest)-len(fields.left)], " ")
	e.lanes, e.bytes = [trace.WarpSize]uint64{}, 0
	if width > 0 {
		e.bytes = laneBytes(e.opcode)
		fields.addresses(e.mask, &e.lanes)
	}
	fields.tail()
	if fields.err != nil {
		return fmt.Errorf("%.100q: %w", text, fields.err)
	}
	return nil
}

// fields are the words of a line; the first error sticks.
type fields struct {
	left  []string
	err   error
	typed bool // tracer version 6 and later
}

func (f *fields) take() string {
	if len(f.left) == 0 {
		if f.err == nil {
			f.err = errors.New("the line ends early")
		}
		return ""
	}
	word := f.left[0]
	f.left = f.left[1:]
	return word
}

func (f *fields) fail(what, word string) {
	if f.err == nil {
		f.err = fmt.Errorf("%.30q is no %s", word, what)
	}
}

func (f *fields) number(base, size int) uint64 {
	word := f.take()
	if base == 16 {
		word = strings.TrimPrefix(word, "0x")
	}
	n, err := strconv.ParseUint(word, base, size)
	if err != nil {
		f.fail("number", word)
	}
	return n
}

func (f *fields) signed() int64 {
	word := f.take()
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		f.fail("difference of addresses", word)
	}
	return n
}

// register is a register of SASS.
type register struct {
	file   registerFile
	number uint16
}

// registerFile is a file of registers by the letters before the number.
type registerFile string

const (
	vector           registerFile = "R"
	uniform          registerFile = "UR"
	predicate        registerFile = "P"
	uniformPredicate registerFile = "UP"
)

// registers reads a count and as many registers.
func (f *fields) registers(dst []register) []register {
	size := 3
	if f.typed {
		size = 5
	}
	n := f.number(10, size)
	for range n {
		word := f.take()
		digits := strings.TrimLeft(word, "RUP")
		file := registerFile(strings.TrimSuffix(word, digits))
		number, err := strconv.ParseUint(digits, 10, 16)
		known := file == vector || f.typed && (file == uniform || file == predicate || file == uniformPredicate)
		if err != nil || !known || number >= 256 {
			f.fail("register", word)
			return dst
		}
		dst = append(dst, register{file, uint16(number)})
	}
	return dst
}

// tail reads what follows the addresses: an immediate, in version 6 up to two and
// then NoVal, or Val with the values of each register (one or 32).
func (f *fields) tail() {
	most := 1
	if f.typed {
		most = 2
	}
	for ; most > 0 && len(f.left) > 0 && !strings.HasSuffix(f.left[0], "Val"); most-- {
		f.take()
	}
	if f.typed && len(f.left) > 0 {
		switch word := f.take(); word {
		case "NoVal":
		case "Val":
			for len(f.left) > 0 && f.err == nil {
				f.values()
			}
		default:
			f.fail("Val or NoVal", word)
		}
	}
	if len(f.left) > 0 && f.err == nil {
		f.err = fmt.Errorf("%d fields too many", len(f.left))
	}
}

// values passes over the values of a register.
func (f *fields) values() {
	n := f.number(10, 16)
	if n != 1 && n != trace.WarpSize {
		f.fail("number of values, 1 or 32", fmt.Sprint(n))
	}
	for range n {
		if f.err == nil {
			f.number(16, 64)
		}
	}
}

// addresses rebuilds the lane addresses from the writer's grammar.
func (f *fields) addresses(mask uint32, lanes *[trace.WarpSize]uint64) {
	switch mode := f.number(10, 8); mode {
	case modeList:
		for m := mask; m != 0; m &= m - 1 {
			lanes[bits.TrailingZeros32(m)] = f.number(16, 64)
		}
	case modeStride:
		base, stride := f.number(16, 64), uint64(f.signed())
		for m := mask; m != 0; m &= m - 1 {
			lanes[bits.TrailingZeros32(m)] = base
			base += stride
		}
	case modeDelta:
		address := f.number(16, 64)
		for m := mask; m != 0; m &= m - 1 {
			if m != mask {
				address += uint64(f.signed())
			}
			lanes[bits.TrailingZeros32(m)] = address
		}
	default:
		f.fail("address mode", fmt.Sprint(mode))
	}
}
