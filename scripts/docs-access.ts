// Writes the tables of docs/access.md from the rules of the policy.
import { readFileSync, writeFileSync } from 'node:fs';
import { accessDocumentPath, withCurrentTables } from '../test-support/access-document.ts';

writeFileSync(accessDocumentPath, withCurrentTables(readFileSync(accessDocumentPath, 'utf8')));
