import { makeWorld, userRepositoryContract } from '@chapter/domain/testing';

describe('The twin of the user repository', () => {
  for (const { title, run } of userRepositoryContract) it(title, async () => run(makeWorld()));
});
