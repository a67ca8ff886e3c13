package interpret

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/kind"
)

// hostileBook has one customization of example.io/v1 Rollout, or of another kind, with these scripts.
func hostileBook(t *testing.T, scripts string) *Book {
	text := "apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\nmetadata: {name: planted}\n" +
		"spec:\n  target: {apiVersion: example.io/v1, kind: Rollout}\n  customizations:\n" + scripts
	c, err := policy.DecodeCustomization(parsed(t, text), []byte(text), manifest.Origin{Path: "planted.yaml", Line: 1})
	require.NoError(t, err)
	b, err := New([]policy.Customization{c}, []HealthExprs{{APIVersion: "example.io/v1", Kind: "Batch", Current: "string(spec.password) == 1"}})
	require.NoError(t, err)
	return b
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	return u
}

// TestHostileRetain: what reviewers approve is the desired object, and Retain runs after them. It can keep observed values,
// and cannot bring any of its own.
func TestHostileRetain(t *testing.T) {
	desired := "apiVersion: example.io/v1\nkind: Rollout\nmetadata: {name: web, namespace: shop}\n" +
		"spec: {replicas: 2, image: shop:1, args: [a, b], containers: [{name: web, image: shop:1}, {name: log, image: log:1}]}\n"
	observed := "apiVersion: example.io/v1\nkind: Rollout\nmetadata: {name: web, namespace: shop, uid: u1}\n" +
		"spec: {replicas: 7, paused: true, image: shop:0, args: [c], containers: [{name: proxy, image: proxy:1}, {name: web, image: shop:0, ports: [80]}]}\n"
	for statement, refused := range map[string]string{
		"desired.spec.replicas = observed.spec.replicas":                                 "",
		"desired.spec.paused = observed.spec.paused":                                     "",
		"desired.spec = observed.spec":                                                   "",
		"desired.spec.containers[1].ports = observed.spec.containers[2].ports":           "",
		"table.insert(desired.spec.containers, observed.spec.containers[1])":             "",
		"table.insert(desired.spec.containers, 1, observed.spec.containers[1])":          "",
		"desired.metadata.uid = observed.metadata.uid":                                   "",
		"desired.spec.image = 'evil:1'":                                                  "spec.image",
		"desired.spec.replicas = observed.spec.replicas + 1":                             "spec.replicas",
		"desired.spec.hostNetwork = true":                                                "spec.hostNetwork",
		"desired.spec.image = nil":                                                       "spec.image",
		"desired.spec.containers[1].image = observed.spec.containers[1].image":           "spec.containers[0].image",
		"table.insert(desired.spec.containers, {name = 'miner', image = 'evil:1'})":      "spec.containers[2]",
		"table.remove(desired.spec.containers, 2)":                                       "spec.containers",
		"desired.spec.args[1] = 'x'":                                                     "spec.args[0]",
		"desired.metadata.annotations = {['accord.dev/force'] = 'enabled'}":              "metadata.annotations",
		"desired.spec.image = observed.spec.paused":                                      "spec.image",
		"desired.spec.containers = {}":                                                   "spec.containers",
		"desired.spec.containers[1] = {name = 'web', image = 'shop:0', command = {'x'}}": "spec.containers[0].command",
	} {
		b := hostileBook(t, "    retention:\n      luaScript: |\n        function Retain(desired, observed)\n          "+statement+"\n          return desired\n        end\n")
		_, err := b.Retain(parsed(t, desired), parsed(t, observed))
		if refused == "" {
			require.NoError(t, err, statement)
			continue
		}
		require.ErrorContains(t, err, "Retain changes "+refused+" to a value that the observed object does not have there", statement)
	}
}

// TestHostileScriptsOfSensitiveObjects: no script and no expression reads an object that is marked as sensitive: it could write
// its values into a status or a message, which leave the cluster.
func TestHostileScriptsOfSensitiveObjects(t *testing.T) {
	b := hostileBook(t, `    retention: {luaScript: "function Retain(d, o) error(o.spec.password) end"}
    replicaResource: {luaScript: "function GetReplicas(o) error(o.spec.password) end"}
    replicaRevision: {luaScript: "function ReviseReplica(o, n) o.spec.copy = o.spec.password return o end"}
    statusReflection: {luaScript: "function ReflectStatus(o) return {leak = o.spec.password} end"}
    healthInterpretation: {luaScript: "function InterpretHealth(o) error(o.spec.password) end"}
    dependencyInterpretation: {luaScript: "function GetDependencies(o, n) error(o.spec.password) end"}
`)
	for _, mark := range []string{"true", "spec.password"} {
		text := "apiVersion: example.io/v1\nkind: Rollout\nmetadata: {name: web, annotations: {accord.dev/sensitive: '" + mark + "'}}\nspec: {password: hunter2}\n"
		u := parsed(t, text)
		require.Empty(t, b.Check(u))
		result, err := b.Retain(u, u)
		require.NoError(t, err)
		require.Equal(t, u, result)
		k := b.Of(schema.GroupKind{Group: "example.io", Kind: "Rollout"})
		_, counts := k.Replicas(u)
		require.False(t, counts)
		k.SetReplicas(u, 3)
		require.Equal(t, parsed(t, text), u)
		require.Empty(t, k.Reflect(u))
		require.Empty(t, k.Dependencies(u))
		health, message := k.Health(u)
		require.Equal(t, kind.Healthy, health)
		require.NotContains(t, message, "hunter2")
		u.SetKind("Batch")
		health, message = b.Of(schema.GroupKind{Group: "example.io", Kind: "Batch"}).Health(u)
		require.Equal(t, kind.Healthy, health, message)
	}
	_, err := New(nil, []HealthExprs{{APIVersion: "v1", Kind: "Secret", Current: "string(data.token) == 1"}})
	require.ErrorContains(t, err, "expressions may not read Secrets")
}
