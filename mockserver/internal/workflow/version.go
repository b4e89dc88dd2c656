package workflow

import "svc.example/understudy/mockserver/internal/op"

// engineVersion is the version of the workflow engine that the mock stands in for. Clients only show it.
const engineVersion = "0.10.5"

func getVersion(*op.Call) (op.Reply, error) {
	return op.OK(map[string]string{"version": engineVersion})
}

type versionCheck struct {
	ServerVersion      string `json:"serverVersion"`
	UpgradeRecommended bool   `json:"upgradeRecommended"`
	APICompatible      bool   `json:"apiCompatible"`
}

// checkVersion turns no client away: the mock knows of none that it does not fit. A client ends when it is not
// compatible, and prints a warning when it should be replaced.
func checkVersion(*op.Call) (op.Reply, error) {
	return op.OK(versionCheck{ServerVersion: engineVersion, APICompatible: true})
}
