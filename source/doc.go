// Package source reads manifests from Git: a commit as an immutable tree.
//
// [Cache.Fetch] reads the commit that a [Ref] points to now, downloads it if necessary, and returns it as a [Snapshot]
// whose FS needs neither the network nor the disk. It promises:
//
//   - Every fetch contacts the remote with the credentials of that call. A commit that another caller downloaded is used
//     only after the remote accepted these credentials. As in Git, read access is per repository.
//   - A commit that is known costs one request.
//   - Every object is verified against its hash. A clone that is damaged, incomplete or obstructed is deleted and
//     recreated.
//   - An error has one of a few kinds (see [ErrAuth] and its neighbours) and never contains a password or token.
//
// The package does not interpret the files and knows nothing of accord.
package source
