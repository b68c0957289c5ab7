import { AbilityBuilder, createMongoAbility, type MongoAbility } from '@casl/ability';
import type { Actor } from '@chapter/domain';

/** The album policy in CASL: what one actor may do. */
export const abilityFor = ({ id, isActive, divisionId, groups }: Actor): MongoAbility => {
  const { can, build } = new AbilityBuilder<MongoAbility>(createMongoAbility);
  const own = { ownerId: id };
  const draft = { ...own, isPublished: false };
  if (isActive) {
    can(['listAlbums', 'readAlbum', 'createAlbum', 'publishAlbum', 'hideAlbum', 'shareAlbum'], 'Album', own);
    can(['deleteAlbum', 'addPhoto', 'removePhoto'], 'Album', draft);
    can('updateAlbum', 'Album', ['title', 'cover'], draft);
  }
  if (isActive && divisionId !== null) {
    can(['listAlbums', 'readAlbum', 'commentAlbum'], 'Album', { divisionId, isPublished: true });
  }
  if (isActive && divisionId !== null && groups.includes('Leader')) {
    const led = ['readAlbum', 'deleteAlbum', 'removePhoto', 'hideAlbum', 'shareAlbum', 'moveAlbum'];
    can(led, 'Album', { divisionId });
    can('updateAlbum', 'Album', ['title', 'divisionId'], { divisionId });
  }
  return build({ detectSubjectType: () => 'Album' });
};
