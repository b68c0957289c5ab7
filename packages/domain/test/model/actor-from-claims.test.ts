import { type Action, actorFromClaims, can, makeUseCases, policy } from '@chapter/domain/api';
import { type AccessTokens, type Actor } from '@chapter/domain/ports';
import { expect } from 'chai';
import { acting, makeChapter } from '../use-cases/setup.ts';

const claims = {
  sub: '0190a000-0000-7000-8000-000000000001',
  sid: '0190a000-0000-7000-8000-000000000002',
  username: 'ada',
  division_id: '0190a000-0000-7000-8000-0000000000a0',
  groups: ['Leader', 'User'],
  is_staff: false,
  is_superuser: true,
};
const actor: Actor = {
  id: claims.sub,
  username: 'ada',
  divisionId: claims.division_id,
  groups: ['Leader', 'User'],
  isActive: true,
  isStaff: false,
  isSuperuser: true,
};
const target = { id: claims.sub, divisionId: claims.division_id, isStaff: false, isSuperuser: false };
const rightsOf = (claims: unknown) =>
  (Object.keys(policy) as Action[]).filter((action) => can(actorFromClaims(claims), action, target));

describe('actorFromClaims', () => {
  it('returns the actor that the claims describe', () => {
    expect(actorFromClaims(claims)).to.deep.equal(actor);
  });

  it('ignores additional claims', () => {
    expect(actorFromClaims({ ...claims, exp: 1, iss: 'https://example.org', isActive: false })).to.deep.equal(actor);
  });

  it('accepts the claims that this service issues at login', async () => {
    const { world, lead } = await makeChapter();
    const issue: AccessTokens['issue'] = (claims) => Promise.resolve({ token: JSON.stringify(claims), expiresIn: 900 });
    const { logIn } = makeUseCases({ ...world, accessTokens: { ...world.accessTokens, issue } });
    const { accessToken } = await logIn({ username: 'lead', password: 'lead-secret', network: '' });
    const { origin: _, ...loaded } = acting(lead);
    expect(actorFromClaims(JSON.parse(accessToken))).to.deep.equal(loaded);
  });

  it('drops unknown groups and duplicates, and sorts the groups', () => {
    const groups = ['User', 'Admin', 'leader', null, 7, ['Leader'], 'Guest', 'User'];
    expect(actorFromClaims({ ...claims, groups })?.groups).to.deep.equal(['Guest', 'User']);
  });

  it('accepts ids in any case', () => {
    const sub = claims.sub.toUpperCase();
    expect(actorFromClaims({ ...claims, sub, division_id: claims.division_id.toUpperCase() })).to.deep.equal(actor);
  });

  it('gives an actor without a division no rights in divisions', () => {
    expect(actorFromClaims({ ...claims, division_id: null })).to.deep.equal({ ...actor, divisionId: null });
    expect(rightsOf({ ...claims, division_id: null })).to.deep.equal([
      'getUser',
      'updateUser',
      'listDivisions',
      'listGroups',
      'getInfo',
      'getOwnUser',
      'getPermissions',
      'listOwnSessions',
      'endOwnSession',
      'createAccessToken',
      'listAccessTokens',
      'endAccessToken',
    ]);
  });

  const malformed: [string, unknown][] = [
    ...Object.entries({
      sub: [undefined, null, '', 'ada', 1, ['0190a000-0000-7000-8000-000000000001'], {}],
      username: [undefined, null, 1, ['ada']],
      division_id: [undefined, '', 'north', 1, {}],
      groups: [undefined, null, 'Leader', { Leader: true }, 1],
      is_staff: [undefined, null, 'false', 0, 1],
      is_superuser: [undefined, null, 'true', 0, 1],
    }).flatMap(([name, values]) =>
      values.map((value): [string, unknown] => [`${name}: ${JSON.stringify(value)}`, { ...claims, [name]: value }]),
    ),
    ...[undefined, null, '', 'a.b.c', 1, true, [], [claims], {}, () => claims, new Map(Object.entries(claims))].map(
      (value): [string, unknown] => [`${typeof value} ${JSON.stringify(value)}`, value],
    ),
  ];
  for (const [name, value] of malformed) {
    it(`denies everything to claims with ${name}`, () => {
      expect(actorFromClaims(value)).to.equal(null);
      expect(rightsOf(value)).to.deep.equal([]);
    });
  }
});
