package render

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// deployment returns a Deployment of 45 lines.
func deployment(i int) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%[1]d
  namespace: shop-%[2]d
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/part-of: shop
  annotations:
    example.com/owner: team-%[2]d
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: web-%[1]d
  template:
    metadata:
      labels:
        app.kubernetes.io/name: web-%[1]d
    spec:
      serviceAccountName: web
      containers:
      - name: web
        image: registry.example.com/shop/web:1.27.%[1]d
        args: [--listen=:8080, --log-level=info]
        ports:
        - name: http
          containerPort: 8080
        env:
        - name: REGION
          value: eu
        - name: PASSWORD
          valueFrom:
            secretKeyRef: {name: web, key: password}
        resources:
          requests: {cpu: 100m, memory: 128Mi}
          limits: {memory: 256Mi}
        readinessProbe:
          httpGet: {path: /healthz, port: http}
          initialDelaySeconds: 5
          periodSeconds: 10
        securityContext:
          runAsNonRoot: true
          allowPrivilegeEscalation: false
          capabilities: {drop: [ALL]}
      terminationGracePeriodSeconds: 30
`, i, i%10)
}

func configMap(i int) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web-%d\n  namespace: shop-%d\ndata:\n  key: value\n", i, i%10)
}

// BenchmarkBuild600 reads the objects of the design's performance bars: 500 Deployments and 100 ConfigMaps.
func BenchmarkBuild600(b *testing.B) {
	fsys := fstest.MapFS{}
	for i := range 500 {
		fsys[fmt.Sprintf("apps/%d/deployment.yaml", i)] = &fstest.MapFile{Data: []byte(deployment(i))}
	}
	for i := range 100 {
		fsys[fmt.Sprintf("apps/%d/config.yaml", i)] = &fstest.MapFile{Data: []byte(configMap(i))}
	}
	for b.Loop() {
		objects, err := Build(fsys, Options{})
		require.NoError(b, err)
		require.Len(b, objects, 600)
	}
}

// BenchmarkBuildKustomize builds ten overlays of a base with five objects each.
func BenchmarkBuildKustomize(b *testing.B) {
	fsys := fstest.MapFS{}
	base := "resources:\n"
	for i := range 5 {
		fsys[fmt.Sprintf("base/%d.yaml", i)] = &fstest.MapFile{Data: []byte(deployment(i))}
		base += fmt.Sprintf("- %d.yaml\n", i)
	}
	fsys["base/kustomization.yaml"] = &fstest.MapFile{Data: []byte(base)}
	for i := range 10 {
		overlay := fmt.Sprintf("namePrefix: o%d-\nresources: [../base]\n", i)
		fsys[fmt.Sprintf("overlay-%d/kustomization.yaml", i)] = &fstest.MapFile{Data: []byte(overlay)}
	}
	for b.Loop() {
		objects, err := Build(fsys, Options{})
		require.NoError(b, err)
		require.Len(b, objects, 50)
	}
}

func BenchmarkDigest(b *testing.B) {
	u := one(b, deployment(1))
	for b.Loop() {
		Digest(u)
	}
}

// one builds a single object.
func one(t testing.TB, text string) *unstructured.Unstructured {
	objects, err := Build(fstest.MapFS{"a.yaml": &fstest.MapFile{Data: []byte(text)}}, Options{})
	require.NoError(t, err)
	require.Len(t, objects, 1)
	return objects[0].Manifest.Get()
}
