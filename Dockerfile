# The mock and the checker as an image of one static binary, without a shell, a package manager or root:
#
#     docker build -t understudy . && docker run --rm -p 4010:4010 understudy
#
# GOLANG is the image of the Go toolchain; CGO is off, so that any does. COMMANDS are the packages that are built: add
# ./cmd/understudy-libopenapi for the second engine of understudy check, which takes minutes to compile. VERSION and
# COMMIT are what understudy --version shows; without a VERSION it shows devel. GOPROXY is where modules come
# from, and GOCACHE where what is compiled is kept. Images for other platforms are compiled on this one.
ARG GOLANG=docker.io/library/golang:1.26-alpine

FROM --platform=${BUILDPLATFORM} ${GOLANG} AS build
ARG TARGETOS=
ARG TARGETARCH=
ARG COMMANDS=./cmd/understudy
ARG VERSION=
ARG COMMIT=
ARG GOPROXY=https://proxy.golang.org,direct
ARG GOCACHE=/root/.cache/go-build
WORKDIR /src
COPY . .
ENV CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false"
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOMODCACHE=/go/pkg/mod GOCACHE=${GOCACHE} GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -o /out/bin/ -ldflags "-s -w \
        -X svc.example/understudy/internal/version.release=${VERSION} \
        -X svc.example/understudy/internal/version.commit=${COMMIT}" ${COMMANDS}
# What programs expect of a machine: the authorities that understudy proxy trusts when it calls the real service, and
# folders for temporary files, for the CA of --tls and to work in.
RUN mkdir -p /out/root/etc/ssl/certs /out/root/tmp /out/own/home/understudy /out/own/work \
    && chmod 1777 /out/root/tmp && cp /etc/ssl/certs/ca-certificates.crt /out/root/etc/ssl/certs/

FROM scratch
LABEL org.opencontainers.image.title="understudy" \
      org.opencontainers.image.description="A stateful mock of a data platform's six HTTP interfaces, and a contract checker" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/root/ /
COPY --from=build --chown=65532:65532 /out/own/ /
COPY --from=build /out/bin/ /usr/local/bin/
ENV HOME=/home/understudy UNDERSTUDY_LISTEN=0.0.0.0:4010
USER 65532:65532
WORKDIR /work
EXPOSE 4010
# Exec form: the image has no shell. Readiness needs no token; everything else at /_understudy/ does, since the address
# is not a loopback one: that of UNDERSTUDY_CONTROL_TOKEN, or else one that the first lines of the log show.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 CMD ["/usr/local/bin/understudy", "health"]
ENTRYPOINT ["/usr/local/bin/understudy"]
CMD ["serve"]
