// Package apply delivers one federation to one cluster: server-side apply, inventory, order, adoption, drift, pruning.
// It is the only code that writes workloads. What to deliver was decided elsewhere (package propagate); what is there is
// told by the watches (package clusters). Deliver compares the two and does the difference, and when there is none it
// sends nothing at all.
//
// What it never does: write an object that carries no label of ours unless it was told to take it over, delete one
// that is not ours or is held, or read an error as "nothing there".
package apply
