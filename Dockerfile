# The companion "assess". .github/workflows/published.yml builds it from the archives of a release, which are unpacked into
# the folders amd64 and arm64.
FROM alpine:3.22@sha256:14358309a308569c32bdc37e2e0e9694be33a9d99e68afb0f5ff33cc1f695dce
ARG TARGETARCH
COPY $TARGETARCH/assess $TARGETARCH/pipeline.sh /usr/local/bin/
COPY $TARGETARCH/LICENSE $TARGETARCH/THIRD_PARTY_LICENSES /usr/share/licenses/assess/
ENV XDG_CACHE_HOME=/tmp
USER 65532
WORKDIR /work
ENTRYPOINT ["assess"]
