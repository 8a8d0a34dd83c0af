// SPDX-License-Identifier: Apache-2.0

package correlate

// Report is a comparison of results with measurements.
type Report struct {
	Measured string   `json:"measured"` // the file
	Results  string   `json:"results"`  // the folder
	Keys     []string `json:"keys"`     // columns by which rows were matched
	Rows     int      `json:"rows"`     // of the file
	Methods  Methods  `json:"methods"`
	// Models are the architectures, each compared with all measurements.
	Models []Model `json:"models"`
}

// Methods say how intervals are computed.
type Methods struct {
	Confidence string `json:"confidence"`
	Error      string `json:"mean_absolute_error"`
	Pearson    string `json:"pearson"`
	Spearman   string `json:"spearman"`
}

// Model is an architecture, as far as the measurements do not say it themselves.
type Model struct {
	// Name is made of what tells the models apart.
	Name    string   `json:"name"`
	Figures []Figure `json:"figures"`
	// Unmatched rows are of the file without a result, and results without a row.
	UnmatchedMeasurements []Unmatched `json:"unmatched_measurements"`
	UnmatchedResults      []Unmatched `json:"unmatched_results"`
}

// Unmatched is a row of one side that has none of the other.
type Unmatched struct {
	Line   int    `json:"line,omitempty"` // in the file; 0 for results
	Of     string `json:"of"`
	Reason string `json:"reason"`
}

// Figure compares one figure.
type Figure struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// AbsoluteError is the mean of |ours/measured - 1| in percent, Bias that of
	// ours/measured - 1. Rows that were measured as zero have no part in both; there are
	// Zeros of them.
	AbsoluteError Estimate `json:"mean_absolute_error_percent"`
	Bias          Decimal  `json:"mean_error_percent"`
	Zeros         int      `json:"measured_as_zero"`
	Pearson       Estimate `json:"pearson"`
	Spearman      Estimate `json:"spearman"`
	Pairs         []Pair   `json:"pairs"` // in the order of the file
}

// Pair is a measurement with its result.
type Pair struct {
	Line     int     `json:"line"`
	Of       string  `json:"of"`
	Key      string  `json:"key"` // of the result
	Measured Decimal `json:"measured"`
	Ours     Decimal `json:"ours"`
	// Error is in percent of what was measured; NaN for zero.
	Error Decimal `json:"error_percent"`
}
