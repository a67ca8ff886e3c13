// Package kind is all that is known about single Kubernetes kinds: how they count replicas and what one requests,
// what they depend on, how healthy they are, and how the statuses of several clusters add up. One file a kind; the
// table below is where a reader learns what exists.
//
// The base is Karmada §6. Health is stricter: an object whose controller has not seen the newest generation, or that is
// being deleted, is never healthy, whatever its counters say. A job that ends soon is healthy when it is done; what may
// run for days or for ever (a workflow, a training, a stream) already when it runs.
package kind

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

// Kind says what is known about one Kubernetes kind. Every func but Health may be nil: then the kind has no count,
// or its status does not add up.
type Kind struct {
	// Replicas is the number of replicas of the template; ok is false for objects without a count (Karmada §6.2).
	// An absent field is the API server's default, 1: Karmada sees its templates after defaulting, accord before.
	Replicas func(*unstructured.Unstructured) (n int32, ok bool)
	// SetReplicas sets it (Karmada §6.2 ReviseReplica). An absent field stays absent if n is what the API server would
	// fill in, so that an autoscaler on the member keeps owning it. Nil beside Replicas means that the count is for finding
	// room, and that the object goes whole to wherever it goes.
	SetReplicas func(*unstructured.Unstructured, int32)
	// Requirements is what one replica requests (Karmada §6.2); nil and empty mean nothing in particular. Every entry is
	// more than zero and fits in an int64 in thousandths. The list is the caller's.
	Requirements func(*unstructured.Unstructured) corev1.ResourceList
	// Dependencies are the objects that it refers to (Karmada §6.7): in its own namespace, sorted, without duplicates.
	// Whether they exist is not known here.
	Dependencies func(*unstructured.Unstructured) []Reference
	// Observes says that the controller of the kind always reports status.observedGeneration: an object without it
	// has not been looked at yet. For other kinds a missing field says nothing.
	Observes bool
	// Health of a live object and a sentence about it. Never nil in what Of returns.
	Health func(*unstructured.Unstructured) (Health, string)
	// Reflect picks from a live object what Aggregate needs, and no more: it is kept for every object and cluster.
	// Nil if the object has no status.
	Reflect func(*unstructured.Unstructured) map[string]any
	// Aggregate adds up what Reflect picked, in the shape of the kind's own status. There is one Answer for every decided
	// cluster. Pure, idempotent, order-free, and bounded: what lists something per cluster is cut at 32 KiB.
	Aggregate func([]Answer) map[string]any
	// Yields are fields that a manifest may set, and that are the member's once it has set them itself: what its operator
	// has stopped (spec.suspend), what its API server or a controller gives out once (spec.clusterIP). They are paths of
	// JSON names with dots between them, each one value as a whole (Karmada §6.3, §6.8: Retain). Of the fields retained
	// there, those that server-side apply leaves alone anyway are not listed.
	//
	// An apply leaves such a field out if the live object has another value there and our field manager owns nothing at or
	// below it: the member has set it after us, or before we came. Otherwise it is sent like any other: when the object is
	// created, as long as nobody else has touched it (so that Git can suspend and resume), and where the live object has
	// none. A field that is ours is never left out: to leave out what one owns is to remove it.
	Yields []string
	// Template is where the pods of the kind are described, for those whose controller replaces running pods when it changes:
	// a PodTemplateSpec of Kubernetes; nil if there is nothing of that shape. What only makes new pods (Job, CronJob) or
	// leaves running ones alone (ReplicaSet) has none. A kind that has it has Replaces, too.
	Template func(*unstructured.Unstructured) map[string]any
	// Replaces is how many pods its controller replaces by itself once Template has changed to what the object says, of as
	// many as it asks for: none if it is paused or waits for somebody to delete them. perNode says that it is one on every
	// node that it is for, a number that only the cluster knows; n is 0 then. Pods that a strategy updates in place are
	// counted, as their containers start again.
	Replaces func(*unstructured.Unstructured) (n int32, perNode bool)
	// Immutable are the fields, sorted, that differ and that the API server (Kubernetes 1.36) then refuses to change: paths of
	// JSON names with dots between them. Defaults count as if they were written down. Of what stands in the live object only,
	// nothing is known here: a field that the cluster may have filled in counts as changed when Git begins to say it.
	// Nil if everything can be changed.
	Immutable func(before, after *unstructured.Unstructured) []string
}

// Reference names an object that another one needs, or, when its Name is empty, every object with the Labels.
type Reference = pods.Reference

// Answer is the status of the live object of one cluster.
type Answer = sum.Answer

// Health of one live object.
type Health = health.Health

const (
	Healthy     = health.Healthy
	Progressing = health.Progressing
	Failed      = health.Failed
	Unknown     = health.Unknown
)

// table is every kind that is known by name, whatever its version (B30). It is only read.
var table = map[schema.GroupKind]Kind{
	// Kubernetes: workloads
	{Group: "apps", Kind: "Deployment"}:  deployment,
	{Group: "apps", Kind: "StatefulSet"}: statefulSet,
	{Group: "apps", Kind: "DaemonSet"}:   daemonSet,
	{Group: "apps", Kind: "ReplicaSet"}:  replicaSet,
	{Group: "batch", Kind: "Job"}:        job,
	{Group: "batch", Kind: "CronJob"}:    cronJob,
	{Kind: "Pod"}:                        pod,

	// Kubernetes: network
	{Kind: "Service"}: service,
	{Group: "networking.k8s.io", Kind: "Ingress"}:           ingress,
	{Group: "networking.k8s.io", Kind: "IngressClass"}:      ingressClass,
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:      endpointSlice,
	{Group: "multicluster.x-k8s.io", Kind: "ServiceImport"}: serviceImport,

	// Kubernetes: storage
	{Kind: "PersistentVolumeClaim"}:                          persistentVolumeClaim,
	{Kind: "PersistentVolume"}:                               persistentVolume,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:          storageClass,
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}: volumeAttributesClass,

	// Kubernetes: the rest
	{Group: "policy", Kind: "PodDisruptionBudget"}:          podDisruptionBudget,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: horizontalPodAutoscaler,
	{Kind: "Namespace"}: namespace,
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: customResourceDefinition,
	{Kind: "ConfigMap"}:      configMap,
	{Kind: "Secret"}:         secret,
	{Kind: "ServiceAccount"}: serviceAccount,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:        roleBinding,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}: roleBinding,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:              priorityClass,
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:                     runtimeClass,
	{Kind: "ResourceQuota"}:                                          resourceQuota,

	// Kruise
	{Group: "apps.kruise.io", Kind: "CloneSet"}:         cloneSet,
	{Group: "apps.kruise.io", Kind: "StatefulSet"}:      advancedStatefulSet,
	{Group: "apps.kruise.io", Kind: "DaemonSet"}:        advancedDaemonSet,
	{Group: "apps.kruise.io", Kind: "UnitedDeployment"}: unitedDeployment,
	{Group: "apps.kruise.io", Kind: "BroadcastJob"}:     broadcastJob,
	{Group: "apps.kruise.io", Kind: "SidecarSet"}:       sidecarSet,

	// Flux
	{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}:        helmRelease,
	{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"}: kustomization,
	{Group: "source.toolkit.fluxcd.io", Kind: "GitRepository"}:    gitRepository,
	{Group: "source.toolkit.fluxcd.io", Kind: "OCIRepository"}:    ociRepository,
	{Group: "source.toolkit.fluxcd.io", Kind: "Bucket"}:           bucket,
	{Group: "source.toolkit.fluxcd.io", Kind: "HelmRepository"}:   helmRepository,
	{Group: "source.toolkit.fluxcd.io", Kind: "HelmChart"}:        helmChart,

	// Argo
	{Group: "argoproj.io", Kind: "Rollout"}: argoRollout,

	// Batch and machine learning: what is not in status/interpret/kinds
	{Group: "argoproj.io", Kind: "Workflow"}:  workflow,
	{Group: "kubeflow.org", Kind: "Notebook"}: notebook,
	{Group: "ray.io", Kind: "RayService"}:     rayService,
}

// Kinds returns the kinds in the table.
func Kinds() []schema.GroupKind { return slices.Collect(maps.Keys(table)) }

// Of returns the rules of a kind that are written in Go; interpret.Of returns all built-in rules. A kind that is not in the
// table has no count, is healthy by the generic rule and does not add up.
func Of(gk schema.GroupKind) Kind {
	if k, ok := table[gk]; ok {
		return k
	}
	return generic
}

// SamePods says whether two pod templates are the same to the API server and to controllers: after its defaults have been
// filled in and quantities have been read. Only if they are not, pods are replaced.
func SamePods(before, after map[string]any) bool {
	return pods.Same(before, after, func(*corev1.PodTemplateSpec) {})
}
