// Package unacted lists the kinds that Karmada's controllers act on and accord does not, with the missing effect of an
// object.
package unacted

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// effect is the missing effect of a kind, and the way to get it with accord. In missing, $workload is the target of an
// autoscaler, and $name and $namespace are those of the object.
type effect struct{ missing, instead string }

var kinds = map[schema.GroupKind]effect{
	{Group: "autoscaling.karmada.io", Kind: "FederatedHPA"}: {
		"nobody scales $workload",
		"commit a HorizontalPodAutoscaler, and let a policy send it along with the workload",
	},
	{Group: "autoscaling.karmada.io", Kind: "CronFederatedHPA"}: {
		"nobody scales $workload at these times",
		"commit the replicas, or let a CronJob or KEDA on each cluster scale the workload",
	},
	{Group: "networking.karmada.io", Kind: "MultiClusterService"}: {
		"Service $namespace/$name is not reachable from other clusters",
		"connect the clusters by a service mesh or an implementation of the MCS API, or expose the Service on each cluster",
	},
	{Group: "networking.karmada.io", Kind: "MultiClusterIngress"}: {
		"no traffic is routed to the clusters",
		"commit an Ingress, let a policy send it along with its Services, and balance the clusters by DNS",
	},
	{Group: "policy.karmada.io", Kind: "FederatedResourceQuota"}: {
		"no quota is enforced in namespace $namespace",
		"commit a ResourceQuota, and set the share of each cluster by an OverridePolicy",
	},
	{Group: "remedy.karmada.io", Kind: "Remedy"}: {
		"no action follows when a condition of a cluster changes",
		`keep new objects away by a ClusterTaintPolicy, or hold the cluster by "accord hold"`,
	},
	{Group: "config.karmada.io", Kind: "ResourceInterpreterWebhookConfiguration"}: {
		"no webhook is called, and its kinds have accord's own rules",
		"write a ResourceInterpreterCustomization with Lua scripts for these kinds",
	},
	{Group: "search.karmada.io", Kind: "ResourceRegistry"}: {
		"nothing is cached for searching, and no cluster gets the ResourceRegistry",
		`remove it; "accord get objects" lists the objects of all clusters`,
	},
	{Group: "work.karmada.io", Kind: "Work"}: {
		"no cluster gets the manifests in it",
		"commit the manifests themselves, and let a policy select them",
	},
	{Group: "work.karmada.io", Kind: "ResourceBinding"}:        bindings,
	{Group: "work.karmada.io", Kind: "ClusterResourceBinding"}: bindings,
	{Group: "multicluster.x-k8s.io", Kind: "ServiceExport"}: {
		"nobody collects the endpoints of Service $namespace/$name from the clusters", mcs,
	},
	{Group: "multicluster.x-k8s.io", Kind: "ServiceImport"}: {
		"nobody creates Service $namespace/derived-$name or its endpoints on the clusters", mcs,
	},
}

var bindings = effect{"accord chooses clusters by the policies only", "remove it: Karmada wrote it as a record"}

const mcs = "run an implementation of the MCS API on the clusters (Submariner, Cilium), or remove it"

// Effect returns the missing effect of an object and the way to get it with accord; known is false for a kind that accord
// acts on, or that Karmada does not act on.
func Effect(id manifest.ID, m *manifest.Packed) (missing, instead string, known bool) {
	e, known := kinds[id.GroupKind()]
	if !known {
		return "", "", false
	}
	names := strings.NewReplacer("$workload", workload(id, m.Get()), "$namespace", id.Namespace, "$name", id.Name)
	return names.Replace(e.missing), e.instead, true
}

// workload returns the target of an autoscaler: "Deployment shop/web".
func workload(id manifest.ID, u *unstructured.Unstructured) string {
	target, _, _ := unstructured.NestedStringMap(u.Object, "spec", "scaleTargetRef")
	return cmp.Or(target["kind"], "workload") + " " + id.Namespace + "/" + cmp.Or(target["name"], id.Name)
}
