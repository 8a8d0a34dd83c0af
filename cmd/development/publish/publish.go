// SPDX-License-Identifier: Apache-2.0

// Package publish makes the files of a release. There are for each platform an archive
// with a static binary, its manual pages, completion scripts and licences; a bill of
// materials; and checksums of all. A revision gives the same bytes on every machine with
// the same Go.
package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
)

// platforms are what a release is built for, as GOOS/GOARCH.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// Command makes a release of the source tree's revision.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "release",
		Usage: "make the files of a release from a clean revision: archives, bill of materials, checksums",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FOLDER`, which must not exist or be empty", Value: "out/release"},
			&cli.StringSliceFlag{Name: "platform", Usage: "build for `GOOS/GOARCH` (repeatable; default: " + strings.Join(platforms, ", ") + ")"},
			&cli.StringFlag{Name: "pgo", Usage: "compile by the `PROFILE`, or off", Value: "cmd/warptape/replay.pprof"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			t := tree{root: c.String("root"), profile: c.String("pgo"), log: c.App.ErrWriter}
			return t.release(c.Context, c.String("output"), c.StringSlice("platform"))
		},
	}
}

// tree is the source tree of a release.
type tree struct {
	root, profile string
	log           io.Writer
	revision      string
	committed     time.Time
}

func (t *tree) release(ctx context.Context, folder string, list []string) error {
	if len(list) == 0 {
		list = platforms
	}
	for _, p := range list {
		if goos, arch, ok := strings.Cut(p, "/"); !ok || goos == "" || arch == "" {
			return commandline.Usagef("release: platform %q is not GOOS/GOARCH, such as linux/amd64", p)
		}
	}
	if err := t.clean(ctx); err != nil {
		return err
	}
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s: is not empty; name another folder with -o", folder)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "warptape-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	pages, err := t.pages(ctx, work)
	if err != nil {
		return err
	}
	for _, p := range list {
		fmt.Fprintf(t.log, "%s ...\n", p)
		if err := t.archive(ctx, work, folder, p, pages); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return writeChecksums(folder)
}

// clean finds the revision, and refuses a tree with changes that it lacks.
func (t *tree) clean(ctx context.Context) error {
	status, err := t.output(ctx, nil, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if len(status) > 0 {
		return fmt.Errorf("the source tree has changes, and a release is made from a revision; commit or stash them:\n%s", strings.TrimRight(status, "\n"))
	}
	line, err := t.output(ctx, nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	var seconds int64
	if _, err := fmt.Sscanf(line, "%s %d", &t.revision, &seconds); err != nil {
		return fmt.Errorf("git log gives %q: %w", line, err)
	}
	t.committed = time.Unix(seconds, 0).UTC()
	return nil
}

// output runs a command in the tree with more variables of the environment.
func (t *tree) output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.root
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return string(out), err
}

// program is what a release builds.
type program struct {
	name, folder string
	// tags are those of the build. With static, warptape loads no library while it runs, so
	// that its binary needs no loader.
	tags string
	// linux says that it is for Linux alone.
	linux bool
}

var programs = []program{
	{name: "warptape", folder: "./cmd/warptape", tags: "static"},
	{name: "warptape-measure", folder: "./cmd/warptape-measure", linux: true},
}

// build compiles a program for a platform; an empty one is this machine's.
func (t *tree) build(ctx context.Context, p *program, platform, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0"}
	if goos, arch, ok := strings.Cut(platform, "/"); ok {
		env = append(env, "GOOS="+goos, "GOARCH="+arch)
	}
	_, err = t.output(ctx, env, "go", "build", "-trimpath", "-buildvcs=true", "-tags="+p.tags, "-pgo="+t.profile, "-ldflags=-s -w -buildid=", "-o", path, p.folder)
	return err
}

// page is a file of every archive that the program writes itself.
type page struct {
	name string
	text []byte
}

// pages are the manual pages and completion scripts, in the order of their names.
func (t *tree) pages(ctx context.Context, work string) ([]page, error) {
	native := filepath.Join(work, "native")
	if err := t.build(ctx, &programs[0], "", native); err != nil {
		return nil, err
	}
	folder := filepath.Join(work, "man1")
	if _, err := t.output(ctx, nil, native, "man", "--folder", folder); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []page
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, page{"man1/" + e.Name(), text})
	}
	for _, shell := range []string{"bash", "fish", "zsh"} {
		text, err := t.output(ctx, nil, native, "completion", shell)
		if err != nil {
			return nil, err
		}
		all = append(all, page{"completions/warptape." + shell, []byte(text)})
	}
	slices.SortFunc(all, func(a, b page) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// base is the name of a platform's archive without its suffix.
func base(platform string) string {
	return "warptape-" + release.Number + "-" + strings.ReplaceAll(platform, "/", "-")
}
