import { expect } from 'chai';
import type { CliContext } from '../../src/cli/steps/context.ts';
import { defineListCommand } from '../../src/cli/steps/define-command.ts';
import { makeRows } from '../../src/cli/steps/format.ts';
import { silentContext } from './call.ts';

interface Item {
  readonly name: string;
  readonly groups: readonly string[];
}

const BATCHES: readonly (readonly Item[])[] = [
  [
    { name: 'ada', groups: ['Leader', 'User'] },
    { name: 'bo', groups: [] },
  ],
  [{ name: 'christopher', groups: ['User'] }],
];

/** Runs a command that lists batches of items. `events` are its writes, and the waits for standard output in between. */
const list = async (batches: readonly (readonly Item[])[], args: readonly string[] = [], failure?: Error) => {
  const events: string[] = [];
  const context: CliContext = {
    ...silentContext,
    write: (text) => events.push(text),
    drained: async () => {
      await Promise.resolve();
      events.push('');
    },
  };
  const command = defineListCommand({
    name: 'list',
    description: 'list items',
    examples: [],
    columns: ['name', 'groups'],
    cellsOf: ({ groups, name }: Item) => [name, groups],
    jsonOf: ({ name }) => ({ name, lines: 'a\nb' }),
    run: async (_, print) => {
      for (const batch of batches) await print(batch);
      if (failure) throw failure;
    },
  })(context);
  const error = await command.parseAsync(args, { from: 'user' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, events, out: events.join('') };
};

describe('A command that lists items in batches', () => {
  it('prints one table, whose columns grow with the batches', async () => {
    expect((await list(BATCHES)).out).to.equal(
      ['NAME  GROUPS', 'ada   Leader, User', 'bo    –', 'christopher  User', ''].join('\n'),
    );
  });

  it('prints CSV for spreadsheets: one byte-order mark, and instants where the column has them', async () => {
    const at = '2026-11-24T09:30:00.123Z';
    const rows = makeRows('spreadsheet', ['created at', 'name'], ['created at']);
    expect(rows([[at, at]]) + rows([[null, '=Zoë']])).to.equal(
      `\ufeffcreated_at,name\r\n2026-11-24 09:30:00,${at}\r\n,'=Zoë\r\n`,
    );
    const { out } = await list(BATCHES, ['--format', 'spreadsheet']);
    expect(out).to.equal(`\ufeff${(await list(BATCHES, ['--format', 'csv'])).out}`);
  });

  it('prints the header row alone if there are no items', async () => {
    expect((await list([])).out).to.equal('NAME  GROUPS\n');
  });

  for (const batches of [[], [[]], BATCHES]) {
    it(`prints one JSON array of ${batches.length} batches`, async () => {
      const items = batches.flat().map(({ name }) => ({ name, lines: 'a\nb' }));
      expect((await list(batches, ['--json'])).out).to.equal(`${JSON.stringify(items, null, 2)}\n`);
    });
  }

  it('waits after each batch until standard output accepts more', async () => {
    const { events } = await list(BATCHES);
    expect(events.map((text) => text !== '')).to.deep.equal([true, false, true, false]);
  });

  it('leaves the JSON array without its end if the list fails in between', async () => {
    const failure = new Error('no database');
    const { error, out } = await list(BATCHES, ['--json'], failure);
    expect(error).to.equal(failure);
    expect(() => JSON.parse(out) as unknown).to.throw(SyntaxError);
    expect((await list([], ['--json'], failure)).out).to.equal('');
  });

  it('formats more rows than a call may have arguments', () => {
    const rows = Array.from({ length: 200_000 }, () => ['x']);
    expect(makeRows(undefined, ['name'])(rows)).to.have.length('NAME\n'.length + 2 * rows.length);
  });
});
