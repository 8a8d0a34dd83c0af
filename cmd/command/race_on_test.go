// SPDX-License-Identifier: Apache-2.0

//go:build race

package command

// raceDetector says that the race detector is on: its shadow memory does not fit
// under a limit on addresses.
const raceDetector = true
