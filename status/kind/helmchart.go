package kind

var helmChart = source(refersTo([]string{"spec", "verify", "secretRef", "name"}), "url", "observedChartName", "observedSourceArtifactRevision")
