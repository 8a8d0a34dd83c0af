// SPDX-License-Identifier: Apache-2.0

// Package resourceusage reads how many registers the vendor's compiler gave kernels: from
// what ptxas says with -v (nvcc -Xptxas -v), and from what cuobjdump says with -res-usage.
// Both print names as PTX has them, and may stand in a build's log among other lines.
package resourceusage

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Usage is what a kernel uses on an architecture.
type Usage struct {
	Kernel string
	// Architecture is the number of sm_NN.
	Architecture int
	// Registers are those of a thread, 32 bits each.
	Registers int
	Line      int // of the input
}

// maxLine bounds the length of a line, in bytes.
const maxLine = 1 << 20

// Parse reads a file with this name, for messages.
func Parse(r io.Reader, name string) ([]Usage, error) {
	p := parser{name: name}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		p.line++
		if err := p.read(lines.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("the line is longer than %d bytes", maxLine)
		}
		return nil, fmt.Errorf("%s:%d: %w", name, p.line+1, err)
	}
	if err := p.open(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
	}
	if len(p.found) == 0 {
		return nil, fmt.Errorf("%s: there is no \"ptxas info : Used N registers\" (nvcc -Xptxas -v, ptxas -v) and no \"REG:N\" (cuobjdump -res-usage) in it", name)
	}
	return p.found, nil
}

// parser reads line by line.
type parser struct {
	name  string
	line  int
	found []Usage
	// Of ptxas: the kernel that is compiled, whose number has yet to come.
	entry Usage
	// Of cuobjdump: the architecture, whether its list has begun, and the function whose
	// line has yet to come.
	architecture int
	listed       bool
	function     string
}

// Lines of both tools; builds indent them, or number them ("1>"). They are compiled when a
// file is read: most processes read none.
var (
	info      = pattern(`ptxas info\s*:\s*(.*)$`)
	compiling = pattern(`^Compiling entry function '(.+)' for '(\w+)'\s*$`)
	used      = pattern(`^Used (\d+) registers\b`)
	machine   = pattern(`^sm_(\d+)[af]?$`)
	arch      = pattern(`^\s*arch = (\S+)\s*$`)
	function  = pattern(`^\s*Function (\S.*):\s*$`)
	registers = pattern(`^\s*REG:(\S+)`)
)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

func (p *parser) read(text string) error {
	if m := info().FindStringSubmatch(text); m != nil {
		return p.ptxas(m[1])
	}
	return p.cuobjdump(text)
}

// ptxas reads what stands behind "ptxas info :".
func (p *parser) ptxas(text string) error {
	switch {
	case strings.HasPrefix(text, "Compiling entry function"):
		if err := p.open(); err != nil {
			return err
		}
		m := compiling().FindStringSubmatch(text)
		if m == nil {
			return fmt.Errorf("expected Compiling entry function 'NAME' for 'sm_NN', found %q", text)
		}
		n, err := architectureOf(m[2])
		if err != nil {
			return err
		}
		p.entry = Usage{Kernel: m[1], Architecture: n}
	case strings.HasPrefix(text, "Used"):
		m := used().FindStringSubmatch(text)
		if m == nil {
			return fmt.Errorf("expected Used N registers, found %q", text)
		}
		if p.entry.Kernel == "" {
			return errors.New("a number of registers without \"Compiling entry function\" before it: lines of several compilations are mixed, or the first ones are missing")
		}
		e := p.entry
		p.entry = Usage{}
		return p.add(e, m[1])
	}
	return nil
}

// cuobjdump reads a line of its lists.
func (p *parser) cuobjdump(text string) error {
	if m := registers().FindStringSubmatch(text); m != nil {
		if p.function == "" {
			return errors.New("REG: without a Function before it")
		}
		u := Usage{Kernel: p.function, Architecture: p.architecture}
		p.function = ""
		return p.add(u, m[1])
	}
	if p.function != "" {
		return fmt.Errorf("function %s: expected REG:N, found %q", p.function, strings.TrimSpace(text))
	}
	switch {
	case strings.TrimSpace(text) == "Resource usage:":
		if p.architecture == 0 {
			return errors.New("a list of resources without \"arch = sm_NN\" before it")
		}
		p.listed = true
	case arch().MatchString(text):
		n, err := architectureOf(arch().FindStringSubmatch(text)[1])
		if err != nil {
			return err
		}
		p.architecture, p.listed = n, false
	case p.listed && function().MatchString(text):
		p.function = function().FindStringSubmatch(text)[1]
	case strings.TrimSpace(text) == "":
		p.listed = false
	}
	return nil
}

// open reports what has begun and not ended.
func (p *parser) open() error {
	if p.entry.Kernel != "" {
		return fmt.Errorf("kernel %s: there is no \"Used N registers\"", p.entry.Kernel)
	}
	if p.function != "" {
		return fmt.Errorf("function %s: there is no REG:N", p.function)
	}
	return nil
}

func architectureOf(text string) (int, error) {
	m := machine().FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("expected an architecture sm_NN, found %q", text)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n < 10 || n > 999 {
		return 0, fmt.Errorf("there is no architecture %q", text)
	}
	return n, nil
}

// maxRegisters is the most that a thread has on any card.
const maxRegisters = 255

func (p *parser) add(u Usage, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > maxRegisters {
		return fmt.Errorf("kernel %s: a thread has at most %d registers, not %q", u.Kernel, maxRegisters, number)
	}
	u.Registers, u.Line = max(n, 1), p.line
	for _, other := range p.found {
		if other.Kernel == u.Kernel && other.Architecture == u.Architecture && other.Registers != u.Registers {
			return fmt.Errorf("kernel %s has %d registers here for sm_%d, and %d in line %d: give the output of one compilation", u.Kernel, u.Registers, u.Architecture, other.Registers, other.Line)
		}
	}
	p.found = append(p.found, u)
	return nil
}

// generations are the architectures of each word of gpu.lowering (CUDA C programming guide,
// table of compute capabilities).
var generations = map[string][]int{"fermi": {20, 21}, "volta": {70, 72}, "turing": {75}, "ampere": {80, 86, 87, 88}, "hopper": {90}}

// For chooses, for the kernels of a trace, what was found for a generation, or, for "none",
// for the only architecture. The error says what is missing or ambiguous. missing lists
// kernels that the output does not name.
func For(found []Usage, generation string, kernels []string) (registers map[string]int, missing []string, err error) {
	fits := func(u *Usage) bool { return slices.Contains(generations[generation], u.Architecture) }
	if _, known := generations[generation]; !known {
		fits = func(*Usage) bool { return true }
	}
	registers = map[string]int{}
	for _, kernel := range kernels {
		first := -1
		for i := range found {
			u := &found[i]
			switch {
			case u.Kernel != kernel || !fits(u):
			case first < 0:
				first = i
			case found[first].Registers != u.Registers:
				return nil, nil, fmt.Errorf("kernel %s has %d registers on sm_%d (line %d) and %d on sm_%d (line %d): give the output for one architecture (cuobjdump -arch sm_%d -res-usage)",
					kernel, found[first].Registers, found[first].Architecture, found[first].Line, u.Registers, u.Architecture, u.Line, u.Architecture)
			}
		}
		if first < 0 {
			missing = append(missing, kernel)
		} else {
			registers[kernel] = found[first].Registers
		}
	}
	if len(registers) == 0 {
		return nil, nil, fmt.Errorf("nothing is said of %s%s; it tells of %s", strings.Join(kernels, ", "), onGeneration(generation), tells(found))
	}
	return registers, missing, nil
}

func onGeneration(generation string) string {
	list := generations[generation]
	if list == nil {
		return ""
	}
	var names []string
	for _, n := range list {
		names = append(names, fmt.Sprintf("sm_%d", n))
	}
	return fmt.Sprintf(" on %s (%s)", generation, strings.Join(names, ", "))
}

// maxTold bounds the kernels that a message names.
const maxTold = 6

func tells(found []Usage) string {
	var names []string
	for _, u := range found {
		if len(names) == maxTold {
			names = append(names, "...")
			break
		}
		names = append(names, fmt.Sprintf("%s on sm_%d", u.Kernel, u.Architecture))
	}
	return strings.Join(names, ", ")
}

// Setting is the architecture key that gives kernels their registers.
func Setting(registers map[string]int) string {
	type pair struct {
		kernel string
		n      int
	}
	var list []pair
	for k, n := range registers {
		list = append(list, pair{k, n})
	}
	slices.SortFunc(list, func(a, b pair) int { return cmp.Compare(a.kernel, b.kernel) })
	var items []string
	for _, x := range list {
		items = append(items, fmt.Sprintf("%s=%d", x.kernel, x.n))
	}
	return "gpu.kernel_registers=given(" + strings.Join(items, ",") + ")"
}
