import { globSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';

const { config } = ts.readConfigFile('tsconfig.base.json', (path) => ts.sys.readFile(path));
const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, noEmit: true }, '.');

const files = globSync('packages/*/src/**/*.ts');
const program = ts.createProgram(files, options);
const checker = program.getTypeChecker();

/** Returns the names that a module declares and exports. */
const exportsOf = (path: string): readonly ts.Symbol[] => {
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) return [];
  return checker.getExportsOfModule(module).filter((symbol) => !(symbol.flags & ts.SymbolFlags.Alias));
};

describe('Every exported name', () => {
  const names = files.flatMap((path) => exportsOf(path).map((symbol) => ({ path, symbol })));

  it('has a doc comment', () => {
    const bare = names.filter(({ symbol }) => symbol.getDocumentationComment(checker).length === 0);
    expect(bare.map(({ path, symbol }) => `${path}: ${symbol.name}`)).to.deep.equal([]);
  });

  it('was checked', () => {
    expect(names.length).to.be.greaterThan(300);
  });
});
