package main_test

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"svc.example/understudy/contract/beam/pipeline"
)

// process is one of the processes, and the server that it takes for the runner.
type process struct {
	fnpb.UnimplementedBeamFnControlServer
	fnpb.UnimplementedBeamFnDataServer
	runner   fnpb.BeamFnControlClient
	control  *sender[*fnpb.InstructionResponse] // to the runner
	data     *sender[*fnpb.Elements]
	requests chan *fnpb.InstructionRequest // of the runner
	elements chan *fnpb.Elements
	address  string
	ctx      context.Context // with the name of the worker

	mu      sync.Mutex
	bundles int // that it has ended
	read    int // exchanges
}

// sender sends messages of several goroutines.
type sender[M any] struct {
	mu     sync.Mutex
	stream interface{ Send(M) error }
}

func (s *sender[M]) send(m M) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream.Send(m)
}

// start starts the worker of a process, which has a pool at an address.
func (p *process) start(t *testing.T, address string, req *fnpb.StartWorkerRequest) (err error) {
	t.Helper()
	p.address, err = serve(t, func(r grpc.ServiceRegistrar) {
		fnpb.RegisterBeamFnControlServer(r, p)
		fnpb.RegisterBeamFnDataServer(r, p)
	})
	if err != nil {
		return err
	}
	pool, err := dial(t, address)
	if err != nil {
		return err
	}
	resp, err := fnpb.NewBeamFnExternalWorkerPoolClient(pool).StartWorker(t.Context(), &fnpb.StartWorkerRequest{
		WorkerId: req.GetWorkerId(), LoggingEndpoint: req.GetLoggingEndpoint(),
		ControlEndpoint: &pipepb.ApiServiceDescriptor{Url: p.address},
	})
	if resp.GetError() != "" {
		err = errors.New(resp.GetError())
	}
	return err
}

// Control shows the process its requests, and the runner its responses.
func (p *process) Control(stream fnpb.BeamFnControl_ControlServer) error {
	return relay(stream, p.requests, func(resp *fnpb.InstructionResponse) error {
		p.count(resp)
		return p.control.send(resp)
	})
}

// Data shows the process its data, and the runner what it makes of them.
func (p *process) Data(stream fnpb.BeamFnData_DataServer) error {
	return relay(stream, p.elements, p.data.send)
}

// relay sends to a process what is for it, and hands on what it sends, until one of them ends.
func relay[In, Out any](stream interface {
	Send(Out) error
	Recv() (In, error)
	Context() context.Context
}, out <-chan Out, handOn func(In) error,
) error {
	go func() {
		for {
			if m, err := stream.Recv(); err != nil || handOn(m) != nil {
				return
			}
		}
	}()
	for {
		select {
		case m, ok := <-out:
			if !ok {
				return nil
			}
			if err := stream.Send(m); err != nil {
				return err
			}
		case <-stream.Context().Done():
			return stream.Context().Err()
		}
	}
}

// count notes what a process has done, and leaves the runner no metrics: each process numbers them on its own.
func (p *process) count(resp *fnpb.InstructionResponse) {
	if progress := resp.GetProcessBundleProgress(); progress != nil {
		progress.MonitoringData = nil
	}
	done := resp.GetProcessBundle()
	if done == nil {
		return
	}
	done.MonitoringData = nil
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bundles++
	for _, info := range done.GetMonitoringInfos() {
		if info.GetLabels()["NAME"] == pipeline.Read {
			n, _ := binary.Uvarint(info.GetPayload())
			p.read += int(n)
		}
	}
}

// GetProcessBundleDescriptor returns the description of a step, whose data come through this server.
func (p *process) GetProcessBundleDescriptor(_ context.Context, req *fnpb.GetProcessBundleDescriptorRequest,
) (*fnpb.ProcessBundleDescriptor, error) {
	described, err := p.runner.GetProcessBundleDescriptor(p.ctx, req)
	if err != nil {
		return nil, err
	}
	for _, transform := range described.GetTransforms() {
		switch spec := transform.GetSpec(); spec.GetUrn() {
		case "beam:runner:source:v1", "beam:runner:sink:v1":
			var port fnpb.RemoteGrpcPort
			if err := proto.Unmarshal(spec.GetPayload(), &port); err != nil {
				return nil, err
			}
			port.ApiServiceDescriptor = &pipepb.ApiServiceDescriptor{Url: p.address}
			if spec.Payload, err = proto.Marshal(&port); err != nil {
				return nil, err
			}
		}
	}
	return described, nil
}
