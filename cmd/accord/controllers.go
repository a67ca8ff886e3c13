package main

import (
	"context"
	"log/slog"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/reconciler"
	"github.com/accord-dev/accord/reconciler/descheduler"
	"github.com/accord-dev/accord/reconciler/failover"
	"github.com/accord-dev/accord/reconciler/member"
	"github.com/accord-dev/accord/reconciler/metrics"
	"github.com/accord-dev/accord/reconciler/tenant"
	"github.com/accord-dev/accord/reconciler/webhook"
	"github.com/accord-dev/accord/source"
)

// controllerFlags are the flags of commands that run the controllers.
type controllerFlags struct {
	log     logFlags
	health  string
	metrics metrics.Options
	hook    webhook.Options
	pprof   pprofAddress
	members member.Health
	evict   failover.Defaults
	moves   descheduler.Settings

	requireTenant bool
	sources       source.Policy
}

// register adds the flags. local is the default of --allow-local-sources.
func (c *controllerFlags) register(f *pflag.FlagSet, local bool) {
	c.log.register(f)
	f.BoolVar(&c.sources.Local, "allow-local-sources", local, "allow sources at file:// and at paths of this machine, except in the directory of the Git clones")
	f.Var(&c.sources.Networks, "allow-source-networks",
		"loopback, link-local and private networks in which sources and forges may be, such as 10.0.0.0/8 (repeatable; default none)")
	f.StringVar(&c.health, "health-probe-bind-address", "", "address of /healthz and /readyz, host:port (default off)")
	c.metrics.Register(f)
	c.hook.Register(f)
	c.members.Register(f)
	c.evict.Register(f)
	c.moves.Register(f)
	f.BoolVar(&c.requireTenant, "require-tenant", false, "refuse every Federation that no Tenant governs, also while there is no Tenant")
	f.Var(&c.pprof, "pprof", "serve Go profiles of this process at /debug/pprof/ here, loopback only (default off)")
}

// options returns the options of the controllers, without leader election.
func (c *controllerFlags) options(cacheDir string, log *slog.Logger) reconciler.Options {
	return reconciler.Options{
		CacheDir: cacheDir, Sources: c.sources, HealthAddress: c.health, Metrics: c.metrics, Webhook: c.hook, RequireTenant: c.requireTenant, Health: c.members,
		Failover: c.evict, Descheduler: c.moves, Log: logr.FromSlogHandler(log.Handler()),
	}
}

// defaultTenant creates the permissive Tenant of a hub without Tenants, unless Tenants are required. It returns a note about it.
func (c *controllerFlags) defaultTenant(ctx context.Context, cfg *rest.Config) (note string, err error) {
	if c.requireTenant {
		return "", nil
	}
	created, err := tenant.CreateDefault(ctx, cfg)
	if err != nil || !created {
		return "", err
	}
	return "created the Tenant \"" + tenant.DefaultName + "\", which allows everything to every Federation: see docs/how-to/tenants.md\n", nil
}
