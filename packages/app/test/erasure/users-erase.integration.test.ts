import { randomBytes, randomInt } from 'node:crypto';
import {
  CHANGEABLE_USER_FIELDS,
  type FieldKind,
  passwordRule,
  snakeCase,
  userChangeChecks,
  userFields,
} from '@chapter/domain/api';
import { expect } from 'chai';
import { clientOf, type ResponseJson } from '../../../../test-support/client.ts';
import { cannotDump } from '../../../../test-support/postgres/pg-dump.ts';
import { query } from '../../../../test-support/query.ts';
import { skip } from '../../../../test-support/skip.ts';
import { dump, findInColumns, storedTexts, valuesIn } from './traces.ts';
import { succeed, useService } from './use-service.ts';

/** Fields whose few values cannot be told from those of other users, or are ids, which remain. */
const INDISTINCT: ReadonlySet<FieldKind> = new Set<FieldKind>(['boolean', 'groups', 'division', 'uuid']);

/** Returns a text that occurs nowhere else. */
const uniqueText = (label: string): string => `${label.toLowerCase()}-${randomBytes(6).toString('hex')}`;

const digits = (count: number): string => Array.from({ length: count }, () => randomInt(1, 10)).join('');

const checks = userChangeChecks({ today: () => '2026-01-01', passwordMinLength: passwordRule.min });

/** Returns a value that occurs nowhere else and that the check of the field accepts. */
const uniqueValue = (field: keyof typeof checks & keyof typeof userFields): string => {
  const label = uniqueText(field);
  const date = `19${randomInt(1, 10)}${randomInt(0, 10)}-0${randomInt(1, 10)}-${randomInt(10, 29)}`;
  const candidates = [
    label,
    `${label}@example.org`,
    `https://example.org/${label}`,
    `+${digits(15)}`,
    digits(12),
    date,
  ];
  const accepted = candidates.find((candidate) => 'value' in checks[field](candidate));
  if (accepted === undefined) throw new Error(`add a candidate that the check of ${field} accepts`);
  return accepted;
};

/** Returns unique values for all fields of a user that a caller may change, in the spelling of the API. */
const plantedFields = (): Readonly<Record<string, string>> => {
  const fields = CHANGEABLE_USER_FIELDS.filter(
    (field) => userFields[field].changedBy === 'caller' && !INDISTINCT.has(userFields[field].kind),
  );
  return Object.fromEntries(
    fields.map((field) => [snakeCase(field), uniqueValue(field as keyof typeof checks & keyof typeof userFields)]),
  );
};

describe('The erasure of a user with a unique value in every field', () => {
  const { databaseUrl, given, json } = useService();
  const [first, second] = [plantedFields(), plantedFields()];
  const email = `${uniqueText('set')}@example.org`;
  const friend = uniqueText('friend');
  /** Values that the user sent, and values that another user sent for the user. */
  const own = [email, ...Object.values(first), ...Object.values(second)];
  const sent = { key: uniqueText('key'), agent: uniqueText('agent'), request: uniqueText('request') };
  const requestOfLead = uniqueText('request');
  const secrets = [uniqueText('password'), uniqueText('wrong')];
  let columns: ReadonlyMap<string, readonly string[]>;
  let values: readonly string[];
  let exported: ResponseJson;
  let erased: ResponseJson;

  const planted = [...own, ...Object.values(sent), requestOfLead];

  /** Uses the service and the command line as a member, and as the Leader and the operator of the member. */
  const plant = async (): Promise<string> => {
    const { lead, url } = given();
    const [password = '', wrong] = secrets;
    const anonymous = clientOf(url);
    const attempt = (fields: Readonly<Record<string, string>>, secret: string | undefined) =>
      anonymous(
        'POST',
        '/api/auth/login/',
        { username: fields['username'], password: secret },
        { 'User-Agent': sent.agent },
      );
    const headers = { 'Idempotency-Key': 'the-first-creation', 'X-Request-Id': requestOfLead };
    const body = { ...first, password, groups: ['Leader', 'User'] };
    const { id } = await succeed(lead('POST', '/api/users/', body, headers), 201);
    const path = `/api/users/${id}`;
    const { access_token, refresh_token } = await succeed(attempt(first, password));
    await succeed(attempt(first, wrong), 401);
    const { refresh_token: next } = await succeed(anonymous('POST', '/api/auth/tokens/', { refresh_token }));
    const member = clientOf(url, access_token);
    await succeed(member('PATCH', path, second, { 'X-Request-Id': sent.request }));
    await succeed(attempt(second, wrong), 401);
    await succeed(member('PATCH', path, { password, current_password: wrong }), 422);
    await succeed(member('PATCH', path, { username: 'lead' }), 409);
    await succeed(member('POST', '/api/users/', { username: friend, password }, { 'Idempotency-Key': sent.key }), 201);
    await json(`users set --user ${id} --email ${email}`);
    // Another link: PostgreSQL keeps the statistics of a table that becomes empty.
    await json(`users link --user ${friend}`);
    const { token } = await succeed(lead('POST', `${path}/password-links/`), 201);
    secrets.push(access_token, refresh_token, next, token);
    return id;
  };

  before('plant the values and erase the user', async () => {
    const id = await plant();
    // Now the planner's statistics contain values too.
    await query(databaseUrl(), 'analyze');
    columns = await findInColumns(databaseUrl(), [...planted, ...secrets]);
    values = [...new Set([...planted, ...secrets, ...(await storedTexts(databaseUrl(), id))])];
    exported = await json(`users export-data --user ${second['username'] ?? ''}`);
    erased = await json(`users erase --user ${second['username'] ?? ''} --yes`);
  });

  it('begins with every value in some column, and no secret in any', () => {
    expect(planted.filter((value) => columns.get(value)?.length === 0)).to.deep.equal([]);
    expect(secrets.filter((value) => columns.get(value)?.length !== 0)).to.deep.equal([]);
    const stored = [...columns.values()].flat();
    expect(stored).to.include.members([
      'user_account.search',
      'audit_entry.changes',
      'audit_entry.author_name',
      'audit_entry.request_id',
      'idempotency_key.answer',
      'idempotency_key.key',
      'session.user_agent',
      'pg_stats.histogram_bounds',
    ]);
    expect(values.length, 'hashes and digests').to.be.at.least(planted.length + secrets.length + 6);
  });

  it('is preceded by an export of all values that the user sent, without hashes and values of others', () => {
    const text = JSON.stringify(exported);
    expect(valuesIn(text, planted)).to.have.members([...own, ...Object.values(sent)]);
    expect(exported.user).to.include({ ...second, email });
    expect(valuesIn(text, secrets)).to.deep.equal([]);
    expect(text)
      .to.not.match(/[0-9a-f]{64}|c2NyeXB0/)
      .and.not.include(friend)
      .and.not.include('lead');
    const counted = exported.counters.map(({ count, kind }: ResponseJson) => `${kind} ${count}`);
    expect(counted).to.have.members(['logins 1', 'logins 1', 'currentPasswords 1', 'conflicts 1']);
  });

  it('reports what it removed', () => {
    expect(erased).to.deep.equal({
      id: exported.id,
      sessions: 1,
      audit_entries: 5,
      stored_responses: 2,
      counters: 4,
    });
  });

  it('leaves no value in any column of any table', async () => {
    const found = await findInColumns(databaseUrl(), values);
    expect([...found].filter(([, where]) => where.length > 0)).to.deep.equal([]);
  });

  it("leaves no value in pg_dump's output", async function () {
    const reason = await cannotDump(databaseUrl());
    if (reason) skip(this, reason);
    const all = await dump(databaseUrl());
    expect(all).to.include(friend).and.include('(erased)');
    expect(valuesIn(all, values)).to.deep.equal([]);
  });
});
