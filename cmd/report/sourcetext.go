// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// sourceTexts are the PTX texts of traces, which are read from their files once.
type sourceTexts struct {
	source Source
	read   map[string]*traceText // by digest
}

type traceText struct {
	kernels []trace.Kernel
	err     error
}

// of gives the kernels of a trace with their texts.
func (t *sourceTexts) of(planned *results.PlannedTrace) ([]trace.Kernel, error) {
	text, ok := t.read[planned.Digest]
	if !ok {
		text = &traceText{}
		text.kernels, text.err = readKernels(t.source.TracePath(planned), planned.Digest)
		t.read[planned.Digest] = text
	}
	return text.kernels, text.err
}

func readKernels(path, digest string) ([]trace.Kernel, error) {
	r, err := wtape.Open(path)
	if err != nil {
		return nil, fmt.Errorf("no source text: %w", err)
	}
	defer r.Close()
	if r.Digest() != digest {
		return nil, fmt.Errorf("no source text: %s holds another trace now", path)
	}
	return r.Kernels(), nil
}

// textLines is a piece of source with the number of its first line.
type textLines struct {
	first uint32
	lines []string
}

// textOf finds the text of a kernel, or of a function that it calls; nil without.
func textOf(kernels []trace.Kernel, p *replay.Profile, function string) *textLines {
	for i := range kernels {
		k := &kernels[i]
		if k.Name != p.Kernel || k.File != p.File {
			continue
		}
		if function == "" {
			return placed(k.Source, p)
		}
		for j := range k.Functions {
			if f := &k.Functions[j]; f.Name == function && f.Source != "" && f.FirstLine > 0 {
				return &textLines{f.FirstLine, split(f.Source)}
			}
		}
	}
	return nil
}

func split(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }

// placed finds the number of a kernel's first line, which a trace does not have: the one
// with which every instruction stands on a line with its opcode. Nil: there is none, or
// more than one.
func placed(text string, p *replay.Profile) *textLines {
	lines := split(text)
	low, high := uint32(0), uint32(0)
	for i := range p.Instructions {
		in := &p.Instructions[i]
		if in.Function != "" {
			continue
		}
		if low == 0 || in.Line < low {
			low = in.Line
		}
		high = max(high, in.Line)
	}
	if text == "" || low == 0 {
		return nil
	}
	var found *textLines
	for first := max(1, int64(high)-int64(len(lines))+1); first <= int64(low); first++ {
		if fits(lines, uint32(first), p) {
			if found != nil {
				return nil
			}
			found = &textLines{uint32(first), lines}
		}
	}
	return found
}

func fits(lines []string, first uint32, p *replay.Profile) bool {
	for i := range p.Instructions {
		in := &p.Instructions[i]
		if in.Function == "" && !strings.Contains(lines[in.Line-first], in.Opcode) {
			return false
		}
	}
	return true
}
