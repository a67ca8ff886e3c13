package merge

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// EncodeVersions returns the resourceVersion of a merged list: the resourceVersion of each server by its name, as Karmada encodes it
// (Karmada 9.3).
func EncodeVersions(versions map[string]string) string {
	text, _ := json.Marshal(versions) // strings always have a JSON form
	return base64.RawURLEncoding.EncodeToString(text)
}

// DecodeVersions returns a function with the resourceVersion of each server in a merged one. "" and "0" are those of every server.
func DecodeVersions(version string) (func(name string) string, error) {
	if version == "" || version == "0" {
		return func(string) string { return version }, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(version)
	versions := map[string]string{}
	if err == nil {
		err = json.Unmarshal(text, &versions)
	}
	if err != nil {
		return nil, fmt.Errorf("the resourceVersion %q is not that of several clusters: %w", version, err)
	}
	return func(name string) string { return versions[name] }, nil
}
