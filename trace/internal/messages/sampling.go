// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"errors"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

func FromSampling(s *trace.Sampling) *wtapepb.Sampling {
	if s == nil {
		return nil
	}
	m := &wtapepb.Sampling{Policy: s.Policy, SlicesKept: s.SlicesKept, SlicesAll: s.SlicesAll}
	for i := range s.Launches {
		l := &s.Launches[i]
		m.LaunchWarpInstructions = append(m.LaunchWarpInstructions, l.WarpInstructions)
		m.LaunchThreadInstructions = append(m.LaunchThreadInstructions, l.ThreadInstructions)
		m.LaunchMemoryInstructions = append(m.LaunchMemoryInstructions, l.MemoryInstructions)
		m.LaunchRepresentative = append(m.LaunchRepresentative, uint32(l.Representative))
	}
	if s.PassedOver() > 0 {
		for i := range s.Launches {
			m.LaunchPassedOver = append(m.LaunchPassedOver, s.Launches[i].PassedOver)
			m.LaunchCountError = append(m.LaunchCountError, s.Launches[i].CountError)
		}
	}
	for _, t := range s.Strata {
		m.StratumLaunch = append(m.StratumLaunch, uint32(t.Launch))
		m.StratumBlocks = append(m.StratumBlocks, t.Blocks)
		m.StratumWarpInstructions = append(m.StratumWarpInstructions, t.WarpInstructions)
	}
	for _, r := range s.Runs {
		m.RunStratum = append(m.RunStratum, uint32(r.Stratum))
		m.RunFirstBlock = append(m.RunFirstBlock, r.First)
		m.RunBlocks = append(m.RunBlocks, r.Blocks)
	}
	return m
}

var errSamplingColumns = errors.New("sampling: columns of different lengths; the trace is damaged, record it again")

func ToSampling(m *wtapepb.Sampling) (*trace.Sampling, error) {
	if m == nil {
		return nil, nil
	}
	s := &trace.Sampling{Policy: m.Policy, SlicesKept: m.SlicesKept, SlicesAll: m.SlicesAll}
	launches, strata, runs := len(m.LaunchRepresentative), len(m.StratumLaunch), len(m.RunStratum)
	if len(m.LaunchWarpInstructions) != launches || len(m.LaunchThreadInstructions) != launches || len(m.LaunchMemoryInstructions) != launches ||
		len(m.StratumBlocks) != strata || len(m.StratumWarpInstructions) != strata || len(m.RunFirstBlock) != runs || len(m.RunBlocks) != runs {
		return nil, errSamplingColumns
	}
	estimated := len(m.LaunchPassedOver) > 0
	if len(m.LaunchPassedOver) != len(m.LaunchCountError) || estimated && len(m.LaunchPassedOver) != launches {
		return nil, errSamplingColumns
	}
	for i, representative := range m.LaunchRepresentative {
		s.Launches = append(s.Launches, trace.LaunchSample{
			WarpInstructions: m.LaunchWarpInstructions[i], ThreadInstructions: m.LaunchThreadInstructions[i],
			MemoryInstructions: m.LaunchMemoryInstructions[i], Representative: int(representative),
		})
		if estimated {
			s.Launches[i].PassedOver, s.Launches[i].CountError = m.LaunchPassedOver[i], m.LaunchCountError[i]
		}
	}
	for i, launch := range m.StratumLaunch {
		s.Strata = append(s.Strata, trace.Stratum{Launch: int(launch), Blocks: m.StratumBlocks[i], WarpInstructions: m.StratumWarpInstructions[i]})
	}
	for i, stratum := range m.RunStratum {
		s.Runs = append(s.Runs, trace.Run{Stratum: int(stratum), First: m.RunFirstBlock[i], Blocks: m.RunBlocks[i]})
	}
	return s, nil
}
