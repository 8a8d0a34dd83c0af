// SPDX-License-Identifier: Apache-2.0

package transcription

import (
	"context"
	"fmt"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/transcriber"
	"github.com/warptape/warptape/trace/wtape"
)

// Slice writes a trace of some launches and thread blocks of another. Host events
// and kernels stay, so that numbers of kernels and addresses keep their meaning;
// launches are numbered anew. A part of a sample has no description of what it
// stands for. Header.Sampling says what it is a slice of, unless
// everything was asked for; the totals are those of the slice. It is an error when
// no thread block is left.
func Slice(r *wtape.Reader, output string, launches, blocks trace.Range, options wtape.Options) error {
	if err := r.CheckDigest(context.Background()); err != nil {
		return err
	}
	w, err := wtape.Create(output, r.InitialHeader(), options)
	if err != nil {
		return err
	}
	defer w.Abort()
	t := transcriber.New(r.Content(), w)
	t.Launches, t.Blocks = launches, blocks
	if err := t.Run(); err != nil {
		return err
	}
	if err := t.RunCPU(); err != nil {
		return err
	}
	if t.Copied == 0 && !(launches == trace.Everything && blocks == trace.Everything) {
		return fmt.Errorf("%s: no thread block of launches %v and thread blocks %v is stored; it has %d launches", r.Name(), launches, blocks, len(r.Launches()))
	}
	header := r.Header()
	if launches == trace.Everything && blocks == trace.Everything {
		w.SetTotals(r.Totals())
		if s := r.Sampling(); s != nil {
			w.SetSampling(s)
		}
	} else {
		note := fmt.Sprintf("slice: launches %v, thread blocks %v of trace %s", launches, blocks, r.Digest())
		header.Sampling = strings.TrimPrefix(header.Sampling+"; "+note, "; ")
	}
	w.UpdateHeader(func(h *trace.Header) { *h = header })
	return w.Finish()
}
