package failover

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/failover"
)

func TestDefaults(t *testing.T) {
	duration := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	builtIn := v1alpha1.Failover{
		MaxUnreachable: "30%", Cooldown: duration(time.Hour), GracefulEvictionTimeout: duration(10 * time.Minute), ResourceEvictionRate: "0.5",
	}
	require.Equal(t, &builtIn, Defaults{}.Over(nil, 30))

	d, flags := Defaults{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	d.Register(flags)
	require.Equal(t, &builtIn, d.Over(&v1alpha1.Failover{}, 30))
	require.NoError(t, flags.Parse([]string{
		"--graceful-eviction-timeout=3m", "--resource-eviction-rate=2.25", "--default-not-ready-toleration-seconds=300",
		"--default-unreachable-toleration-seconds=0", "--failover-witness=cluster/eu-1",
	}))
	require.Equal(t, "cluster/eu-1", d.Witness.String())
	require.Equal(t, &v1alpha1.Failover{
		Enabled: true, MaxUnreachable: "40%", Cooldown: duration(time.Hour), GracefulEvictionTimeout: duration(3 * time.Minute), ResourceEvictionRate: "2.25",
		DefaultNotReadyTolerationSeconds: ptr.To[int64](300), DefaultUnreachableTolerationSeconds: ptr.To[int64](0),
	}, d.Over(&v1alpha1.Failover{Enabled: true}, 40))
	own := v1alpha1.Failover{
		Enabled: true, Stateful: true, MaxUnreachable: "10%", Cooldown: duration(time.Minute), GracefulEvictionTimeout: duration(time.Second), ResourceEvictionRate: "1",
		DefaultNotReadyTolerationSeconds: ptr.To[int64](1), DefaultUnreachableTolerationSeconds: ptr.To[int64](2),
	}
	require.Equal(t, &own, d.Over(&own, 40), "a Federation overrides the hub")

	require.Equal(t, failover.Defaults(), failover.Configured(Defaults{}.Over(nil, 30)), "the flags have the defaults of the decision")

	require.ErrorContains(t, flags.Set("resource-eviction-rate", "-1"), "such as 0.5")
	require.ErrorContains(t, flags.Set("resource-eviction-rate", "1e9"), "such as 0.5")
	require.ErrorContains(t, flags.Set("default-not-ready-toleration-seconds", "-1"), "a number of seconds")
	require.ErrorContains(t, flags.Set("default-unreachable-toleration-seconds", "5m"), "a number of seconds")
}
