package trace

import (
	"context"
	"fmt"
	"strings"
)

// Slice writes a trace of some launches and thread blocks of another. Host events
// and kernels stay, so that numbers of kernels and addresses keep their meaning;
// launches are numbered anew. A part of a sample has no description of what it
// stands for. Header.Sampling says what it is a slice of, unless
// everything was asked for; the totals are those of the slice. It is an error when
// no thread block is left.
func Slice(r *Reader, output string, launches, blocks Range, options Options) error {
	if err := r.CheckDigest(context.Background()); err != nil {
		return err
	}
	w, err := Create(output, r.initial, options)
	if err != nil {
		return err
	}
	defer w.Abort()
	t := newTranscription(r, w)
	t.launches, t.blocks = launches, blocks
	if err := t.run(); err != nil {
		return err
	}
	if err := t.transcribeCPU(); err != nil {
		return err
	}
	if t.copied == 0 && !(launches == Everything && blocks == Everything) {
		return fmt.Errorf("%s: no thread block of launches %v and thread blocks %v is stored; it has %d launches", r.name, launches, blocks, len(r.launches))
	}
	header := r.Header()
	if launches == Everything && blocks == Everything {
		w.totals, w.sampling = r.totals, r.sampling
	} else {
		note := fmt.Sprintf("slice: launches %v, thread blocks %v of trace %s", launches, blocks, r.Digest())
		header.Sampling = strings.TrimPrefix(header.Sampling+"; "+note, "; ")
	}
	w.UpdateHeader(func(h *Header) { *h = header })
	return w.Finish()
}

// String is "3", "3 to 5", "3 and up", or "all".
func (r Range) String() string {
	switch {
	case r == Everything:
		return "all"
	case r.Last == Everything.Last:
		return fmt.Sprintf("%d and up", r.First)
	case r.First == r.Last:
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d to %d", r.First, r.Last)
}
