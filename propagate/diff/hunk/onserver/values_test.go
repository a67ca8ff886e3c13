package onserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/builtin"
	"github.com/accord-dev/accord/status/kind"
)

// templates are manifests with a value VALUE, with the values that the test writes there.
var templates = []struct{ manifest, values string }{
	{"{apiVersion: apps/v1, kind: Deployment, metadata: {name: values, namespace: default}, spec: {replicas: VALUE, selector: {matchLabels: {a: b}}, " +
		"template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}}", `3 0 "3" -5 2.5 99999999999 many true {} [3]`},
	{"{apiVersion: apps/v1, kind: Deployment, metadata: {name: values, namespace: default}, spec: {selector: {matchLabels: {a: b}}, " +
		"template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a, resources: {requests: {cpu: VALUE}}}]}}}}", `500m "1" 1 0.5 lots -1 {} [1] true`},
	{"{apiVersion: batch/v1, kind: Job, metadata: {name: values, namespace: default}, spec: {parallelism: VALUE, completions: 7, " +
		"template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}", `4 "4" -1 2.5 99999999999`},
	{"{apiVersion: batch/v1, kind: Job, metadata: {name: values, namespace: default}, spec: {completions: VALUE, " +
		"template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}", `4 "4" -1 2.5 99999999999`},
	{"{apiVersion: v1, kind: ConfigMap, metadata: {name: values, namespace: default}, data: {a: VALUE}}", `text "1" 1 true 0.5 {} [a]`},
	{"{apiVersion: v1, kind: ConfigMap, metadata: {name: values, namespace: default, labels: {a: VALUE}}}", `text "1" 1 true`},
	{"{apiVersion: v1, kind: Secret, metadata: {name: values, namespace: default}, data: {a: VALUE}}", `YQ== plain! 1`},
	{"{apiVersion: v1, kind: ConfigMap, metadata: {name: VALUE, namespace: default}}", `fresh fresh.v1 Fresh -fresh fré fr_e`},
	{"{apiVersion: v1, kind: Service, metadata: {name: VALUE, namespace: default}, spec: {ports: [{port: 80}]}}", `fresh fresh.v1 Fresh`},
	{"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: VALUE}}", `web web.v1 "shop:Admin"`},
}

// valuesAsTheServer requires that accord refuses a value exactly if the API server refuses to create the object (defects D1,
// D20), and that the server applies each value that accord accepts. An apply accepts more than a create: Kubernetes 1.36
// stores the lower 32 bits of replicas 99999999999.
func valuesAsTheServer(t *testing.T, m member) {
	refusals := 0
	for _, template := range templates {
		for _, value := range strings.Fields(template.values) {
			u := parse(t, []byte(strings.Replace(template.manifest, "VALUE", value, 1)))
			refused := refusedByAccord(u)
			if refused {
				refusals++
			}
			err := m.Create(t.Context(), u.DeepCopy(), client.DryRunAll)
			require.Equal(t, refused, err != nil, "%s in %s\nthe server: %v", value, template.manifest, err)
			if !refused {
				require.NoError(t, m.apply(t, u, true), "%s in %s", value, template.manifest)
			}
		}
	}
	require.Greater(t, refusals, 20)
}

func refusedByAccord(u *unstructured.Unstructured) bool {
	if len(builtin.Check(u)) > 0 {
		return true
	}
	k := kind.Of(u.GroupVersionKind().GroupKind())
	return k.Mistakes != nil && len(k.Mistakes(u)) > 0
}
