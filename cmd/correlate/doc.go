// SPDX-License-Identifier: Apache-2.0

// Package correlate compares results with measurements of hardware, or of another
// simulator: it matches rows, and says how far figures are off and how well they go together.
package correlate
