// Package source reads manifests from where they live: a Git commit as an
// immutable tree.
//
// [Cache.Fetch] asks the remote what a [Ref] points to now, gets that commit if
// it is not here yet, and returns it as a [Snapshot] whose FS needs neither the
// network nor the disk any more. It promises:
//
//   - The remote is asked every time, with the credentials of that call. What
//     another caller has downloaded is used only after the remote accepted ours.
//     Reading rights are per repository, as in Git itself.
//   - A commit that is known already costs that one question and nothing else.
//   - Every object is checked against its name. A clone that is damaged, half
//     written or in the way is thrown away and made again.
//   - An error says which of the few things that go wrong did (see [ErrAuth] and
//     its neighbours) and never contains a password or token.
//
// The package knows nothing about what is in the files, and nothing of accord.
package source
