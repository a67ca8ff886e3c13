package policy

import (
	"strings"
)

// What people can order about a rollout.
const (
	OrderApprove  = "approve"  // the gate of a stage
	OrderAbort    = "abort"    // halt now
	OrderRollback = "rollback" // halt now, and give the clusters back what they had
	OrderResume   = "resume"   // try again what was halted or rolled back
)

// OrderPrefix plus what is ordered is the annotation of an order, on the RolloutPolicy or on the Release. Its value is
// "<target>", for a stage "<target>@<stage>"; several are separated by commas.
const OrderPrefix = "rollout.accord.dev/"

// Order is one order of a person about a rollout. It is about one target: what would be rolled out, to where. When that
// changes, the order has no meaning any more.
type Order struct {
	// Do is OrderApprove, OrderAbort, OrderRollback or OrderResume.
	Do string `json:"do"`
	// Target is the digest of the rollout, or its first 12 hexadecimal digits or more.
	Target string `json:"target"`
	// Stage that is approved. The other orders are obeyed once; there it is any text that tells this one from an earlier one.
	Stage string `json:"stage,omitempty"`
}

// String is "approve 1f0c9e21aa04@europe".
func (o Order) String() string {
	if o.Stage == "" {
		return o.Do + " " + o.Target
	}
	return o.Do + " " + o.Target + "@" + o.Stage
}

// About says whether the order is about this target, "sha256:<hex>".
func (o Order) About(target string) bool {
	const least = 12
	hex := strings.TrimPrefix(o.Target, "sha256:")
	return len(hex) >= least && strings.HasPrefix(strings.TrimPrefix(target, "sha256:"), hex)
}

// OrdersIn are the orders in annotations. What is no order is left out.
func OrdersIn(annotations map[string]string) []Order {
	var orders []Order
	for _, do := range []string{OrderApprove, OrderAbort, OrderRollback, OrderResume} {
		for value := range strings.SplitSeq(annotations[OrderPrefix+do], ",") {
			target, stage, _ := strings.Cut(strings.TrimSpace(value), "@")
			if target != "" {
				orders = append(orders, Order{Do: do, Target: target, Stage: stage})
			}
		}
	}
	return orders
}
