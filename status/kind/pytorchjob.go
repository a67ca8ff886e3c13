package kind

var pyTorchJob = trainingJob(rolesIn("pytorchReplicaSpecs"))
