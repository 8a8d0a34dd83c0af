// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dependencyFile is the list for make that a compilation writes next to its output (-MD), empty
// without one. Its options name the list: the compiler would put it next to a temporary object.
func (b *Builder) dependencyFile(in *Input, target string) (path string, options []string) {
	host := b.job.Host
	if !slices.Contains(host, "-MD") && !slices.Contains(host, "-MMD") {
		return "", nil
	}
	if i := slices.Index(host, "-MF"); i >= 0 && i+1 < len(host) {
		return host[i+1], nil
	}
	path = target
	if b.job.Stage == StageLink || b.job.Stage == StageLibrary {
		path = filepath.Base(in.Path)
	}
	path = strings.TrimSuffix(path, filepath.Ext(path)) + ".d"
	options = []string{"-MF", path}
	if path := b.job.Output; b.job.Stage == StageLink && path != "" && !slices.Contains(host, "-MT") && !slices.Contains(host, "-MQ") {
		options = append(options, "-MQ", path)
	}
	return path, options
}

// stay takes the files that this build makes and removes again out of a list for make, which
// would look for them the next time.
func (b *Builder) stay(list []byte) []byte {
	var out []byte
	for _, line := range bytes.SplitAfter(list, []byte("\n")) {
		if bytes.HasPrefix(line, []byte(b.work)) && bytes.HasSuffix(bytes.TrimSpace(line), []byte(":")) {
			continue // a rule without a prerequisite (-MP)
		}
		for {
			at := bytes.Index(line, []byte(" "+b.work))
			if at < 0 {
				break
			}
			end := len(line)
			if n := bytes.IndexAny(line[at+1:], " \n"); n >= 0 {
				end = at + 1 + n
			}
			line = append(slices.Clone(line[:at]), line[end:]...)
		}
		out = append(out, line...)
	}
	return out
}

// mendDependencies rewrites a file for make, if there is one.
func (b *Builder) mendDependencies(path string) error {
	if path == "" || b.job.DryRun {
		return nil
	}
	list, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b.stay(list), 0o666)
}

// depend lists what a file depends on (-M), on standard output without a target.
func (b *Builder) depend(tool string, args []string, target string) error {
	list := filepath.Join(b.work, "depend.d")
	for i := 0; i < len(b.job.Host); i++ {
		switch o := b.job.Host[i]; {
		case o == "-MF" && i+1 < len(b.job.Host):
			i++
			target = b.job.Host[i]
		case o == "-MT" || o == "-MQ":
			args = append(args, b.job.Host[i:min(i+2, len(b.job.Host))]...)
			i++
		case o == "-MP":
			args = append(args, o)
		}
	}
	if err := b.run(tool, append(args, "-MF", list)...); err != nil || b.job.DryRun {
		return err
	}
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	if target != "" {
		return os.WriteFile(target, b.stay(text), 0o666)
	}
	_, err = b.Stdout.Write(b.stay(text))
	return err
}
