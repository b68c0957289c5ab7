import { readFileSync } from 'node:fs';
import { FAULT_CODES } from '@chapter/domain/api';
import { expect } from 'chai';
import { PROBLEM_STATUS } from '../../src/errors/problem-codes.ts';
import { document } from '../support/documented.ts';

const contract = readFileSync('docs/contract.md', 'utf8');

/** The rows of the tables in `docs/contract.md` whose first cell matches, as cells without code marks. */
const rowsThatStartWith = (first: RegExp): readonly (readonly string[])[] =>
  contract
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split(/\s*\|\s*/).slice(1, -1))
    .filter(([cell = '']) => first.test(cell));

const codesIn = (cell: string): readonly string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);

describe('docs/contract.md', () => {
  it('lists the operations of the OpenAPI document and the three pages', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security, responses }]) => ({
        endpoint: `${method.toUpperCase()} ${path}`,
        isPublic: security?.length === 0,
        success: Object.keys(responses).find((status) => status.startsWith('2')),
      })),
    );
    const listed = rowsThatStartWith(/^`(GET|POST|PATCH|DELETE) \//).map(
      ([endpoint = '', , allowed = '', success = '']) => ({
        endpoint: endpoint.replaceAll('`', ''),
        isPublic: allowed === 'public',
        success,
      }),
    );
    expect(listed).to.have.deep.members([
      ...described,
      { endpoint: 'GET /api/docs/', isPublic: true, success: '200' },
      { endpoint: 'GET /api/openapi/', isPublic: true, success: '200' },
      { endpoint: 'GET /password/', isPublic: true, success: '200' },
    ]);
  });

  it('lists every code of a problem with its status', () => {
    const listed = rowsThatStartWith(/^\d{3}$/).flatMap(([status, codes = '']) =>
      codesIn(codes).map((code) => [code, Number(status)] as const),
    );
    expect(listed).to.have.deep.members(Object.entries(PROBLEM_STATUS));
  });

  it('lists every code of a fault', () => {
    expect(codesIn(/^Codes in `errors`: (.*?)\.$/ms.exec(contract)?.[1] ?? '')).to.have.members(FAULT_CODES);
  });
});
