package interpret

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind"
)

// maxStatus limits the bytes of a status: one is kept for every object and cluster.
const maxStatus = 32 << 10

// reflect calls ReflectStatus(observed), which returns a table.
func (s *script) reflect(u *unstructured.Unstructured) (map[string]any, error) {
	out, _, err := s.call(u.Object)
	if err != nil {
		return nil, err
	}
	status, err := out.Object(u.Object["status"])
	if err != nil {
		return nil, s.fail(err)
	}
	return status, s.bounded(status)
}

// aggregate calls AggregateStatus(desired, items), which returns the object with the status of all clusters. items is
// nil when there are none.
func (s *script) aggregate(desired *unstructured.Unstructured, items []any) (map[string]any, error) {
	var argument any
	if len(items) > 0 {
		argument = items
	}
	out, _, err := s.call(desired.Object, argument)
	if err != nil {
		return nil, err
	}
	like := []any{desired.Object}
	for _, item := range items {
		item, _ := item.(map[string]any)
		like = append(like, map[string]any{"status": item["status"]})
	}
	object, err := s.object(out, desired, like...)
	if err != nil {
		return nil, err
	}
	status, ok := object["status"].(map[string]any)
	if !ok && object["status"] != nil {
		return nil, s.fail(fmt.Errorf("%s returns a status that is no object", s.op.Function()))
	}
	return status, s.bounded(status)
}

// bounded returns an error for a status that is too long to be kept.
func (s *script) bounded(status map[string]any) error {
	encoded, err := json.Marshal(status)
	if err != nil {
		return s.fail(fmt.Errorf("its status cannot be written: %w", err))
	}
	if len(encoded) > maxStatus {
		return s.fail(fmt.Errorf("%s makes a status of %d bytes, and %d are kept at most", s.op.Function(), len(encoded), maxStatus))
	}
	return nil
}

// statusItems returns the answers in the form that AggregateStatus gets, by cluster. health and appliedMessage are
// unknown here: the summary of the object has them. current is accord's own: the cluster runs the wanted object, and
// its controller has observed it.
func statusItems(answers []kind.Answer) []any {
	answers = slices.SortedFunc(slices.Values(answers), func(a, b kind.Answer) int { return strings.Compare(a.Cluster, b.Cluster) })
	items := make([]any, 0, len(answers))
	for _, a := range answers {
		item := map[string]any{
			"clusterName": a.Cluster, "applied": a.Current || a.Status != nil, "appliedMessage": "", "health": string(kind.Unknown),
			"current": a.Current,
		}
		if a.Status != nil {
			item["status"] = a.Status
		}
		items = append(items, item)
	}
	return items
}

// verdict is the answer of InterpretHealth.
type verdict struct {
	health  kind.Health
	message string
	// boolean is set if the script returned true or false, as in Karmada, and no message.
	boolean bool
}

// interpretHealth calls InterpretHealth(observed), which returns a boolean or one of the words Healthy, Progressing and
// Failed, and optionally a message. False means Progressing: Karmada knows no failure.
func (s *script) interpretHealth(u *unstructured.Unstructured) (verdict, error) {
	out, why, err := s.call(u.Object)
	if err != nil {
		return verdict{}, err
	}
	var v verdict
	healthy, boolean := out.Bool()
	word, _ := out.Text()
	switch {
	case boolean && healthy:
		v.health = kind.Healthy
	case boolean:
		v.health = kind.Progressing
	case word == string(kind.Healthy), word == string(kind.Progressing), word == string(kind.Failed):
		v.health = kind.Health(word)
	default:
		return verdict{}, s.fail(errors.New(s.op.Function() + " returns a " + out.Type() + ", and not true or false"))
	}
	var ok bool
	switch v.message, ok = why.Text(); {
	case ok:
		v.message = strings.ToValidUTF8(v.message, "\uFFFD")
	case why.Type() != "nil":
		return verdict{}, s.fail(errors.New(s.op.Function() + " returns a " + why.Type() + ", and not a message"))
	default:
		v.boolean = boolean
	}
	return v, nil
}
