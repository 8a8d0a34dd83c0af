// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/oracle"
	"github.com/warptape/warptape/frontend/ptx"
)

// workloadFlags compile a workload's CUDA C for the host; recompiledFlags compile
// it as traces/Makefile does, but for the contraction.
var (
	workloadFlags   = []string{"-x", "c++", "-std=c++20", "-O2", "-w", "-mfma", "-mf16c"}
	recompiledFlags = []string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib", "-S", "-O3", "-std=c++17", "-w",
		"-Xclang", "-target-feature", "-Xclang", "+ptx63", "-include", "include/warptape.h", "-ffp-contract=on", "-o", "-"}
)

// rewriting replaces what only PTX can say.
type rewriting struct {
	pattern     *regexp.Regexp
	replacement string
}

var rewritings = []rewriting{
	{regexp.MustCompile(`extern __shared__ (\w+) (\w+)\[\];`), "$1 *$2 = reinterpret_cast<$1 *>(warptape::dynamic_shared);"},
	{regexp.MustCompile(`asm volatile\("red\.add\.u32 [^;]*;[^;]*;`), "*p += 1;"},
	{regexp.MustCompile(`asm volatile\("bar\.sync %0, %1;[^;]*;`), "warptape::block_barrier(barrier, 2 * HALF, false);"},
	{regexp.MustCompile(`asm volatile\("bar\.arrive %0, %1;[^;]*;`), "warptape::barrier_arrive(barrier);"},
	{regexp.MustCompile(`(?s)asm volatile\("\{\\n.*?: "r"\(op\)\);`), `switch (op) {
  case 0: x ^= x << 13;
  case 1: x ^= x >> 17;
  case 2: x ^= x << 5; break;
  case 3: x += 0x9e3779b9;
  case 4: x = x * 3 + 1; break;
  case 5: x >>= 1; break;
  case 6: x = x << 7 | x >> 25;
  }
  x += 0x85ebca6b;`},
}

// hostWorkload is a workload as a program of the host.
type hostWorkload struct {
	name, folder string
	built        bool
	values       []byte // of the buffers that are not the same on both sides
}

// build compiles the workload with a main function that knows its kernels and
// variables by name.
func (w *hostWorkload) build(m *ptx.Module) error {
	source, err := os.ReadFile(filepath.Join(oracle.WorkloadFolder, w.name, w.name+".cu"))
	if err != nil {
		return err
	}
	for _, r := range rewritings {
		source = r.pattern.ReplaceAll(source, []byte(r.replacement))
	}
	include, err := filepath.Abs("workloads")
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("#include \"cuda.h\"\n#include \"launch.h\"\n")
	text.Write(source)
	text.WriteString("\nint main() {\n  return warptape::run_launch([](const std::string &name, const char *a) -> std::function<void()> {\n")
	for _, k := range m.Kernels {
		fmt.Fprintf(&text, "    if (name == %q) return [a] { warptape::call(%s, a); };\n", k.Name, k.Name)
	}
	text.WriteString("    return nullptr;\n  }, [](const std::string &name) -> void * {\n")
	for _, v := range m.Variables {
		if v.Space == ptx.SpaceConst || v.Space == ptx.SpaceGlobal {
			fmt.Fprintf(&text, "    if (name == %q) return (void *)&%s;\n", v.Name, v.Name)
		}
	}
	text.WriteString("    return nullptr;\n  });\n}\n")
	if err := os.WriteFile(filepath.Join(w.folder, w.name+".cpp"), []byte(text.String()), 0o644); err != nil {
		return err
	}
	contract := "-ffp-contract=fast" // as clang contracts for PTX
	if oracle.RuleOf(w.name).Recompiled {
		contract = "-ffp-contract=on"
	}
	flags := append(append([]string{}, workloadFlags...), contract, "-I", include, "-o", w.name, w.name+".cpp", "-lstdc++", "-lm")
	_, err = command(w.folder, nil, compiler(), flags...)
	w.built = err == nil
	return err
}

// run executes a launch on the host and puts what it leaves into memory.
func (w *hostWorkload) run(l *host.LaunchView, memory []oracle.Memory) error {
	if !w.built {
		if err := w.build(l.Module); err != nil {
			return err
		}
	}
	var input description
	input.launch(l)
	variables, buffers := input.split(l.Module, memory)
	input.number(len(variables))
	for _, m := range variables {
		input.text(m.Name)
		input.text(string(m.Data))
	}
	input.number(len(buffers))
	for _, m := range buffers {
		input.number(int(m.Address))
		input.text(string(m.Data))
	}
	output, err := command(w.folder, input.Bytes(), "./"+w.name)
	if err != nil {
		return err
	}
	for _, m := range buffers {
		if len(output) < len(m.Data) {
			return fmt.Errorf("%s: the host's memory is not complete", w.name)
		}
		output = output[copy(m.Data, output):]
	}
	return nil
}

// description is a launch as launch.h reads it.
type description struct{ bytes.Buffer }

func (d *description) number(n int) { d.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

func (d *description) text(s string) {
	d.number(len(s))
	d.WriteString(s)
}

func (d *description) launch(l *host.LaunchView) {
	d.text(l.Kernel)
	for _, n := range []uint32{l.Request.Grid.X, l.Request.Grid.Y, l.Request.Grid.Z, l.Request.Block.X, l.Request.Block.Y, l.Request.Block.Z} {
		d.number(int(n))
	}
	d.number(int(l.Request.DynamicShared))
	d.text(string(l.Request.Arguments))
	textures := l.Device.Textures()
	d.number(len(textures))
	for _, t := range textures {
		d.number(int(t.Address))
		d.number(t.Width)
		d.number(t.Height)
	}
}

// split tells the module's variables, which C++ places, from buffers.
func (d *description) split(m *ptx.Module, memory []oracle.Memory) (variables, buffers []oracle.Memory) {
	names := map[string]bool{}
	for _, v := range m.Variables {
		names[v.Name] = v.Space == ptx.SpaceConst
	}
	for _, b := range memory {
		if b.Constant && names[b.Name] {
			variables = append(variables, b)
		} else {
			buffers = append(buffers, b)
		}
	}
	return variables, buffers
}

// workloads makes testdata/workloads: each launch of each workload is executed on
// the host from the memory that it has on the emulator. The results of workloads
// that are not named stay.
func workloads(folder string, names []string) error {
	const file = "testdata/workloads/results.txt"
	before, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	var lines []string
	for line := range strings.Lines(string(before)) {
		if name, _, _ := strings.Cut(line, " "); !slices.Contains(names, name) {
			lines = append(lines, line)
		}
	}
	for _, name := range names {
		var text []byte
		var err error
		if oracle.RuleOf(name).Recompiled {
			if text, err = command(oracle.WorkloadFolder, nil, compiler(), append(append([]string{}, recompiledFlags...), name+"/"+name+".cu")...); err != nil {
				return err
			}
			if err := keep("workloads/"+name+".ptx", text); err != nil {
				return err
			}
		}
		w := &hostWorkload{name: name, folder: folder}
		if err := oracle.ObserveWorkload(name, text, func(launch int, l *host.LaunchView, run func() error) error {
			r, err := w.compare(l, run)
			r.Workload, r.Launch = name, launch
			lines = append(lines, r.String()+"\n")
			return err
		}); err != nil {
			return err
		}
		if len(w.values) > 0 {
			if err := keep("workloads/"+name+".values", w.values); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		first, _, _ := strings.Cut(a, " ")
		second, _, _ := strings.Cut(b, " ")
		return strings.Compare(first, second)
	})
	return os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644)
}

// compare executes a launch on both sides. Where the workload's rule has a bound,
// buffers that differ are kept as the host leaves them.
func (w *hostWorkload) compare(l *host.LaunchView, run func() error) (oracle.LaunchResult, error) {
	r := oracle.LaunchResult{Kernel: l.Kernel}
	memory, err := oracle.DeviceMemory(l.Device)
	if err == nil {
		err = w.run(l, memory)
	}
	if err == nil {
		err = run()
	}
	if err != nil {
		return r, err
	}
	emulated, err := oracle.DeviceMemory(l.Device)
	if err != nil {
		return r, err
	}
	for i := range memory {
		if oracle.RuleOf(w.name).Bound > 0 && !bytes.Equal(memory[i].Data, emulated[i].Data) {
			r.Bounded = append(r.Bounded, memory[i].Name)
			w.values = append(w.values, memory[i].Data...)
		}
	}
	r.Digest = oracle.DigestMemory(memory, r.Bounded)
	return r, nil
}
