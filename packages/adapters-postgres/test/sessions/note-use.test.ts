import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { makeNoteUse } from '../../src/sessions/personal-tokens.ts';

const [USER, TOKEN] = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'];

describe('The last use of a personal access token', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  /** Notes uses of the token by statements that the test ends. Every call of `note` returns how many were sent until then. */
  const makeNotes = () => {
    const statements: PromiseWithResolvers<readonly never[]>[] = [];
    const query = () => {
      const statement = Promise.withResolvers<readonly never[]>();
      statements.push(statement);
      return statement.promise;
    };
    const noteUse = makeNoteUse(() => ({ query }));
    const note = async () => {
      await setImmediate();
      noteUse(USER, TOKEN);
      return statements.length;
    };
    return { note, statements };
  };

  it('is stored by one statement at a time, and again after it, as on the next day', async () => {
    const { note, statements } = makeNotes();
    expect([await note(), await note()]).to.deep.equal([1, 1]);
    statements[0]?.resolve([]);
    expect([await note(), await note()]).to.deep.equal([2, 2]);
  });

  it('is stored again a minute after that failed, and not before', async () => {
    const { note, statements } = makeNotes();
    await note();
    statements[0]?.reject(new Error('the database is read-only'));
    expect(await note()).to.equal(1);
    mock.timers.tick(59_999);
    expect(await note()).to.equal(1);
    mock.timers.tick(1);
    expect(await note()).to.equal(2);
  });
});
