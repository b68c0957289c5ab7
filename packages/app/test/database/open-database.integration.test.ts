import { expect } from 'chai';
import { Client } from 'pg';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { call } from '../cli/call.ts';

describe('A database that cannot be used', () => {
  // Before the database they are dropped with.
  after(() => administer(`drop role ${role}`, `drop database ${latin}`));
  const database = useTestDatabase();
  const role = `chapter_nobody_${process.pid}`;
  const latin = `chapter_latin_${process.pid}`;
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };
  const as = (password: string) =>
    changed((url) => {
      url.username = role;
      url.password = password;
    });
  const administer = async (...statements: string[]): Promise<void> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  before(() =>
    administer(
      `create role ${role} login password 'open sesame'`,
      `create database ${latin} encoding 'LATIN1' locale 'C' template template0`,
    ),
  );

  const sentenceFor = async (url: string): Promise<string> => {
    const refusal: unknown = await openDatabase(readConfig({ DATABASE_URL: url }, 'command')).then(
      (opened) => opened.close(),
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(OperatorError);
    const { message } = refusal as OperatorError;
    expect(message).not.to.contain('open').and.not.to.contain('wrong');
    return message;
  };

  const refused: [string, () => string | Promise<string>, RegExp][] = [
    ['a wrong password', () => as('wrong'), /used: it refuses the user or the password; is DATABASE_URL right\?$/],
    [
      'another database',
      () => changed((url) => (url.pathname = '/none')),
      /\/none .*: it has no database of that name;/,
    ],
    ['a port', async () => `postgresql://127.0.0.1:${await freePort()}/a`, /: nothing listens there;/],
    [
      'a host',
      () => 'postgresql://chapter.invalid/a',
      /^the database at chapter.invalid:5432\/a .*: there is no such host;/,
    ],
    ['TLS', () => changed((url) => url.searchParams.set('sslmode', 'verify-full')), /: it does not speak TLS,/],
    [
      'several hosts',
      async () => `postgresql://u:wrong@chapter.invalid,127.0.0.1:${await freePort()}/a`,
      /^the database at chapter.invalid:5432,127.0.0.1:\d+\/a cannot be used: none of its hosts can be used \(chapter.invalid:5432: there is no such host; 127.0.0.1:\d+: nothing listens there\); is DATABASE_URL right\?$/,
    ],
    [
      'writes',
      () =>
        changed(
          (url) => (url.search = '?target_session_attrs=read-write&options=-c%20default_transaction_read_only=on'),
        ),
      /used: it is read-only \(default_transaction_read_only\), and its URL has target_session_attrs=read-write; connect to the primary, reset default_transaction_read_only, or use target_session_attrs=primary;/,
    ],
    [
      'UTF-8',
      () => changed((url) => (url.pathname = latin)),
      /it is in LATIN1 and must be in UTF8; create the database with encoding 'UTF8' template template0;/,
    ],
  ];
  for (const [lacking, url, sentence] of refused) {
    it(`is told of in one sentence where what it lacks is ${lacking}`, async () => {
      expect(await sentenceFor(await url())).to.match(sentence);
    });
  }

  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    it(`is told of in that sentence alone where its URL asks for TLS by sslmode=${mode}`, async () => {
      const warnings: Error[] = [];
      const hear = (warning: Error): unknown => warnings.push(warning);
      process.on('warning', hear);
      expect(await sentenceFor(changed((url) => url.searchParams.set('sslmode', mode)))).to.match(/not speak TLS/);
      // Node tells of warnings a moment later.
      await new Promise(setImmediate);
      process.off('warning', hear);
      expect(warnings).to.deep.equal([]);
    });
  }

  it('is told of where its user may not make a schema, with what an administrator has to run', async () => {
    const variables = { DATABASE_URL: as('open sesame'), MIGRATE_ON_START: 'true' };
    const statements = [
      'create extension pg_trgm',
      'create extension btree_gin',
      `grant usage, create on schema "public" to "${role}"`,
    ];
    const lines = [
      'the schema of the database cannot be changed: its user may not do that; an administrator has to run:',
      ...statements.map((statement) => `  ${statement};`),
    ];
    for (const command of ['migrate', 'divisions list']) {
      expect(await call(command.split(' '), { variables })).to.deep.equal({
        status: 1,
        out: '',
        err: `${lines.join('\n')}\n`,
      });
    }
  });
});
