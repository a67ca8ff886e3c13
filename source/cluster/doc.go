// Package cluster reads manifests from a live cluster: its objects as an immutable tree, as package source reads a commit.
//
// A [Reader] lists and watches the selected kinds. It sends get, list and watch, and never a write. It promises:
//
//   - A snapshot has every selected object. While a kind is not completely read, or a connection is interrupted, there is an error
//     and no snapshot: the cluster is unread, never empty.
//   - An object is gone after the cluster reported its deletion, or after a complete list without it.
//   - A [source.Snapshot] is immutable. Its revision is the SHA-256 of its files, so equal objects have equal revisions, also after
//     a restart.
//   - A snapshot that follows another one costs the changed objects, and its FS names them.
package cluster
