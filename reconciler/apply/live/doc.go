// Package live has the values of a delivery to one cluster: the observed objects, the inventory, the outcome, and the
// problems of single objects. They are pure: the package sends no request and reads no clock.
package live
