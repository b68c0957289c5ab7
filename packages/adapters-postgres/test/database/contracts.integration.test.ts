import { portContracts } from '@chapter/domain/testing';
import { useWorld } from '../support/use-world.ts';

for (const [port, cases] of Object.entries(portContracts)) {
  describe(`${port} on PostgreSQL`, () => {
    const world = useWorld();
    for (const { title, run } of cases) it(title, () => run(world()));
  });
}
