import { makeRandomIds, makeSettableClock, makeWorld, portContracts } from '@chapter/domain/testing';

// Random ids, so that no case depends on the order in which ids were made.
for (const [port, cases] of Object.entries(portContracts)) {
  describe(`The in-memory adapter of the port ${port}`, () => {
    for (const { title, run } of cases) {
      it(title, () => {
        const clock = makeSettableClock('2031-05-31T23:59:59.123Z');
        return run(makeWorld({ clock, ids: makeRandomIds(clock) }));
      });
    }
  });
}
