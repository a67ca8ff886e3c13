package register

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/propagate/permit"
)

const (
	agentName     = registration.AgentName
	hubSecret     = registration.HubSecret
	kubeconfigKey = registration.KubeconfigKey
	// kubeconfigDir is the directory in which the agent finds its kubeconfig.
	kubeconfigDir = "/etc/accord/hub"
	// tokenDir is the one in which an agent that registers the cluster itself finds the token.
	tokenDir = "/etc/accord/token"
)

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{
		registration.ManagedByLabel: registration.ManagedBy, "app.kubernetes.io/name": agentName,
	}}
}

func namespace() *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: hub.SystemNamespace, Labels: map[string]string{registration.ManagedByLabel: registration.ManagedBy}},
	}
}

// objects returns the objects of the agent in the cluster in the order of their creation, without the namespace. kubeconfig leads to the hub.
func (o *Options) objects(kubeconfig []byte) []client.Object {
	core, rbac := metav1.TypeMeta{APIVersion: "v1"}, metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String()}
	kind := func(t metav1.TypeMeta, kind string) metav1.TypeMeta { t.Kind = kind; return t }
	subjects := account()
	var all []client.Object
	role := "cluster-admin"
	if !o.Admin {
		role = agentName
		all = append(all, &rbacv1.ClusterRole{
			TypeMeta: kind(rbac, "ClusterRole"), ObjectMeta: meta("", agentName), Rules: permit.DefaultRights(o.Secrets, o.CRDs),
		})
	}
	if rules := permit.ImpersonationRights(o.Tunnel.Users, o.Tunnel.Groups); len(rules) > 0 {
		all = append(all, impersonation(rules)...)
	}
	own := append(permit.InventoryRights(), rbacv1.PolicyRule{ // the agent renews its certificate
		APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{hubSecret}, Verbs: []string{"get", "update"},
	})
	return append(all,
		&corev1.ServiceAccount{TypeMeta: kind(core, "ServiceAccount"), ObjectMeta: meta(hub.SystemNamespace, agentName)},
		&rbacv1.ClusterRoleBinding{
			TypeMeta: kind(rbac, "ClusterRoleBinding"), ObjectMeta: meta("", agentName), Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		},
		&rbacv1.Role{TypeMeta: kind(rbac, "Role"), ObjectMeta: meta(hub.SystemNamespace, agentName), Rules: own},
		&rbacv1.RoleBinding{
			TypeMeta: kind(rbac, "RoleBinding"), ObjectMeta: meta(hub.SystemNamespace, agentName), Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: agentName},
		},
		secret(hubSecret, kubeconfigKey, kubeconfig),
		o.deployment(),
	)
}

// manifests returns the objects that "accord register" prints, in the order of their creation.
func (o *Options) manifests() []client.Object {
	all := append([]client.Object{namespace()}, o.objects(nil)...)
	if o.Manifests && o.Token != "" {
		all = append(all, secret(registration.TokenSecret, registration.TokenKey, []byte(o.Token)))
	}
	return all
}

// secret returns a Secret of the agent. Without a value it has no data, so that nobody who applies the manifest claims the value.
func secret(name, key string, value []byte) *corev1.Secret {
	s := &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: meta(hub.SystemNamespace, name)}
	if value != nil {
		s.Data = map[string][]byte{key: value}
	}
	return s
}

// impersonationName is the name of the ClusterRole with the right to act for users of the hub, and of its binding.
const impersonationName = agentName + "-impersonate"

// impersonation returns the ClusterRole with the right to act for users of the hub, and its binding.
func impersonation(rules []rbacv1.PolicyRule) []client.Object {
	version := rbacv1.SchemeGroupVersion.String()
	return []client.Object{
		&rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ClusterRole"}, ObjectMeta: meta("", impersonationName), Rules: rules},
		&rbacv1.ClusterRoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ClusterRoleBinding"}, ObjectMeta: meta("", impersonationName), Subjects: account(),
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: impersonationName},
		},
	}
}

func account() []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: hub.SystemNamespace, Name: agentName}}
}

// deployment returns the Deployment of the agent: one pod, because two agents of one cluster would both deliver.
func (o *Options) deployment() *appsv1.Deployment {
	labels := map[string]string{"app.kubernetes.io/name": agentName}
	args, source, dir := []string{"--cluster=" + o.Cluster, "--hub-kubeconfig=" + kubeconfigDir + "/" + kubeconfigKey}, &corev1.SecretVolumeSource{SecretName: hubSecret}, kubeconfigDir
	if o.Manifests {
		args, dir = append(args[:1], o.registering()...), tokenDir
		source = &corev1.SecretVolumeSource{SecretName: registration.TokenSecret, Optional: ptr.To(true)} // a cluster that is registered needs it no more
	}
	if o.Tunnel.Off {
		args = append(args, "--no-tunnel")
	}
	mounts := []corev1.VolumeMount{{Name: "hub", MountPath: dir, ReadOnly: true}}
	volumes := []corev1.Volume{{Name: "hub", VolumeSource: corev1.VolumeSource{Secret: source}}}
	if o.CacheDir != "" {
		args = append(args, "--cache-dir="+o.CacheDir)
		mounts = append(mounts, corev1.VolumeMount{Name: "cache", MountPath: o.CacheDir})
		inMemory := &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: ptr.To(resource.MustParse("64Mi"))}
		volumes = append(volumes, corev1.Volume{Name: "cache", VolumeSource: corev1.VolumeSource{EmptyDir: inMemory}})
	}
	return &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment"}, ObjectMeta: meta(hub.SystemNamespace, agentName),
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](1), Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					ServiceAccountName: agentName,
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](65532), RunAsGroup: ptr.To[int64](65532), FSGroup: ptr.To[int64](65532),
						SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{{
						Name: agentName, Image: o.Image, Command: []string{"accord-agent"},
						Args: args,
						SecurityContext: &corev1.SecurityContext{
							AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
							Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
						},
						Resources: corev1.ResourceRequirements{
							Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("64Mi")},
							Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")},
						},
						VolumeMounts: mounts,
					}},
					Volumes: volumes,
				},
			},
		},
	}
}

// registering returns the flags with which the agent registers the cluster.
func (o *Options) registering() []string {
	args := []string{"--hub=" + o.Hub, "--token-file=" + tokenDir + "/" + registration.TokenKey}
	for _, pin := range o.Pins {
		args = append(args, "--discovery-token-ca-cert-hash="+pin)
	}
	if o.SkipPins {
		args = append(args, "--discovery-token-unsafe-skip-ca-verification")
	}
	for flag, value := range map[string]string{"region": o.Traits.Region, "provider": o.Traits.Provider, "zones": strings.Join(o.Traits.Zones, ",")} {
		if value != "" {
			args = append(args, "--cluster-"+flag+"="+value)
		}
	}
	slices.Sort(args)
	return args
}
