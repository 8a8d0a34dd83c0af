package trace

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Merge writes one trace of several, as if their programs had run one after the
// other on the same device: between two of them the host waits for all streams.
// Equal kernels are stored once. Device addresses stay as they are, so programs
// that used the same addresses share what caches hold of them. Totals add up.
// Samples are merged with samples of whole machines only.
func Merge(traces []*Reader, output string, options Options) error {
	if len(traces) == 0 {
		return errors.New("no trace to merge: name at least one")
	}
	for _, r := range traces {
		if err := r.CheckDigest(context.Background()); err != nil {
			return err
		}
	}
	header := mergedHeader(traces)
	sampling, err := mergedSampling(traces, header.Sampling)
	if err != nil {
		return err
	}
	w, err := Create(output, header, options)
	if err != nil {
		return err
	}
	defer w.Abort()
	shared := map[string]int{}
	var totals Totals
	for i, r := range traces {
		if i > 0 {
			if _, err := w.AddEvent(HostEvent{Kind: EventSynchronize, AllStreams: true}); err != nil {
				return err
			}
		}
		t := newTranscription(r, w)
		t.shared, t.added = shared, len(w.timeline)
		if err := t.run(); err != nil {
			return err
		}
		whole := r.Totals()
		totals.Add(&whole)
	}
	for _, r := range traces { // CPU threads come last
		if err := newTranscription(r, w).transcribeCPU(); err != nil {
			return err
		}
	}
	if header.Sampling != "" {
		w.totals, w.sampling = totals, sampling
	}
	return w.Finish()
}

// mergedSampling joins the descriptions of samples; nil where there is none.
func mergedSampling(traces []*Reader, policy string) (*Sampling, error) {
	merged := &Sampling{Policy: policy}
	described := 0
	for _, r := range traces {
		s := r.sampling
		if s == nil {
			continue
		}
		if described++; s.SlicesAll > 0 && len(traces) > 1 {
			return nil, fmt.Errorf("%s: is the sample of a slice of the machine (%s): it cannot be merged; merge the whole traces, then sample", r.name, s.Policy)
		}
		merged.add(s)
	}
	switch described {
	case 0:
		return nil, nil
	case len(traces):
		return merged, nil
	}
	return nil, errors.New("some of the traces are samples and others are not: merge the whole traces, then sample")
}

// add appends the description of the launches that follow.
func (s *Sampling) add(o *Sampling) {
	launches, strata := len(s.Launches), len(s.Strata)
	for _, l := range o.Launches {
		l.Representative += launches
		s.Launches = append(s.Launches, l)
	}
	for _, t := range o.Strata {
		t.Launch += launches
		s.Strata = append(s.Strata, t)
	}
	for _, r := range o.Runs {
		r.Stratum += strata
		s.Runs = append(s.Runs, r)
	}
	s.SlicesKept, s.SlicesAll = o.SlicesKept, o.SlicesAll
}

// mergedHeader joins the provenance: what differs is kept per trace, as arguments
// whose names start with the number of the trace.
func mergedHeader(traces []*Reader) Header {
	merged := traces[0].Header()
	same := true
	for _, r := range traces[1:] {
		h := r.Header()
		same = same && h.Program == merged.Program && h.ProgramDigest == merged.ProgramDigest && h.Seed == merged.Seed
	}
	var programs, sampling []string
	merged.Arguments, merged.PTX = map[string]string{}, nil
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
		merged.PTX = append(merged.PTX, h.PTX...)
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
