// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/timing/extrapolate"
	"github.com/warptape/warptape/traces"
)

// samplingRow compares one sample with its whole trace on one machine.
type samplingRow struct {
	Workload         string  `json:"workload"`
	Set              string  `json:"set,omitempty"` // parameters of a larger size
	Machine          string  `json:"machine"`
	Asked            string  `json:"asked"`             // the policy that was asked for
	Digest           string  `json:"digest"`            // of the workload
	Policy           string  `json:"policy"`            // what "auto" came to
	WarpInstructions uint64  `json:"warp_instructions"` // of the whole run
	StoredPercent    float64 `json:"stored_percent"`    // of the warp instructions
	FullCycles       int64   `json:"full_cycles"`
	Cycles           int64   `json:"cycles"` // as estimated
	// SpreadPercent and ExposedPercent are those of replay.Uncertainty: the interval
	// follows from them and the coefficients of package extrapolate.
	SpreadPercent  float64            `json:"spread_plus_minus_percent"`
	ExposedPercent map[string]float64 `json:"exposed_percent,omitempty"`
	FullJoules     float64            `json:"full_joules"`
	Joules         float64            `json:"joules"`       // as estimated
	FullSeconds    float64            `json:"full_seconds"` // processor time of the replay
	Seconds        float64            `json:"seconds"`
	// Warned says that the replay called the sample unsuitable for the machine.
	Warned bool `json:"warned,omitempty"`
	// Refused says why the machine cannot run the workload; all figures are zero then.
	Refused string `json:"refused,omitempty"`
}

func (r *samplingRow) key() string { return r.subject() + " " + r.Machine + " " + r.Asked }

// subject is the program that is measured.
func (r *samplingRow) subject() string { return subjectName(r.Workload, r.Set) }

// whole reports whether all thread blocks are stored: the replay is no estimate.
func (r *samplingRow) whole() bool { return r.StoredPercent == 100 }

func (r *samplingRow) energyError() float64 { return numbers.ErrorPercent(r.Joules, r.FullJoules) }

func (r *samplingRow) error() float64 {
	return numbers.ErrorPercent(float64(r.Cycles), float64(r.FullCycles))
}

// bounds are the parts of the interval that are bounds, and those that are judged, with
// a scale of one, in percent of the estimate.
func (r *samplingRow) bounds() (fixed, judged float64) {
	for s := range extrapolate.Sources {
		if part := float64(s.Base() * r.ExposedPercent[s.String()]); s.Judged() {
			judged += part
		} else {
			fixed += part
		}
	}
	return fixed, judged
}

// percent is half of the 95 % interval, of the estimate.
func (r *samplingRow) percent() float64 {
	fixed, judged := r.bounds()
	return math.Hypot(r.SpreadPercent, fixed+extrapolate.JudgedScale*judged)
}

// off is by how many percent of the estimate the truth is off; a cycle does not count.
func (r *samplingRow) off() float64 {
	return 100 * max(0, math.Abs(float64(r.FullCycles-r.Cycles))-1) / float64(max(r.Cycles, 1))
}

// covered reports whether the interval holds the truth.
func (r *samplingRow) covered() bool { return r.off() <= r.percent() }

// fitted reports whether the workload belongs to the half of the catalogue that the
// intervals are fitted to; they are tested on the others. A digest of the name decides.
func fitted(workload string) bool { return sha256.Sum256([]byte(workload))[0]%2 == 0 }

// coverage is the part of intervals that are to hold the truth.
const coverage = 0.95

// fitScale is the least scale of the judged coefficients, in steps of 0.05 and one at
// least, with which the intervals of 95 % of the estimates hold. Of n it is that of
// place 0.95 (n+1), as conformal prediction has it. NaN without enough rows.
func fitScale(rows []samplingRow) float64 {
	var needed []float64
	for i := range rows {
		r := &rows[i]
		fixed, judged := r.bounds()
		if r.Refused != "" || r.whole() || r.Warned || judged == 0 {
			continue
		}
		bias := math.Sqrt(max(0, float64(r.off()*r.off())-float64(r.SpreadPercent*r.SpreadPercent)))
		needed = append(needed, max(0, bias-fixed)/judged)
	}
	place := int(math.Ceil(coverage * float64(len(needed)+1)))
	if place > len(needed) {
		return math.NaN()
	}
	slices.Sort(needed)
	return max(1, math.Ceil(float64(needed[place-1]*20)-1e-9)/20)
}

// samplingRows is the committed measurement by key.
type samplingRows map[string]samplingRow

func loadSamplingRows(path string) (samplingRows, error) {
	rows := samplingRows{}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := parseSamplingRows(path, text)
	for _, r := range list {
		rows[r.key()] = r
	}
	return rows, err
}

func parseSamplingRows(path string, text []byte) ([]samplingRow, error) {
	var list []samplingRow
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// write writes the rows in the order of the catalogue, the machines and the policies.
func (rows samplingRows) write(path string) error {
	order := map[string]int{}
	for i, w := range traces.List() {
		order[w.Name] = i
	}
	list := []samplingRow{}
	for _, r := range rows {
		if _, there := order[r.Workload]; there {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b samplingRow) int {
		if d := order[a.Workload] - order[b.Workload]; d != 0 {
			return d
		}
		return strings.Compare(a.key(), b.key())
	})
	return resultfile.WriteJSON(path, true, list)
}
