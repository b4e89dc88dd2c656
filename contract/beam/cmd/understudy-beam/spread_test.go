package main_test

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// spread is a pool of workers for Prism, which asks it for one: that one is several processes, and each bundle goes to
// the next of them, with its data.
type spread struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	t     *testing.T
	pools []string // of the processes

	mu        sync.Mutex
	processes []*process
	owners    map[string]*process // of bundles
}

// startSpread starts a pool of workers, each of which is as many processes, and returns its address.
func startSpread(t *testing.T, processes int) (*spread, string) {
	t.Helper()
	s := &spread{t: t, owners: map[string]*process{}}
	for range processes {
		s.pools = append(s.pools, startWorkers(t))
	}
	address, err := serve(t, func(r grpc.ServiceRegistrar) { fnpb.RegisterBeamFnExternalWorkerPoolServer(r, s) })
	if err != nil {
		t.Fatal(err)
	}
	return s, address
}

// serve starts a server, until the test ends, and returns its address.
func serve(t *testing.T, register func(grpc.ServiceRegistrar)) (string, error) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	if err != nil {
		return "", err
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage))
	register(server)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	return l.Addr().String(), nil
}

const maxMessage = 1 << 30 // bytes

func dial(t *testing.T, address string) (*grpc.ClientConn, error) {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)))
	if err == nil {
		t.Cleanup(func() { _ = conn.Close() })
	}
	return conn, err
}

// StartWorker starts a worker in each of the processes, under the name of the one that the runner asks for.
func (s *spread) StartWorker(_ context.Context, req *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	conn, err := dial(s.t, req.GetControlEndpoint().GetUrl())
	if err != nil {
		return nil, err
	}
	ctx := grpcx.WriteWorkerID(s.t.Context(), req.GetWorkerId())
	runner := fnpb.NewBeamFnControlClient(conn)
	control, err := runner.Control(ctx)
	if err != nil {
		return nil, err
	}
	data, err := fnpb.NewBeamFnDataClient(conn).Data(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	responses, elements := &sender[*fnpb.InstructionResponse]{stream: control}, &sender[*fnpb.Elements]{stream: data}
	for _, address := range s.pools {
		p := &process{
			runner: runner, control: responses, data: elements, ctx: ctx,
			requests: make(chan *fnpb.InstructionRequest, 100), elements: make(chan *fnpb.Elements, 100),
		}
		if err := p.start(s.t, address, req); err != nil {
			return nil, err
		}
		s.processes = append(s.processes, p)
	}
	go s.handOut(control)
	go s.deliver(data)
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker does nothing: workers end with their streams.
func (s *spread) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	return &fnpb.StopWorkerResponse{}, nil
}

// owner returns the process of a bundle, which is the next one if the bundle is new.
func (s *spread) owner(bundle string) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.owners[bundle]
	if !ok {
		p = s.processes[len(s.owners)%len(s.processes)]
		s.owners[bundle] = p
	}
	return p
}

// all lists the processes that have been workers.
func (s *spread) all() []*process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.processes)
}

// handOut gives the requests of the runner to the processes of their bundles.
func (s *spread) handOut(control fnpb.BeamFnControl_ControlClient) {
	for {
		req, err := control.Recv()
		if err != nil {
			for _, p := range s.all() {
				close(p.requests)
			}
			return
		}
		bundle := req.GetInstructionId()
		switch {
		case req.GetProcessBundleProgress() != nil:
			bundle = req.GetProcessBundleProgress().GetInstructionId()
		case req.GetProcessBundleSplit() != nil:
			bundle = req.GetProcessBundleSplit().GetInstructionId()
		}
		s.owner(bundle).requests <- req
	}
}

// deliver gives the data of the runner to the processes of their bundles.
func (s *spread) deliver(data fnpb.BeamFnData_DataClient) {
	for {
		all, err := data.Recv()
		if err != nil {
			return
		}
		for _, d := range all.GetData() {
			s.owner(d.GetInstructionId()).elements <- &fnpb.Elements{Data: []*fnpb.Elements_Data{d}}
		}
		for _, timers := range all.GetTimers() {
			s.owner(timers.GetInstructionId()).elements <- &fnpb.Elements{Timers: []*fnpb.Elements_Timers{timers}}
		}
	}
}

// wantShared wants all processes to have had bundles, and to have read each exchange once in all.
func (s *spread) wantShared(t *testing.T, exchanges int) {
	t.Helper()
	read := 0
	for i, p := range s.all() {
		p.mu.Lock()
		t.Logf("process %d: %d bundles, %d exchanges", i, p.bundles, p.read)
		if read += p.read; p.bundles == 0 {
			t.Errorf("process %d had no bundle", i)
		}
		p.mu.Unlock()
	}
	if read != exchanges || len(s.all()) != len(s.pools) {
		t.Errorf("%d processes read %d exchanges, want %d and %d", len(s.all()), read, len(s.pools), exchanges)
	}
}
