// SPDX-License-Identifier: Apache-2.0

//go:build linux

package recorder

import (
	"testing"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// benchLaunches is a program's count of tiny launches.
const benchLaunches = 10_000

// What a tiny launch costs: its emulation alone, without a recording, and all of it, from
// the message to the trace's bytes. The difference is the cost of recording a launch.
func BenchmarkWorkloadLaunches(b *testing.B) {
	b.Run("emulation", func(b *testing.B) {
		m, err := ptx.Parse("k.ptx", []byte(kernels))
		if err != nil {
			b.Fatal(err)
		}
		d := emulator.NewDevice(emulator.Options{GlobalBytes: 1 << 24, Workers: 1})
		loaded, err := d.LoadModule(m)
		if err != nil {
			b.Fatal(err)
		}
		k, err := loaded.Kernel("k")
		if err != nil {
			b.Fatal(err)
		}
		buffer, err := d.Global.Allocate("b", 4096, 256)
		if err != nil {
			b.Fatal(err)
		}
		arguments := wire.AppendNumbers(nil, buffer.Base)
		for b.Loop() {
			for range benchLaunches {
				if _, err := d.Launch(emulator.LaunchRequest{Kernel: k, Grid: trace.Dim3{X: 2, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}, Arguments: arguments}); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/benchLaunches, "µs/launch")
	})
	b.Run("all", func(b *testing.B) {
		sent := withBuffer()
		for range benchLaunches {
			sent = append(sent, launch(0, someBuffer)...)
		}
		for b.Loop() {
			if result, _, err := recorded(b, sent); err != nil || result.Launches != benchLaunches {
				b.Fatal(err, result.Launches)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/benchLaunches, "µs/launch")
	})
}
