// SPDX-License-Identifier: Apache-2.0

package mutations

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A run draws mutations of a package and executes its tests with each.
type run struct {
	out     io.Writer
	folder  string         // of what go test reads in the place of sources
	root    string         // of the source tree
	names   string         // a regular expression of tests
	tests   []string       // packages whose tests are executed beside a package's own
	at      *regexp.Regexp // of FILE:LINE: of what is changed
	mutants int
	seed    uint64
}

// outcome is what the tests say of a mutation.
type outcome int

const (
	killed   outcome = iota // a test fails
	survived                // all pass
	invalid                 // it does not compile
)

// measure prints the survivors of a package, and then one line with all outcomes.
func (r *run) measure(ctx context.Context, name string) error {
	p, err := r.load(ctx, name)
	if err != nil {
		return err
	}
	limit, err := r.baseline(ctx, p)
	if err != nil {
		return err
	}
	rand.New(rand.NewPCG(r.seed, 0)).Shuffle(len(p.mutations), func(i, j int) {
		p.mutations[i], p.mutations[j] = p.mutations[j], p.mutations[i]
	})
	var of [3]int
	alone := 0
	for rest := p.mutations; len(rest) > 0 && of[killed]+of[survived] < r.mutants; {
		n := min(len(rest), r.mutants-of[killed]-of[survived])
		together := r.build(ctx, p, rest[:n])
		for i, m := range rest[:n] {
			result, known, err := together.try(ctx, i+1)
			if err == nil && !known {
				alone++
				result, err = r.try(ctx, p, m, limit)
			}
			if err != nil {
				return err
			}
			if of[result]++; result == survived {
				fmt.Fprintf(r.out, "survives: %s\n", m)
			}
		}
		rest = rest[n:]
	}
	_, err = fmt.Fprintf(r.out, "%s: %d killed, %d survive, %d do not compile, %d in all, seed %d\n",
		p.ImportPath, of[killed], of[survived], of[invalid], len(p.mutations), r.seed)
	if err == nil && alone > len(p.mutations)/4 {
		_, err = fmt.Fprintf(r.out, "%s: %d took a program of their own\n", p.ImportPath, alone)
	}
	return err
}

// A loaded package has the names of go list and the mutations of its sources.
type loaded struct {
	Dir, ImportPath, Name string
	GoFiles               []string
	mutations             []mutation
}

func (r *run) load(ctx context.Context, name string) (*loaded, error) {
	c := exec.CommandContext(ctx, "go", "list", "-json=Dir,ImportPath,Name,GoFiles", name)
	c.Dir, c.Stderr = r.root, r.out
	listed, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", name, err)
	}
	p := new(loaded)
	// One package: of several, such as ./..., there is more behind it.
	if err := json.Unmarshal(listed, p); err != nil {
		return nil, fmt.Errorf("mutate: name single packages, not %s: %w", name, err)
	}
	for _, f := range p.GoFiles {
		path := filepath.Join(p.Dir, f)
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		more, err := find(path, source)
		if err != nil {
			return nil, err
		}
		more = slices.DeleteFunc(more, func(m mutation) bool {
			return !r.at.MatchString(fmt.Sprintf("%s:%d:", m.file, m.line))
		})
		p.mutations = append(p.mutations, more...)
	}
	return p, nil
}

// baseline executes the tests as they are, twice, so that the second time has no
// compilation in it. A mutation may take five times as long: it may loop for ever.
func (r *run) baseline(ctx context.Context, p *loaded) (time.Duration, error) {
	var took time.Duration
	for range 2 {
		start := time.Now()
		if said, err := r.test(ctx, p, 0); err != nil {
			return 0, fmt.Errorf("the tests of %s fail without a mutation: %w\n%s", p.ImportPath, err, said)
		}
		took = time.Since(start)
	}
	return 5*took + 20*time.Second, nil
}

func (r *run) try(ctx context.Context, p *loaded, m mutation, limit time.Duration) (outcome, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return 0, err
	}
	other := filepath.Join(r.folder, "mutated.go")
	if err := os.WriteFile(other, m.mutated(source), 0o600); err != nil {
		return 0, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: other}})
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(r.overlay(), overlay, 0o600); err != nil {
		return 0, err
	}
	said, err := r.test(ctx, p, limit, "-overlay", r.overlay())
	switch exit := new(exec.ExitError); {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err == nil:
		return survived, nil
	case !errors.As(err, &exit):
		return 0, err
	case bytes.Contains(said, []byte("[build failed]")):
		return invalid, nil
	}
	return killed, nil
}

func (r *run) overlay() string { return filepath.Join(r.folder, "overlay.json") }

// test executes a package's tests and those beside them.
func (r *run) test(ctx context.Context, p *loaded, limit time.Duration, options ...string) ([]byte, error) {
	args := append([]string{"test", "-count=1", "-failfast", "-vet=off", "-timeout", limit.String(), "-run", r.names}, options...)
	said, err := bounded(ctx, r.root, nil, "go", append(append(args, p.ImportPath), r.tests...)...)
	if len(said) > 4096 {
		said = []byte(strings.ToValidUTF8(string(said[len(said)-4096:]), ""))
	}
	return said, err
}

// bounded executes a program with 8 GiB of data: a mutation may allocate for ever. Addresses
// without a limit leave the emulated device its reservation, which takes no memory.
func bounded(ctx context.Context, folder string, environment []string, program string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -d 8388608; exec "$@"`, "sh", program}, args...)...)
	c.Dir, c.Env = folder, append(append(os.Environ(), "GOTRACEBACK=none"), environment...)
	c.WaitDelay = 10 * time.Second
	return c.CombinedOutput()
}
