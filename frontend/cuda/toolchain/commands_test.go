// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
)

// everywhere are the options that all compilations of CUDA have: the project's headers, and what clang
// says that nvcc does not.
var everywhere = regexp.MustCompile(`-nocudainc .*? -Wno-unknown-warning-option`)

// calls are the calls of tools that a command line asks for, as --dryrun prints them. W is the folder that
// goes, and "..." stands for the options that all compilations have.
func calls(t *testing.T, line string) string {
	t.Helper()
	job, err := ParseArgs(append(strings.Fields(line), "--dryrun"))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var out bytes.Buffer
	tool := clang.Compiler{Path: "clang", CXX: "clang++", Release: 19, Version: "19"}
	if err := (&Builder{Clang: &tool, Kit: &Kit{Folder: "/kit", Include: "/kit/include", Library: "/kit/lib"}, Stdout: &out, Stderr: &out}).Build(job); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var list []string
	for _, call := range strings.Split(out.String(), "\n") {
		call, is := strings.CutPrefix(call, "#$ ")
		if tool, _, _ := strings.Cut(call, " "); !is || tool != "clang++" && tool != "ar" {
			continue // what nvcc prints for build systems
		}
		call = regexp.MustCompile(`/\S*warptape-cc-\d+`).ReplaceAllString(call, "W")
		list = append(list, everywhere.ReplaceAllString(call, "..."))
	}
	return strings.Join(list, "\n")
}

// Each command line calls what nvcc's documentation says of its options ("NVIDIA CUDA Compiler Driver"): device code at its level and for
// its architecture, the host's with what is given to its compiler, and what links with what is given to the linker.
func TestCommandLinesCallTools(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"a.cu", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O3 -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cu\n" +
			"clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -fPIC -O0 -include W/macros.h -Xclang -fcuda-include-gpubinary -Xclang W/device.fatbin -c -o W/a.1.o a.cu\n" +
			"clang++ -o a.out -v W/a.1.o -L/kit/lib -Wl,-rpath,/kit/lib -Wl,--no-as-needed -l:libcudart.so -lpthread -ldl -lm"},
		{"-ptx a.cu -o x.ptx -O -G", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O0 -g -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o x.ptx a.cu"},
		{"-fatbin a.cu -arch=sm_90", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 ... -Xclang -target-feature -Xclang +ptx81 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O3 -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cu"},
		{"-E a.cu -o x.i -DN=1 -I inc", "clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -Iinc -include W/macros.h -E -o x.i a.cu"},
		{"-M a.cu", "clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -M -include W/macros.h a.cu -MF W/depend.d"},
		{"-M a.cu -MF list -MT a.o -MP", "clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -M -include W/macros.h a.cu -MT a.o -MP -MF W/depend.d"},
		{"-c a.cu -MD -O0", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O0 -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cu\n" +
			"clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -fPIC -O0 -MD -include W/macros.h -Xclang -fcuda-include-gpubinary -Xclang W/device.fatbin -c -MF a.d -o a.o a.cu"},
		{"-c a.cu -MMD -MF list.d -o x.o", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O3 -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cu\n" +
			"clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -fPIC -O0 -MMD -MF list.d -include W/macros.h -Xclang -fcuda-include-gpubinary -Xclang W/device.fatbin -c -o x.o a.cu"},
		{"-rdc=true a.cu b.cpp -o prog -Xcompiler -fopenmp,-Wall,-pg -lm -Xlinker -z c.o -O2", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O3 -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cu\n" +
			"clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -fPIC -O2 -fopenmp -Wall -pg -include W/macros.h -Xclang -fcuda-include-gpubinary -Xclang W/device.fatbin -c -o W/a.1.o a.cu\n" +
			"clang++ -isystem /kit/include -D__NVCC_HOST__ -Wno-unused-command-line-argument -x c++ -Wno-c++11-narrowing -Wno-register -Wno-reserved-user-defined-literal -Wno-writable-strings -c -fPIC -O2 -fopenmp -Wall -pg -o W/b.2.o b.cpp\n" +
			"clang++ -o prog -v W/a.1.o W/b.2.o -lm -Wl,-z c.o -L/kit/lib -Wl,-rpath,/kit/lib -Wl,--no-as-needed -l:libcudart.so -lpthread -ldl -lm -fopenmp -pg"},
		{"-lib a.cu -o lib.a", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O3 -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cu\n" +
			"clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -fPIC -O0 -include W/macros.h -Xclang -fcuda-include-gpubinary -Xclang W/device.fatbin -c -o W/a.1.o a.cu\n" +
			"ar rcs lib.a W/a.1.o"},
		{"-shared a.cu -o lib.so -pg -Xcompiler -fsanitize=address", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O3 -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cu\n" +
			"clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -fPIC -O0 -pg -fsanitize=address -include W/macros.h -Xclang -fcuda-include-gpubinary -Xclang W/device.fatbin -c -o W/a.1.o a.cu\n" +
			"clang++ -o lib.so -v W/a.1.o -shared -L/kit/lib -Wl,-rpath,/kit/lib -Wl,--no-as-needed -l:libcudart.so -lpthread -ldl -lm -pg -fsanitize=address"},
		{"-dc a.cu -odir out -lineinfo --use_fast_math", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O3 -fno-slp-vectorize -gline-directives-only -fgpu-flush-denormals-to-zero -fgpu-approx-transcendentals -mllvm -nvptx-prec-divf32=0 -mllvm -nvptx-prec-sqrtf32=0 -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cu\n" +
			"clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -fPIC -O0 -include W/macros.h -Xclang -fcuda-include-gpubinary -Xclang W/device.fatbin -c -o out/a.o a.cu"},
		{"-x cu a.cpp -c -g", "clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 ... -Xclang -target-feature -Xclang +ptx63 -S -fno-strict-aliasing -mllvm -capture-tracking-max-uses-to-explore=0 -O3 -fno-slp-vectorize -include W/macros.h -MD -MF W/device.d -o W/device.ptx a.cpp\n" +
			"clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_70 ... -fPIC -O0 -g -include W/macros.h -Xclang -fcuda-include-gpubinary -Xclang W/device.fatbin -c -o a.o a.cpp"},
		{"-c a.cpp -O", "clang++ -isystem /kit/include -D__NVCC_HOST__ -Wno-unused-command-line-argument -x c++ -Wno-c++11-narrowing -Wno-register -Wno-reserved-user-defined-literal -Wno-writable-strings -c -fPIC -O1 -o a.o a.cpp"},
		{"-c a.cpp -O1 -std=c++17", "clang++ -isystem /kit/include -D__NVCC_HOST__ -Wno-unused-command-line-argument -x c++ -Wno-c++11-narrowing -Wno-register -Wno-reserved-user-defined-literal -Wno-writable-strings -std=c++17 -c -fPIC -O1 -o a.o a.cpp"},
	} {
		if got := calls(t, c.line); got != c.want {
			t.Errorf("%s:\n%s\n--- want\n%s", c.line, got, c.want)
		}
	}
}

// A list for make goes where -MF says, to the output, or to standard output. It lacks what goes with the
// build's own folder.
func TestListsForMakeGoWhereTheyAreAsked(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	tool := filepath.Join(folder, "clang++")
	text := "#!/bin/sh\nfor a; do case $last in -MF) printf 'a.o: a.cu /w/x.h' > \"$a\";; esac; last=$a; done\n"
	if err := os.WriteFile(tool, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("a.cu", []byte("int x;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, file := range map[string]string{"-M a.cu": "", "-M a.cu -o out.d": "out.d", "-M a.cu -MF list.d": "list.d", "-M a.cu -o out.d -MF both.d": "both.d"} {
		job, err := ParseArgs(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if err := (&Builder{Clang: &clang.Compiler{Path: tool, CXX: tool, Release: 19}, Kit: &Kit{Folder: folder, Include: folder}, Stdout: &out, Stderr: &errs}).Build(job); err != nil {
			t.Fatalf("%s: %v %s", line, err, errs.String())
		}
		got := out.String()
		if file != "" {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if got += string(data); out.Len() > 0 {
				t.Errorf("%s prints %s", line, out.String())
			}
		}
		if !strings.HasPrefix(got, "a.o: a.cu /w/x.h") {
			t.Errorf("%s lists %q", line, got)
		}
	}
}
