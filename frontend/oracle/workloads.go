// SPDX-License-Identifier: Apache-2.0

package oracle

import "github.com/warptape/warptape/frontend/emulator/memory"

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/host"
)

// WorkloadFolder is where the catalogue's workloads are, seen from this package.
const WorkloadFolder = "../../traces"

// workloadSize is the size at which launches of workloads are compared.
const workloadSize = "tiny"

// leftOut are the workloads whose kernels are mostly inline PTX: copies by tensor maps, mbarriers
// and products of warpgroups. The host's compiler cannot take it. Their own host programs
// compare with products in double precision.
var leftOut = []string{"hopper-gemm"}

// Workloads are the names of the workloads that have kernels in CUDA C, sorted, but for those
// that are left out.
func Workloads() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(WorkloadFolder, "*", "*.cu"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), name+".star")); err == nil && !slices.Contains(leftOut, name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	if len(names) == 0 {
		return nil, errors.New("there are no workloads in " + WorkloadFolder)
	}
	return names, nil
}

// WorkloadRule says how a workload's launches are compared.
type WorkloadRule struct {
	// Recompiled says that the PTX is not the catalogue's, but one that contracts
	// products and sums inside of expressions only (-ffp-contract=on), as both
	// sides then do alike. Otherwise each compiler chooses which product of a*b +
	// c*d is fused.
	Recompiled bool
	// Bound is the largest difference of a .f32 result, as a part of the largest
	// one in its buffer, where the host's results differ at all. It is zero where
	// they are the same. The host computes elementary functions from double
	// precision.
	Bound float64
}

// workloadRules are those of the workloads whose launches are not compared bit
// for bit with the catalogue's PTX. The bounds count the errors of expf (2^-20),
// logf and log2f (2^-21), sinf and cosf (2^-19) and __fdividef (2 ulp), as
// traces/include/warptape.h has them.
var workloadRules = map[string]WorkloadRule{
	"binomial-options":      {Bound: 0x1p-18},
	"black-scholes":         {Bound: 0x1p-18},
	"cfd":                   {Recompiled: true},
	"convolution":           {Recompiled: true},
	"convolution-separable": {Recompiled: true},
	"convolution-variants":  {Recompiled: true},
	"mersenne-twister":      {Bound: 0x1p-18},
	"monte-carlo":           {Bound: 0x1p-18},
	"mri-q":                 {Bound: 0x1p-15},
	"sgemm":                 {Recompiled: true},
	"srad-v1":               {Recompiled: true, Bound: 0x1p-18},
	"swap-portfolio":        {Bound: 0x1p-18},
	"transformer-block":     {Bound: 0x1p-18},
}

// RuleOf is how a workload's launches are compared; the zero rule is bit for bit.
func RuleOf(name string) WorkloadRule { return workloadRules[name] }

// ObserveWorkload runs a workload's host program on the emulator, and observe for
// each of its launches. text is PTX that takes the place of the catalogue's; nil
// for none.
func ObserveWorkload(name string, text []byte, observe func(launch int, l *host.LaunchView, run func() error) error) error {
	files := fs.FS(os.DirFS(filepath.Join(WorkloadFolder, name)))
	if text != nil {
		program, err := fs.ReadFile(files, name+".star")
		if err != nil {
			return err
		}
		files = fstest.MapFS{name + ".star": {Data: program}, name + ".ptx": {Data: text}}
	}
	p, err := host.Load(files, name+".star")
	if err != nil {
		return err
	}
	launch := 0
	_, err = p.Run(context.Background(), host.Options{Size: workloadSize, Observe: func(l *host.LaunchView, run func() error) error {
		launch++
		return observe(launch-1, l, run)
	}})
	return err
}

// Memory is the content of a buffer of a device.
type Memory struct {
	memory.Buffer
	Data []byte
}

// DeviceMemory reads all that lives in a device's memory.
func DeviceMemory(d *emulator.Device) ([]Memory, error) {
	var all []Memory
	for _, b := range d.Buffers() {
		m := Memory{Buffer: b, Data: make([]byte, b.Bytes)}
		if err := d.Read(b.Address, m.Data); err != nil {
			return nil, fmt.Errorf("buffer %s: %w", b.Name, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// LaunchResult is what a launch of a workload leaves, as the host computes it.
type LaunchResult struct {
	Workload string
	Launch   int
	Kernel   string
	// Digest is that of all buffers but those in Bounded, whose content is in
	// the workload's file of values, one after the other.
	Digest  string
	Bounded []string
}

// String is the result as a line of testdata/workloads/results.txt.
func (r *LaunchResult) String() string {
	return strings.Join(append([]string{r.Workload, strconv.Itoa(r.Launch), r.Kernel, r.Digest}, r.Bounded...), " ")
}

// parseLaunchResult reads a line of testdata/workloads/results.txt.
func parseLaunchResult(line string) (LaunchResult, error) {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return LaunchResult{}, fmt.Errorf("%q: want workload, launch, kernel, digest and buffers", line)
	}
	n, err := strconv.Atoi(fields[1])
	return LaunchResult{Workload: fields[0], Launch: n, Kernel: fields[2], Digest: fields[3], Bounded: fields[4:]}, err
}

// DigestMemory digests all buffers but those named.
func DigestMemory(memory []Memory, without []string) string {
	h := sha256.New()
	for _, m := range memory {
		if !slices.Contains(without, m.Name) {
			fmt.Fprintf(h, "%s %d\n", m.Name, len(m.Data))
			h.Write(m.Data)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
