// Package sync is the Federation controller: it fetches the sources, compiles them, plans, waits for approval, tries the
// plan on the clusters and activates it. It writes to the hub and to no member.
package sync
