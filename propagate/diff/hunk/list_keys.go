package hunk

import (
	"fmt"
	"slices"
	"strings"
)

// listKeys are the fields that identify the items of a list, by the name of the list: Kubernetes' own list map keys
// (x-kubernetes-list-map-keys), and for atomic lists the fields that a reader would use. The first set of fields counts
// that all items have and no two items share. Other lists have defaultListKeys.
var listKeys = map[string][][]string{
	"hostAliases":               {{"ip"}},
	"items":                     {{"key"}, {"path"}, {"name"}}, // of a volume from a ConfigMap, a Secret or the downward API
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

var defaultListKeys = [][]string{{"name"}}

// nameItems names the items of both lists. ok is false if they have no names, or if the names are secret.
func nameItems(at place, before, after []any) (b, a []namedItem, ok bool) {
	candidates, ok := listKeys[at.field]
	if !ok {
		candidates = defaultListKeys
	}
	for _, fields := range candidates {
		if slices.ContainsFunc(fields, func(field string) bool { return at.secret.item().key(field).all() }) {
			continue
		}
		if b, ok = nameBy(before, fields); !ok {
			continue
		}
		if a, ok = nameBy(after, fields); ok {
			return b, a, true
		}
	}
	return nil, nil, false
}

// nameBy names every item by the fields; ok is false if an item lacks the first field or two items have the same name.
func nameBy(items []any, fields []string) (out []namedItem, ok bool) {
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		m, _ := item.(map[string]any)
		name, ok := nameOf(m, fields)
		if !ok || seen[name] {
			return nil, false
		}
		seen[name] = true
		out = append(out, namedItem{name, item})
	}
	return out, true
}

// nameOf joins the values of the fields. A port without a protocol is TCP; other absent fields are left out.
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
