# The program alone. The folder of the build has the static programs of both processors: linux/amd64/pdblens, linux/arm64/pdblens.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/pdblens /pdblens
WORKDIR /work
ENTRYPOINT ["/pdblens"]
