// SPDX-License-Identifier: Apache-2.0

// Package energy turns activity counts into joules, watts and square millimetres.
// It reads counters and the sizes of a machine's structures and never drives
// timing: the same counts may be priced under any technology.
//
// A Model is a list of components, the leaves of a tree (chip, sm, front end,
// fetch ...). Each has charges - picojoules per event of a counter -, static
// power and area. An Account multiplies: every joule belongs to exactly one leaf,
// as dynamic or as static energy. Views group leaves as the papers' figures do.
//
// Memory structures come from package sram, which interpolates CACTI results;
// everything else from the table of coefficients, each with its source.
package energy
