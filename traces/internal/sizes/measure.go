// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/warptape/warptape/cmd/development/cputime"
	"github.com/warptape/warptape/trace/accelsim"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// measure takes all figures of a workload, but those of the export from the entry
// that is there if the sources have not changed: another format changes no export.
func measure(ctx context.Context, w traces.Workload, have *traces.FileSize, folder string) (*traces.FileSize, error) {
	digest, err := w.Digest()
	if err != nil {
		return nil, err
	}
	s := &traces.FileSize{Name: w.Name, Digest: digest}
	if have.Digest == digest {
		s.NoExport, s.Text, s.Gzip, s.XZ, s.Zstd = have.NoExport, have.Text, have.Gzip, have.XZ, have.Zstd
	}
	path := filepath.Join(folder, "default.wtape")
	for _, r := range []struct {
		bytes *int64
		size  string
		level wtape.Level
		path  string
	}{
		{&s.TinyBytes, "tiny", wtape.LevelDefault, filepath.Join(folder, "tiny.wtape")},
		{&s.Fast, "small", wtape.LevelFast, filepath.Join(folder, "fast.wtape")},
		{&s.Small, "small", wtape.LevelSmall, filepath.Join(folder, "small.wtape")},
		{&s.File, "small", wtape.LevelDefault, path},
	} {
		if *r.bytes, err = record(ctx, w, r.size, r.level, r.path); err != nil {
			return nil, err
		}
	}
	r, err := wtape.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for _, c := range r.Chunks() {
		s.Stream += c.Length
		s.WarpInstructions += c.WarpInstructions
	}
	if s.DecodeRate, err = decodeRate(r, s.WarpInstructions); err != nil {
		return nil, err
	}
	if s.NoExport != "" || s.Text > 0 && s.Gzip > 0 && s.XZ > 0 && s.Zstd > 0 {
		return s, nil
	}
	return s, measureExport(ctx, r, s, filepath.Join(folder, w.Name))
}

// decodeRate reads all chunks again and again, in this goroutine alone, and returns
// millions of warp instructions per second of processor time.
func decodeRate(r *wtape.Reader, instructions uint64) (float64, error) {
	chunk := wtape.NewChunk()
	passes, start := 0, cputime.Used()
	for passes < 2 || cputime.Used()-start < 300*time.Millisecond {
		for i := range r.Chunks() {
			if err := r.ReadChunk(i, chunk); err != nil {
				return 0, err
			}
		}
		if passes == 0 { // the first pass allots the memory
			start = cputime.Used()
		}
		passes++
	}
	rate := float64(passes-1) * float64(instructions) / 1e6 / (cputime.Used() - start).Seconds()
	return math.Round(10*rate) / 10, nil
}

// measureExport compresses all files of an export as one stream, so that each
// compressor finds what its window holds of earlier launches.
func measureExport(ctx context.Context, r *wtape.Reader, s *traces.FileSize, folder string) error {
	defer os.RemoveAll(folder)
	if err := accelsim.Export(r, folder, accelsim.ExportOptions{}); errors.Is(err, accelsim.ErrNoCounterpart) {
		s.NoExport = strings.TrimPrefix(err.Error(), folder+": ")
		return nil
	} else if err != nil {
		return err
	}
	var files []string
	s.Text = 0
	for i := range r.Launches() {
		path := filepath.Join(folder, fmt.Sprintf("kernel-%d.traceg", i+1))
		info, err := os.Stat(path)
		if os.IsNotExist(err) {
			continue // a launch without thread blocks
		}
		if err != nil {
			return err
		}
		s.Text += info.Size()
		files = append(files, path)
	}
	for _, c := range []struct {
		bytes   *int64
		program []string
	}{
		{&s.Gzip, []string{"gzip", "-9", "-n", "-c"}},
		{&s.XZ, []string{"xz", "-9", "-T1", "-c"}},
		{&s.Zstd, []string{"zstd", "-3", "-T1", "-q", "-c"}},
	} {
		if *c.bytes > 0 {
			continue
		}
		var err error
		if *c.bytes, err = compressed(ctx, files, c.program); err != nil {
			return fmt.Errorf("%s: %w", c.program[0], err)
		}
	}
	return nil
}

// compressed counts what a program makes of the files one after the other.
func compressed(ctx context.Context, files, program []string) (int64, error) {
	in, feed := io.Pipe()
	go func() {
		for _, path := range files {
			f, err := os.Open(path)
			if err == nil {
				_, err = io.Copy(feed, f)
				f.Close()
			}
			if err != nil {
				feed.CloseWithError(err)
				return
			}
		}
		feed.Close()
	}()
	var out counter
	command := exec.CommandContext(ctx, program[0], program[1:]...)
	command.Stdin, command.Stdout = in, &out
	err := command.Run()
	in.Close()
	return int64(out), err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
