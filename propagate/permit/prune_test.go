package permit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/permit"
)

func TestPrune(t *testing.T) {
	for name, c := range map[string]struct {
		limits v1alpha1.PruneLimits
		remove []manifest.ID
		live   int
		empty  bool
		want   string
	}{
		"nothing":                   {live: 10},
		"all of a few":              {remove: configMaps(4), live: 4},
		"half of them":              {remove: configMaps(5), live: 10},
		"more than half of them":    {remove: configMaps(5), live: 9, want: "would delete 5 of 9 objects (ConfigMap shop/0, ConfigMap shop/1, ConfigMap shop/2, ConfigMap shop/3, ConfigMap shop/4); not done because that is more than 50% of them; a commit with the trailer \"Accord-Prune: allow\" allows it"},
		"more than a set share":     {limits: v1alpha1.PruneLimits{MaxPercent: new(int32(10))}, remove: configMaps(6), live: 50, want: "ConfigMap shop/4, and 1 more); not done because that is more than 10% of them"},
		"none, as the limits say":   {limits: v1alpha1.PruneLimits{MaxObjects: new(int32(0))}, remove: configMaps(1), live: 50, want: "because that is more than 0;"},
		"a Namespace, however many": {remove: []manifest.ID{{Kind: "Namespace", Name: "shop"}}, live: 1000, want: "because the objects include Namespace shop;"},
		"all, and there is nothing": {remove: configMaps(1), live: 1, empty: true, want: "because the plan has no object for any cluster;"},
		"nothing was there":         {empty: true},
		"a claim of no core kind":   {remove: []manifest.ID{{Group: "example.com", Kind: "PersistentVolumeClaim", Name: "a"}}, live: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			got := permit.Prune(c.limits, c.remove, c.live, c.empty)
			if c.want == "" {
				require.Empty(t, got)
				return
			}
			require.Contains(t, got, c.want)
		})
	}
}

func configMaps(n int) []manifest.ID {
	var ids []manifest.ID
	for i := range n {
		ids = append(ids, manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint(i)})
	}
	return ids
}
