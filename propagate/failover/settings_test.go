package failover_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/failover"
)

func TestConfigured(t *testing.T) {
	require.Equal(t, failover.Defaults(), failover.Configured(nil))
	require.False(t, failover.Defaults().Enabled)
	require.Equal(t, failover.Settings{
		Enabled: true, MaxUnreachable: 50, Cooldown: time.Minute, Stateful: true, GracefulEvictionTimeout: time.Second, EvictionRate: 0,
		NotReadyToleration: new(5 * time.Minute), UnreachableToleration: new(time.Duration(0)),
	}, failover.Configured(&v1alpha1.Failover{
		Enabled: true, MaxUnreachable: "50%", Cooldown: &metav1.Duration{Duration: time.Minute}, Stateful: true,
		GracefulEvictionTimeout: &metav1.Duration{Duration: time.Second}, ResourceEvictionRate: "0",
		DefaultNotReadyTolerationSeconds: new(int64(300)), DefaultUnreachableTolerationSeconds: new(int64(0)),
	}))
}
