import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';
import { atLeast } from '../test-support/counts.ts';

/** Returns the names that a statement declares and exports. */
const exportedNames = (statement: ts.Statement): readonly string[] => {
  if (!ts.canHaveModifiers(statement)) return [];
  if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  return 'name' in statement ? [(statement.name as ts.Node).getText()] : ['default'];
};

const hasDocComment = (statement: ts.Statement): boolean =>
  ts.getJSDocCommentsAndTags(statement).some((comment) => ts.isJSDoc(comment) && Boolean(comment.comment));

/** Returns each name that a file declares and exports, and whether one of its declarations has a doc comment. */
const documentedNames = (path: string, text: string): ReadonlyMap<string, boolean> => {
  const names = new Map<string, boolean>();
  for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true).statements) {
    for (const name of exportedNames(statement)) names.set(name, names.get(name) || hasDocComment(statement));
  }
  return names;
};

describe('Every exported name', () => {
  const names = globSync('packages/*/src/**/*.ts').flatMap((path) =>
    Array.from(documentedNames(path, readFileSync(path, 'utf8')), ([name, isDocumented]) => ({
      name: `${path}: ${name}`,
      isDocumented,
    })),
  );

  it('has a doc comment', () => {
    expect(
      atLeast(300, names)
        .filter(({ isDocumented }) => !isDocumented)
        .map(({ name }) => name),
    ).to.deep.equal([]);
  });
});

describe('The check of doc comments', () => {
  it('finds names of every kind without one', () => {
    const text = `
      export const first = 1, second = 2;
      /** */ export function third() {}
      // not a doc comment
      export interface Fourth {}
      export type Fifth = 1;
      export class Sixth {}
      export enum Seventh {}
      export default function eighth() {}`;
    expect([...documentedNames('a.ts', text)]).to.deep.equal(
      ['first', 'second', 'third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'eighth'].map((name) => [name, false]),
    );
  });

  it('accepts a comment on one declaration of a name, and ignores names that are not exported', () => {
    const text = '/** One. */ export const one = 1; export type one = 1; const two = 2; export { two };';
    expect([...documentedNames('a.ts', text)]).to.deep.equal([['one', true]]);
  });
});
