import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import { expect } from 'chai';
import { makeCsvWriter } from '../../src/server/write-csv.ts';

/** Bytes per second. The limit is 512 KiB in 30 seconds. */
const [TOO_SLOW, FAST_ENOUGH] = [17 * 1024, 18 * 1024];

describe('The rate at which a client reads an export', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  /** Begins an export, of which some bytes always wait. Returns how its client reads on. */
  const begin = async () => {
    let isReset = false;
    const socket = Object.assign(new EventEmitter(), {
      bytesWritten: 0,
      resetAndDestroy: () => {
        isReset = true;
      },
    });
    const res = Object.assign(new EventEmitter(), { destroyed: false, writableLength: 1 });
    const context = { req: { socket }, res, method: 'GET', state: { requestId: '', route: null }, set: () => {} };
    const { write } = makeCsvWriter({ info: () => {}, warn: () => {}, error: () => {} });
    async function* chunks() {
      yield 'chunk';
    }
    const open = async () => ({ chunks: chunks(), close: async () => {} });
    await write(context as never, { fileName: 'users.csv', header: '', open });
    /** Lets seconds pass, in each of which the client accepts some bytes. Returns whether the connection was reset. */
    const read = (seconds: number, bytes: number): boolean => {
      for (let second = 0; second < seconds; second++) {
        socket.bytesWritten += bytes;
        mock.timers.tick(1000);
      }
      return isReset;
    };
    return { res, read };
  };

  it('has no limit during the first 30 seconds', async () => {
    const { read } = await begin();
    expect(read(30, 0)).to.equal(false);
    expect(read(1, 0)).to.equal(true);
  });

  it('must be 512 KiB in 30 seconds, also after a faster start', async () => {
    const { read } = await begin();
    expect(read(300, FAST_ENOUGH)).to.equal(false);
    expect(read(62, TOO_SLOW)).to.equal(true);
  });

  it('does not count while no bytes are waiting', async () => {
    const { read, res } = await begin();
    res.writableLength = 0;
    expect(read(300, 0)).to.equal(false);
    res.writableLength = 1;
    expect(read(31, 0)).to.equal(true);
  });

  it('is not measured after the end of the response', async () => {
    const { read, res } = await begin();
    res.emit('close');
    expect(read(300, 0)).to.equal(false);
  });
});
