import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { policy } from '../packages/domain/src/index.ts';
import { toPlainWords } from '../packages/domain/src/policy/describe-policy.ts';
import { atLeast } from '../test-support/counts.ts';

const text = readFileSync('docs/architecture.md', 'utf8');

/** Returns the files of the numbered list below a line that begins with the subject in bold. */
const filesFor = (subject: string): readonly string[] => {
  const [, section = ''] = text.split(new RegExp(`\\n\\*\\*${subject}\\*\\* [^\\n]*takes `));
  const [list = ''] = section.split(/\n\n(?=\*\*|#|[A-Z])/);
  return [...list.matchAll(/^\d+\. (.+)$/gm)].map(([, item = '']) => /`([^`]+)`/.exec(item)?.[1] ?? '');
};

/** Whether a listed file exists; `NAME` stands for any name. */
const exists = (file: string): boolean =>
  [`packages/${file}`, file].some((path) => globSync(path.replace('NAME', '*')).length > 0);

/** Returns the folders of the table below the heading of a package, in its order. */
const foldersOf = (name: string): readonly string[] => {
  const [, section = ''] = text.split(`\n### \`${name}\`\n`);
  const [table = ''] = section.split(/\n#/);
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, folder = '']) => folder);
};

/** Returns the folders that the files of a folder import, without itself. */
const importedFolders = (source: string, folder: string): readonly string[] => {
  const imported = globSync(`${source}/${folder}/**/*.ts`).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(
      ([, path = '']) => relative(source, join(dirname(file), path)).split('/')[0] ?? '',
    ),
  );
  return [...new Set(imported)].filter((other) => other !== folder && !other.endsWith('.ts'));
};

describe('The architecture document', () => {
  for (const name of ['domain', 'adapters-http', 'adapters-postgres', 'app']) {
    it(`lists every folder of ${name}, each below those that it imports`, () => {
      const source = `packages/${name}/src`;
      const listed = foldersOf(name);
      const folders = globSync(`${source}/*/`).map((folder) => relative(source, folder));
      expect(listed.toSorted()).to.deep.equal(folders.toSorted());
      const imports = listed.flatMap((folder) => importedFolders(source, folder).map((other) => ({ folder, other })));
      const isAbove = ({ folder, other }: { folder: string; other: string }): boolean =>
        !listed.slice(0, listed.indexOf(folder)).includes(other);
      expect(atLeast(10, imports).filter(isAbove)).to.deep.equal([]);
    });
  }

  for (const [subject, maxFiles] of [
    ['An endpoint', 6],
    ['An action', 15],
    ['A command', 3],
    ['A group', 4],
    ['Another HTTP framework', 5],
  ] as const) {
    it(`lists at most ${maxFiles} files, which exist, for ${subject.toLowerCase()}`, () => {
      const files = filesFor(subject);
      expect(files).to.have.length.within(1, maxFiles);
      expect(files.filter((file) => !exists(file))).to.deep.equal([]);
    });
  }

  it('lists all files of an endpoint: its use case is in no other file', () => {
    const exported = readFileSync('packages/domain/src/index.ts', 'utf8').matchAll(/'\.\/use-cases\/([^/']+)'/g);
    expect(Array.from(exported, ([, file]) => file)).to.deep.equal(['index.ts']);
  });

  it('lists all files of an action: no other file names every action', () => {
    const actions = Object.keys(policy);
    const sources = globSync('{packages/*/{src,test},test,test-support,scripts,docs}/**/*.{ts,cedar,cedarschema,md}');
    const naming = sources.filter((file) => {
      const source = readFileSync(file, 'utf8');
      return actions.every((action) => [action, toPlainWords(action)].some((name) => source.includes(name)));
    });
    const listed = filesFor('An action');
    expect(atLeast(6, naming).filter((file) => !listed.includes(file.replace(/^packages\//, '')))).to.deep.equal([]);
  });

  it('lists all files of a command: only the command line imports a file of commands', () => {
    const importers = globSync('packages/app/{src,test}/**/*.ts').filter((file) =>
      /from '[^']*\/commands\//.test(readFileSync(file, 'utf8')),
    );
    expect(importers).to.deep.equal(['packages/app/src/cli/run.ts']);
  });

  it('ends with a glossary of at most 22 terms', () => {
    const [, glossary = ''] = text.split('\n## Glossary\n');
    const rows = glossary.split('\n').filter((line) => line.startsWith('| '));
    // The first row is the header, the second the line below it.
    expect(rows.slice(2)).to.have.length.within(1, 22);
  });
});
