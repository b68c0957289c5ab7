import { connectPostgres } from '@chapter/adapters-postgres';
import { makeUseCases, OPERATOR } from '@chapter/domain';
import { makeWorld } from '@chapter/domain/testing';

/** Migrates a database, stores a division and a member, and returns the stored username. */
export const storeMember = async (url: string): Promise<string | undefined> => {
  // For a service, the clock, the ids and the other ports are those of @chapter/app.
  const world = makeWorld();
  const database = connectPostgres({ url, clock: world.clock, ids: world.ids });
  try {
    await database.migrations.up();
    const { createDivision, createUser } = makeUseCases({ ...world, ...database });
    const north = await createDivision(OPERATOR, () => ({ fields: { name: 'North' } }));
    const fields = { username: 'Ada', password: 'between two seas', groups: ['Leader'] };
    const { id } = await createUser(OPERATOR, () => ({ fields }), north.id);
    return (await database.users.find(id))?.username;
  } finally {
    await database.close();
  }
};
