import { globSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Client, Connection } from 'pg';
import { atLeast } from '../../../../test-support/counts.ts';
import { openClient } from '../../src/connection/checked-client.ts';
import { namedStatements } from '../../src/connection/statement.ts';
import { useWorld } from '../support/use-world.ts';

const files = globSync('packages/adapters-postgres/src/**/*.ts');
for (const file of files.filter((path) => readFileSync(path, 'utf8').includes('defineStatement('))) {
  await import(pathToFileURL(file).href);
}
// Before a test runs that defines statements of its own.
const statements = atLeast(60, [...namedStatements()]);

/** Prepares a statement without running it. Returns the names of its columns. */
const describeColumns = (client: Client, text: string): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    let names: readonly string[] = [];
    client.query({
      submit: (connection: Connection) => {
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: ({ fields }: { readonly fields: readonly { readonly name: string }[] }) => {
        names = fields.map(({ name }) => name);
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(names),
    });
  });

describe('Named statements', () => {
  const world = useWorld();
  let client: Client;
  before(async () => {
    client = await openClient({ url: world().url });
  });
  after(() => client?.end());

  it('can be prepared, and select the columns that their rows are read by, in the same order', async () => {
    for (const { columns, name, text } of statements) {
      const selected = await describeColumns(client, text);
      expect(selected, name).to.deep.equal(columns ?? selected);
    }
  });

  it('have different names, because a connection keeps one statement for each name', () => {
    const names = statements.map(({ name }) => name);
    expect(names).to.deep.equal([...new Set(names)]);
  });
});
