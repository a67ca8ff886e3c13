package failover

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/witness"
)

const (
	// defaultTimeout, defaultRate and defaultCooldown are those of Karmada 1.3; Karmada has no cooldown.
	defaultTimeout  = 10 * time.Minute
	defaultRate     = "0.5"
	defaultCooldown = time.Hour
)

// Defaults are the settings of the hub for the Federations that do not set them. The zero Defaults have the defaults of the flags.
type Defaults struct {
	timeout               time.Duration
	rate                  rate
	notReady, unreachable seconds
	// Witness has to be reachable: otherwise accord evicts nothing.
	Witness witness.Address
}

// Register adds the flags. Where Karmada 1.3 has a flag, the name is the same.
func (d *Defaults) Register(f *pflag.FlagSet) {
	d.timeout, d.rate = defaultTimeout, defaultRate
	f.DurationVar(&d.timeout, "graceful-eviction-timeout", d.timeout, "time after which an evicted copy is deleted if at least one replacement is healthy, in Federations without gracefulEvictionTimeout")
	f.Var(&d.rate, "resource-eviction-rate", "objects of one Federation without resourceEvictionRate that are evicted in one second")
	f.Var(&d.notReady, "default-not-ready-toleration-seconds", "time for which policies without a toleration for cluster.karmada.io/not-ready:NoExecute tolerate this taint, in Federations without defaultNotReadyTolerationSeconds (default none)")
	f.Var(&d.unreachable, "default-unreachable-toleration-seconds", "the same for cluster.karmada.io/unreachable:NoExecute (default none)")
	f.Var(&d.Witness, "failover-witness", "URL, or cluster/NAME, that has to be reachable: otherwise accord evicts nothing and adds no taint NoExecute (default none)")
}

// Over returns spec.failover of a Federation with the settings of the hub where it has none. maxUnreachable is the percentage of
// --failover-max-unreachable.
func (d Defaults) Over(f *v1alpha1.Failover, maxUnreachable int) *v1alpha1.Failover {
	if f == nil {
		f = &v1alpha1.Failover{}
	}
	hub := v1alpha1.Failover{
		MaxUnreachable: strconv.Itoa(maxUnreachable) + "%", Cooldown: &metav1.Duration{Duration: defaultCooldown}, ResourceEvictionRate: string(d.rate),
		GracefulEvictionTimeout:          &metav1.Duration{Duration: d.timeout},
		DefaultNotReadyTolerationSeconds: d.notReady.value, DefaultUnreachableTolerationSeconds: d.unreachable.value,
	}
	if d.timeout == 0 {
		hub.GracefulEvictionTimeout.Duration = defaultTimeout
	}
	if d.rate == "" {
		hub.ResourceEvictionRate = defaultRate
	}
	return new(f.WithDefaults(hub))
}

// rate is a flag with the pattern of resourceEvictionRate.
type rate string

var rates = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,3})?$`)

// String implements pflag.Value.
func (r *rate) String() string { return string(*r) }

// Type implements pflag.Value.
func (*rate) Type() string { return "float" }

// Set implements pflag.Value.
func (r *rate) Set(text string) error {
	if !rates.MatchString(text) {
		return fmt.Errorf("%q: expected a number of objects with at most three decimals, such as 0.5", text)
	}
	*r = rate(text)
	return nil
}

// seconds is an optional flag.
type seconds struct{ value *int64 }

// String implements pflag.Value.
func (s *seconds) String() string {
	if s.value == nil {
		return ""
	}
	return strconv.FormatInt(*s.value, 10)
}

// Type implements pflag.Value.
func (*seconds) Type() string { return "int" }

// Set implements pflag.Value.
func (s *seconds) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%q: expected a number of seconds, such as 300", text)
	}
	s.value = &n
	return nil
}
