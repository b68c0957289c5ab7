import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommonPasswords, foldCase } from '@chapter/domain/ports';

/** The relative path is the same from `src` and from `dist`. `data/README.md` names the source and licence. */
const LIST_PATH = join(import.meta.dirname, '../../data/common-passwords.txt');

const common = new Set(readFileSync(LIST_PATH, 'utf8').trim().split('\n').map(foldCase));

/** Contains the 10,000 most common passwords of the SecLists project, with folded case. Contract §4. */
export const commonPasswords: CommonPasswords = { has: (lowerCase) => common.has(lowerCase) };
