# The service on Debian: the pinned Node, the sources, and their production dependencies. It runs as an unprivileged user.
# Its file system may be read-only except for /tmp. docs/containers.md describes its use.

# This Node only runs the installation. The service runs on the version in the lockfile.
FROM node:26-bookworm-slim AS installed
WORKDIR /srv/chapter
ENV CI=1
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/domain/package.json packages/domain/
COPY packages/adapters-http/package.json packages/adapters-http/
COPY packages/adapters-postgres/package.json packages/adapters-postgres/
COPY packages/app/package.json packages/app/
# The only production dependency of the root package is Node for this platform. The optional dependencies are the embedded
# PostgreSQL, which PROD does not use.
RUN pnpm="npx -y $(node -p 'require("./package.json").packageManager')" \
  && $pnpm install --frozen-lockfile --prod --filter . \
  && cp --dereference node_modules/.bin/node /usr/local/bin/pinned-node \
  && rm -r node_modules \
  && $pnpm install --frozen-lockfile --prod --no-optional --filter '@chapter/app...' \
  && find . -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' ')' -delete \
  && rm -rf ~/.npm ~/.cache ~/.local/share/pnpm

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
  && useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin chapter \
  && printf '#!/bin/sh\nexec node /srv/chapter/packages/app/src/cli/main.ts "$@"\n' > /usr/local/bin/chapter \
  && chmod 755 /usr/local/bin/chapter
COPY --from=installed /usr/local/bin/pinned-node /usr/local/bin/node
WORKDIR /srv/chapter
COPY --from=installed /srv/chapter ./
COPY packages packages

USER 10001:10001
ENV NODE_ENV=production CHAPTER_ENV=PROD
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.OPS_PORT ?? 9464}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["chapter"]
CMD ["serve"]
