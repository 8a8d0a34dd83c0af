// SPDX-License-Identifier: Apache-2.0

// Package samplepolicy reads the flag --sample, whose for=MACHINE means what a machine
// holds.
package samplepolicy

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/sample"
)

// Flag is --sample.
func Flag() cli.Flag {
	return &cli.StringFlag{Name: "sample", Usage: "store only some thread blocks: `POLICY` auto[=F] (chooses for the program), fraction=F, count=N, stratified[=K] or sms=K/N, and after commas launches[=F], run=N, min=N, waves=N, work=N, seed=N, and for=MACHINE (repeatable) for what suits these machines, in the place of all built-in ones"}
}

// Parse reads --sample; nil without it.
func Parse(c *cli.Context) (*sample.Policy, error) {
	if !c.IsSet("sample") {
		return nil, nil
	}
	text, err := WithFill(c.String("sample"))
	if err != nil {
		return nil, commandline.Usagef("--sample: %v", err)
	}
	p, err := sample.Parse(text)
	if err != nil {
		return nil, commandline.Usagef("--sample: %v", err)
	}
	return &p, nil
}

// ParseFor reads --sample for one machine: without for=MACHINE it is for that; nil without
// the flag.
func ParseFor(c *cli.Context, machine string) (*sample.Policy, error) {
	if !c.IsSet("sample") {
		return nil, nil
	}
	p, err := For(c.String("sample"), machine)
	if err != nil {
		return nil, commandline.Usagef("--sample: %v", err)
	}
	return p, nil
}

// For is a policy that is for one machine, unless its text names others.
func For(text, machine string) (*sample.Policy, error) {
	if text != "" && !strings.Contains(","+text, ",for=") && !strings.Contains(","+text, ",min=") {
		text += ",for=" + machine
	}
	text, err := WithFill(text)
	if err != nil {
		return nil, err
	}
	p, err := sample.Parse(text)
	return &p, err
}

// WithFill puts what machines hold in the place of their names in for=MACHINE. Of
// several machines it is what covers all of them.
func WithFill(text string) (string, error) {
	var parts []string
	var fill sample.Fill
	at := -1
	for _, part := range commandline.CommaParts(text) {
		name, machine, _ := strings.Cut(part, "=")
		if name != "for" {
			parts = append(parts, part)
			continue
		}
		of, err := FillNamed(machine)
		if err != nil {
			return "", err
		}
		if at < 0 {
			at, fill = len(parts), of
			parts = append(parts, "")
			continue
		}
		fill = fill.Cover(of)
	}
	if at >= 0 {
		parts[at] = "for=" + fill.String()
	}
	return strings.Join(parts, ","), nil
}

// FillNamed is the fill of a machine by name, or by the numbers that a trace's policy has.
func FillNamed(machine string) (sample.Fill, error) {
	if f, err := sample.ParseFill(machine); err == nil {
		return f, nil
	}
	m, err := arch.Load(machine)
	if err != nil {
		return sample.Fill{}, err
	}
	return FillOf(m), nil
}

// FillOf is what a machine holds at a time.
func FillOf(m *arch.Machine) sample.Fill {
	f := sample.Fill{
		SMs: uint64(m.GPU.SMs), Blocks: uint64(m.SM.MaxBlocks), Threads: uint64(min(m.SM.MaxThreads, 32*m.SM.MaxWarps)),
		Registers: uint64(m.SM.Registers), SharedBytes: uint64(m.Shared.Bytes),
	}
	if n := m.SM.RegistersPerThread; n > 0 { // in the place of what a kernel's threads need
		f.Threads, f.Registers = min(f.Threads, f.Registers/uint64(n)), sample.Unlimited
	} else if m.GPU.Lowers() || m.GPU.GivesRegisters() {
		// How many registers a lowered kernel has is known only when it is recorded, and they are
		// far fewer than its PTX names. Where they do not bound the thread blocks at a time, too
		// many are stored rather than too few.
		f.Registers = sample.Unlimited
	}
	last, caches := m.L2.Slice.Bytes, m.L2.Partitions*m.L2.SlicesPerPartition
	if m.LLC.Bytes > 0 {
		last, caches = m.LLC.Bytes, m.L2.Partitions
	}
	f.CacheBytes = uint64(last) * uint64(caches)
	return f
}
