package publish

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/propagate/tenancy"
)

// Account finds the account on the clusters for the objects of a Federation.
type Account func(ctx context.Context, federation types.NamespacedName) (tenancy.Account, error)
