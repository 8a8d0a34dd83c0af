// SPDX-License-Identifier: Apache-2.0

// Package docs holds documents that programs read.
package docs

import _ "embed" // the schema

// ResultSchema is the JSON Schema (draft 2020-12) of results: results.schema.json.
//
//go:embed results.schema.json
var ResultSchema []byte
