import {
  aDivision,
  aLeader,
  aUser,
  changeUser,
  deleteUser,
  makeWorld,
  storeDivision,
  storeUser,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { findDivision, findDivisionId, findPeople, findPerson, findUser } from '../../src/cli/steps/find.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';

const refusal = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => expect.fail('was found'),
    (error: unknown) => {
      expect(error).to.be.instanceOf(OperatorError);
      return (error as Error).message;
    },
  );

describe('The user or division that an option names', () => {
  const world = makeWorld();
  const { users } = world;
  const gone = aLeader();
  // Releases before this rule accepted such names.
  const impostor = aUser().of(gone.division).with({ username: gone.id });
  const north = aDivision();
  const namedLikeNorth = aDivision().with({ name: north.id });

  before(async () => {
    await storeUser(world, gone);
    await deleteUser({ users }, gone.id);
    await storeUser(world, impostor);
    await storeDivision(world, namedLikeNorth);
  });

  for (const form of [gone.id, gone.id.toUpperCase(), ` ${gone.id} `]) {
    it(`is never a user whose name is a UUID: "${form}"`, async () => {
      expect(await refusal(findUser(world, form))).to.equal(`There is no user with the name or id ${form}.`);
      expect(await findPerson(world, form)).to.equal(gone.id);
      expect(await findPeople(world, form)).to.deep.equal([gone.id]);
    });
  }

  it('is never a division whose name is a UUID', async () => {
    expect(await refusal(findDivision(world, north.id))).to.include('no division with the name or id');
    expect(await findDivisionId(world, north.id)).to.equal(north.id);
    await storeDivision(world, north);
    expect(await findDivision(world, north.id)).to.include({ name: north.name });
    expect(await findDivision(world, namedLikeNorth.id)).to.include({ name: north.id });
    expect(await findDivisionId(world, north.name.toUpperCase())).to.equal(north.id);
  });

  it('may be a user with the id or the name in any case, and for some commands with a former name', async () => {
    for (const named of [impostor.id, impostor.id.toUpperCase()]) {
      expect(await findUser(world, named)).to.include({ id: impostor.id });
    }
    const ada = await storeUser(world, aUser().of(gone.division).with({ username: 'ada' }));
    expect(await findUser(world, 'ADA')).to.include({ id: ada.id });
    await changeUser(world, ada.id, { username: 'eva' });
    expect([await findPerson(world, 'Ada'), await findPeople(world, 'Ada')]).to.deep.equal([ada.id, [ada.id]]);
    const other = await storeUser(world, aUser().of(gone.division).with({ username: 'ada' }));
    expect(await findPerson(world, 'ada')).to.equal(other.id);
    expect(await findPeople(world, 'ada')).to.have.members([ada.id, other.id]);
    // The entry of the creation may have been pruned.
    const withoutTrail = { ...world, audit: makeWorld().audit };
    expect(await findPeople(withoutTrail, 'ada')).to.deep.equal([other.id]);
    await deleteUser(world, other.id);
    expect(await refusal(findPerson(world, 'ada'))).to.equal(
      `Several former users had the name ada; give one of their ids: ${[ada.id, other.id].toSorted().join(', ')}.`,
    );
    expect(await refusal(findPeople(world, 'unknown'))).to.include('no user with the name or id unknown');
    expect(await refusal(findUser(world, 'ada'))).to.include('no user with the name or id ada');
  });
});
