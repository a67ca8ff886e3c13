// Package kind has the rules for single Kubernetes kinds that are written in Go: their replicas and requests, their
// dependencies, their health, and the sum of the statuses of several clusters. Each kind has a file; the table below
// lists them. status/interpret/kinds has the rules of further kinds in Lua, and interpret.Of returns both.
//
// The base is Karmada §6. Health is stricter: an object whose controller has not seen the newest generation, or that
// is being deleted, is never healthy, whatever its counters say. A job that ends soon is healthy when it is done; one
// that may run for days or for ever (a workflow, a training, a stream) is healthy as soon as it runs.
package kind

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

// Kind has the rules for one Kubernetes kind. Every func but Health may be nil: then the kind has no count, or its
// status does not add up.
type Kind struct {
	// Replicas returns the number of replicas of the template; ok is false for objects without a count (Karmada §6.2) and with one that is a mistake.
	// An absent field is the API server's default, 1: Karmada sees its templates after defaulting, accord before.
	Replicas func(*unstructured.Unstructured) (n int32, ok bool)
	// SetReplicas writes the number of replicas (Karmada §6.2 ReviseReplica). An absent field stays absent if n is the
	// API server's default, so that an autoscaler on the member keeps owning it. Nil beside Replicas means that accord
	// only needs the count to find room: the object goes whole to each of its clusters.
	SetReplicas func(*unstructured.Unstructured, int32)
	// Requirements returns the requests of one replica (Karmada §6.2); nil and empty mean none. Every entry is more
	// than zero and fits in an int64 in thousandths. The caller owns the list.
	Requirements func(*unstructured.Unstructured) corev1.ResourceList
	// Mistakes returns the values that Replicas and Requirements cannot read: counts that are no whole number of 0 or more,
	// requests that are no quantity. A plan refuses such an object. Values that neither reads are the API server's.
	Mistakes func(*unstructured.Unstructured) []manifest.Mistake
	// Dependencies returns the objects that it refers to (Karmada §6.7): in its own namespace, sorted, without
	// duplicates. It does not check whether they exist.
	Dependencies func(*unstructured.Unstructured) []Reference
	// Observes is set if the controller of the kind always reports status.observedGeneration: an object without it was
	// not observed yet. For other kinds a missing field means nothing.
	Observes bool
	// Health returns the health of a live object and a sentence about it. It is never nil in a Kind that Of returns.
	Health func(*unstructured.Unstructured) (Health, string)
	// Reflect returns the part of a live object that Aggregate needs, which is kept for every object and cluster. Nil
	// if the object has no status.
	Reflect func(*unstructured.Unstructured) map[string]any
	// Aggregate adds up the results of Reflect, in the shape of the kind's own status. There is one Answer for every
	// decided cluster. It is pure, idempotent, independent of the order, and bounded: a list with entries per cluster
	// is cut at 32 KiB.
	Aggregate func([]Answer) map[string]any
	// Yields are fields that a manifest may set and that belong to the member once it has set them itself: fields with
	// which its operator stops an object (spec.suspend), and fields that its API server or a controller assigns once
	// (spec.clusterIP). They are paths of JSON names with dots between them, each one value as a whole (Karmada §6.3,
	// §6.8: Retain). Retained fields that server-side apply leaves alone anyway are not listed.
	//
	// An apply omits such a field if the live object has another value there and our field manager owns nothing at or
	// below it: the member has set it after us, or before us. Otherwise the field is sent like any other: when the
	// object is created, while nobody else has changed it (so that Git can suspend and resume), and where the live
	// object has none. A field that we own is never omitted: omitting it would remove it.
	Yields []string
	// Template returns the pod template, a PodTemplateSpec of Kubernetes, for kinds whose controller replaces running
	// pods when it changes; nil if the object has none. Kinds that only create new pods (Job, CronJob) or leave running
	// ones alone (ReplicaSet) have no Template. A kind with Template has Replaces, too.
	Template func(*unstructured.Unstructured) map[string]any
	// Replaces returns how many of the desired pods the controller replaces by itself after a change of Template: 0 if
	// it is paused or waits for somebody to delete them. perNode means one on every eligible node, a number that only
	// the cluster knows; n is 0 then. Pods that a strategy updates in place count, because their containers start
	// again.
	Replaces func(*unstructured.Unstructured) (n int32, perNode bool)
	// Immutable returns the fields, sorted, that differ and that the API server (Kubernetes 1.36) then refuses to
	// change: paths of JSON names with dots between them. Defaults count as if they were written down. Fields of the
	// live object only are unknown here: a field that the cluster may have filled in counts as changed when Git begins
	// to set it. Nil if everything can be changed.
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

// Unsettled returns the health of an object that is being deleted, or whose controller has not observed its spec; "" for any
// other object. observes is Kind.Observes.
func Unsettled(u *unstructured.Unstructured, observes bool) (Health, string) {
	return health.Unsettled(u, observes)
}

// table has every kind with rules in Go, whatever its version (B30). It is only read.
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
	{Kind: "Namespace"}:      namespace,
	manifest.DefinitionKind:  customResourceDefinition,
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

	// Batch and machine learning, without the kinds in status/interpret/kinds
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

// SamePods reports whether two pod templates are the same to the API server and to controllers: after its defaults have been
// filled in and quantities have been read. Only if they are not, pods are replaced.
func SamePods(before, after map[string]any) bool {
	return pods.Same(before, after, func(*corev1.PodTemplateSpec) {})
}
