// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/warptape/warptape/frontend/native/clang"
)

// architecture is one that a command line names: 90 and 'a' for sm_90a.
type architecture struct {
	number int
	suffix byte // zero without
}

func (a architecture) String() string {
	s := fmt.Sprintf("sm_%d", a.number)
	if a.suffix != 0 {
		s += string(a.suffix)
	}
	return s
}

// DefaultArch is the architecture without -arch.
const DefaultArch = 70

// everKnown is the newest architecture that all releases of clang have which we take.
const everKnown = 90

var archName = lazily(`^(?:sm|compute|lto)_(\d+)([af]?)$`)

// arch takes the newest architecture of several. Those before sm_30 are raised to it: the
// compiler has none of them.
func (p *parser) arch(v string) error {
	if v == "native" || v == "all" || v == "all-major" {
		return nil
	}
	a, ok := architectureOf(v)
	switch {
	case !ok:
		return fmt.Errorf("-arch=%s: write sm_70, for instance", v)
	case a.number > 200:
		return fmt.Errorf("-arch=%s: there is no such architecture", v)
	}
	a.number = max(a.number, 30)
	p.job.Named = append(p.job.Named, a)
	p.job.take(newest(p.job.Named))
	return nil
}

func architectureOf(name string) (a architecture, ok bool) {
	found := archName().FindStringSubmatch(name)
	if found == nil {
		return a, false
	}
	if found[2] != "" {
		a.suffix = found[2][0]
	}
	var err error
	a.number, err = strconv.Atoi(found[1])
	return a, err == nil
}

func architectures(names []string) []architecture {
	var list []architecture
	for _, name := range names {
		if a, ok := architectureOf(name); ok {
			list = append(list, a)
		}
	}
	return list
}

func (j *Job) take(a architecture) { j.Arch, j.Suffix = a.number, a.suffix }

// newest gives the newest architecture of a list, the first of several with its number.
func newest(list []architecture) architecture {
	best := list[0]
	for _, a := range list {
		if a.number > best.number {
			best = a
		}
	}
	return best
}

// chooseArchitecture leaves out the architectures that the compiler does not have, if it has
// another one that the command line names: nvcc would make code for each of them.
func (j *Job) chooseArchitecture(c *clang.Compiler) error {
	if len(j.Named) == 0 || j.Arch <= everKnown && j.Suffix == 0 {
		return nil
	}
	names, err := c.Architectures()
	if err != nil {
		return err
	}
	wanted, known := newest(j.Named), architectures(names)
	if slices.Contains(known, wanted) {
		return nil
	}
	left := slices.DeleteFunc(slices.Clone(j.Named), func(a architecture) bool { return !slices.Contains(known, a) })
	if len(left) == 0 {
		return fmt.Errorf("-arch=%s: clang %d has no such architecture, and the newest it has is %s; name that one, or a newer clang in %s",
			wanted, c.Release, newest(known), clang.Variable)
	}
	j.take(newest(left))
	j.Notes = append(j.Notes, fmt.Sprintf("device code is for %s, the newest named architecture that clang %d supports; it does not support %s", newest(left), c.Release, wanted))
	return nil
}
