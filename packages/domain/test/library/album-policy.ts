import { anyOf, defineTarget, makeExplain, makeFieldRights, makeScope, rowsFor, rules, where } from '@chapter/domain';

/** The albums of a service of photos. */
export const album = defineTarget({ id: 'uuid', ownerId: 'uuid', divisionId: 'uuid or null', isPublished: 'boolean' });
const { owner, leader, divisionMember } = rules;
const author = where(owner, 'the owner, until the album is published', { isPublished: false });
const reader = where(divisionMember, 'a member of the division, once it is published', { isPublished: true });
const editor = anyOf(author, leader);
const viewer = anyOf(owner, reader, leader);
const onAlbum = rowsFor(album, viewer);

/** Who may do what with an album. */
export const albumPolicy = {
  listAlbums: onAlbum(anyOf(owner, reader)),
  readAlbum: onAlbum(viewer),
  createAlbum: onAlbum(owner),
  updateAlbum: onAlbum(editor),
  deleteAlbum: onAlbum(editor),
  addPhoto: onAlbum(author),
  removePhoto: onAlbum(editor),
  publishAlbum: onAlbum(owner),
  hideAlbum: onAlbum(anyOf(owner, leader)),
  commentAlbum: onAlbum(reader),
  shareAlbum: onAlbum(anyOf(owner, leader)),
  moveAlbum: onAlbum(leader),
};
export const explain = makeExplain(albumPolicy);
export const scope = makeScope(albumPolicy);
const rights = { title: editor, cover: author, divisionId: leader };
export const { writableFields, forbiddenFields } = makeFieldRights(album, rights);
