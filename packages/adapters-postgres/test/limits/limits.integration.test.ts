import { expect } from 'chai';
import { useWorld } from '../support/use-world.ts';

const NETWORK = '192.0.2.0/24';

describe('A login attempt', () => {
  const world = useWorld();
  /** Returns all rows, each with the transaction that wrote it. */
  const stored = async () => (await world().sql.query('select *, xmin from login_limit order by key')).rows;
  const begin = (username: string) => world().loginLimits.begin({ username }, NETWORK);
  const outcomeOf = async (username: string): Promise<unknown> => begin(username).catch((error: unknown) => error);

  for (const [title, limit, nameAt] of [
    ['is not stored when refused because the username is at its limit', 10, () => 'ada'],
    [
      'is not stored when refused because the network is at its limit, whichever usernames it tries',
      100,
      (time: number) => `person-${time}`,
    ],
  ] as const) {
    it(title, async () => {
      for (let time = 0; time < limit; time++) await begin(nameAt(time));
      const before = await stored();
      for (let time = limit; time < limit + 20; time++)
        expect(await outcomeOf(nameAt(time))).to.have.property('code', 'rate_limited');
      expect(await stored()).to.deep.equal(before);
    });
  }

  it('is not counted for its username when a concurrent one takes the last attempt of the network', async () => {
    const names = Array.from({ length: 130 }, (_, at) => `person-${at}`);
    const outcomes = await Promise.all(names.map(outcomeOf));
    const kept = outcomes.filter((outcome) => !(outcome instanceof Error));
    expect(kept).to.have.lengthOf(100);
    const { rows } = await world().sql.query(`select sum(points)::int as points from login_limit where key like 'u:%'`);
    expect(rows).to.deep.equal([{ points: 100 }]);
  });

  it('is counted under the keys of release 0.1.0, so that both releases share the limits', async () => {
    await begin('ada');
    const { rows } = await world().sql.query('select key from login_limit order by key');
    expect(rows).to.deep.equal([
      { key: 'n:4zaRX_F59TbI6P_4SApSk_guTbgmNnBoQz8zeqfJRgE' },
      { key: 'u:GGw4hkirUI3Hl8jTJISHmGHwBo6uyT-O0aqaJiiHxcI' },
    ]);
  });

  it('records its subject on a counter that release 0.1.0 began', async () => {
    await begin('ada');
    await world().sql.query('update login_limit set subject = null');
    await begin('ada');
    const rows = await stored();
    expect(rows.map(({ points, subject }) => [points, subject === null])).to.deep.equal([
      [2, true],
      [2, false],
    ]);
  });
});
