// SPDX-License-Identifier: Apache-2.0

package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Options are what a replay is asked for besides its trace and its architecture, as far
// as the result depends on it. The zero value is the default.
type Options struct {
	// IntervalCycles is replay.Options.IntervalCycles; zero: no intervals.
	IntervalCycles uint64 `json:"interval_cycles,omitempty"`
	// WatchdogCycles is replay.Options.WatchdogCycles; zero: the default.
	WatchdogCycles uint64 `json:"watchdog_cycles,omitempty"`
	Energy         Energy `json:"energy,omitzero"`
}

// Energy says how the energy of a point is accounted; see docs/energy.md.
type Energy struct {
	// Technology is NODEnm or NODEnm-lop; empty: the machine's own.
	Technology string `json:"technology,omitempty"`
	// Calibration is cacti (the default, also when empty), circuit or gpuwattch.
	Calibration  string   `json:"calibration,omitempty"`
	Coefficients []string `json:"coefficients,omitempty"` // KEY=VALUE
}

// Identity is all that a result depends on.
type Identity struct {
	TraceDigest        string  `json:"trace_digest"`        // trace.Reader.Digest
	ArchitectureDigest string  `json:"architecture_digest"` // arch.Machine.Digest
	Model              string  `json:"model"`               // what replays: release.Model
	Options            Options `json:"options"`
}

// Key names the result: the SHA-256 of the identity, in hexadecimal digits.
func (id *Identity) Key() string {
	text, err := json.Marshal(id)
	if err != nil {
		panic("BUG: an identity has no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
