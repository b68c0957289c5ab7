import { portContracts } from '@chapter/domain/testing';
import { useWorld } from '../support/use-world.ts';

describe('On PostgreSQL,', () => {
  const world = useWorld();
  for (const [port, cases] of Object.entries(portContracts)) {
    describe(port, () => {
      for (const { title, run } of cases) it(title, () => run(world()));
    });
  }
});
