// SPDX-License-Identifier: Apache-2.0

package speed

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/warptape/warptape/frontend/native/clang"
)

// programs are CUDA programs as they are, by the argument of frontend/cuda/programs/testdata/bench.cu.
var programs = []struct {
	argument, what, unit string
	count                float64
}{
	{"launches", "10,000 launches of one warp", "µs each", 10_000},
	{"copies", "1 GiB of copies", "µs a MiB", 1024},
}

// programs measures CUDA programs that run as they are: what a launch costs, and a copy.
func (p *page) programs(ctx context.Context) error {
	if _, err := clang.Find(); err != nil {
		_, err := fmt.Fprintf(p.out, "\nPrograms as they are were not measured: %v\n", err)
		return err
	}
	native := filepath.Join(p.folder, "bench")
	source := filepath.Join(p.root, "frontend", "cuda", "programs", "testdata", "bench.cu")
	if _, err := run(ctx, p.program, "cc", "-O3", source, "-o", native); err != nil {
		return err
	}
	session, err := takeTurns(ctx, p.turns, recordingOf(p.program, filepath.Join(p.folder, "native.wtape"), native, "none"))
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\nCUDA programs as they are, processor time of program and recorder:\n  %-28s %6.1f ms, which the rows below have, too\n", "start and end of a session", 1e3*session.seconds(0))
	for _, c := range programs {
		list := []contender{recordingOf(p.program, filepath.Join(p.folder, "native.wtape"), native, c.argument)}
		if p.against != "" {
			list = append(list, recordingOf(p.against, filepath.Join(p.folder, "other.wtape"), native, c.argument))
		}
		m, err := takeTurns(ctx, p.turns, list...)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "  %-28s %6.1f %s, %.1f without the session's start and end%s\n", c.what, 1e6*m.seconds(0)/c.count, c.unit, 1e6*max(0, m.seconds(0)-session.seconds(0))/c.count, p.note(m))
		p.save("Run/"+c.argument, m[0], "cpu-ns/op", func(t cost) float64 { return 1e9 * processor(t) })
	}
	return nil
}

// recordingOf is a warptape that records a program with an argument.
func recordingOf(warptape, trace, program, argument string) contender {
	return contender{warptape, []string{"run", "-q", "-f", "-o", trace, "--", program, argument}}
}
