// SPDX-License-Identifier: Apache-2.0

package speed

import (
	"context"

	"github.com/warptape/warptape/cmd/internal/median"
)

// contender is one of the programs that take turns.
type contender struct {
	program string
	args    []string
}

// measured holds, by contender and turn, what was measured.
type measured [][]cost

// takeTurns runs each contender once, then each again, and so on.
func takeTurns(ctx context.Context, turns int, contenders ...contender) (measured, error) {
	all := make(measured, len(contenders))
	for range turns {
		for i, c := range contenders {
			took, err := run(ctx, c.program, c.args...)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], took)
		}
	}
	return all, nil
}

// seconds of processor time that contender i took, the median of its turns.
func (m measured) seconds(i int) float64 {
	return medianOf(m[i], func(c cost) float64 { return c.processor.Seconds() })
}

// ratio is the median, over the turns, of what contender a took by what b took.
func (m measured) ratio(a, b int, of func(cost) float64) float64 {
	var list []float64
	for turn := range m[a] {
		list = append(list, of(m[a][turn])/of(m[b][turn]))
	}
	return median.Of(list)
}

func processor(c cost) float64 { return c.processor.Seconds() }

func elapsed(c cost) float64 { return c.elapsed.Seconds() }

func medianOf(list []cost, of func(cost) float64) float64 {
	var values []float64
	for _, c := range list {
		values = append(values, of(c))
	}
	return median.Of(values)
}
