# Builds rubato and keeps nothing but what it runs: Node 24, the compiled program with its page, its packages.
#
#   docker build -t rubato .
#   docker run --rm --read-only --cap-drop ALL --security-opt no-new-privileges \
#     -p 8080:8080 -p 127.0.0.1:9464:9464 -e RUBATO_UPSTREAM=http://engine:8000 rubato
#
# After `docker stop` open streams may finish for RUBATO_DRAIN seconds (25), so give it as long:
# `docker stop --time 30`. More ways to run it are in deploy/.
# `--network host` saves the stream two hops through the bridge of Docker.

FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No package needs its install script to be compiled with; the pinned Node is this image's own.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM node:24-trixie-slim AS packages
WORKDIR /build
COPY package.json package-lock.json ./
# npm keeps the compiler (31 MB) because one package names it as an optional peer; nothing loads it.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -r node_modules/typescript node_modules/@typescript

# Node and its libraries without a shell or a package manager, as user 65532.
FROM gcr.io/distroless/nodejs24-debian13:nonroot
WORKDIR /rubato
COPY --from=packages /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY package.json LICENSE ./
# A container's own network is the border; which port the world sees is decided by whoever runs it.
ENV NODE_ENV=production \
    RUBATO_LISTEN=0.0.0.0:8080 \
    RUBATO_ADMIN=0.0.0.0:9464
EXPOSE 8080 9464
# By number, which `runAsNonRoot` of Kubernetes can check.
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 \
  CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${(process.env.RUBATO_ADMIN ?? ':9464').split(':').pop()}/healthz`, { signal: AbortSignal.timeout(2500) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/rubato/dist/main.js"]
CMD ["serve"]
