package clusterimport_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/clusters/local/localtest"
)

const benchObjects = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: default}
spec:
  replicas: 0
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers:
      - {name: web, image: "docker.io/team/web:1", ports: [{containerPort: 80}], readinessProbe: {httpGet: {port: 80}}, env: [{name: A, value: a}]}
---
{apiVersion: v1, kind: Service, metadata: {name: NAME, namespace: default}, spec: {clusterIP: None, selector: {app: NAME}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, namespace: default}, data: {a: b}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: NAME, namespace: default}}
`

// BenchmarkImport imports 10,000 objects of a real API server: go test ./cmd/accord/clusterimport -run '^$' -bench Import
func BenchmarkImport(b *testing.B) {
	const each = 2500
	plane := localtest.Start(b, "prod")
	c, err := client.New(plane.Config(), client.Options{})
	require.NoError(b, err)
	var g errgroup.Group
	g.SetLimit(16)
	for i := range each {
		for document := range strings.SplitSeq(strings.ReplaceAll(benchObjects, "NAME", fmt.Sprintf("web-%d", i)), "---\n") {
			g.Go(func() error {
				u := &unstructured.Unstructured{}
				if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
					return err
				}
				return c.Create(context.Background(), u)
			})
		}
	}
	require.NoError(b, g.Wait())
	w := &world{}
	for b.Loop() {
		out, err := w.run(plane.Kubeconfig(), "--context", "prod="+contextOf(b, plane), "--out", filepath.Join(b.TempDir(), "out"), "--policy")
		require.NoError(b, err)
		require.Regexp(b, "wrote 10,?000 objects", out)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/import")
}
