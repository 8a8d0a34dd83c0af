// SPDX-License-Identifier: Apache-2.0

// Package clang finds the compiler of programs that run as they are, and keeps what it
// has made in the user's cache.
package clang

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// oldest is the oldest release of clang whose support of CUDA and OpenCL is enough.
const oldest = 16

// newestNamed is the newest release that is looked for by its own name.
const newestNamed = 24

// Variable names the environment variable that says which clang to take.
const Variable = "WARPTAPE_CLANG"

// Compiler is a clang.
type Compiler struct {
	// Path is that of clang, CXX that of clang++ of the same release.
	Path, CXX string
	Release   int
	// Resources is the folder with the compiler's own headers.
	Resources string
	// Version is what it says of itself.
	Version string
}

// ErrNone is the error without a compiler that will do.
var ErrNone = errors.New("no clang of release 16 or newer is here: install one (Debian and Ubuntu: apt install clang-19; Fedora: dnf install clang; Arch: pacman -S clang), or name one in " + Variable)

// Find finds the compiler: the one that the environment names, else clang, else the newest
// clang-N of the path.
func Find() (*Compiler, error) {
	if name := os.Getenv(Variable); name != "" {
		c, err := inspect(name)
		if err == nil && c.Release < oldest {
			err = fmt.Errorf("it is release %d; %d or newer is needed", c.Release, oldest)
		}
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w; name clang of release %d or newer, or leave the variable away", Variable, name, err, oldest)
		}
		return c, nil
	}
	var silent error // of a clang that is here and does not answer
	names := []string{"clang"}
	for n := newestNamed; n >= oldest; n-- {
		names = append(names, fmt.Sprintf("clang-%d", n))
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		c, err := inspect(name)
		switch {
		case err != nil && silent == nil:
			silent = err
		case err == nil && c.Release >= oldest:
			return c, nil
		}
	}
	if silent != nil {
		return nil, fmt.Errorf("%w; one is here and does not say its release: %w", ErrNone, silent)
	}
	return nil, ErrNone
}

// FindPreferring finds the compiler like Find, but takes clang of the given release where
// it has a name of its own on the path and the environment names none.
func FindPreferring(release int) (*Compiler, error) {
	if os.Getenv(Variable) == "" {
		if c, err := inspect(fmt.Sprintf("clang-%d", release)); err == nil && c.Release == release {
			return c, nil
		}
	}
	return Find()
}

var (
	release = regexp.MustCompile(`clang version (\d+)`)
	// ofItself matches what --version prints. After that, -v lists other compilers.
	ofItself = regexp.MustCompile(`(?s)^.*?(?:\nInstalledDir:[^\n]*\n|$)`)
)

// inspect asks a compiler what it is, or remembers what it said: a process may look for
// its compiler hundreds of times, and each start of clang takes a fifth of a second.
func inspect(name string) (*Compiler, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	program := identity{path, file.Size(), file.ModTime()}
	if c, ok := inspected.Load(program); ok {
		known := *c.(*Compiler)
		return &known, nil
	}
	c, err := ask(name, path)
	if err != nil {
		return nil, err
	}
	known := *c
	inspected.Store(program, &known)
	return c, nil
}

// identity is a compiler's file. Another file at its path is another compiler.
type identity struct {
	path    string
	size    int64
	changed time.Time
}

// inspected has the compilers that have answered, by identity.
var inspected sync.Map

func ask(name, path string) (*Compiler, error) {
	// One call answers both questions: starting clang takes longer than its answers.
	var resources, says bytes.Buffer
	cmd := exec.Command(path, "-v", "-print-resource-dir")
	cmd.Stdout, cmd.Stderr = &resources, &says
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s -v -print-resource-dir: %w", name, err)
	}
	found := release.FindSubmatch(says.Bytes())
	if found == nil {
		return nil, fmt.Errorf("%s is no clang", name)
	}
	c := &Compiler{Path: path, Version: string(ofItself.Find(says.Bytes())), Resources: strings.TrimSpace(resources.String())}
	c.Release, _ = strconv.Atoi(string(found[1]))
	c.CXX = filepath.Join(filepath.Dir(path), strings.Replace(filepath.Base(path), "clang", "clang++", 1))
	if _, err := os.Stat(c.CXX); err != nil {
		return nil, fmt.Errorf("%s has no clang++ beside it", path)
	}
	return c, nil
}
