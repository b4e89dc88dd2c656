package ingestion_test

import (
	"os"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

func TestMain(m *testing.M) { os.Exit(mocktest.Main(m, "ingestion")) }
