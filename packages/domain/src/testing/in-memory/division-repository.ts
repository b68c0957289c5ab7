import { DIVISION_FIELDS } from '../../fields/division-fields.ts';
import { divisionListFields } from '../../lists/list-fields.ts';
import type { Division, DivisionId } from '../../model/division.ts';
import { notFound, taken } from '../../model/errors.ts';
import { pick } from '../../model/pick.ts';
import { foldCase } from '../../model/text.ts';
import type { Author } from '../../model/user.ts';
import type { DivisionRepository } from '../../ports/division-repository.ts';
import { type DivisionWrite, decideDivisionCreation, type LockedDivision } from '../../writes/division-writes.ts';
import { pageOf } from './page-of.ts';
import { divisionOf, type Store, storedActor, writeEntry } from './store.ts';

/** Returns an in-memory division repository. */
export const makeInMemoryDivisions = (store: Store): DivisionRepository => ({
  find: async (id) => {
    const division = store.divisions.get(id);
    return division ? divisionOf(division) : null;
  },

  list: async (query) => pageOf(divisionListFields, [...store.divisions.values()].map(divisionOf), query),

  create: (author, division) => store.exclusive(() => apply(store, author, decideDivisionCreation(division))),

  update: (author, id, decide) =>
    store.exclusive(() => {
      const locked = lock(store, author, id);
      const write = decide(locked);
      return write === 'unchanged' ? locked.division : apply(store, author, write);
    }),

  delete: (author, id, decide) =>
    store.exclusive(() => {
      const hasMembers = [...store.users.values()].some(({ divisionId }) => divisionId === id);
      apply(store, author, decide({ ...lock(store, author, id), hasMembers }));
    }),
});

const apply = (store: Store, author: Author, { audit, division, kind }: DivisionWrite): Division => {
  const { id } = division;
  const stored = store.divisions.get(id) ?? { version: 0, nameVersion: 0, name: '' };
  const nameVersion = stored.nameVersion + (division.name === stored.name ? 0 : 1);
  const written = { ...pick(division, DIVISION_FIELDS), version: stored.version + 1, nameVersion };
  if (kind === 'delete') store.divisions.delete(id);
  else {
    refuseTakenName(store, division);
    store.divisions.set(id, written);
  }
  writeEntry(store, author, audit);
  return divisionOf(written);
};

const lock = (store: Store, author: Author, id: DivisionId): LockedDivision => {
  const stored = store.divisions.get(id);
  if (!stored) throw notFound();
  return { actor: storedActor(store, author.userId), division: divisionOf(stored) };
};

const refuseTakenName = (store: Store, { id, name }: Division): void => {
  const sameName = (other: Pick<Division, 'id' | 'name'>) => other.id !== id && foldCase(other.name) === foldCase(name);
  if ([...store.divisions.values()].some(sameName)) throw taken('name');
};
