package reproduce

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/traces"
)

// digest is that of the workload's files.
func (w *Workload) digest() (string, error) {
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
func (r *Runner) traceFile(w *Workload, input, digest string) string {
	name := w.Name + "-" + input + strings.ReplaceAll(w.settings(), " ", "-")
	return filepath.Join(r.Cache, fmt.Sprintf("%s-%.12s.wtape", name, digest)) // of the GPU's program: it comes first
}

// record writes the workload's trace unless one is there that can be read: one of
// another version of the format is replaced.
func (r *Runner) record(ctx context.Context, w *Workload, input, path string) error {
	if t, err := trace.Open(path); err == nil {
		return t.Close()
	}
	r.say("recording %s, size %s%s", w.Name, input, w.settings())
	entry, err := traces.Find(w.Name)
	if err != nil {
		return err
	}
	program, err := host.Load(entry.Files, entry.Program)
	if err != nil {
		return err
	}
	out, err := trace.Create(path, trace.Header{Tool: "warptape " + r.Version}, trace.Options{Workers: r.Workers})
	if err != nil {
		return err
	}
	defer out.Abort() // without effect after Finish
	if _, err := program.Run(ctx, host.Options{Size: input, Set: w.Set, Seed: 1, Sink: out, Out: io.Discard}); err != nil {
		return fmt.Errorf("%s, size %s: %w", w.Name, input, err)
	}
	return out.Finish()
}
