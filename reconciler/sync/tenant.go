package sync

import (
	"context"
	"errors"
	"fmt"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status"
)

// Rules returns the rules of the Tenant that governs a Federation; nil if none exists and none is required. The error is a
// *status.RefusalError if exactly one Tenant has to govern the Federation and none or several do.
func (c *Controller) Rules(ctx context.Context, fed *v1alpha1.Federation) (*tenancy.Rules, error) {
	list := &v1alpha1.TenantList{}
	if err := c.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing tenants: %w", err)
	}
	rules, refused := tenancy.Of(list.Items, fed.Namespace+"/"+fed.Name, c.RequireTenant)
	if refused != nil {
		return nil, tenantRefusal([]tenancy.Refusal{*refused})
	}
	return rules, nil
}

// tenantRefusal returns the error of refusals; nil without any.
func tenantRefusal(refused []tenancy.Refusal) error {
	if len(refused) == 0 {
		return nil
	}
	var errs []error
	for _, r := range refused {
		errs = append(errs, r)
	}
	return &status.RefusalError{Err: errors.Join(errs...)}
}

// govern finds the Tenant of the Federation. It ends the reconciliation if the Tenant refuses a source, or if no single Tenant
// governs the Federation: nothing is fetched.
func (c *Controller) govern(ctx context.Context, s *scope) (bool, error) {
	rules, err := c.Rules(ctx, s.fed)
	if err == nil {
		s.rules, err = rules, tenantRefusal(rules.Sources(s.fed.Spec.Sources))
	}
	if status.RejectionReason(err) == status.RefusedByTenant {
		c.Sources.pause(s.f.Key())
		c.pool.Enqueue(s.f.SourceUnavailable(err))
		return false, nil
	}
	return err == nil, err
}

// readable returns the rules of the Tenant of a Federation, or an error if the Tenant refuses one of its sources.
func (c *Controller) readable(ctx context.Context, fed *v1alpha1.Federation) (*tenancy.Rules, error) {
	rules, err := c.Rules(ctx, fed)
	if err != nil {
		return nil, err
	}
	return rules, tenantRefusal(rules.Sources(fed.Spec.Sources))
}

// withinFetchTime bounds the time of reading all sources as the Tenant of a Federation does. explain adds the limit to the error of a
// read that it ended.
func withinFetchTime(ctx context.Context, rules *tenancy.Rules) (bounded context.Context, explain func(error) error, end func()) {
	limit := rules.Limits().FetchTimeout.Duration
	if limit == 0 {
		return ctx, func(err error) error { return err }, func() {}
	}
	bounded, end = context.WithTimeout(ctx, limit)
	return bounded, func(err error) error {
		if err != nil && bounded.Err() != nil && ctx.Err() == nil {
			return fmt.Errorf("reading the sources took longer than %s, which is spec.limits.fetchTimeout of Tenant %s: %w", limit, rules.Tenant.Name, err)
		}
		return err
	}, end
}

// Fleet returns the clusters of the hub for a recorded plan: those that exist for the Tenant of the Federation, sorted. If no single
// Tenant governs the Federation any more, it returns all clusters: the digest of the plan decides whether it is the recorded one.
func (c *Controller) Fleet(ctx context.Context, fed *v1alpha1.Federation) ([]v1alpha1.Cluster, error) {
	rules, err := c.Rules(ctx, fed)
	if err != nil && status.RejectionReason(err) != status.RefusedByTenant {
		return nil, err
	}
	all, err := c.clusters(ctx)
	return targets(fed, rules.Members(all)), err
}

// refusedAgain returns the refusal of a recorded revision that is to be delivered again, for example by a rollback.
func (c *Controller) refusedAgain(ctx context.Context, fed *v1alpha1.Federation, parts decode.Parts, plan *propagate.Plan) error {
	parts.Clusters = nil // they are not declared again
	rules, err := c.Rules(ctx, fed)
	if err != nil {
		return err
	}
	return tenantRefusal(rules.Check(tenancy.Revision{Federation: fed, Parts: parts, Plan: plan}))
}

// budget returns the limits of the manifests of a Federation. Without a Tenant they are those of a Tenant without limits of its own.
func budget(rules *tenancy.Rules) *render.Budget {
	if rules != nil {
		return rules.Budget()
	}
	limits := v1alpha1.TenantLimits{}.WithDefaults()
	return render.NewBudget(int(limits.Objects), limits.MaxBytes())
}

// overLimit returns the refusal of manifests that exceed a limit, and any other error as it is.
func overLimit(rules *tenancy.Rules, err error) error {
	if limit, exceeded := errors.AsType[*render.LimitError](err); exceeded && rules == nil {
		return rules.OverLimit(limit)
	} else if exceeded {
		return tenantRefusal([]tenancy.Refusal{rules.OverLimit(limit)})
	}
	return err
}
