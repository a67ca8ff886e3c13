package rolloutrecord

import "github.com/accord-dev/accord/api/manifest"

// Entries returns objects as the records have them.
func Entries(ids []manifest.ID) []string {
	entries := make([]string, len(ids))
	for i, id := range ids {
		entries[i] = id.Entry()
	}
	return entries
}
