# The program alone. The folder of the build has the static programs of both processors: linux/amd64/pdblens, linux/arm64/pdblens.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/pdblens /pdblens
WORKDIR /work
# Nobody: files that are written belong to the user of `docker run --user`.
USER 65534:65534
# A kernel without Landlock is an error; `-e PDBLENS_SANDBOX=auto` goes on without it.
ENV PDBLENS_SANDBOX=require
ENTRYPOINT ["/pdblens"]
