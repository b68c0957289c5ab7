import { actorFromClaims, isInScope, scope, scopeToSql } from '@chapter/domain';

interface Photo {
  readonly ownerId: string;
  readonly divisionId: string;
}

/** Returns a query for the photos of all users that the caller may read, for a client such as pg. */
export const selectPhotos = (claims: unknown): { text: string; values: unknown[] } => {
  const { text, parameters } = scopeToSql(scope(actorFromClaims(claims), 'getUser'), {
    divisionId: 'p.division_id',
    id: 'p.owner_id',
  });
  return { text: `select p.id from photo p where ${text} order by p.id limit 100`, values: [...parameters] };
};

/** Filters an array in the same way. */
export const filterPhotos = (claims: unknown, photos: readonly Photo[]): readonly Photo[] => {
  const readable = scope(actorFromClaims(claims), 'getUser');
  return photos.filter(({ ownerId, divisionId }) => isInScope(readable, { id: ownerId, divisionId }));
};
