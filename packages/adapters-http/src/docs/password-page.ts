import { readFile } from 'node:fs/promises';
import { passwordRule } from '@chapter/domain/api';
import { headersOfPage, OWN_FOLDER, PAGE_TYPES, type StaticPage } from './pages.ts';

/** The path of the page. */
export const PASSWORD_PAGE = '/password/';

/**
 * Returns the page on which a user sets a password by a link, its script and its style (contract §11). The page refers to
 * them by relative addresses, because a proxy may serve it below a path. Browsers check for new versions each time, so that a
 * page never runs with the script of an earlier release.
 */
export const makePasswordPages = (passwordMinLength: number): readonly StaticPage[] => {
  const limits = { '{min}': passwordMinLength, '{max}': passwordRule.max };
  const pageOf = (name: string, file: string, type: string, headers = {}): StaticPage => ({
    path: `${PASSWORD_PAGE}${name}`,
    type,
    cache: 'no-cache',
    isAsset: false,
    load: async () => {
      const text = await readFile(new URL(file, OWN_FOLDER), 'utf8');
      const filled = Object.entries(limits).reduce((all, [mark, limit]) => all.replaceAll(mark, String(limit)), text);
      return { bytes: Buffer.from(filled), headers };
    },
  });
  return [
    pageOf('', 'password.html', PAGE_TYPES.html, headersOfPage("'self'", 'data:')),
    pageOf('script', 'password.js', PAGE_TYPES.script),
    pageOf('style', 'chapter.css', PAGE_TYPES.style),
  ];
};
