import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';
import { atLeast } from '../test-support/counts.ts';

interface Declaration {
  readonly path: string;
  readonly name: string;
  readonly isExported: boolean;
  readonly isType: boolean;
  readonly isDocumented: boolean;
}

const isDocComment = (comment: ts.JSDoc | ts.JSDocTag): boolean => ts.isJSDoc(comment) && Boolean(comment.comment);

/** Returns the names that a file declares at its top level. */
const declarationsIn = (path: string, text: string): readonly Declaration[] =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true).statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    const isExported = modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    const isDocumented = ts.getJSDocCommentsAndTags(statement).some(isDocComment);
    const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
    return declared.flatMap((one) => {
      if (!('name' in one && one.name)) return [];
      return [{ path, name: (one.name as ts.Node).getText(), isExported, isType, isDocumented }];
    });
  });

// The schema `User` of the API describes the type `User` of the domain.
const isSchema = ({ path, name, isType }: Declaration): boolean =>
  !isType && path.startsWith('packages/adapters-http/src/schemas/') && /^[A-Z][a-z]/.test(name);
const isDomainType = ({ path, isType }: Declaration): boolean => isType && path.startsWith('packages/domain/src/');

/** Whether a name must be unique: others may be local words, such as `row`, that their file explains. */
const mustBeUnique = ({ name, isExported }: Declaration): boolean => isExported || /^[A-Z][A-Z0-9_]+$/.test(name);

/** Returns the names that several files give a meaning, one line each. */
const sharedNames = (declarations: readonly Declaration[]): readonly string[] => {
  const byName = Map.groupBy(declarations.filter(mustBeUnique), ({ name }) => name);
  return [...byName].flatMap(([name, all]) => {
    const counted = all.some(isSchema) ? all.filter((one) => !isDomainType(one)) : all;
    const paths = [...new Set(counted.map(({ path }) => path))];
    return paths.length > 1 ? [`${name}: ${paths.join(', ')}`] : [];
  });
};

/** Returns the exported names of which no declaration has a doc comment. */
const undocumentedNames = (declarations: readonly Declaration[]): readonly string[] => {
  const exported = declarations.filter(({ isExported }) => isExported);
  return [...Map.groupBy(exported, ({ path, name }) => `${path}: ${name}`)].flatMap(([name, all]) =>
    all.some(({ isDocumented }) => isDocumented) ? [] : [name],
  );
};

describe('Names', () => {
  it('have one meaning if they are exported or constants', () => {
    // Migrations are copies that never change, so later code may use their names.
    const paths = globSync('packages/*/src/**/*.ts', { exclude: ['packages/*/src/schema/migrations/0*.ts'] });
    const declarations = paths.flatMap((path) => declarationsIn(path, readFileSync(path, 'utf8')));
    expect(sharedNames(atLeast(1000, declarations))).to.deep.equal([]);
  });

  it('of test support, benchmarks and scripts differ from those of the product if they are exported', () => {
    const declarations = globSync(
      ['packages/*/src/**/*.ts', 'test-support/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
      {
        exclude: ['packages/*/src/schema/migrations/0*.ts', '**/node_modules/**'],
      },
    ).flatMap((path) => declarationsIn(path, readFileSync(path, 'utf8')));
    const isProduct = ({ path }: Declaration): boolean => path.startsWith('packages/');
    const names = new Set(declarations.filter((one) => isProduct(one) && one.isExported).map(({ name }) => name));
    const shared = atLeast(1000, declarations).filter(
      (one) => !isProduct(one) && one.isExported && names.has(one.name),
    );
    expect(shared.map(({ path, name }) => `${name}: ${path}`)).to.deep.equal([]);
  });

  it('are refused for two constants and for an exported function and type, but not for a schema and its domain type', () => {
    const files = {
      'a.ts': 'const LIMIT_MS = 1; const row = 1; export function page() {}',
      'b.ts': 'const LIMIT_MS = 2; export const row = 2; export type page = string;',
      'packages/adapters-http/src/schemas/user.ts': 'export const User = {};',
      'packages/domain/src/model/user.ts': 'export interface User {}',
    };
    const declarations = Object.entries(files).flatMap(([path, text]) => declarationsIn(path, text));
    expect(sharedNames(declarations)).to.deep.equal(['LIMIT_MS: a.ts, b.ts', 'page: a.ts, b.ts']);
  });

  it('have a doc comment if they are exported', () => {
    const paths = globSync('packages/*/src/**/*.ts');
    const declarations = paths.flatMap((path) => declarationsIn(path, readFileSync(path, 'utf8')));
    expect(undocumentedNames(atLeast(1000, declarations))).to.deep.equal([]);
  });

  it('are reported if they are exported and none of their declarations has a doc comment', () => {
    const text = `
      export const first = 1, second = 2;
      /** */ export function third() {}
      // not a doc comment
      export interface Fourth {}
      export type Fifth = 1;
      export class Sixth {}
      export enum Seventh {}
      export default function eighth() {}
      /** One. */ export const one = 1; export type one = 1; const two = 2; export { two };`;
    const names = ['first', 'second', 'third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'eighth'];
    expect(undocumentedNames(declarationsIn('a.ts', text))).to.deep.equal(names.map((name) => `a.ts: ${name}`));
  });
});
