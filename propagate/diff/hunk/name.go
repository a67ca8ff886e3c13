package hunk

import (
	"fmt"
	"slices"
	"strings"
)

// identities are the fields that tell the items of a list apart, by the name of the list: Kubernetes' own list-map keys
// (x-kubernetes-list-map-keys), and for its atomic lists what a reader would call an item. The first that all items have,
// and that no two share, is taken. Lists that are not here have items with a name or none.
var identities = map[string][][]string{
	"hostAliases":               {{"ip"}},
	"items":                     {{"key"}, {"path"}, {"name"}}, // of a volume from a ConfigMap, a Secret, the downward API
	"matchExpressions":          {{"key"}},
	"paths":                     {{"path"}},
	"ports":                     {{"containerPort", "protocol"}, {"port", "protocol"}, {"name"}},
	"conditions":                {{"type"}},
	"rules":                     {{"host"}, {"name"}, {"alert"}, {"record"}},
	"subjects":                  {{"kind", "namespace", "name"}},
	"taints":                    {{"key", "effect"}},
	"tls":                       {{"secretName"}, {"name"}},
	"tolerations":               {{"key"}, {"key", "effect"}},
	"topologySpreadConstraints": {{"topologyKey"}, {"topologyKey", "whenUnsatisfiable"}},
	"volumeDevices":             {{"devicePath"}},
	"volumeMounts":              {{"mountPath"}},
}

// unlisted is for the lists that are not in identities.
var unlisted = [][]string{{"name"}}

// named gives the items of both lists their names. ok is false if they have none, or if the names are secret.
func named(at place, before, after []any) (b, a []entry, ok bool) {
	candidates, ok := identities[at.field]
	if !ok {
		candidates = unlisted
	}
	for _, fields := range candidates {
		if slices.ContainsFunc(fields, func(field string) bool { return at.secret.item().key(field).all() }) {
			continue
		}
		if b, ok = entries(before, fields); !ok {
			continue
		}
		if a, ok = entries(after, fields); ok {
			return b, a, true
		}
	}
	return nil, nil, false
}

// entries names every item by the fields; ok is false if one lacks the first of them or two have the same name.
func entries(items []any, fields []string) (out []entry, ok bool) {
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		m, _ := item.(map[string]any)
		name, ok := nameOf(m, fields)
		if !ok || seen[name] {
			return nil, false
		}
		seen[name] = true
		out = append(out, entry{name, item})
	}
	return out, true
}

// nameOf joins the values of the fields. Without a protocol a port is of TCP; others that are absent are left out.
func nameOf(item map[string]any, fields []string) (name string, ok bool) {
	var parts []string
	for i, field := range fields {
		switch v := number(item[field]).(type) {
		case string:
			parts = append(parts, v)
		case int64, bool:
			parts = append(parts, fmt.Sprint(v))
		case nil:
			if i == 0 {
				return "", false
			}
			if field == "protocol" {
				parts = append(parts, "TCP")
			}
		default:
			return "", false
		}
	}
	return strings.Join(parts, "/"), true
}
