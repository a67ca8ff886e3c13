// Package permit decides which dangerous operations accord may do on a member: the RBAC rules it needs (Rights), which
// objects it may delete and create again (Recreate), and how many objects one delivery may prune (Prune).
package permit
