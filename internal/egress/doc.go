// Package egress bounds what a server can make a client do: the size of an answer, redirects, and the addresses that a
// connection may reach.
package egress
