// SPDX-License-Identifier: Apache-2.0

// Package table makes one long table of a folder of results: a row per point or per launch,
// a column per parameter, metric and figure. It writes the table as CSV, Parquet and JSON.
package table
