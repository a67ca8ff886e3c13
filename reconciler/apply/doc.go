// Package apply delivers one federation to one cluster: server-side apply, inventory, order, adoption, drift, pruning.
// It is the only code that writes workloads. What to deliver was decided elsewhere (package propagate); what is there is
// told by the watches (package clusters). Deliver compares the two and does the difference, and when there is none it
// sends nothing at all.
//
// Some fields of what is to be delivered belong to the member once it has set them, and users' scripts may retain more
// (retain.go): only for such objects, what is there is read before it is written.
//
// What it never does: write an object that carries no label of ours unless it was told to take it over, delete one
// that is not ours or is held, or read an error as "nothing there".
package apply
