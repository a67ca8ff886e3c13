// Package tenancy decides whether a Tenant allows a Federation, its sources and its plan. It returns a refusal for everything that
// the Tenant forbids, with the rule, the object, the place and the fix.
package tenancy
