package inventory

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Suffix returns the last part of the name of the part that begins with an entry.
func Suffix(from string) string {
	if from == "" {
		return "0"
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(from)))[:10]
}

// Name returns the name of a part of the inventory of a Delivery.
func Name(delivery, suffix string) string { return delivery + "-" + suffix }

// SuffixOf returns the suffix in the name of a part.
func SuffixOf(name string) string { return name[strings.LastIndexByte(name, '-')+1:] }

// Spec returns a part of the inventory of a Delivery as the hub stores it.
func (p Part) Spec(of v1alpha1.DeliverySpec) v1alpha1.InventorySpec {
	s := v1alpha1.InventorySpec{
		Federation: of.Federation, Cluster: of.Cluster, From: p.From, To: p.To, Count: int32(len(p.Entries)), Entries: p.Entries,
	}
	s.Digest = digest(s)
	return s
}

// digest returns the digest of all other fields. No field has a line break, and only the entries are repeated.
func digest(s v1alpha1.InventorySpec) string {
	h := sha256.New()
	for _, field := range []string{s.Federation, s.Cluster, s.From, s.To} {
		fmt.Fprintln(h, field)
	}
	for _, entry := range s.Entries {
		h.Write([]byte(entry))
		h.Write([]byte{'\n'})
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// fix ends each error of Read.
const fix = "nothing is written to the cluster; restore the Inventory from a backup, or delete the Delivery: " +
	"accord then asks the cluster for the objects that it has"

// Read puts the parts of a Delivery together. Parts of another Delivery of the same name, which was deleted, do not count. An
// error means that a part is missing or was changed, and that the entries are not complete.
//
// A Delivery counts its objects after all parts were written, and before any entry is removed. Therefore the parts never have
// fewer entries than the Delivery counts. A Delivery without a count was not recorded completely: nothing was written to the
// cluster, or the cluster can be asked, and parts that do not fit are written again.
func Read(d *v1alpha1.Delivery, parts []*v1alpha1.Inventory) (Recorded, error) {
	var mine []*v1alpha1.Inventory
	var doubts []string
	var errs []error
	for _, p := range parts {
		if !owned(p, d) {
			doubts = append(doubts, SuffixOf(p.Name))
			continue
		}
		if err := check(d, p); err != nil {
			errs, doubts = append(errs, err), append(doubts, SuffixOf(p.Name))
			continue
		}
		mine = append(mine, p)
	}
	slices.SortFunc(mine, func(a, b *v1alpha1.Inventory) int { return strings.Compare(a.Spec.From, b.Spec.From) })
	r, gaps := join(mine)
	errs = append(errs, gaps...)
	if n := int(d.Status.InventoryCount); len(errs) == 0 && len(r.entries) < n {
		errs = append(errs, fmt.Errorf("an inventory has all objects that its Delivery counts: there are %d entries in the Inventories, and status.inventoryCount is %d",
			len(r.entries), n))
	}
	if len(errs) == 0 {
		return r.Doubt(doubts...), nil
	}
	for _, p := range mine {
		doubts = append(doubts, SuffixOf(p.Name))
	}
	if d.Status.InventoryCount == 0 {
		return Recorded{}.Doubt(doubts...), nil
	}
	more := ""
	if n := len(errs) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return Recorded{entries: r.entries}.Doubt(doubts...), fmt.Errorf("the inventory of Delivery %s/%s cannot be read: %w%s; %s", d.Namespace, d.Name, errs[0], more, fix)
}

// owned reports whether a part belongs to a Delivery, and not to a deleted one of the same name.
func owned(p *v1alpha1.Inventory, d *v1alpha1.Delivery) bool {
	return slices.ContainsFunc(p.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == d.UID })
}

// check returns the change that somebody made to a part.
func check(d *v1alpha1.Delivery, p *v1alpha1.Inventory) error {
	s := p.Spec
	switch {
	case digest(s) != s.Digest || int(s.Count) != len(s.Entries):
		return fmt.Errorf("an Inventory has the digest of its entries: somebody changed Inventory %s", p.Name)
	case s.Federation != d.Spec.Federation || s.Cluster != d.Spec.Cluster || p.Name != Name(d.Name, Suffix(s.From)):
		return fmt.Errorf("an Inventory is named after its Delivery and its first entry: Inventory %s is a copy of one of federation %s on cluster %s", p.Name, s.Federation, s.Cluster)
	case !slices.IsSorted(s.Entries) || len(between(s.Entries, s.From, s.To)) < len(s.Entries):
		return fmt.Errorf("the entries of an Inventory are sorted and lie between its bounds: those of Inventory %s do not", p.Name)
	}
	return nil
}

// join puts sorted parts together. Each error names a range that no part has. Parts of an interrupted write may overlap: they
// are in doubt, and both count.
func join(parts []*v1alpha1.Inventory) (r Recorded, errs []error) {
	if len(parts) == 0 {
		return r, []error{missing("", "")}
	}
	var doubts []string
	reach, ends := "", false // the end of the range that the parts before cover
	for i, p := range parts {
		s := p.Spec
		if !ends && s.From > reach {
			errs = append(errs, missing(reach, s.From))
		}
		if i > 0 && parts[i-1].Spec.To != s.From {
			doubts = append(doubts, SuffixOf(parts[i-1].Name), SuffixOf(p.Name))
		}
		ends, reach = ends || s.To == "", max(reach, s.To)
		r.froms, r.entries = append(r.froms, s.From), append(r.entries, s.Entries...)
	}
	if !ends {
		errs = append(errs, missing(reach, ""))
	}
	if last := parts[len(parts)-1]; last.Spec.To != "" {
		doubts = append(doubts, SuffixOf(last.Name))
	}
	if len(doubts) > 0 {
		slices.Sort(r.entries)
		r.entries = slices.Compact(r.entries)
		r = r.Doubt(doubts...)
	}
	return r, errs
}

// missing returns the error about a range that no part has.
func missing(from, to string) error {
	switch {
	case from == "" && to == "":
		return errors.New("a Delivery that counts objects has Inventories: all are missing")
	case from == "":
		return fmt.Errorf("the Inventories have all entries: the one before %q is missing", to)
	case to == "":
		return fmt.Errorf("the Inventories have all entries: the one from %q on is missing", from)
	}
	return fmt.Errorf("the Inventories have all entries: the one from %q to %q is missing", from, to)
}
