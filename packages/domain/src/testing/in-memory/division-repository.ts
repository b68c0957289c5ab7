import {
  CHANGEABLE_DIVISION_FIELDS,
  DIVISION_FIELDS,
  divisionDifferences,
  isSameDivision,
} from '../../fields/division-fields.ts';
import { divisionListFields } from '../../lists/list-fields.ts';
import { notFound, taken } from '../../model/errors.ts';
import { pick } from '../../model/pick.ts';
import { foldCase } from '../../model/text.ts';
import type { DivisionRepository } from '../../ports/division-repository.ts';
import { pageOf } from './page-of.ts';
import { divisionOf, type Store, type StoredDivision, storedActor, writeEntry } from './store.ts';

/** Returns an in-memory division repository. */
export const makeInMemoryDivisions = (store: Store): DivisionRepository => ({
  find: async (id) => {
    const division = store.divisions.get(id);
    return division ? divisionOf(division) : null;
  },

  list: async (query) => pageOf(divisionListFields, [...store.divisions.values()].map(divisionOf), query),

  create: (author, division) =>
    store.exclusive(() => {
      const { id } = division;
      const stored = { ...pick(division, DIVISION_FIELDS), version: 1, nameVersion: 1 };
      refuseTakenName(store, stored);
      store.divisions.set(id, stored);
      const changes = divisionDifferences(null, divisionOf(stored));
      writeEntry(store, author, 'createDivision', { type: 'division', id, divisionId: id }, changes);
      return divisionOf(stored);
    }),

  update: (author, id, change) =>
    store.exclusive(() => {
      const stored = store.divisions.get(id);
      if (!stored) throw notFound();
      const division = divisionOf(stored);
      const changed = pick(change({ actor: storedActor(store, author.userId), division }), CHANGEABLE_DIVISION_FIELDS);
      const next = { ...stored, ...changed };
      refuseTakenName(store, next);
      if (isSameDivision(division, divisionOf(next))) return division;
      const changes = divisionDifferences(division, divisionOf(next));
      const nameVersion = stored.nameVersion + (next.name === stored.name ? 0 : 1);
      const written = { ...next, version: stored.version + 1, nameVersion };
      store.divisions.set(id, written);
      writeEntry(store, author, 'updateDivision', { type: 'division', id, divisionId: id }, changes);
      return divisionOf(written);
    }),

  delete: (author, id, permit) =>
    store.exclusive(() => {
      const stored = store.divisions.get(id);
      if (!stored) throw notFound();
      const division = divisionOf(stored);
      const hasMembers = [...store.users.values()].some(({ divisionId }) => divisionId === id);
      permit({ actor: storedActor(store, author.userId), division, hasMembers });
      store.divisions.delete(id);
      const changes = divisionDifferences(division, null);
      writeEntry(store, author, 'deleteDivision', { type: 'division', id, divisionId: id }, changes);
    }),
});

const refuseTakenName = (store: Store, { id, name }: StoredDivision): void => {
  const sameName = (other: StoredDivision) => other.id !== id && foldCase(other.name) === foldCase(name);
  if ([...store.divisions.values()].some(sameName)) throw taken('name');
};
