// SPDX-License-Identifier: Apache-2.0

// Package traces is the catalogue of workloads: CUDA kernels with the PTX that
// clang made of them, and the host programs that run and check them.
//
// They are part of the executable, so that a demonstration needs no files.
package traces

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed */*.star */*.cu */*.ptx */README.md
var files embed.FS

// Header is the part of CUDA C that kernels of workloads use, which is included ahead of
// each.
//
//go:embed include/warptape.h
var Header []byte

// Compiler is the release of clang that makes the PTX of workloads.
const Compiler = 19

// CompilerOptions are those of traces/Makefile, but for the header, the source and the output.
func CompilerOptions() []string {
	return []string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib", "-S", "-O3", "-std=c++17",
		"-Xclang", "-target-feature", "-Xclang", "+ptx63"}
}

// Workload is one entry of the catalogue.
type Workload struct {
	// Name is the workload's folder.
	Name string
	// Description says in a line what it computes.
	Description string
	// Files is the workload's folder; Program is the host program in it.
	Files   fs.FS
	Program string
}

// List is the catalogue, by name: every folder NAME that has a host program
// NAME.star.
func List() []Workload {
	folders, err := files.ReadDir(".")
	if err != nil {
		panic("BUG: the embedded catalogue is unreadable: " + err.Error())
	}
	var all []Workload
	for _, folder := range folders {
		name := folder.Name()
		if _, err := fs.Stat(files, name+"/"+name+".star"); err == nil {
			all = append(all, open(name))
		}
	}
	return all
}

// Find gives the workload of that name; the error lists those that there are.
func Find(name string) (Workload, error) {
	var names []string
	for _, w := range List() {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return Workload{}, fmt.Errorf("there is no workload %q: choose one of %s", name, strings.Join(names, ", "))
}

func open(name string) Workload {
	folder, err := fs.Sub(files, name)
	if err != nil {
		panic("BUG: embedded folder: " + err.Error())
	}
	program := name + ".star"
	return Workload{Name: name, Description: firstLine(folder, program), Files: folder, Program: program}
}

// firstLine is the first line of a host program's docstring.
func firstLine(folder fs.FS, program string) string {
	text, err := fs.ReadFile(folder, program)
	if err != nil {
		panic("BUG: embedded host program: " + err.Error())
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.Trim(line, `"`)
}
