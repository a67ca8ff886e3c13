// Package report writes records, statuses and events. It is the only writer of status: it gathers changes, computes a whole
// status from the state, and writes it in one request, or not at all.
package report
