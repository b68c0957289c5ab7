// Writes docs/access.md, the access table, from the rules of the policy.
import { writeFileSync } from 'node:fs';
import { accessDocument, accessDocumentPath } from '../test-support/access-document.ts';

writeFileSync(accessDocumentPath, accessDocument());
