import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { expect } from 'chai';
import { readConfig } from '../../src/config/config.ts';
import {
  connectionCapacity,
  memoryOfProcess,
  parseOpenFiles,
  readOpenFiles,
} from '../../src/config/connection-limit.ts';
import { faultsOf } from './settings.ts';

const POOL = { DATABASE_POOL_SIZE: '5' };
const REPLICAS = { ...POOL, DATABASE_REPLICA_URLS: 'postgresql://u@a/c,postgresql://u@b/c' };

const MIB = 2 ** 20;

/** Unless given, each worker has 1 GiB of memory. */
const maxConnectionsOf = (
  variables: Record<string, string>,
  openFiles?: number,
  memoryOf: (workers: number) => number = () => 1024 * MIB,
): number => readConfig(variables, 'serve', openFiles, memoryOf).http.maxConnections;

describe('The limit of connections', () => {
  it('is the limit of open files minus the pools, one connection for /readyz, two for exports and a reserve of 64', () => {
    expect(connectionCapacity(1024, 10)).to.equal(950);
    expect(maxConnectionsOf({}, 1024)).to.equal(1024 - 10 - 1 - 2 - 64);
    expect(maxConnectionsOf(POOL, 1024)).to.equal(1024 - 5 - 1 - 2 - 64);
    expect(maxConnectionsOf(REPLICAS, 1024)).to.equal(1024 - 3 * 5 - 1 - 2 - 64);
  });

  it('is read from the limits of this process', () => {
    expect(maxConnectionsOf({}, undefined, () => Number.POSITIVE_INFINITY)).to.equal(
      connectionCapacity(readOpenFiles(), 13),
    );
    expect(parseOpenFiles({ userLimits: { open_files: { soft: 256 } } })).to.equal(256);
    expect(parseOpenFiles({ userLimits: { open_files: { soft: 'unlimited' } } })).to.equal(Number.POSITIVE_INFINITY);
    expect(parseOpenFiles({})).to.equal(Number.POSITIVE_INFINITY);
  });

  it('needs at most a quarter of the memory of a process, with 40 KiB for each connection', () => {
    expect(maxConnectionsOf({}, Number.POSITIVE_INFINITY)).to.equal(6553);
    expect(maxConnectionsOf({ WORKERS: '4' }, 1_000_000, (workers) => (160 * MIB) / workers)).to.equal(256);
    expect(maxConnectionsOf({ MAX_CONNECTIONS: '90000' }, 100_000)).to.equal(90_000);
  });

  it('is at least 16, however little memory there is', () => {
    expect(maxConnectionsOf({}, 1024, () => 1)).to.equal(16);
  });

  it('considers the memory of the machine and the heap', () => {
    const { heap_size_limit: heap } = getHeapStatistics();
    expect(memoryOfProcess(1)).to.be.within(1, Math.min(heap, totalmem()));
    expect(memoryOfProcess(1000)).to.be.at.most(totalmem() / 1000);
    expect(readConfig({ WORKERS: '3' }, 'serve', Number.POSITIVE_INFINITY).http.maxConnections).to.equal(
      Math.floor(memoryOfProcess(3) / 4 / 40 / 1024),
    );
  });

  it('considers the memory of the container, if it has a limit', () => {
    const constrainedMemory = process.constrainedMemory.bind(process);
    try {
      process.constrainedMemory = () => 100 * MIB;
      expect([memoryOfProcess(1), memoryOfProcess(4)]).to.deep.equal([100 * MIB, 25 * MIB]);
      process.constrainedMemory = () => 0;
      expect(memoryOfProcess(1)).to.be.above(100 * MIB);
    } finally {
      process.constrainedMemory = constrainedMemory;
    }
  });

  it('is the value of MAX_CONNECTIONS, which the limit of open files bounds', () => {
    expect(maxConnectionsOf({ MAX_CONNECTIONS: '1' }, 1024)).to.equal(1);
    expect(maxConnectionsOf({ MAX_CONNECTIONS: '947' }, 1024)).to.equal(947);
    expect(faultsOf({ MAX_CONNECTIONS: '948' }, 'serve', 1024)).to.deep.equal([
      'MAX_CONNECTIONS must be at most 947 with a limit of 1024 open files, but is 948; lower it or raise the limit (ulimit -n)',
    ]);
  });

  it('stops the start when open files leave fewer than 16 connections', () => {
    expect(maxConnectionsOf({}, 93)).to.equal(16);
    for (const variables of [{}, { MAX_CONNECTIONS: '1' }]) {
      expect(faultsOf(variables, 'serve', 92)).to.deep.equal([
        'MAX_CONNECTIONS cannot be met: the limit of 92 open files is too low; raise it to at least 93 (ulimit -n)',
      ]);
    }
  });

  it('does not apply to commands', () => {
    expect(readConfig({}, 'command').http.maxConnections).to.equal(1_000_000);
  });
});
