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

// ByObject returns the objects of entries by rollout with the rollout of each. It skips entries that it cannot read.
func ByObject(entries map[string][]string) map[manifest.ID]string {
	all := map[manifest.ID]string{}
	for rollout, of := range entries {
		for _, entry := range of {
			if id, err := manifest.ParseEntry(entry); err == nil {
				all[id] = rollout
			}
		}
	}
	return all
}
