package kind

var tfJob = trainingJob(rolesIn("tfReplicaSpecs"))
