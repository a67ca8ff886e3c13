package descheduler

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestSettings(t *testing.T) {
	enabled := &v1alpha1.Descheduler{Enabled: true}
	own := &v1alpha1.Descheduler{Enabled: true, UnschedulableThreshold: &metav1.Duration{Duration: time.Minute}}
	require.Zero(t, Settings{}.Threshold(nil))
	require.Zero(t, Settings{}.Threshold(&v1alpha1.Descheduler{UnschedulableThreshold: own.UnschedulableThreshold}), "it is off")
	require.Equal(t, 5*time.Minute, Settings{}.Threshold(enabled))
	require.Equal(t, 2*time.Minute, Settings{}.Period())

	s, flags := Settings{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Register(flags)
	require.NoError(t, flags.Parse([]string{"--unschedulable-threshold=3m", "--descheduling-interval=10s"}))
	require.Equal(t, 3*time.Minute, s.Threshold(enabled))
	require.Equal(t, time.Minute, s.Threshold(own), "a Federation overrides the hub")
	require.Equal(t, 10*time.Second, s.Period())
}
