package mutation

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
)

func TestDefectR10Compare(t *testing.T) {
	for name, c := range map[string]struct {
		kind, applied, live string
		want                []string
	}{
		"the same":               {applied: "spec: {replicas: 2}", live: "spec: {replicas: 2}"},
		"another number":         {applied: "spec: {replicas: 2}", live: "spec: {replicas: 1}", want: []string{"spec.replicas: 2 became 1"}},
		"a default":              {applied: "spec: {replicas: 2}", live: "spec: {replicas: 2, paused: false}"},
		"a quantity":             {applied: "spec: {cpu: 1000m, memory: 1024Mi, n: 1}", live: `spec: {cpu: "1", memory: 1Gi, n: "1"}`},
		"another quantity":       {applied: "spec: {cpu: 1000m}", live: `spec: {cpu: "2"}`, want: []string{"spec.cpu: 1000m became 2"}},
		"a duration, a time":     {applied: "spec: {every: 60s, at: 2026-01-01T00:00:00+01:00}", live: `spec: {every: 1m0s, at: "2025-12-31T23:00:00Z"}`},
		"an empty value dropped": {applied: "spec: {a: null, b: {}, c: '', list: []}", live: "spec: {}"},
		"an image": {
			applied: "spec: {containers: [{name: web, image: 'a:1'}]}", live: "spec: {containers: [{name: sidecar, image: s}, {name: web, image: 'mirror/a:1'}]}",
			want: []string{"spec.containers[web].image: a:1 became mirror/a:1"},
		},
		"an argument":                 {applied: "args: [a, b]", live: "args: [a, c]", want: []string{"args[1]: b became c"}},
		"a list that others merge in": {applied: "finalizers: [a]", live: "finalizers: [z, a]"},
		"a Secret shows no value":     {kind: "Secret", applied: "data: {k: YQ==}", live: "data: {k: Yg==}", want: []string{"data.k"}},
		"metadata of the API server":  {applied: "metadata: {uid: a, labels: {x: a}}", live: "metadata: {uid: b, labels: {x: b}}", want: []string{"metadata.labels.x: a became b"}},
	} {
		t.Run(name, func(t *testing.T) {
			var applied, live map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(c.applied), &applied))
			require.NoError(t, yaml.Unmarshal([]byte(c.live), &live))
			var got []string
			for _, f := range Compare(manifest.ID{Kind: c.kind}, applied, live) {
				got = append(got, f.String())
			}
			require.Equal(t, c.want, got)
		})
	}
}
