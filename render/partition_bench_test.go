package render

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

// kustomization returns a tree with one kustomization of n objects, as real repositories have it.
func kustomization(n int) fstest.MapFS {
	fsys := fstest.MapFS{}
	var b strings.Builder
	b.WriteString(`namespace: shop
labels:
- pairs: {team: shop}
commonAnnotations: {owner: shop}
images:
- name: registry.example.com/shop/web
  newTag: "2.0"
configMapGenerator:
- name: settings
  literals: [a=b]
patches:
- target: {kind: Deployment, name: web-1}
  patch: |
    - op: replace
      path: /spec/replicas
      value: 5
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web-2, namespace: shop-2}
    spec: {replicas: 7}
resources:
`)
	for i := range n {
		name, text := fmt.Sprintf("%d.yaml", i), deployment(i)
		switch i % 4 {
		case 1, 2:
		case 3:
			text = strings.Replace(configMap(i), "data:", "data:\n  more: text", 1)
		case 0:
			text = strings.Replace(text, "env:\n", "envFrom:\n        - configMapRef: {name: settings}\n        - configMapRef: {name: web-3}\n        env:\n", 1)
		}
		text = strings.ReplaceAll(text, fmt.Sprintf("namespace: shop-%d", i%10), "namespace: shop")
		text = strings.ReplaceAll(text, "namespace: shop-2", "namespace: shop")
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
		b.WriteString("- " + name + "\n")
	}
	fsys["kustomization.yaml"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(b.String(), "shop-2", "shop"))}
	return fsys
}

// nested returns a tree with one kustomization of n objects in bases of a hundred, and a component.
func nested(n int) fstest.MapFS {
	fsys := fstest.MapFS{}
	var top strings.Builder
	top.WriteString("namespace: shop\ncomponents: [common]\nresources:\n")
	for from := 0; from < n; from += 100 {
		base := fmt.Sprintf("base-%d", from)
		for name, file := range kustomization(100) {
			fsys[base+"/"+name] = file
		}
		fsys[base+"/kustomization.yaml"].Data = append(fsys[base+"/kustomization.yaml"].Data, fmt.Appendf(nil, "namePrefix: b%d-\n", from)...)
		top.WriteString("- " + base + "\n")
	}
	fsys["common/kustomization.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncommonAnnotations: {common: 'true'}\n")}
	fsys["kustomization.yaml"] = &fstest.MapFile{Data: []byte(top.String())}
	return fsys
}

// BenchmarkKustomization prints how the time of a build grows with the objects of one kustomization.
func BenchmarkKustomization(b *testing.B) {
	for _, tree := range []struct {
		name string
		of   func(int) fstest.MapFS
	}{{"flat", kustomization}, {"nested", nested}} {
		for _, n := range []int{500, 1000, 2000, 5000} {
			fsys := tree.of(n)
			b.Run(fmt.Sprintf("%s/%d", tree.name, n), func(b *testing.B) {
				before := cpuTime(b)
				for b.Loop() {
					_, err := Build(fsys, Options{})
					require.NoError(b, err)
				}
				b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
			})
		}
	}
}

// cpuTime returns the CPU time of the process.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkAgain changes one of 5,000 objects of a kustomization.
func BenchmarkAgain(b *testing.B) {
	fsys, memory := kustomization(5000), &Cache{}
	_, err := memory.Build(fsys, Options{})
	require.NoError(b, err)
	before := cpuTime(b)
	for i := 0; b.Loop(); i++ {
		fsys["42.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(deployment(42), "part-of: shop", fmt.Sprintf("part-of: shop-%d", i), 1))}
		_, err := memory.Build(fsys, Options{})
		require.NoError(b, err)
	}
	b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
}
