package interpret

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/interpret/sandbox"
)

// workload is the result of GetReplicas: the number of replicas and the requests of one.
type workload struct {
	replicas int32
	requests corev1.ResourceList
	needs    map[string]any // the whole second result
}

// replicas calls GetReplicas(obj): a number, and a table or nil (Karmada §7.1).
func (s *script) replicas(u *unstructured.Unstructured) (workload, error) {
	count, per, err := s.call(u.Object)
	if err != nil {
		return workload{}, err
	}
	n, err := whole(count)
	if err != nil {
		return workload{}, unusable{s.fail(fmt.Errorf("%s returns %w", s.op.Function(), err))}
	}
	needs, err := per.JSON()
	if err != nil {
		return workload{}, s.fail(err)
	}
	object, _ := needs.(map[string]any)
	requests, err := requestsOf(object)
	if err != nil {
		return workload{}, unusable{s.fail(err)}
	}
	return workload{n, requests, object}, nil
}

// unusable is the error of a script that worked and returned a value that is no number of replicas, or no quantity: the
// object has such a value, and not the script a mistake.
type unusable struct{ error }

func (e unusable) Unwrap() error { return e.error }

// mistakesOr returns the mistakes that the built-in rules find, and an unusable result of the script.
func mistakesOr(c replicaScript, built func(*unstructured.Unstructured) []manifest.Mistake) func(*unstructured.Unstructured) []manifest.Mistake {
	return func(u *unstructured.Unstructured) []manifest.Mistake {
		if built != nil {
			if found := built(u); len(found) > 0 {
				return found
			}
		}
		_, err := c(u)
		if _, is := errors.AsType[unusable](err); !is {
			return nil
		}
		return []manifest.Mistake{{Message: fmt.Sprintf("the replicas or requests of %s %s cannot be read: %v", u.GetKind(), u.GetName(), err)}}
	}
}

// whole returns a number of replicas.
func whole(v sandbox.Result) (int32, error) {
	n, ok := v.Number()
	if !ok {
		return 0, fmt.Errorf("a %s, and not a number of replicas", v.Type())
	}
	if n != math.Trunc(n) || n < 0 || n > math.MaxInt32 {
		return 0, fmt.Errorf("%v, which is no number of replicas", n)
	}
	return int32(n), nil
}

// requestsOf returns resourceRequest of the requirements that GetReplicas returned, by the rules of kind.Kind:
// positive, and small enough to be counted in thousandths.
func requestsOf(needs map[string]any) (corev1.ResourceList, error) {
	list, _ := needs["resourceRequest"].(map[string]any)
	requests := corev1.ResourceList{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		s := fmt.Sprint(list[name])
		if manifest.Endless(s) {
			return nil, fmt.Errorf("%q of %s is no sensible quantity", sandbox.Shorten(s), sandbox.Shorten(name))
		}
		q, err := resource.ParseQuantity(s)
		if err != nil {
			return nil, fmt.Errorf("%q of %s is no quantity", sandbox.Shorten(s), sandbox.Shorten(name))
		}
		if most := *resource.NewQuantity(math.MaxInt64/1000, resource.DecimalSI); q.Cmp(most) > 0 {
			q = most
		}
		if q.Sign() > 0 && q.MilliValue() > 0 {
			requests[corev1.ResourceName(name)] = q
		}
	}
	return requests, nil
}

// revise calls ReviseReplica(obj, n), which returns the object.
func (s *script) revise(u *unstructured.Unstructured, n int32) (map[string]any, error) {
	out, _, err := s.call(u.Object, n)
	if err != nil {
		return nil, err
	}
	return s.object(out, u, u.Object)
}
