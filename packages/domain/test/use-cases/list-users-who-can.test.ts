import { type Action, asTarget, makeUseCases, OPERATOR, type TargetOf } from '@chapter/domain';
import { expect } from 'chai';
import { type Chapter, makeChapter } from './setup.ts';

describe('The operator lists who can', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  /** Returns the usernames by rule, and the number of batches. */
  const whoCan = async <A extends Action>(
    action: A,
    target: TargetOf<A>,
    directory: Partial<Chapter['world']['directory']> = {},
  ) => {
    const found: [rule: string, usernames: string[]][] = [];
    let batches = 0;
    const { listUsersWhoCan } = makeUseCases({
      ...chapter.world,
      directory: { ...chapter.world.directory, ...directory },
    });
    await listUsersWhoCan(OPERATOR, action, target, async ({ rule, users }) => {
      batches += 1;
      const last = found.at(-1);
      const usernames = users.map(({ username }) => username);
      if (last?.[0] === rule) last[1].push(...usernames);
      else found.push([rule, usernames]);
    });
    return { found, batches };
  };

  it('act on a user: the active users under each rule that allows them, by username', async () => {
    const { admit, user, south } = chapter;
    await admit('boss', ['Leader', 'Guest'], { isStaff: true });
    await admit('former', ['Leader', 'Guest'], { isActive: false });
    await admit('away', ['Leader', 'Guest'], { division: south });
    expect((await whoCan('getUser', asTarget(user))).found).to.deep.equal([
      ['the user themself', ['user']],
      ['a Leader of the division', ['boss', 'lead']],
      ['a Guest of the division', ['boss', 'guest']],
    ]);
    const root = await admit('root', ['User'], { isSuperuser: true });
    const links = await whoCan('createPasswordLink', asTarget(root));
    expect(links.found.map(([, usernames]) => usernames)).to.deep.equal([['boss']]);
  });

  it('act on themself: only that user is read, and no one is listed if they are inactive or absent', async () => {
    const { admit, user, south } = chapter;
    const read = () => expect.fail('no list is read');
    expect((await whoCan('endOwnSession', asTarget(user), { read })).found).to.deep.equal([
      ['the user themself', ['user']],
    ]);
    const gone = await admit('gone', ['User'], { isActive: false });
    for (const target of [asTarget(gone), { ...asTarget(user), id: south.id }]) {
      expect(await whoCan('endOwnSession', target, { read })).to.deep.equal({ found: [], batches: 0 });
    }
  });

  it('act on a division: only its members are read', async () => {
    const { south } = chapter;
    const find = () => expect.fail('no user is looked up');
    const divisions: (string | undefined)[] = [];
    const read: Chapter['world']['directory']['read'] = (selection, receive) => {
      divisions.push(selection.divisionId);
      return chapter.world.directory.read(selection, receive);
    };
    expect((await whoCan('createUser', { divisionId: south.id }, { find, read })).found).to.deep.equal([
      ['a Leader of the division', ['elsewhere']],
    ]);
    expect((await whoCan('createUser', { divisionId: null }, { find, read })).found).to.deep.equal([]);
    expect(divisions).to.deep.equal([south.id]);
  });

  it('act on the service: users of all divisions, in batches', async () => {
    const { admit, north, south } = chapter;
    await admit('root', [], { isSuperuser: true });
    await admit('staff', [], { isStaff: true, division: south });
    const find = () => expect.fail('no user is looked up');
    expect((await whoCan('listDivisions', { divisionId: north.id }, { find })).found).to.deep.equal([
      ['an Administrator', ['root', 'staff']],
    ]);
    const { batches, found } = await whoCan('listGroups', {});
    expect(found).to.deep.equal([
      ['anyone who is authenticated', ['elsewhere', 'guest', 'lead', 'root', 'staff', 'user']],
    ]);
    expect(batches).to.be.greaterThan(1);
  });
});
