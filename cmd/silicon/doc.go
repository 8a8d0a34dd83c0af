// SPDX-License-Identifier: Apache-2.0

// Package silicon compares machines with the cards that they describe. The auto-tuning
// benchmark hub publishes tables of measured times of variants of kernels. AccelWattch's
// authors measured cycles and watts on a V100.
package silicon
