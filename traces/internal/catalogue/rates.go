// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// rate is one recording.
type rate struct {
	instructions uint64 // of warps
	bytes        int64  // of the file
	elapsed      time.Duration
}

func (r *rate) bytesPerInstruction() float64 { return float64(r.bytes) / float64(r.instructions) }

func (r *rate) millionsPerSecond() float64 {
	return float64(r.instructions) / 1e6 / r.elapsed.Seconds()
}

// printRates records workloads one after the other, each as warptape record
// does: inputs, emulation, compression, reference and check.
func printRates(ctx context.Context, out io.Writer, want selection, folder string) error {
	if folder == "" {
		temp, err := os.MkdirTemp("", "warptape-catalogue-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		folder = temp
	} else if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "workload\tsize\twarp instructions\tseconds\tfile bytes\tbytes/warp insn\tM warp insn/s\t")
	var all []rate
	err := want.each(func(name string, p *host.Program, size string) error {
		r, err := record(ctx, p, size, filepath.Join(folder, name+"-"+size+".wtape"))
		if err != nil {
			return err
		}
		all = append(all, r)
		fmt.Fprintf(t, "%s\t%s\t%d\t%.2f\t%d\t%.3f\t%.2f\t\n",
			name, size, r.instructions, r.elapsed.Seconds(), r.bytes, r.bytesPerInstruction(), r.millionsPerSecond())
		return nil
	})
	if err != nil {
		return err
	}
	printMeans(t, all)
	return t.Flush()
}

// printMeans ends the table with sums of what adds up and geometric means of
// ratios.
func printMeans(t io.Writer, all []rate) {
	if len(all) == 0 {
		return
	}
	var sum rate
	var bytesPer, speed float64 // sums of logarithms
	for i := range all {
		r := &all[i]
		sum.instructions += r.instructions
		sum.bytes += r.bytes
		sum.elapsed += r.elapsed
		bytesPer += math.Log(r.bytesPerInstruction())
		speed += math.Log(r.millionsPerSecond())
	}
	n := float64(len(all))
	fmt.Fprintf(t, "together\t\t%d\t%.2f\t%d\t%.3f\t%.2f\t\n", sum.instructions, sum.elapsed.Seconds(), sum.bytes, sum.bytesPerInstruction(), sum.millionsPerSecond())
	fmt.Fprintf(t, "geometric mean\t\t\t\t\t%.3f\t%.2f\t\n", math.Exp(bytesPer/n), math.Exp(speed/n))
}

// record writes one trace file.
func record(ctx context.Context, p *host.Program, size, path string) (rate, error) {
	start := time.Now()
	w, err := wtape.Create(path, trace.Header{Tool: "warptape catalogue"}, wtape.Options{})
	if err != nil {
		return rate{}, err
	}
	defer w.Abort() // without effect after Finish
	if _, err := p.Run(ctx, host.Options{Size: size, Seed: traces.CatalogueSeed, Sink: w}); err != nil {
		return rate{}, err
	}
	if err := w.Finish(); err != nil {
		return rate{}, err
	}
	elapsed := time.Since(start)
	info, err := os.Stat(path)
	if err != nil {
		return rate{}, err
	}
	return rate{instructions: w.Totals().WarpInstructions, bytes: info.Size(), elapsed: elapsed}, nil
}
