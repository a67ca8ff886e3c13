// Package applyset names the inventory that accord keeps on a member: one ApplySet (KEP-3659) per Federation.
package applyset

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// InventoryNamespace is the namespace of the inventories on every member.
const InventoryNamespace = "accord-system"

// InventoryName returns the name of the ConfigMap on a member that is the ApplySet parent of a federation
// ("<namespace>/<name>"). The name begins with a readable part and is always valid; the hash at its end keeps
// federations apart whose names are cut or read the same.
func InventoryName(federation string) string {
	sum := sha256.Sum256([]byte(federation))
	readable := strings.ReplaceAll(federation, "/", ".")
	readable = strings.Trim(readable[:min(len(readable), 200)], ".-")
	if readable != "" {
		readable += "."
	}
	return "accord." + readable + hex.EncodeToString(sum[:5])
}

// ID returns the value of the label applyset.kubernetes.io/part-of on every object that a federation owns on a member,
// and of applyset.kubernetes.io/id on its inventory.
func ID(federation string) string {
	parent := strings.Join([]string{InventoryName(federation), InventoryNamespace, "ConfigMap", ""}, ".")
	sum := sha256.Sum256([]byte(parent))
	return "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
}
