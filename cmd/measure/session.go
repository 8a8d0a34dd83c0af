// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"fmt"
	"slices"

	"github.com/warptape/warptape/cmd/internal/median"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/host"
)

// Measurement is a launch on the GPU.
type Measurement struct {
	Launch int
	Kernel string
	// Nanoseconds is the median of the repetitions, Low and High are the others' ends.
	Nanoseconds, Low, High float64
	// Megahertz is the clock of the SMs right after the launch; zero: not known.
	Megahertz float64
}

// Cycles are those of the SMs' clock; zero: not known.
func (m *Measurement) Cycles() float64 { return m.Nanoseconds * m.Megahertz / 1000 }

// session measures the launches of a program.
type session struct {
	gpu     *driver.Device
	clock   clockMeter
	mirror  *mirror
	repeats int
	list    []Measurement
}

// run runs the program. What stands between launches is the emulator's work.
func (s *session) run(ctx context.Context, program *host.Program, o host.Options) error {
	s.mirror = newMirror(s.gpu)
	defer s.mirror.close()
	o.Observe = func(l *host.LaunchView, run func() error) error {
		if err := s.measure(ctx, l); err != nil {
			return fmt.Errorf("launch %d of kernel %s: %w", len(s.list), l.Kernel, err)
		}
		return run()
	}
	_, err := program.Run(ctx, o)
	return err
}

func (s *session) measure(ctx context.Context, l *host.LaunchView) error {
	p, err := s.mirror.prepare(l)
	if err != nil {
		return err
	}
	if _, err := p.run(s.gpu); err != nil { // the first is slower: code is loaded
		return err
	}
	var times, clocks []float64
	for range s.repeats {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t, err := p.run(s.gpu)
		if err != nil {
			return err
		}
		mhz, err := s.clock.megahertz()
		if err != nil {
			return err
		}
		times, clocks = append(times, t), append(clocks, mhz)
	}
	s.list = append(s.list, Measurement{
		Launch: len(s.list), Kernel: l.Kernel, Nanoseconds: median.Of(times), Low: slices.Min(times), High: slices.Max(times), Megahertz: median.Of(clocks),
	})
	return nil
}
