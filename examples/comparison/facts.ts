import { readFileSync } from 'node:fs';
import { aDivision, aLeader, aTarget, aUser } from '@chapter/domain/testing';
import { album } from '../../packages/domain/test/library/album-policy.ts';
import { type PolicyLanguage, policyLanguages } from './policies.ts';

const north = aDivision();
const ada = aUser().of(north);
const published = aTarget(album, { ownerId: ada.id, divisionId: north.id, isPublished: true });
const draft = { ...published, isPublished: false };

/** Callers and albums whose decisions are measured: the owner, another member and a Leader; published and not. */
export const measured = { actors: [ada, aUser().of(north), aLeader().of(north)], albums: [published, draft] };

/** Returns the lines of a policy, without empty ones and comments. */
const linesOf = ({ files }: PolicyLanguage): number =>
  files.flatMap((path) => readFileSync(path, 'utf8').split('\n')).filter((line) => /^\s*(?!\/[/*])\S/.test(line))
    .length;

/** Formats a condition with names instead of ids. */
const shown = (condition: object | string): string =>
  `\`${JSON.stringify(condition).replaceAll(ada.id, 'ADA').replaceAll(north.id, 'NORTH')}\``;

/** Returns what the comparison states about each language, apart from durations: a name, and a value of each. */
export const facts = (): readonly (readonly string[])[] => {
  const languages: readonly PolicyLanguage[] = Object.values(policyLanguages);
  const denied = languages.map((language) => language.denial(ada, 'deleteAlbum', published));
  const lists = languages.map((language) => language.list(ada));
  const fields = languages.map((language) => language.writableFields(ada, draft));
  return [
    ['lines', ...languages.map((language) => String(linesOf(language)))],
    ['a denial says', ...denied.map((text) => (text === '' ? 'nothing' : `“${text}”`))],
    ['the list is', ...lists.map(shown)],
    ['fields of an own draft', ...fields.map((names) => names.join(', '))],
  ];
};
