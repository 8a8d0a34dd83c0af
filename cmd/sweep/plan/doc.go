// SPDX-License-Identifier: Apache-2.0

// Package plan reads plans of sweeps: traces × machines × overlays × values of parameters,
// without what expressions exclude, with metrics as expressions over statistics. What is
// wrong with a plan comes back with file, line and column, and with the word that was
// probably meant. Docs/sweeps.md describes the file.
package plan
