// SPDX-License-Identifier: Apache-2.0

// Package sram estimates memory structures - caches, RAM banks, queues, CAMs,
// TLBs - by size, organisation and technology: energy per access, leakage, area,
// access and cycle time. It gives results of CACTI 7 (grid.csv) where they exist, organises
// caches and RAMs as CACTI does (package organisation), and interpolates the rest.
package sram

//go:generate go run ../internal/fit
