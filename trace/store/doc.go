// SPDX-License-Identifier: Apache-2.0

// Package store keeps traces by their digest in a folder of the user's, so that a
// replay finds them by name without a network and without a path.
//
// Layout under the store's root:
//
//	objects/sha256/HEX.wtape   the traces, named by the SHA-256 of the file, read-only
//	entries/sha256/HEX.json    what the file alone does not tell (see Entry)
//	tags/NAME/%3ATAG           "sha256:HEX\n": what a name stands for
//	incoming/                  files on their way to objects/
//	partial/HEX.part           downloads that can be continued
//	lock                       shared by processes that add, exclusive for those that remove
//
// Everything appears under its name by a rename, so a reader needs no lock and sees
// a thing whole or not at all. The entries can be deleted: they are made again from
// the traces. Files that do not belong are left alone and named by Faults.
//
// Sub-package registry moves traces between the store and OCI registries.
package store
