package policy

// Values of fields in manifests.
const (
	Duplicated       = "Duplicated"
	Divided          = "Divided"
	Weighted         = "Weighted"
	Aggregated       = "Aggregated"
	Abort            = "Abort"
	Overwrite        = "Overwrite"
	Always           = "Always"
	Lazy             = "Lazy"
	Never            = "Never"
	Directly         = "Directly"
	Gracefully       = "Gracefully"
	DefaultScheduler = "default-scheduler"
)
