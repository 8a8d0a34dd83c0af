// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/warptape/warptape/frontend/cuda/headers"
	"github.com/warptape/warptape/frontend/native/clang"
)

// Half of what a compilation of a small program takes is reading clang's wrapper and the
// headers that it includes. So they are read once and kept as a precompiled header, for each
// list of options that a second compilation has. The outputs are the same bytes.

// wrapping includes the headers that precede each program.
var wrapping = []string{"-include", headers.Wrapper, "-include", headers.Last}

const (
	// precompiledFolder is the kind of folder in the user's cache.
	precompiledFolder = "cuda-headers"
	// maxPrecompiled bounds how many there are, of 6 MB each. The oldest go.
	maxPrecompiled = 16
	// maxMarks bounds the marks of first compilations, which are empty files.
	maxMarks   = 256
	markSuffix = ".once"
	headerFile = "headers.pch"
	inputsFile = "inputs.json"
)

// headerInput is a file that a precompiled header holds, as it was.
type headerInput struct {
	Path    string
	Size    int64
	Changed time.Time
}

// otherFolders are variables by which clang looks for headers elsewhere.
var otherFolders = []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SDKROOT"}

// plainOption are the options that change nothing or what clang compares with a precompiled
// header: dialects, optimisation, debug information of lines, warnings and features.
var plainOption = lazily(`^-(?:std=.*|O.?|w|W[^lapx].*|Wall|f[A-Za-z0-9=-]+|m[a-z0-9.=-]+|pthread|pedantic|ansi|pipe|gline-directives-only)$`)

// precompiled gives the options of a compilation with a precompiled header in the place of
// wrapping, and false where there is none to use.
func (b *Builder) precompiled(options []string) ([]string, bool) {
	at := indexOf(options, wrapping)
	folders, plain := b.searched()
	if at < 0 || !plain || precompiledCache() == "" || b.job.Verbose || b.job.DryRun || len(b.overlay.files) > 0 || slices.ContainsFunc(otherFolders, func(name string) bool { return os.Getenv(name) != "" }) {
		return nil, false
	}
	name, err := b.precompiledName(options, folders)
	if err != nil {
		return nil, false
	}
	folder, inputs := b.findPrecompiled(name)
	if folder == "" && second(name) {
		folder, inputs = b.precompile(name, options)
	}
	if len(inputs) == 0 || shadowed(inputs, folders) {
		return nil, false
	}
	header := []string{"-Xclang", "-include-pch", "-Xclang", filepath.Join(folder, headerFile)}
	return slices.Concat(options[:at], header, options[at+len(wrapping):]), true
}

// indexOf is the place of a list in another.
func indexOf(in, list []string) int {
	for i := range len(in) - len(list) + 1 {
		if slices.Equal(in[i:i+len(list)], list) {
			return i
		}
	}
	return -1
}

// searched gives the folders in which a program looks for headers, and whether the rest of
// its options is such that a precompiled header can be used.
func (b *Builder) searched() (folders []string, plain bool) {
	options := slices.Concat(b.job.Both, b.job.Host)
	for i := 0; i < len(options); i++ {
		o := options[i]
		switch {
		case o == "-include" && i+1 < len(options): // behind the precompiled header
			i++
		case (o == "-isystem" || o == "-idirafter" || o == "-iquote") && i+1 < len(options):
			i++
			folders = append(folders, options[i])
		case strings.HasPrefix(o, "-I") && len(o) > 2:
			folders = append(folders, o[2:])
		case !plainOption().MatchString(o):
			return nil, false
		}
	}
	return folders, true
}

// precompiledName is a digest of the compiler, the kit and the options.
func (b *Builder) precompiledName(options, folders []string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q", b.Clang.Path, b.Clang.Version, b.Kit.Folder, options)
	for _, f := range folders { // a relative one is another folder elsewhere
		path, err := filepath.Abs(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q", path)
	}
	return hex.EncodeToString(h.Sum(nil))[:24], nil
}

// findPrecompiled gives the folder of a precompiled header and the files that it holds. It is
// taken away when one of them has changed: clang compares files of the program only.
func (b *Builder) findPrecompiled(name string) (folder string, inputs []headerInput) {
	folder = filepath.Join(precompiledCache(), name)
	text, err := os.ReadFile(filepath.Join(folder, inputsFile))
	if err != nil {
		return "", nil
	}
	if json.Unmarshal(text, &inputs) != nil || slices.ContainsFunc(inputs, headerInput.hasChanged) {
		os.RemoveAll(folder)
		return "", nil
	}
	now := time.Now()
	os.Chtimes(folder, now, now) // for prune
	return folder, inputs
}

func (i headerInput) hasChanged() bool {
	info, err := os.Stat(i.Path)
	return err != nil || info.Size() != i.Size || !info.ModTime().Equal(i.Changed)
}

// precompiledCache is the folder with all precompiled headers; empty where there is none.
func precompiledCache() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "warptape", precompiledFolder)
}

// second reports whether this is not the first compilation with the options: one alone is
// done before its header would be.
func second(name string) bool {
	folder := precompiledCache()
	if folder == "" || os.MkdirAll(folder, 0o777) != nil {
		return false
	}
	mark, err := os.OpenFile(filepath.Join(folder, name+markSuffix), os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		mark.Close()
		prunePrecompiled(folder, maxPrecompiled)
	}
	return os.IsExist(err)
}

// precompile makes a precompiled header. Where clang cannot, it holds no file and is not used.
func (b *Builder) precompile(name string, options []string) (string, []headerInput) {
	prunePrecompiled(precompiledCache(), maxPrecompiled-1)
	folder, err := clang.Cached(precompiledFolder, name, func(work string) error {
		// The source has to stay, as clang looks for it. This one is included before, and empty then.
		source, list := filepath.Join(b.Kit.Include, headers.Last), filepath.Join(b.work, "headers.d")
		inputs := []headerInput{}
		args := append(slices.Clone(options), "-S", "-Xclang", "-emit-pch", "-MD", "-MF", list, "-o", filepath.Join(work, headerFile), source)
		if err := run(io.Discard, io.Discard, b.Clang.CXX, args...); err == nil {
			text, err := os.ReadFile(list)
			if err != nil {
				return err
			}
			inputs = describeInputs(dependencies(string(text)))
		}
		text, err := json.Marshal(inputs)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(work, inputsFile), text, 0o666)
	})
	if err != nil {
		return "", nil
	}
	return b.findPrecompiled(filepath.Base(folder))
}

// describeInputs notes what files are like. Files that cannot be noted give none.
func describeInputs(paths []string) []headerInput {
	inputs := []headerInput{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !filepath.IsAbs(path) {
			return []headerInput{}
		}
		inputs = append(inputs, headerInput{path, info.Size(), info.ModTime()})
	}
	return inputs
}

// dependencies reads the files of a rule for make.
func dependencies(rule string) []string {
	_, list, _ := strings.Cut(strings.ReplaceAll(rule, "\\\n", " "), ": ")
	const blank = "\x00"
	list = strings.NewReplacer(`\ `, blank, `\#`, "#", "$$", "$").Replace(list)
	files := strings.Fields(list)
	for i := range files {
		files[i] = strings.ReplaceAll(files[i], blank, " ")
	}
	return files
}

// shadowed reports whether a folder of the program has a file by a name under which the
// headers may have included theirs. The program's would be read in its place.
func shadowed(inputs []headerInput, folders []string) bool {
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		has := map[string]bool{}
		for _, e := range entries {
			has[e.Name()] = true
		}
		for _, in := range inputs {
			parts := strings.Split(in.Path, "/")
			for i, part := range parts {
				if !has[part] {
					continue
				}
				if _, err := os.Stat(filepath.Join(folder, filepath.Join(parts[i:]...))); err == nil {
					return true
				}
			}
		}
	}
	return false
}

// prunePrecompiled leaves so many precompiled headers, those that were used last,
// and the newest marks of first compilations.
func prunePrecompiled(cache string, leave int) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	var folders, marks []aged
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			folders = append(folders, aged{filepath.Join(cache, e.Name()), info.ModTime()})
		case filepath.Ext(e.Name()) == markSuffix:
			marks = append(marks, aged{filepath.Join(cache, e.Name()), info.ModTime()})
		}
	}
	removeOldest(folders, leave)
	removeOldest(marks, maxMarks)
}

// aged is a file or folder with the time of its last use.
type aged struct {
	path string
	used time.Time
}

// removeOldest leaves so many of a list.
func removeOldest(list []aged, leave int) {
	slices.SortFunc(list, func(a, b aged) int { return b.used.Compare(a.used) })
	for _, f := range list[min(len(list), leave):] {
		os.RemoveAll(f.path)
	}
}
