package diff_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/propagate/dump"
)

// large returns a federation of many objects in twenty namespaces: five sixths Deployments, the rest ConfigMaps. Every
// region has its own image registry, every cluster its own label on one object in ten, and its own value in one object
// in sixty.
func large(objects, clusters int, image string) string {
	var b strings.Builder
	b.WriteString("-- input --\nfederation: fleet/prod\n-- all.yaml --\n")
	for i := range objects {
		version := "1.0"
		if i%3 == 0 {
			version = image
		}
		if i%6 == 5 {
			fmt.Fprintf(&b, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: ns%d, labels: {own: %q}}, data: {a: b, c: d}}\n",
				i, i%20, fmt.Sprint(i%60 == 5))
			continue
		}
		fmt.Fprintf(&b, `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d%[1]d, namespace: ns%[2]d, labels: {app: d%[1]d, tenth: "%[3]d"}}
spec:
  replicas: 3
  selector: {matchLabels: {app: d%[1]d}}
  template:
    metadata: {labels: {app: d%[1]d}}
    spec:
      containers:
      - name: main
        image: registry.example.com/shop/app:%[4]s
        ports: [{containerPort: 8080, name: http}]
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
        resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}
        readinessProbe: {httpGet: {path: /ready, port: http}}
`, i, i%20, i%10, version)
	}
	b.WriteString(`---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: registry}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules:
`)
	for r := range regions {
		fmt.Fprintf(&b, `  - targetCluster: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [r%[1]d]}]}}
    overriders: {imageOverrider: [{component: Registry, operator: replace, value: r%[1]d.example.com}]}
`, r)
	}
	b.WriteString(`---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: label}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {tenth: "1"}}}]
  overrideRules:
`)
	for c := range clusters {
		fmt.Fprintf(&b, `  - targetCluster: {clusterNames: [c%04[1]d]}
    overriders: {labelsOverrider: [{operator: add, value: {cluster: c%04[1]d}}]}
`, c)
	}
	b.WriteString(`---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: value}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {own: "true"}}}]
  overrideRules:
`)
	for c := range clusters {
		fmt.Fprintf(&b, `  - targetCluster: {clusterNames: [c%04[1]d]}
    overriders: {plaintext: [{path: /data/a, operator: replace, value: c%04[1]d}]}
`, c)
	}
	for c := range clusters {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: c%04d}, spec: {region: r%d}}\n", c, c%regions)
	}
	return b.String()
}

const regions = 10

// BenchmarkCompare plans and compares two commits. The second commit changes the image of a third of the objects.
// peak-MB is the largest heap, loaded manifests included.
func BenchmarkCompare(b *testing.B) {
	for _, size := range []struct{ clusters, objects int }{{100, 1000}, {1000, 1000}} {
		b.Run(fmt.Sprintf("%dx%d", size.clusters, size.objects), func(b *testing.B) {
			was, err := dump.Read([]byte(large(size.objects, size.clusters, "1.0")))
			require.NoError(b, err)
			now, err := dump.Read([]byte(large(size.objects, size.clusters, "1.1")))
			require.NoError(b, err)
			var top uint64
			for b.Loop() {
				stop := watch(&top)
				var sides [2]diff.Side
				concurrent.Do(2, func(i int) { sides[i] = planned(b, []propagate.Input{was, now}[i]) })
				r, err := diff.Compare(sides[0], sides[1], diff.Options{Prune: true})
				require.NoError(b, err)
				require.Equal(b, size.objects/3+1, r.Totals.Objects)
				stop()
			}
			b.ReportMetric(float64(top)/1e6, "peak-MB")
		})
	}
}

// watch records the largest heap until stop is called.
func watch(top *uint64) (stop func()) {
	var done atomic.Bool
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		var m runtime.MemStats
		for !done.Load() {
			runtime.ReadMemStats(&m)
			*top = max(*top, m.HeapInuse+m.StackInuse)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return func() { done.Store(true); <-finished }
}
