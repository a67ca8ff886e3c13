package stage_test

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

func labelled(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}
