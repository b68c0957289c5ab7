import type { PostgresServer } from './server.ts';

/** Starts PostgreSQL in a container. Returns undefined without Docker or without the image, which is never pulled. */
export const startContainer = async (image: string): Promise<PostgresServer | undefined> => {
  // Ryuk, which cleans up after crashes, is a separate image and would have to be pulled.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] ??= 'true';
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
  try {
    const docker = await getContainerRuntimeClient();
    if (!(await docker.image.exists(ImageName.fromString(image)))) return undefined;
  } catch {
    return undefined;
  }
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(image)
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'max_connections=200'])
    .withTmpFs({ '/var/lib/postgresql/data': 'rw' })
    .start();
  const stop = async (): Promise<void> => {
    await container.stop();
  };
  return { name: `the container image ${image}`, url: container.getConnectionUri(), stop };
};
