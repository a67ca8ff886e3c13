package proxy

import (
	"fmt"
	"net/http"
	"strings"
)

// accounts begins the names of ServiceAccounts.
const accounts = internalPrefix + "serviceaccount:"

// ForwardAt sends a request to the cluster that has authenticated the caller, which is the hub: every name means there what it means here, and
// no group is dropped.
func (m *Member) ForwardAt(w http.ResponseWriter, r *http.Request, c Caller) {
	if err := CheckPath(r.URL); err != nil {
		Refuse(w, err)
		return
	}
	if !strings.HasPrefix(c.User, accounts) { // the hub itself decides about accounts
		allowed, err := m.rights.may(r.Context(), m.name, question{"users", c.User})
		if err == nil && !allowed {
			err = forbidden(m.name, fmt.Sprintf("no ResourceRegistry names the resource, so that the request is for the hub, where the account of accord may not act for user %q: "+
				"send the request to the hub itself, or name the resource in a ResourceRegistry", c.User))
		}
		if err != nil {
			Refuse(w, err)
			return
		}
	}
	m.send(w, r, c)
}

// ForwardOwn sends a request with the rights of accord. The caller was authorized before.
func (m *Member) ForwardOwn(w http.ResponseWriter, r *http.Request) {
	if err := CheckPath(r.URL); err != nil {
		Refuse(w, err)
		return
	}
	forward(w, r, m.name, m.base, m.ordinary, Caller{})
}
