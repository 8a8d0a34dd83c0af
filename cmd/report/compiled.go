// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/warptape/warptape/timing/replay"
)

// place is a line of a file that PTX was compiled from.
type place struct {
	file string
	line uint32
}

// sourceLines adds up the instructions of all kernels of a point by such lines.
type sourceLines map[place]*lineSlots

func (s sourceLines) add(profile *replay.Profile, cost func(int) float64) {
	for i := range profile.Instructions {
		in := &profile.Instructions[i]
		if in.SourceFile == "" || in.SourceLine == 0 {
			continue
		}
		at := place{in.SourceFile, in.SourceLine}
		if s[at] == nil {
			s[at] = &lineSlots{}
		}
		s[at].add(in, cost(i))
	}
}

// compiled adds the lines of the files that a point's PTX was compiled from, beginning
// with the file that has most issue slots.
func (c *lines) compiled(p *point, by sourceLines) {
	files := map[string][]place{}
	slots := map[string]float64{}
	all := 0.0
	for at, l := range by {
		files[at.file] = append(files[at.file], at)
		for _, n := range l.slots {
			slots[at.file] += n // whole numbers: their order does not matter
			all += n
		}
	}
	order := slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(cmp.Compare(slots[b], slots[a]), cmp.Compare(a, b))
	})
	for _, file := range order {
		slices.SortFunc(files[file], func(a, b place) int { return cmp.Compare(a.line, b.line) })
		c.file(p, file, shortName(file, order), files[file], by, all)
	}
}

// shortName is the last part of a file's name, unless another file has the same.
func shortName(file string, files []string) string {
	same := 0
	for _, f := range files {
		if path.Base(f) == path.Base(file) {
			same++
		}
	}
	if same > 1 {
		return file
	}
	return path.Base(file)
}

// file adds all lines of a file whose text is known, and else those with instructions.
func (c *lines) file(p *point, file, name string, places []place, by sourceLines, all float64) {
	var text []string
	if c.sources != nil {
		if content, ok := c.sources(file); ok {
			text = split(content)
		}
	}
	last := places[len(places)-1].line
	switch {
	case text == nil:
		c.note(file + ": its text is not at hand; replay --report --source FOLDER reads it")
	case int(last) > len(text):
		c.note(file + ": has fewer lines than the PTX says; its text is left out, as it is another version")
		text = nil
	}
	if !c.room(max(len(text), len(places))) {
		return
	}
	if text == nil {
		for _, at := range places {
			c.source.row(p, name, at.line, by[at].opcodes, by[at], all)
		}
		return
	}
	for i, line := range text {
		n := uint32(i + 1)
		c.source.row(p, name, n, line, by[place{file, n}], all)
	}
}
