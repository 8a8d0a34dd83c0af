// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/cmd/internal/kernels"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// recording is the trace of a workload with one size and set of parameters.
type recording struct {
	workload traces.Workload
	program  *host.Program
	source   *plan.Source
	size     string
	set      map[string]string
}

func (j *recording) label() string { return j.workload.Name + " " + j.size + settings(j.set) }

// path names the trace by all that it depends on, so that a changed program is recorded
// again.
func (j *recording) path(folder string) (string, error) {
	digest, err := j.workload.Digest()
	if err != nil {
		return "", err
	}
	model, err := release.Model()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d\x00%s\x00%s", digest, j.size, settings(j.set), j.source.Seed, j.source.Sample, model))
	return filepath.Join(folder, fmt.Sprintf("%s-%s-%s.wtape", j.workload.Name, j.size, hex.EncodeToString(sum[:8]))), nil
}

// expected is what the catalogue says of the recording to come, as far as it does.
func (j *recording) expected() results.TraceSummary {
	s := results.TraceSummary{Program: j.workload.Name, Sampling: j.source.Sample}
	catalogue, err := traces.ReadCatalogue()
	if err != nil || len(j.set) > 0 {
		return s
	}
	if e := catalogue.Find(j.workload.Name); e != nil {
		if size := e.Size(j.size); size != nil && size.Figures != nil {
			s.Launches, s.ThreadBlocks = size.Figures.Launches, size.Figures.ThreadBlocks
			s.WarpInstructions, s.StoredWarpInstructions = size.Figures.WarpInstructions, size.Figures.WarpInstructions
		}
	}
	return s
}

// policy is that of the sample; nil for whole traces.
func (j *recording) policy() (*sample.Policy, error) {
	if j.source.Sample == "" {
		return nil, nil
	}
	text, err := samplepolicy.WithFill(j.source.Sample)
	if err != nil {
		return nil, err
	}
	p, err := sample.Parse(text)
	return &p, err
}

// check finds what is wrong with the recording before any is made.
func (j *recording) check() error {
	if _, err := j.policy(); err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	return j.program.CheckSize(&host.Options{Size: j.size, Set: j.set})
}

// record runs the workload; the trace appears under its name only when all went well.
func (j *recording) record(ctx context.Context, path string, workers int) error {
	policy, err := j.policy()
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	options := host.Options{Size: j.size, Set: j.set, Seed: j.source.Seed, Out: io.Discard, Workers: workers, Compile: kernels.Compile}
	profile, err := profileOf(ctx, j.program, policy, options)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	out, err := wtape.Create(path, trace.Header{Tool: "warptape " + release.Version()}, wtape.Options{Workers: workers})
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
	if _, err := j.program.Run(ctx, options); err != nil {
		return err
	}
	if sampler != nil {
		sampler.Describe()
	}
	return out.Finish()
}

// profileOf runs the program without storing anything, for policies that depend on what
// thread blocks do; nil for others.
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
