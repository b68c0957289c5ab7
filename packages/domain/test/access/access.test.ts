import {
  type AccessEntity,
  type AccessPage,
  type Action,
  actorOf,
  asTarget,
  can,
  type Decision,
  type Division,
  explain,
  type Found,
  makeAccess,
  operatorActions,
  policy,
  SERVICE_ID,
  type User,
} from '@chapter/domain/api';
import { aDivision, aUser, changeUser, makeWorld, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { compare } from '../../../../test-support/proof/report.ts';
import { flagPairs, groupSubsets } from '../../../../test-support/proof/states.ts';

const ALL: AccessPage = { after: '', limit: 1000 };
const UNKNOWN = '0190a000-0000-7000-8000-00000000dead';

/** Returns all results of a search, with the number of its parts. */
const walk = async <Result>(search: (page: AccessPage) => Promise<Found<Result>>, limit: number) => {
  const results: Result[] = [];
  let parts = 0;
  for (let after: string | null = ''; after !== null; parts++) {
    const found: Found<Result> = await search({ after, limit });
    expect(found.results).to.have.length.within(0, limit);
    results.push(...found.results);
    after = found.next;
  }
  return { results, parts };
};

/** All members of a division that decisions can tell apart, and Leaders of another one. */
const makeChapter = async () => {
  const world = makeWorld();
  const [own, other] = [await storeDivision(world, aDivision()), await storeDivision(world, aDivision())];
  const people: User[] = [];
  const admit = async (division: Division, rights: Partial<User>) =>
    people.push(
      await storeUser(
        world,
        aUser()
          .of(division)
          .with({ id: world.ids.next(), ...rights }),
      ),
    );
  for (const isActive of [true, false]) {
    for (const groups of groupSubsets) for (const flags of flagPairs) await admit(own, { groups, isActive, ...flags });
  }
  for (const flags of flagPairs) await admit(other, { groups: ['Leader'], ...flags });
  return { world, divisions: [own, other], people, access: makeAccess(world) };
};

describe('Questions about rights', () => {
  let chapter: Awaited<ReturnType<typeof makeChapter>>;
  before(async () => {
    chapter = await makeChapter();
  });

  /** The resources of the finite world, each with the target that the policy decides on. */
  const resources = (): readonly (readonly [AccessEntity, object])[] => [
    [{ type: 'service', id: SERVICE_ID }, {}],
    ...chapter.divisions.map(({ id }) => [{ type: 'division', id }, { divisionId: id }] as const),
    ...chapter.people.map((user) => [{ type: 'user', id: user.id }, asTarget(user)] as const),
  ];
  const actions = Object.keys(policy) as Action[];
  const subjectOf = ({ id }: User): AccessEntity => ({ type: 'user', id });
  const isDefined = ({ reason }: Decision): boolean => !reason.startsWith('the action needs');

  it('are decided as by the policy for every user, action and resource, evaluated or searched', () =>
    compare('evaluations and searches compared with decisions', 150_000, async ({ add, same }) => {
      const { access, people } = chapter;
      const found = resources();
      for (const action of actions) {
        const question = { action: { name: action } };
        const first = await access.evaluate(
          found.map(([resource]) => ({ ...question, resource, subject: subjectOf(people[0] as User) })),
        );
        // An action has resources of one type. Questions about others are denied, without a decision of the policy.
        const suited = found.filter((_, at) => isDefined(first[at] as Decision));
        expect(new Set(suited.map(([{ type }]) => type)), action).to.have.property('size', 1);
        const isForUsers = suited.some(([, target]) =>
          people.some((user) => can(actorOf(user), action, target as never)),
        );
        expect(isForUsers, action).to.equal(!operatorActions.includes(action));
        for (const user of people) {
          const subject = subjectOf(user);
          const decisions = await access.evaluate(found.map(([resource]) => ({ ...question, resource, subject })));
          for (const [at, [resource, target]] of found.entries()) {
            const decision = decisions[at] as Decision;
            const isSuited = suited.some(([one]) => one === resource);
            if (isSuited) same(decision, explain(actorOf(user), action, target as never), { action, resource, user });
            else expect(decision.outcome).to.equal('not_found');
          }
          const [[{ type }] = [{ type: '' }]] = suited;
          const { results } = await access.searchResources({ ...question, subject, resource: { type } }, ALL);
          const expected = suited.filter(([, target]) => can(actorOf(user), action, target as never));
          expect(results, action).to.have.deep.members(expected.map(([resource]) => resource));
          add(suited.length);
        }
        for (const [resource, target] of suited) {
          const { results } = await access.searchSubjects({ ...question, subject: { type: 'user' }, resource }, ALL);
          const expected = people.filter((user) => can(actorOf(user), action, target as never)).map(subjectOf);
          expect(results, action).to.have.deep.members(expected);
          add(people.length);
        }
      }
    })).timeout(120_000);

  it('about actions find those whose evaluation is allowed, of the type of the resource', async () => {
    const { access, divisions, people } = chapter;
    const [user, ...others] = people.filter(({ isActive, groups }) => isActive && groups.includes('Leader'));
    const subject = subjectOf(user as User);
    const namesOn = async (resource: AccessEntity) =>
      (await access.searchActions({ subject, resource }, ALL)).results.map(({ name }) => name);
    expect(await namesOn({ type: 'service', id: SERVICE_ID })).to.deep.equal([
      'getInfo',
      'getOwnUser',
      'getPermissions',
      'listGroups',
    ]);
    const own = { type: 'division', id: divisions[0]?.id ?? '' };
    expect(await namesOn(own))
      .to.include.members(['createUser', 'updateDivision'])
      .and.not.include('updateUser');
    for (const other of [...others, ...people.slice(0, 3)]) {
      const resource = subjectOf(other);
      const evaluated = await access.evaluate(actions.map((name) => ({ subject, action: { name }, resource })));
      const allowed = actions.filter((_, at) => evaluated[at]?.outcome === 'allowed');
      expect(await namesOn(resource)).to.deep.equal(allowed.toSorted());
    }
  });

  it('have the same results in parts of any size, in the order of ids', async () => {
    const { access, divisions, people } = chapter;
    const leader = subjectOf(people.find(({ groups, isActive }) => isActive && groups.length === 3) as User);
    const action = { name: 'getUser' };
    const resource = subjectOf(people[0] as User);
    const searches: readonly ((page: AccessPage) => Promise<Found<unknown>>)[] = [
      (page: AccessPage) => access.searchSubjects({ subject: { type: 'user' }, action, resource }, page),
      (page: AccessPage) => access.searchResources({ subject: leader, action, resource: { type: 'user' } }, page),
      (page: AccessPage) => access.searchActions({ subject: leader, resource }, page),
      (page: AccessPage) =>
        access.searchResources(
          { subject: leader, action: { name: 'getDivision' }, resource: { type: 'division' } },
          page,
        ),
    ];
    expect(divisions).to.have.lengthOf(2);
    for (const search of searches) {
      const all = await search(ALL);
      expect(all.results).to.not.be.empty;
      expect(all.results).to.deep.equal(
        all.results.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
      );
      for (const limit of [1, 2, 7, all.results.length]) {
        const { parts, results } = await walk(search, limit);
        expect(results).to.deep.equal(all.results);
        expect(parts).to.equal(Math.ceil(all.results.length / limit));
      }
      expect(await search({ after: '', limit: 0 })).to.deep.equal({ results: [], next: '' });
    }
  });

  it('about unknown subjects, actions and resources, and resources of another type, are denied', async () => {
    const { access, people, divisions } = chapter;
    const subject = subjectOf(people[0] as User);
    const resource = { type: 'division', id: divisions[0]?.id ?? '' };
    const question = { subject, action: { name: 'getDivision' }, resource };
    const reasonOf = async (change: Partial<typeof question>): Promise<string> => {
      const [decision] = await access.evaluate([{ ...question, ...change }]);
      expect(decision?.outcome).to.not.equal('allowed');
      return decision?.reason ?? '';
    };
    for (const id of [UNKNOWN, divisions[0]?.id ?? '', 'ada', '', '__proto__', '💣', '\0']) {
      expect(await reasonOf({ subject: { type: 'user', id } })).to.equal('the subject does not exist');
    }
    expect(await reasonOf({ subject: { ...subject, type: 'User' } })).to.equal('the subject does not exist');
    for (const name of ['logIn', 'constructor', '__proto__', '', 'get_division']) {
      expect(await reasonOf({ action: { name } })).to.equal('the action does not exist');
    }
    for (const id of [UNKNOWN, people[0]?.id ?? '', 'x']) {
      expect(await reasonOf({ resource: { type: 'division', id } })).to.equal('the resource does not exist');
    }
    for (const type of ['user', 'service', 'constructor', '']) {
      expect(await reasonOf({ resource: { ...resource, type } })).to.equal(
        'the action needs a resource of the type division',
      );
    }
    const info = { action: { name: 'getInfo' }, resource: { type: 'service', id: 'another' } };
    expect(await reasonOf(info)).to.equal('the resource does not exist');
  });

  it('may have ids in upper case, and read each user once', async () => {
    const { people, world } = chapter;
    const subject = subjectOf(people[0] as User);
    const finds: string[] = [];
    const users = { find: (id: string) => (finds.push(id), world.users.find(id)) };
    const upper = { ...subject, id: subject.id.toUpperCase() };
    const questions = [subject, upper].map((one) => ({ subject: one, action: { name: 'getUser' }, resource: upper }));
    const decisions = await makeAccess({ ...world, users }).evaluate(questions);
    expect(decisions.map(({ outcome }) => outcome)).to.deep.equal(['allowed', 'allowed']);
    expect(finds).to.deep.equal([subject.id]);
  });

  it('are answered in parts that read at most 1000 candidates, or only the user themself', async () => {
    const { world } = await makeChapter();
    const large = await storeDivision(world, aDivision());
    for (let nth = 0; nth < 2500; nth++) await storeUser(world, aUser().of(large).with({ id: world.ids.next() }));
    let pages = 0;
    const directory = {
      page: (...from: Parameters<typeof world.directory.page>) => (pages++, world.directory.page(...from)),
    };
    const access = makeAccess({ ...world, directory });
    const service = { type: 'service', id: SERVICE_ID };
    const question = { subject: { type: 'user' }, action: { name: 'listDivisions' }, resource: service };
    const parts: number[] = [];
    const { results } = await walk(async (page) => {
      const found = await access.searchSubjects(question, page);
      parts.push(pages);
      pages = 0;
      return found;
    }, 100);
    expect(results).to.have.lengthOf((groupSubsets.length + 1) * (flagPairs.length - 1));
    expect(parts).to.have.lengthOf(3);
    expect(Math.max(...parts)).to.equal(10);
    const last = (await world.directory.page(large.id, null))[0] as User;
    const own = { subject: subjectOf(last), action: { name: 'updateUser' }, resource: { type: 'user' } };
    pages = 0;
    expect(await access.searchResources(own, ALL)).to.deep.equal({ results: [subjectOf(last)], next: null });
    expect(pages).to.equal(0);
  });

  it('are decided on what is stored at their time', async () => {
    const { access, people, world } = await makeChapter();
    const user = people.find(({ groups, isActive }) => isActive && groups.includes('Leader')) as User;
    const question = { subject: subjectOf(user), action: { name: 'updateUser' }, resource: subjectOf(user) };
    const outcome = async () => (await access.evaluate([question]))[0]?.outcome;
    expect(await outcome()).to.equal('allowed');
    await changeUser(world, user.id, { isActive: false });
    expect(await outcome()).to.equal('unauthenticated');
    expect((await access.searchActions(question, ALL)).results).to.deep.equal([]);
  });
});
