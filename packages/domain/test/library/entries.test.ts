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
/** Whether a symbol of the domain has a doc comment. Those of TypeScript's own library explain no member. */
const isDocumented = (symbol: ts.Symbol | undefined): boolean =>
  symbol !== undefined &&
  (originalOf(symbol).declarations ?? []).some((one) => !program.isSourceFileDefaultLibrary(one.getSourceFile())) &&
  originalOf(symbol).getDocumentationComment(checker).length > 0;

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

/** Returns the object literal that a constant consists of, perhaps frozen. */
const literalOf = (value: ts.Expression | undefined): ts.ObjectLiteralExpression | undefined => {
  if (!value || ts.isObjectLiteralExpression(value)) return value;
  if (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) return literalOf(value.expression);
  return ts.isCallExpression(value) && value.expression.getText() === 'Object.freeze'
    ? literalOf(value.arguments[0])
    : undefined;
};

/** The members of a literal on one line are explained by the doc comment before it. */
const isOnOneLine = (node: ts.Node): boolean => !node.getText().includes('\n');

/** Returns the members of a declaration or type, with those of the literals in them. */
const membersIn = (node: ts.Node | undefined): readonly ts.Declaration[] => {
  if (!node) return [];
  if (ts.isTypeAliasDeclaration(node)) return ts.isTypeLiteralNode(node.type) ? membersIn(node.type) : [];
  if (ts.isTypeOperatorNode(node)) return membersIn(node.type);
  if (ts.isArrayTypeNode(node)) return membersIn(node.elementType);
  if (ts.isUnionTypeNode(node)) return node.types.flatMap(membersIn);
  if (!(ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeLiteralNode(node))) return [];
  const members: readonly ts.Declaration[] = node.members.filter((member) => !ts.isConstructorDeclaration(member));
  const nested = members.flatMap((member) => (ts.isPropertySignature(member) && member.type ? [member.type] : []));
  return [...members, ...nested.filter((type) => !isOnOneLine(type)).flatMap(membersIn)];
};

/** Constants whose doc comment explains each row. */
const TABLES = new Set(['policy', 'fieldRights']);

/** Returns the members of an exported constant, apart from tables. */
const constantsIn = (symbol: ts.Symbol): readonly ts.Declaration[] =>
  (symbol.declarations ?? []).flatMap((declaration): readonly ts.Declaration[] => {
    const literal = ts.isVariableDeclaration(declaration) ? literalOf(declaration.initializer) : undefined;
    return !literal || isOnOneLine(literal) || TABLES.has(symbol.name) ? [] : literal.properties;
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
    const root = new Set(namesOf('.').values());
    const members = [...symbols].flatMap((symbol) => {
      const found = (symbol.declarations ?? []).flatMap(membersIn).concat(root.has(symbol) ? constantsIn(symbol) : []);
      return found.map((member) => ({ symbol, member }));
    });
    const undocumented = atLeast(400, members).filter(({ member }) => {
      const symbol = (member as ts.Declaration & { symbol?: ts.Symbol }).symbol;
      return !isDocumented(symbol) && !isExplainedByType((member as ts.PropertySignature).type);
    });
    expect(undocumented.map(({ symbol, member }) => `${symbol.name}: ${member.getText()}`)).to.deep.equal([]);
  });
});
