import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { atLeast } from '../../../../test-support/counts.ts';

const folder = 'packages/domain';
const manifest: { exports: Record<string, string> } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const entries = Object.entries(manifest.exports).filter(([, path]) => path.endsWith('.ts'));
const program = ts.createProgram(
  entries.map(([, path]) => resolve(folder, path)),
  { noEmit: true, allowImportingTsExtensions: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ESNext },
);
const checker = program.getTypeChecker();

const originalOf = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
const isDocumented = (symbol: ts.Symbol | undefined): boolean =>
  symbol !== undefined && originalOf(symbol).getDocumentationComment(checker).length > 0;

/** Returns the names that an entry exports. */
const namesOf = (entry: string): ReadonlyMap<string, ts.Symbol> => {
  const file = program.getSourceFile(resolve(folder, manifest.exports[entry] ?? ''));
  const module = file && checker.getSymbolAtLocation(file);
  const exported = module ? checker.getExportsOfModule(module) : [];
  return new Map(exported.map((symbol) => [symbol.name, originalOf(symbol)]));
};

/** Whether the type of a member, apart from null and arrays, is a type whose doc comment explains it: `id: UserId`. */
const isExplainedByType = (type: ts.TypeNode | undefined): boolean => {
  if (!type) return false;
  if (ts.isTypeOperatorNode(type)) return isExplainedByType(type.type);
  if (ts.isArrayTypeNode(type)) return isExplainedByType(type.elementType);
  if (ts.isUnionTypeNode(type)) {
    const [only, ...others] = type.types.filter((one) => !['null', 'undefined'].includes(one.getText()));
    return others.length === 0 && isExplainedByType(only);
  }
  return ts.isTypeReferenceNode(type) && isDocumented(checker.getSymbolAtLocation(type.typeName));
};

/** Returns the members that the declarations of a name have. */
const membersOf = (symbol: ts.Symbol): readonly ts.Declaration[] =>
  (symbol.declarations ?? []).flatMap((declaration) => {
    const body = ts.isTypeAliasDeclaration(declaration) ? declaration.type : declaration;
    const hasMembers = ts.isInterfaceDeclaration(body) || ts.isClassDeclaration(body) || ts.isTypeLiteralNode(body);
    return hasMembers ? body.members.filter((member) => !ts.isConstructorDeclaration(member)) : [];
  });

describe('The entries of the domain', () => {
  it('export at most 120 names at the root', () => {
    expect(namesOf('.').size).to.be.within(100, 120);
  });

  it('export everything of the root for adapters of the API too', () => {
    const api = namesOf('./api');
    expect([...namesOf('.').keys()].filter((name) => !api.has(name))).to.deep.equal([]);
  });

  it('are listed in the README', () => {
    const readme = readFileSync(`${folder}/README.md`, 'utf8');
    for (const [entry] of entries) expect(readme).to.include(`| \`@chapter/domain${entry.slice(1)}\``);
  });

  it('do not export the tools of the implementation', () => {
    const names = entries.flatMap(([entry]) => [...namesOf(entry).keys()]);
    for (const name of ['markdownTable', 'orNull', 'permits', 'readerOf', 'isMet']) {
      expect(names).not.to.include(name);
    }
    expect([...namesOf('.').keys()]).not.to.include('snakeCase');
  });

  it('document every member that their doc comment or the one of its type has to explain', () => {
    const symbols = new Set(entries.flatMap(([entry]) => Array.from(namesOf(entry).values())));
    const members = [...symbols].flatMap((symbol) => membersOf(symbol).map((member) => ({ symbol, member })));
    const undocumented = atLeast(400, members).filter(({ member }) => {
      const symbol = (member as ts.Declaration & { symbol?: ts.Symbol }).symbol;
      return !isDocumented(symbol) && !isExplainedByType((member as ts.PropertySignature).type);
    });
    expect(undocumented.map(({ symbol, member }) => `${symbol.name}: ${member.getText()}`)).to.deep.equal([]);
  });
});
