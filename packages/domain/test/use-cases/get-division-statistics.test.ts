import { countedMonths, makeUseCases } from '@chapter/domain/api';
import { type CountQuery, type MemberCount, MS_PER_DAY } from '@chapter/domain/ports';
import { expect } from 'chai';
import { acting, refusal, useChapter } from './setup.ts';

describe('getDivisionStatistics', () => {
  const chapter = useChapter();

  it('counts a member in each group and month, and the dormant ones as of today', async () => {
    const { admit, lead, north, useCases, world } = chapter;
    const [joined] = [world.clock.now()];
    await admit('both', ['Leader', 'Guest'], { isActive: false, dateJoined: '2020-01-01T00:00:00.000Z' });
    await admit('none', [], { dateJoined: '2999-01-01T00:00:00.000Z' });
    const statistics = await useCases.getDivisionStatistics(acting(lead), north.id, () => 1);
    const { joined: months, ...counts } = statistics;
    expect(counts).to.deep.equal({
      members: 5,
      active: 4,
      groups: [
        { name: 'Leader', members: 2 },
        { name: 'Guest', members: 2 },
        { name: 'User', members: 1 },
      ],
      dormant: { days: 1, members: 1 },
    });
    expect(months).to.have.length(24);
    expect(months.at(-1)).to.deep.equal({ month: joined.slice(0, 7), members: 3 });
    expect(months.slice(0, -1).every(({ members }) => members === 0)).to.equal(true);
    world.clock.advance(24 * 60 * 60);
    const later = await useCases.getDivisionStatistics(acting(lead), north.id, () => 1);
    expect(later.dormant.members).to.equal(4);
  });

  it('counts the months of two years, across the turn of a year', () => {
    const months = countedMonths('2026-01-31T23:59:59.999Z');
    expect([months.length, months[0], months[10], months.at(-1)]).to.deep.equal([24, '2024-02', '2024-12', '2026-01']);
    expect(new Set(months).size).to.equal(24);
  });

  it('is too costly for more than 100,000 members, of which it counts one more', async () => {
    const { guest, north, world } = chapter;
    const limits: unknown[] = [];
    const queries: unknown[] = [];
    const countOf = (members: number) => {
      const count: MemberCount = { members, groups: [], isActive: true, isDormant: false, joinedIn: null };
      const directory = {
        ...world.directory,
        count: async (_: string, { limit, ...query }: CountQuery) => {
          limits.push(limit);
          queries.push(query);
          return [count];
        },
      };
      return makeUseCases({ ...world, directory }).getDivisionStatistics(acting(guest), north.id, () => 90);
    };
    expect(await countOf(100_000)).to.include({ members: 100_000 });
    const { message } = await refusal('too_costly', () => countOf(100_001));
    expect(message).to.include('more than 100,000 members');
    expect(limits).to.deep.equal([100_001, 100_001]);
    const now = world.clock.now();
    const dormantOn = new Date(Date.parse(now) - 90 * MS_PER_DAY).toISOString().slice(0, 10);
    expect(queries[0]).to.deep.equal({ joinedSince: `${countedMonths(now)[0]}-01`, dormantOn });
  });
});
