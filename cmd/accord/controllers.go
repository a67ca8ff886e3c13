package main

import (
	"log/slog"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/reconciler"
)

// controllerFlags are the flags of commands that run the controllers.
type controllerFlags struct {
	log     logFlags
	health  string
	metrics string
	hook    string
	pprof   pprofAddress
}

func (c *controllerFlags) register(f *pflag.FlagSet) {
	c.log.register(f)
	f.StringVar(&c.health, "health-probe-bind-address", "", "address of /healthz and /readyz, host:port (default off)")
	f.StringVar(&c.metrics, "metrics-bind-address", "", "address of /metrics, host:port (default off)")
	f.StringVar(&c.hook, "webhook-bind-address", "", "address of the webhook, host:port, POST /hook/<namespace>/<federation> (default off)")
	f.Var(&c.pprof, "pprof", "serve Go profiles of this process at /debug/pprof/ here, loopback only (default off)")
}

// options returns the options of the controllers, without leader election.
func (c *controllerFlags) options(cacheDir string, log *slog.Logger) reconciler.Options {
	return reconciler.Options{
		CacheDir: cacheDir, HealthAddress: c.health, MetricsAddress: c.metrics, HookAddress: c.hook,
		Log: logr.FromSlogHandler(log.Handler()),
	}
}
