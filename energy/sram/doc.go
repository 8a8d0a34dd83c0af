// SPDX-License-Identifier: Apache-2.0

// Package sram estimates memory structures - caches, RAM banks, queues, CAMs,
// TLBs - by size, organisation and technology: energy per access, leakage, area,
// access and cycle time. It interpolates results of CACTI 7 (grid.csv) and gives
// those results themselves where they exist.
package sram

//go:generate go run ../internal/fit
