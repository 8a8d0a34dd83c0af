// SPDX-License-Identifier: Apache-2.0

package organisation

import "math"

// stacked is what a device in series with one that is off leaks, relative to alone (Narendra et al.,
// as CACTI cites it).
const stacked = 0.43

// leak is power lost by one gate: below the threshold, and through the gates.
type leak struct{ channel, gate float64 }

func (l *leak) add(o leak, times float64) {
	l.channel += float64(o.channel * times)
	l.gate += float64(o.gate * times)
}

func (l leak) times(n float64) leak { return leak{float64(l.channel * n), float64(l.gate * n)} }

// ways counts the states of n inputs in which k are set. CACTI counts n+1 states with
// all inputs set; there is one. It stays so, since the grid has it.
func ways(n, k int) float64 {
	if k == n {
		return float64(n + 1)
	}
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1)
	}
	return float64(c)
}

// inverter leaks the mean of its two states.
func (p *process) inverter(n, pw float64) leak {
	return leak{float64((float64(n) + float64(pw)) * p.offA * p.vdd / 2), float64((float64(n) + float64(pw)) * p.tunnelA * p.vdd / 2)}
}

// nand leaks the mean of all states of its inputs.
func (p *process) nand(n, pw float64, inputs int) leak {
	states := float64(int(1) << inputs)
	channel, gate := float64(float64(inputs)*pw), float64(float64(inputs)*n)
	for k := 1; k <= inputs; k++ {
		channel += float64(n * power(stacked, k-1) * ways(inputs, k))
		gate += float64(pw * ways(inputs, k) * float64(k))
		if k < inputs {
			gate += float64(n * ways(inputs, k) * float64(k) / 2)
		}
	}
	return leak{channel * p.offA * p.vdd / states, gate * p.tunnelA * p.vdd / states}
}

// pass is an n-channel device alone, open in half of its states.
func (p *process) pass(n float64) leak {
	return leak{float64(n * p.offA * p.vdd / 2), float64(n * p.tunnelA * p.vdd / 2)}
}

// readPort are two n-channel devices in series.
func (p *process) readPort(n float64) leak {
	return leak{n * (ways(2, 1) + float64(stacked*ways(2, 2))) * p.offA * p.vdd / 4, p.pass(n).gate}
}

func power(x float64, n int) float64 {
	y := 1.0
	for range n {
		y = float64(y * x)
	}
	return y
}

// diffusion is the width of diffusion with devices in series, folded.
func (p *process) diffusion(series int, folds float64) float64 {
	folds = float64(folds) // a product, rounded
	gap := p.feature + float64(2*p.contact)
	s := float64(series)
	w := float64(2*gap) + float64(s*p.feature) + float64((s-1)*p.polyGap)
	if folds > 1 {
		w += float64((folds-2)*2*gap) + float64((folds-1)*s*p.feature) + float64((folds-1)*(s-1)*p.polyGap)
	}
	return w
}

// gateArea is the area of a NAND gate with inputs; with one input that of an inverter.
func (p *process) gateArea(inputs int, pw, n, height float64) float64 {
	if pw <= 0 || n <= 0 {
		return 0
	}
	room := height - float64(2*p.rail) - p.betweenTypes
	share := pw / (pw + n)
	foldP, foldN := float64(room*share), float64(room*(1-share))
	w := max(p.diffusion(inputs, math.Ceil(n/foldN)), p.diffusion(1, float64(inputs)*math.Ceil(pw/foldP)))
	if foldN > n {
		height = n + pw + p.betweenTypes + float64(2*p.rail)
	}
	return float64(w * height)
}

// folded is the height of a device that is folded at a width.
func (p *process) folded(width, fold float64) float64 {
	if width <= 0 {
		return 0
	}
	folds := math.Ceil(width / fold)
	return float64(folds*p.feature) + float64((folds+1)*(p.feature+float64(2*p.contact)))
}
