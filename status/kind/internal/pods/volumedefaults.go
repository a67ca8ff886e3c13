package pods

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
)

// fillVolume is fillPod for one volume.
func fillVolume(v *corev1.VolumeSource) {
	switch {
	case *v == corev1.VolumeSource{}:
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	case v.HostPath != nil:
		fill(&v.HostPath.Type, corev1.HostPathUnset)
	case v.Secret != nil:
		fill(&v.Secret.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
	case v.ConfigMap != nil:
		fill(&v.ConfigMap.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
	case v.DownwardAPI != nil:
		fill(&v.DownwardAPI.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
		fillItems(v.DownwardAPI.Items)
	case v.Projected != nil:
		fillProjected(v.Projected)
	case v.ISCSI != nil:
		v.ISCSI.ISCSIInterface = cmp.Or(v.ISCSI.ISCSIInterface, "default")
	case v.Image != nil:
		v.Image.PullPolicy = cmp.Or(v.Image.PullPolicy, pullPolicy(v.Image.Reference))
	case v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil:
		fillClaim(&v.Ephemeral.VolumeClaimTemplate.Spec)
	}
}

func fillProjected(p *corev1.ProjectedVolumeSource) {
	fill(&p.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
	for i := range p.Sources {
		if api := p.Sources[i].DownwardAPI; api != nil {
			fillItems(api.Items)
		}
		if token := p.Sources[i].ServiceAccountToken; token != nil {
			fill(&token.ExpirationSeconds, 60*60)
		}
	}
}

func fillItems(items []corev1.DownwardAPIVolumeFile) {
	for i := range items {
		fillField(items[i].FieldRef)
	}
}
