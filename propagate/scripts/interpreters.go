// Package scripts has the scripts by which users teach accord about kinds.
package scripts

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/status/interpret"
)

// Interpreters are the customizations of users. They never change.
type Interpreters struct {
	Book *interpret.Book // nil without customizations
	ID   string          // identifies Book; empty for nil
	// Customizations and Health are the sources of Book.
	Customizations []policy.Customization
	Health         []interpret.HealthExprs
}

// Next returns the interpreters of customizations and health expressions. It returns the same ones if these are equal.
func (i Interpreters) Next(customizations []policy.Customization, health []interpret.HealthExprs) (Interpreters, error) {
	id := ID(customizations, health)
	switch id {
	case "":
		return Interpreters{}, nil
	case i.ID:
		return i, nil
	}
	book, err := interpret.New(customizations, health)
	return Interpreters{Book: book, ID: id, Customizations: customizations, Health: health}, err
}

// ID identifies customizations and health expressions: empty for none.
func ID(customizations []policy.Customization, health []interpret.HealthExprs) string {
	if len(customizations) == 0 && len(health) == 0 {
		return ""
	}
	var b digest.Line
	for _, c := range slices.SortedFunc(slices.Values(customizations), func(a, b policy.Customization) int { return cmp.Compare(a.Name, b.Name) }) {
		b = b.Texts(c.Name, c.Spec.Target.APIVersion, c.Spec.Target.Kind).End()
		for _, op := range policy.Operations() {
			b = b.Text(c.Script(op)).End()
		}
	}
	for _, h := range health {
		b = b.Texts(h.APIVersion, h.Kind, h.Current, h.InProgress, h.Failed).End()
	}
	return digest.Of(b)
}
