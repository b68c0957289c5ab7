import { mkdirSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { type DataDirectory, openDataDirectory } from '../../src/embedded/data-directory.ts';
import { joinStarting } from '../../src/embedded/join.ts';
import { rejectConnections, STARTING, WRONG_LOGIN } from './fake-postgres.ts';

describe('The end of a process that uses the embedded PostgreSQL', () => {
  let directory: DataDirectory;
  let server: Server | undefined;
  beforeEach(async () => {
    directory = await openDataDirectory(join(makeFolder(), 'data'));
    mkdirSync(directory.cluster);
  });
  afterEach(() => void server?.close());

  const outcome = (): Promise<unknown> =>
    joinStarting(directory, { pidFileMs: 0, transitionMs: 0 }).catch(({ message }: Error) => message);

  it('waits without a limit for a server that recovers', async () => {
    server = await rejectConnections(directory, [STARTING, STARTING, STARTING, WRONG_LOGIN]);
    expect(await outcome()).to.equal(WRONG_LOGIN[1]);
  });

  it('does not wait without a limit for a server that does not run, or that shuts down', async () => {
    expect(await outcome()).to.equal(undefined);
    server = await rejectConnections(directory, [['57P03', 'the database system is shutting down']]);
    expect(await outcome()).to.equal(undefined);
  });
});
