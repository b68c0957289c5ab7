import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { query } from '../../../../test-support/query.ts';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { call } from '../cli/call.ts';

describe('A database that cannot be used', () => {
  // Runs before the hook that drops the database.
  after(() => administer(`drop role ${role}`, `drop database ${latin}`));
  const database = useTestDatabase();
  const role = `chapter_stranger_${process.pid}`;
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
    for (const statement of statements) await query(database.url, statement);
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
    ['wrong password', () => as('wrong'), /used: it rejects the user or the password; check DATABASE_URL\.$/],
    [
      'unknown database',
      () => changed((url) => (url.pathname = '/none')),
      /\/none .*: the server has no database with that name;/,
    ],
    ['closed port', async () => `postgresql://127.0.0.1:${await freePort()}/a`, /: the connection was refused, /],
    [
      'unknown host',
      () => 'postgresql://chapter.invalid/a',
      /^The database at chapter.invalid:5432\/a .*: the host name cannot be resolved;/,
    ],
    ['no TLS', () => changed((url) => url.searchParams.set('sslmode', 'verify-full')), /: it does not support TLS,/],
    [
      'no usable host',
      async () => `postgresql://u:wrong@chapter.invalid,127.0.0.1:${await freePort()}/a`,
      /^The database at chapter.invalid:5432,127.0.0.1:\d+\/a cannot be used: none of its hosts can be used \(chapter.invalid:5432: the host name cannot be resolved; 127.0.0.1:\d+: the connection was refused, so PostgreSQL may be stopped\); check DATABASE_URL\.$/,
    ],
    [
      'read-only',
      () =>
        changed(
          (url) => (url.search = '?target_session_attrs=read-write&options=-c%20default_transaction_read_only=on'),
        ),
      /used: it is read-only \(default_transaction_read_only\), and its URL has target_session_attrs=read-write; connect to the primary, reset default_transaction_read_only, or use target_session_attrs=primary;/,
    ],
    [
      'other encoding than UTF-8',
      () => changed((url) => (url.pathname = latin)),
      /it is in LATIN1 and must be in UTF8; create the database with encoding 'UTF8' template template0;/,
    ],
    [
      // CockroachDB refuses a setting of each session, such as random_page_cost, with this SQLSTATE.
      'another program that speaks the protocol',
      async () => {
        const refuse = `begin raise 'unimplemented' using errcode = 'feature_not_supported'; end`;
        const declared = 'pg_is_in_recovery() returns boolean language plpgsql';
        await administer('create schema other', `create function other.${declared} as $$ ${refuse} $$`);
        return changed((url) => (url.search = '?options=-c%20search_path=other,pg_catalog'));
      },
      /used: it is not compatible with PostgreSQL 15 or newer; check DATABASE_URL\.$/,
    ],
  ];
  for (const [cause, url, sentence] of refused) {
    it(`is reported in one sentence: ${cause}`, async () => {
      expect(await sentenceFor(await url())).to.match(sentence);
    });
  }

  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    it(`is reported without a warning of Node if its URL requires TLS by sslmode=${mode}`, async () => {
      const warnings: Error[] = [];
      const collect = (warning: Error): unknown => warnings.push(warning);
      process.on('warning', collect);
      expect(await sentenceFor(changed((url) => url.searchParams.set('sslmode', mode)))).to.match(/not support TLS/);
      // Node emits warnings asynchronously.
      await new Promise(setImmediate);
      process.off('warning', collect);
      expect(warnings).to.deep.equal([]);
    });
  }

  it('is reported with the statements for an administrator if its user may not create a schema', async () => {
    const variables = { DATABASE_URL: as('open sesame'), MIGRATE_ON_START: 'true' };
    const statements = [
      'create extension pg_trgm',
      'create extension btree_gin',
      `grant usage, create on schema "public" to "${role}"`,
    ];
    const lines = [
      'The schema of the database cannot be changed: its user lacks the necessary rights; ask an administrator to run:',
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
