import { readFileSync } from 'node:fs';
import { aDivision, aLeader, anAdministrator, aTarget, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { facts } from '../examples/comparison/facts.ts';
import { type AlbumAction, policyLanguages } from '../examples/comparison/policies.ts';
import { album, albumPolicy } from '../packages/domain/test/library/album-policy.ts';
import { atLeast } from '../test-support/counts.ts';

const [north, south] = [aDivision(), aDivision()];
const ada = aUser().of(north);
const actors = {
  ada,
  member: aUser().of(north),
  leader: aLeader().of(north),
  'Leader elsewhere': aLeader().of(south),
  'Leader without a division': aLeader().with({ divisionId: null }),
  Administrator: anAdministrator().of(north),
  inactive: ada.inactive(),
  'inactive Leader': aLeader().of(north).inactive(),
};
const albums = [ada.id, actors.leader.id].flatMap((ownerId) =>
  [north.id, south.id, null].flatMap((divisionId) =>
    [true, false].map((isPublished) => aTarget(album, { ownerId, divisionId, isPublished })),
  ),
);
const { '`@chapter/domain`': here, CASL, Cedar } = policyLanguages;
const others = [CASL, Cedar];
const cases = Object.values(actors).flatMap((actor) => albums.map((target) => ({ actor, target })));

describe('The album policy in CASL and in Cedar', () => {
  it('decides exactly like the policy here', () => {
    const decisions = cases.flatMap(({ actor, target }) =>
      (Object.keys(albumPolicy) as AlbumAction[]).map((action) => ({ actor, action, target })),
    );
    const differences = atLeast(1000, decisions).filter(({ actor, action, target }) =>
      others.some(({ decideFor }) => decideFor(actor)(action, target) !== here.decideFor(actor)(action, target)),
    );
    expect(differences).to.deep.equal([]);
    const allowed = decisions.filter(({ actor, action, target }) => here.decideFor(actor)(action, target));
    expect(allowed.length).to.be.within(100, decisions.length - 100);
  });

  it('gives the same rights to fields', () => {
    const found = atLeast(90, cases).map(({ actor, target }) => {
      const fields = here.writableFields(actor, target);
      for (const other of others) expect(other.writableFields(actor, target)).to.deep.equal(fields);
      return fields.join();
    });
    expect([...new Set(found)].toSorted()).to.deep.equal([
      '',
      'cover,divisionId,title',
      'cover,title',
      'divisionId,title',
    ]);
  });
});

describe('The comparison of policy languages', () => {
  it('states what the present policies are and answer', () => {
    const document = readFileSync('docs/comparison.md', 'utf8');
    const rows = document.split('\n').map((line) => line.split(/ *\| */).slice(1, -1));
    for (const fact of facts()) expect(rows).to.deep.include(fact);
  });
});
