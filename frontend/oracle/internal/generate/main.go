// SPDX-License-Identifier: Apache-2.0

// Command generate makes the data of package oracle: it compiles kernels to PTX
// and for the host with clang, and keeps what the host computes. It runs in the
// folder frontend/oracle. With names of workloads as arguments it makes the results
// of those alone.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/frontend/oracle"
)

func main() {
	folder, err := os.MkdirTemp("", "oracle")
	if err == nil {
		defer os.RemoveAll(folder)
		err = generate(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.RemoveAll(folder)
		os.Exit(1)
	}
}

func generate(folder string) error {
	if names := os.Args[1:]; len(names) > 0 {
		return workloads(folder, names)
	}
	names, err := oracle.Workloads()
	if err == nil {
		err = workloads(folder, names)
	}
	if err != nil {
		return err
	}
	if err := openCL(folder); err != nil {
		return err
	}
	return randomKernels(folder)
}

// compiler is the clang of both sides.
func compiler() string {
	if c := os.Getenv("CLANG"); c != "" {
		return c
	}
	return "clang-19"
}

// device are the flags for PTX, hostFlags those for the host's processor: wrapping
// integers, no contraction, and halves that are rounded after each operation.
var (
	device = []string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib", "-S", "-std=c++20", "-w",
		"-Xclang", "-target-feature", "-Xclang", "+ptx63", "-fwrapv", "-ffp-contract=off", "-mllvm", "-nvptx-fma-level=0"}
	hostFlags = []string{"-x", "c++", "-std=c++20", "-w", "-fwrapv", "-ffp-contract=off", "-Xclang", "-ffloat16-excess-precision=none", "-mfma", "-mf16c"}
)

// command runs a program in a folder and gives its output.
func command(folder string, input []byte, name string, arguments ...string) ([]byte, error) {
	c := exec.Command(name, arguments...)
	var out, complaints bytes.Buffer
	c.Dir, c.Stdin, c.Stdout, c.Stderr = folder, bytes.NewReader(input), &out, &complaints
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", c, err, complaints.Bytes())
	}
	return out.Bytes(), nil
}

func words(values []uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// keep writes a file of testdata, compressed.
func keep(name string, data []byte) error {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	path := filepath.Join("testdata", name+".zst")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, w.EncodeAll(data, nil), 0o644)
}
