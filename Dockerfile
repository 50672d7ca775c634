# The gateway without embedded servers: set DATABASE_URL and CHROMA_URL to a PostgreSQL and a Chroma server.
# Debian trixie has glibc 2.41; Chroma's native binding, a dependency of the package, does not load below 2.38.
FROM node:24.18.0-trixie-slim AS build
WORKDIR /app
# A separate layer, so that a change of the code does not download the packages again.
COPY package.json package-lock.json .npmrc ./
# Not `npm ci`: it refuses a lock file that lacks an optional package of another platform.
RUN npm install --ignore-scripts
COPY . .
RUN npm run setup && npm prune --omit=dev --ignore-scripts

FROM node:24.18.0-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
# As in `npm start`: glibc returns the memory of large arrays to the system (docs/deployment.md).
ENV MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Files that the program reads at run time.
COPY --from=build /app/prisma/migrations ./prisma/migrations
COPY --from=build /app/src/text/k12-words.txt /app/src/text/k12-synonyms.txt /app/src/text/pinyin.txt ./src/text/
COPY --from=build /app/sample ./sample
COPY --from=build /app/schema.graphql ./
# The documents that the page at / links to.
COPY --from=build /app/README.md /app/README.zh-CN.md ./
COPY --from=build /app/docs ./docs
# A volume that is mounted here for the first time gets this owner.
RUN install --directory --owner=node --group=node /data
USER node
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/main.js"]
