// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/cmd/internal/kernels"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// digest is that of the workload's files.
func (w *Workload) digest() (string, error) {
	if w.Tesla != "" {
		return w.teslaDigest()
	}
	programs, err := w.programsDigest()
	if err != nil || w.Name == "" {
		return programs, err
	}
	program, err := traces.Find(w.Name)
	if err != nil {
		return "", err
	}
	digest, err := program.Digest()
	return digest + programs, err
}

// traceFile is where the cache keeps the workload's trace: under the digest of
// what made it, so that another program is recorded again.
func (j *job) traceFile(cache string) string {
	name := j.workload.program() + "-" + j.input + strings.ReplaceAll(j.workload.settings(), " ", "-")
	if j.sample != nil {
		name += "-" + strings.NewReplacer("=", "", ",", "-", "/", "of").Replace(j.sample.String())
	}
	return filepath.Join(cache, fmt.Sprintf("%s-%.12s.wtape", name, j.digest)) // of the GPU's program: it comes first
}

// sampleOf is the policy by which a workload's thread blocks are stored; nil: all are.
// A workload that runs together with programs of cores is whole: it is as long as they
// meet it. So are kernels of the Tesla-like GPGPU, which are short.
func (r *Runner) sampleOf(w *Workload, input string) (*sample.Policy, error) {
	if r.Sample == nil || w.CPU != "" || w.Tesla != "" {
		return nil, nil
	}
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		return nil, err
	}
	if entry := catalogue.Find(w.Name); entry != nil {
		if size := entry.Size(input); size != nil && size.Figures != nil && size.Figures.WarpInstructions <= r.SampleAbove {
			return nil, nil
		}
	}
	return r.Sample, nil
}

// record writes the workload's trace unless one is there that can be read: one of
// another version of the format is replaced.
func (r *Runner) record(ctx context.Context, j *job) error {
	w, input, policy := j.workload, j.input, j.sample
	if t, err := wtape.Open(j.trace); err == nil {
		return t.Close()
	}
	r.say("recording %s, size %s%s", w.program(), input, w.settings())
	if w.Tesla != "" {
		return r.recordTesla(j)
	}
	entry, err := traces.Find(w.Name)
	if err != nil {
		return err
	}
	program, err := host.Load(entry.Files, entry.Program)
	if err != nil {
		return err
	}
	options := host.Options{Size: input, Set: w.Set, Seed: 1, Out: io.Discard, Compile: kernels.Compile}
	profile, err := profileOf(ctx, program, policy, options)
	if err != nil {
		return fmt.Errorf("%s, size %s: %w", w.Name, input, err)
	}
	out, err := wtape.Create(j.trace, trace.Header{Tool: "warptape " + r.Version}, wtape.Options{Workers: r.Workers})
	if err != nil {
		return err
	}
	defer out.Abort() // without effect after Finish
	options.Sink = out
	var sampler *sample.Recorder
	if policy != nil {
		sampler = sample.NewRecorder(out, *policy, profile)
		options.Sink = sampler
	}
	if _, err := program.Run(ctx, options); err != nil {
		return fmt.Errorf("%s, size %s: %w", w.Name, input, err)
	}
	if sampler != nil {
		sampler.Describe()
	}
	return out.Finish()
}

// profileOf runs the program without storing anything for a policy that depends on
// what thread blocks do; nil for others.
func profileOf(ctx context.Context, program *host.Program, policy *sample.Policy, o host.Options) (*sample.Profile, error) {
	if policy == nil || !policy.NeedsProfile() {
		return nil, nil
	}
	p := sample.NewProfile(*policy)
	o.Sink = p
	if _, err := program.Run(ctx, o); err != nil {
		return nil, err
	}
	p.Choose()
	return p, nil
}
