package core

import (
	"svc.example/understudy/mockserver/internal/op"
)

func getServerStatus(*op.Call) (op.Reply, error) { return op.OK(map[string]string{"status": "ok"}) }
