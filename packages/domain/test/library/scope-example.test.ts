import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { idNamed, OTHER, OWN } from '../../../../test-support/proof/states.ts';
import { filterPhotos, selectPhotos } from './scope-example.ts';

const claims = {
  sub: idNamed('ada'),
  username: 'ada',
  division_id: OWN,
  groups: ['Guest'],
  is_staff: false,
  is_superuser: false,
};
const photos = {
  own: { ownerId: idNamed('ada'), divisionId: OTHER },
  ofDivision: { ownerId: idNamed('bob'), divisionId: OWN },
  elsewhere: { ownerId: idNamed('eve'), divisionId: OTHER },
};

describe("The README's example of a scope", () => {
  it('equals the code that these tests run', () => {
    const readme = readFileSync('packages/domain/README.md', 'utf8');
    expect(readme).to.include(readFileSync('packages/domain/test/library/scope-example.ts', 'utf8'));
  });

  it('selects the photos of the users that the caller may read', () => {
    expect(selectPhotos(claims)).to.deep.equal({
      text: 'select p.id from photo p where ("p"."owner_id" = $1 or "p"."division_id" = $2) order by p.id limit 100',
      values: [claims.sub, OWN],
    });
    expect(selectPhotos({ ...claims, groups: [] }).text).to.include('where "p"."owner_id" = $1 order');
    expect(selectPhotos({}).text).to.include('where false order');
  });

  it('filters an array in the same way', () => {
    expect(filterPhotos(claims, Object.values(photos))).to.deep.equal([photos.own, photos.ofDivision]);
    expect(filterPhotos({ ...claims, groups: [] }, Object.values(photos))).to.deep.equal([photos.own]);
    expect(filterPhotos({}, Object.values(photos))).to.deep.equal([]);
  });
});
