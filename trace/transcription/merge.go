// SPDX-License-Identifier: Apache-2.0

package transcription

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/transcriber"
	"github.com/warptape/warptape/trace/wtape"
)

// Merge writes one trace of several, as if their programs had run one after the
// other on the same device: between two of them the host waits for all streams.
// Equal kernels are stored once. Device addresses stay as they are, so programs
// that used the same addresses share what caches hold of them. Totals add up.
// Samples are merged with samples of whole machines only.
func Merge(traces []*wtape.Reader, output string, options wtape.Options) error {
	if len(traces) == 0 {
		return errors.New("no trace to merge: name at least one")
	}
	for _, r := range traces {
		if err := r.CheckDigest(context.Background()); err != nil {
			return err
		}
	}
	if err := checkProcesses(traces); err != nil {
		return err
	}
	header := mergedHeader(traces)
	sampling, err := mergedSampling(traces, header.Sampling)
	if err != nil {
		return err
	}
	w, err := wtape.Create(output, header, options)
	if err != nil {
		return err
	}
	defer w.Abort()
	shared, events := map[string]int{}, 0
	var totals trace.Totals
	for i, r := range traces {
		if i > 0 {
			if _, err := w.AddEvent(trace.HostEvent{Kind: trace.EventSynchronize, AllStreams: true}); err != nil {
				return err
			}
			events++
		}
		t := transcriber.New(r.Content(), w)
		t.Shared, t.Events = shared, events
		if err := t.Run(); err != nil {
			return err
		}
		events = t.Events
		whole := r.Totals()
		totals.Add(&whole)
	}
	for _, r := range traces { // CPU threads come last
		if err := transcriber.New(r.Content(), w).RunCPU(); err != nil {
			return err
		}
	}
	if header.Sampling != "" {
		w.SetTotals(totals)
		if sampling != nil {
			w.SetSampling(sampling)
		}
	}
	return w.Finish()
}

// checkProcesses refuses traces whose CPU threads would become threads of one process.
func checkProcesses(traces []*wtape.Reader) error {
	var threaded, other *wtape.Reader
	for _, r := range traces {
		switch {
		case r.CPUThreads() == 0:
		case r.Totals().CPU.Syncs > 0 && threaded == nil:
			threaded = r
		default:
			other = r
		}
	}
	if threaded != nil && other != nil {
		return fmt.Errorf("%s: its CPU threads are one process and synchronise, and %s has CPU threads, too: they cannot be merged; replay them together, with --cpu", threaded.Name(), other.Name())
	}
	return nil
}

// mergedSampling joins the descriptions of samples; nil where there is none.
func mergedSampling(traces []*wtape.Reader, policy string) (*trace.Sampling, error) {
	merged := &trace.Sampling{Policy: policy}
	described := 0
	for _, r := range traces {
		s := r.Sampling()
		if s == nil {
			continue
		}
		if described++; s.SlicesAll > 0 && len(traces) > 1 {
			return nil, fmt.Errorf("%s: is the sample of a slice of the machine (%s): it cannot be merged; merge the whole traces, then sample", r.Name(), s.Policy)
		}
		merged.Append(s)
	}
	switch described {
	case 0:
		return nil, nil
	case len(traces):
		return merged, nil
	}
	return nil, errors.New("some of the traces are samples and others are not: merge the whole traces, then sample")
}

// mergedHeader joins the provenance: what differs is kept per trace, as arguments
// whose names start with the number of the trace.
func mergedHeader(traces []*wtape.Reader) trace.Header {
	merged := traces[0].Header()
	same := true
	for _, r := range traces[1:] {
		h := r.Header()
		same = same && h.Program == merged.Program && h.ProgramDigest == merged.ProgramDigest && h.Seed == merged.Seed
	}
	var programs, sampling []string
	merged.Arguments, merged.PTX, merged.Data = map[string]string{}, nil, nil
	for i, r := range traces {
		h := r.Header()
		programs = append(programs, h.Program)
		prefix := fmt.Sprintf("%d.", i)
		merged.Arguments[prefix+"trace"] = r.Digest()
		if !same {
			merged.Arguments[prefix+"program_digest"] = h.ProgramDigest
			merged.Arguments[prefix+"seed"] = fmt.Sprint(h.Seed)
		}
		for name, value := range h.Arguments {
			merged.Arguments[prefix+name] = value
		}
		merged.PTX, merged.Data = append(merged.PTX, h.PTX...), append(merged.Data, h.Data...)
		if h.Sampling != "" {
			sampling = append(sampling, fmt.Sprintf("%d: %s", i, h.Sampling))
		}
	}
	if !same {
		merged.Program, merged.ProgramDigest, merged.Seed = strings.Join(programs, " + "), "", 0
	}
	merged.Sampling = strings.Join(sampling, "; ")
	return merged
}
