// SPDX-License-Identifier: Apache-2.0

// Package silicon compares machines with the cards that they describe: with times that
// were measured of variants of kernels, of which the auto-tuning benchmark hub publishes
// tables, and with cycles and watts that AccelWattch's authors measured on a V100.
package silicon
