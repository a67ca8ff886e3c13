package rolloutrecord

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func Time(m *metav1.MicroTime) time.Time {
	if m == nil {
		return time.Time{}
	}
	return m.UTC()
}

// MicroTime returns a time as the hub keeps it; remembered times are no finer.
func MicroTime(t time.Time) *metav1.MicroTime {
	if t.IsZero() {
		return nil
	}
	m := metav1.NewMicroTime(t)
	return &m
}
