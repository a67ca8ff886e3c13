// Package ownership reads metadata.managedFields: which fields of an object accord owns, which of them it lost to another
// manager, and which fields a member owns by itself. It is pure.
package ownership
