// SPDX-License-Identifier: Apache-2.0

package contaminated

import (
	"embed"
	"encoding/binary"
	"fmt"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

//go:embed kinds/*.ptx
var kindFiles embed.FS

// kind is a kernel of what no workload of the catalogue has. Its arguments of 8 bytes are
// buffers of a MiB, others are zero.
type kind struct {
	Name        string // of the kernel and its file
	Grid, Block uint32
	Cluster     uint32
	Cooperative bool
}

var kinds = []kind{
	{Name: "structures", Grid: 16, Block: 256},
	{Name: "calls", Grid: 16, Block: 256},
	{Name: "clusters", Grid: 16, Block: 256, Cluster: 4},
	{Name: "mapa", Grid: 16, Block: 256, Cluster: 4},
	{Name: "cooperative", Grid: 16, Block: 256, Cooperative: true},
	{Name: "wgmma", Grid: 16, Block: 128},
}

// count runs the kernel and counts.
func (k *kind) count() (overhead, error) {
	c := &counter{kernels: map[*trace.Kernel]*contaminator.Kernel{}}
	if err := k.run(emulator.Options{Coexecutor: c, Workers: 1}, c); err != nil {
		return overhead{}, err
	}
	c.total.Workload = k.Name
	return c.total, nil
}

// run runs the kernel on a device. A sink that counts takes the recording; nil takes none.
func (k *kind) run(o emulator.Options, c *counter) error {
	file := "kinds/" + k.Name + ".ptx"
	text, err := kindFiles.ReadFile(file)
	if err != nil {
		return err
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		return err
	}
	d := emulator.NewDevice(o)
	loaded, err := d.LoadModule(m)
	if err != nil {
		return err
	}
	kernel, err := loaded.Kernel(k.Name)
	if err != nil {
		return err
	}
	l := emulator.LaunchRequest{Kernel: kernel, Grid: trace.Dim3{X: k.Grid, Y: 1, Z: 1}, Block: trace.Dim3{X: k.Block, Y: 1, Z: 1}, Cooperative: k.Cooperative}
	if k.Cluster > 0 {
		l.Cluster = trace.Dim3{X: k.Cluster, Y: 1, Z: 1}
	}
	for i, p := range m.Kernels[0].Params {
		if p.Bytes != 8 {
			l.Arguments = append(l.Arguments, make([]byte, p.Bytes)...)
			continue
		}
		at, err := d.Allocate(fmt.Sprint("buffer", i), 1<<20)
		if err != nil {
			return err
		}
		l.Arguments = binary.LittleEndian.AppendUint64(l.Arguments, at)
	}
	if c != nil {
		l.Recorder = c
		index, err := c.AddKernel(kernel.Static())
		if err == nil {
			_, err = c.BeginLaunch(trace.Launch{Kernel: index, Grid: l.Grid, Block: l.Block})
		}
		if err != nil {
			return err
		}
	}
	_, err = d.Launch(l)
	return err
}
