import { expect } from 'chai';
import type { Pool } from 'pg';
import { openClient } from '../../src/connection/checked-client.ts';
import { LIFT_TIME_LIMITS } from '../../src/connection/options.ts';
import { useConnections } from '../support/use-connections.ts';

describe('Every connection', () => {
  const { alter, backendOf, network, open } = useConnections();
  const show = async (pool: Pool, name: string): Promise<unknown> =>
    (await pool.query<[string]>({ text: `select current_setting('${name}')`, rowMode: 'array' })).rows[0]?.[0];

  const SETTINGS = {
    TimeZone: 'UTC',
    DateStyle: 'ISO, YMD',
    IntervalStyle: 'iso_8601',
    client_encoding: 'UTF8',
    standard_conforming_strings: 'on',
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    random_page_cost: '1.1',
    statement_timeout: '15s',
    idle_in_transaction_session_timeout: '15s',
    lock_timeout: '2500ms',
  };

  it('overrides the settings of the database without startup options', async () => {
    for (const setting of [
      `timezone = 'Asia/Tokyo'`,
      `datestyle = 'German'`,
      'standard_conforming_strings = off',
      'random_page_cost = 4',
      `statement_timeout = '1h'`,
      `lock_timeout = '1h'`,
    ]) {
      await alter(`set ${setting}`);
    }
    // A pooler would refuse or drop options.
    network().cutAt('options', 'before');
    const pool = open();
    for (const [name, value] of Object.entries(SETTINGS)) expect(await show(pool, name), name).to.equal(value);
  });

  it('has no time limits within a long transaction except for being idle unless it is read-only, and has them again afterwards', async () => {
    const url = `${network().url}?statement_timeout=7000&idle_in_transaction_session_timeout=8000`;
    const client = await openClient({ url });
    const expectLimits = async (statement: string, idle: string): Promise<void> => {
      const { rows } = await client.query(`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`);
      expect(rows).to.deep.equal([{ statement, idle }]);
    };
    await client.query('begin');
    await client.query(LIFT_TIME_LIMITS);
    await expectLimits('0', '5min');
    await client.query('commit');
    await expectLimits('7s', '8s');
    await client.query('begin read only');
    await client.query(LIFT_TIME_LIMITS);
    await expectLimits('0', '0');
    await client.query('commit');
    await client.end();
  });

  it('keeps the planner settings and timeouts of its URL, but not the time zone', async () => {
    const options = encodeURIComponent('-c random_page_cost=3 --jit=on -ctimezone=Asia/Tokyo');
    const timeouts = 'statement_timeout=7000&idle_in_transaction_session_timeout=8000&lock_timeout=9000';
    const pool = open({ url: `${network().url}?options=${options}&${timeouts}` });
    for (const [name, value] of Object.entries({
      random_page_cost: '3',
      jit: 'on',
      TimeZone: 'UTC',
      max_parallel_workers_per_gather: '0',
      statement_timeout: '7s',
      idle_in_transaction_session_timeout: '8s',
      lock_timeout: '9s',
    })) {
      expect(await show(pool, name), name).to.equal(value);
    }
  });

  it('is replaced when a setting that affects the format of dates changes', async () => {
    const pool = open();
    const before = await backendOf(pool);
    await pool.query(`set timezone = 'Asia/Tokyo'`).catch(() => {});
    expect(await show(pool, 'TimeZone')).to.equal('UTC');
    expect(await backendOf(pool)).not.to.equal(before);
  });
});
