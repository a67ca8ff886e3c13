package reconciler

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

// visit connects to a cluster that another replica holds, to ask it something: what it has, and what it would say to a
// plan. The caller closes the connection. Nothing can be written by it.
func (p *prober) visit(ctx context.Context, cluster string) (*clusters.Member, error) {
	c := &v1alpha1.Cluster{}
	if err := p.Get(ctx, types.NamespacedName{Name: cluster}, c); err != nil {
		return nil, err
	}
	secret, err := p.secret(ctx, c)
	if err != nil {
		return nil, err
	}
	cfg, err := clusters.RESTConfig(c, secret)
	if err != nil {
		return nil, err
	}
	dryRun := func(r *http.Request) bool { return r.URL.Query().Get("dryRun") == "All" }
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return fence{next, cluster, dryRun} })
	return clusters.ConnectWith(cfg, cluster, &p.catalogs)
}

// ask calls with a connection to a cluster that answers: the one that this replica has, or one for the time of the call. Why says
// why there is none; then nothing is called.
func (e *engine) ask(ctx context.Context, cluster string, call func(*clusters.Member) error) (why string, err error) {
	if why, _ := e.reach(cluster); why != "" {
		return why, nil
	}
	if b := e.bulkhead(cluster); b != nil {
		return "", call(b.Member)
	}
	if e.visit == nil {
		return "not connected", nil
	}
	m, err := e.visit(ctx, cluster)
	if err != nil {
		return err.Error(), nil
	}
	defer m.Close()
	return "", call(m)
}
