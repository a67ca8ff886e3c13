package propagate

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// InventoryNamespace is where the inventories stand on every member.
const InventoryNamespace = "accord-system"

// InventoryName is the ConfigMap on a member that is the ApplySet parent of a federation ("<namespace>/<name>"). It is
// readable where it can be, and always a valid name: federations differ in it even when their names are very long.
func InventoryName(federation string) string {
	sum := sha256.Sum256([]byte(federation))
	readable := strings.ReplaceAll(federation, "/", ".")
	readable = strings.Trim(readable[:min(len(readable), 200)], ".-")
	if readable != "" {
		readable += "."
	}
	return "accord." + readable + hex.EncodeToString(sum[:5])
}

// ApplySetID is the value of the label applyset.kubernetes.io/part-of on everything that a federation owns on a member,
// and of applyset.kubernetes.io/id on its inventory (KEP-3659).
func ApplySetID(federation string) string {
	parent := strings.Join([]string{InventoryName(federation), InventoryNamespace, "ConfigMap", ""}, ".")
	sum := sha256.Sum256([]byte(parent))
	return "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
}
