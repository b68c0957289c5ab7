// Writes docs/openapi.json: the OpenAPI document that the service serves with PUBLIC_URL=https://members.example.org.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { makeRoutes } from '../packages/adapters-http/src/index.ts';
import { makeDocument } from '../packages/adapters-http/src/openapi/document.ts';
import type { UseCases } from '../packages/domain/src/index.ts';

const path = 'docs/openapi.json';
// The descriptions of the routes do not call the use cases.
const routes = makeRoutes({} as UseCases);
writeFileSync(path, JSON.stringify(makeDocument(routes, { serverUrl: 'https://members.example.org', demo: null })));
execFileSync('biome', ['format', '--write', path]);
