package deliver

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/reconciler"
	"github.com/accord-dev/accord/source"
)

// brakePercent is the default of the CustomResourceDefinition.
const brakePercent int32 = 50

// options returns the options of the delivery, and the function that completes the dump.
func (f *flags) options(ctx context.Context, stderr io.Writer) (o reconciler.OnceOptions, closeDump func() error, err error) {
	log := slog.New(slog.DiscardHandler)
	if f.verbose {
		log = slog.New(hub.Stopping(ctx, slog.NewTextHandler(stderr, nil)))
	}
	hub.SetLogger(log)
	f.progress = text.NewProgressLine(stderr, "fetching, planning and dry-run")
	if f.verbose { // the log has every step
		f.progress = &text.ProgressLine{}
	}
	o = reconciler.OnceOptions{Allow: f.allow, Wait: f.wait, Progress: progress.ShowCounts(stderr, f.progress), Log: logr.FromSlogHandler(log.Handler())}
	auth, err := gitrepo.CredentialData(os.Getenv)
	if err != nil {
		return o, nil, err
	}
	if len(auth) > 0 && gitrepo.MayReceive(os.Getenv, f.source.URL, []string{f.source.URL}) {
		f.source.SecretRef = gitrepo.SecretRef()
		o.Auth = map[string]map[string][]byte{f.source.SecretRef.Name: auth}
	}
	o.Federation, o.Sources = f.federation(), source.Policy{Local: true, Networks: egress.Everywhere()}
	if o.Tenants, err = load.ReadTenants(f.tenants); err != nil {
		return o, nil, err
	}
	if o.Configs, err = hub.MemberConfigs(f.kubeconfig, stderr); err != nil {
		return o, nil, err
	}
	if o.CacheDir, err = gitrepo.CacheDir(f.cacheDir); err != nil {
		return o, nil, err
	}
	o.Dump, closeDump, err = f.openDump()
	return o, closeDump, err
}

// federation returns the Federation as it would be declared on a hub.
func (f *flags) federation() v1alpha1.Federation {
	return v1alpha1.Federation{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: f.name},
		Spec: v1alpha1.FederationSpec{
			Sources: []v1alpha1.Source{f.source},
			Prune:   f.prune, PruneLimits: v1alpha1.PruneLimits{MaxPercent: new(brakePercent)}, Preflight: &f.preflight,
		},
	}
}

// openDump creates the file for the dump, if one was requested.
func (f *flags) openDump() (io.Writer, func() error, error) {
	if f.dump == "" {
		return nil, func() error { return nil }, nil
	}
	file, err := os.Create(f.dump)
	if err != nil {
		return nil, nil, fmt.Errorf("making the dump: %w", err)
	}
	return file, file.Close, nil
}
