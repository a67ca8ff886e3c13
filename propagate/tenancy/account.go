package tenancy

import "github.com/accord-dev/accord/api/v1alpha1"

// Account is the account of a member with whose rights accord reads and writes the objects of a Federation. The zero value is accord's
// own account.
type Account struct {
	// Tenant is the name of the Tenant that names the account.
	Tenant string
	// Namespace and Name are those of the ServiceAccount.
	Namespace, Name string
}

// AccountOf returns the account for the objects of a Federation, "namespace/name". It returns a refusal if exactly one Tenant has to
// govern the Federation and none or several do: the account is not known, and nothing may be written.
func AccountOf(tenants []v1alpha1.Tenant, federation string, required bool) (Account, *Refusal) {
	rules, refused := Of(tenants, federation, required)
	if refused != nil {
		return Account{}, refused
	}
	return rules.Account(), nil
}

// Account returns the account that the Tenant names; accord's own for a Tenant without one, and for the nil Rules.
func (r *Rules) Account() Account {
	if r == nil || r.Tenant.Spec.Impersonate == nil {
		return Account{}
	}
	a := r.Tenant.Spec.Impersonate
	return Account{Tenant: r.Tenant.Name, Namespace: a.Namespace, Name: a.ServiceAccount}
}

// User returns the user name of the ServiceAccount; empty for accord's own account.
func (a Account) User() string {
	if a == (Account{}) {
		return ""
	}
	return "system:serviceaccount:" + a.Namespace + ":" + a.Name
}
