import { globSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';

const read = (file: string): string => readFileSync(file, 'utf8');

const { version, scripts, optionalDependencies } = JSON.parse(read('package.json')) as {
  version: string;
  scripts: Readonly<Record<string, string>>;
  optionalDependencies: Readonly<Record<string, string>>;
};

/** The properties that hold for all files in .editorconfig. */
const editorconfig = (): Readonly<Record<string, string>> => {
  const [, section = ''] = read('.editorconfig').split('[*]\n');
  const lines = [...(section.split('\n[')[0] ?? '').matchAll(/^(\w+) = (\S+)$/gm)];
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
};

describe('The project files', () => {
  it('name one version of Node: .nvmrc, the installed one, and pnpm-workspace.yaml', () => {
    const nvmrc = read('.nvmrc').trim();
    expect([...new Set(Object.values(optionalDependencies))]).to.deep.equal([nvmrc]);
    expect(/^nodeVersion: (\S+)$/m.exec(read('pnpm-workspace.yaml'))?.[1]).to.equal(nvmrc);
  });

  it('name the oldest Node that starts each part, as the README does', () => {
    const oldest = (file: string) => (JSON.parse(read(file)) as { engines: { node: string } }).engines.node.slice(2);
    const [own, packages] = [oldest('package.json'), new Set(globSync('packages/*/package.json').map(oldest))];
    const rows = [...read('README.md').matchAll(/^\| the (?:service|rules|packages).*Node\.js (\S+) or newer/gm)];
    expect(rows.map(([, version]) => version)).to.deep.equal([own, ...packages]);
    expect(read('README.md')).to.contain(`the pinned Node ${read('.nvmrc').trim()}`);
    expect(/\*\*Version\*\* +\| (\S+)/.exec(read('README.md'))?.[1]).to.equal(version);
  });

  it('let editors indent and break lines as the formatter does', () => {
    const { formatter } = JSON.parse(read('biome.json')) as {
      formatter: { indentStyle: string; indentWidth: number; lineWidth: number };
    };
    expect(editorconfig()).to.include({
      indent_style: formatter.indentStyle,
      indent_size: String(formatter.indentWidth),
      max_line_length: String(formatter.lineWidth),
    });
  });

  it('recommend an editor extension only for a tool that is installed', () => {
    const { recommendations } = JSON.parse(read('.vscode/extensions.json')) as { recommendations: readonly string[] };
    const tools: Readonly<Record<string, string>> = {
      'biomejs.biome': '@biomejs/biome',
      'oxc.oxc-vscode': 'oxlint',
      'coderline.mocha-vscode': 'mocha',
      'editorconfig.editorconfig': '.editorconfig',
    };
    const manifest = read('package.json');
    for (const extension of recommendations) {
      const tool = tools[extension] ?? `the tool of ${extension}`;
      expect(manifest.includes(`"${tool}"`) || globSync(tool).length > 0, extension).to.equal(true);
    }
  });

  it('need at most 20 npm scripts for readers of the README and of CONTRIBUTING', () => {
    const named = `${read('README.md')}${read('CONTRIBUTING.md')}`.matchAll(
      /npm (?:run )?(?:--silent )?([a-z][\w:-]*)/g,
    );
    const used = new Set(Array.from(named, ([, name = '']) => name).filter((name) => name in scripts));
    expect([...used]).to.have.length.within(5, 20);
  });

  it('name only npm scripts that exist', () => {
    const documents = globSync(['*.md', 'docs/*.md', 'examples/**/*.md']).filter((file) => file !== 'CHANGELOG.md');
    for (const document of atLeast(15, documents)) {
      const named = [...read(document).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name]) => name ?? '');
      for (const name of named) expect(scripts, `${document}: npm run ${name}`).to.have.property(name);
    }
  });

  it('give every package the version of the latest release in the changelog', () => {
    const latest = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md'))?.[1];
    expect(version).to.equal(latest);
    for (const file of atLeast(4, globSync('packages/*/package.json'))) {
      expect((JSON.parse(read(file)) as { version: string }).version, file).to.equal(latest);
    }
  });

  it('name the tarballs of the packages by their present version', () => {
    const documents = globSync(['*.md', '{examples,packages}/**/*.md'], { exclude: ['**/node_modules/**'] })
      .map(read)
      .join('\n');
    const named = [...documents.matchAll(/chapter-[a-z-]+-(\d+\.\d+\.\d+)\.tgz/g)].map(([, found]) => found);
    expect(new Set(named)).to.deep.equal(new Set([version]));
  });

  it('lock dependencies without naming a host, so that the lockfile works with every registry', () => {
    expect(read('pnpm-lock.yaml')).not.to.match(/\w+:\/\//);
  });

  it('use only the headings of Keep a Changelog', () => {
    const kinds = atLeast(2, [...read('CHANGELOG.md').matchAll(/^### (.+)$/gm)]).map(([, kind]) => kind);
    expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).to.include.members(kinds);
    expect(read('CHANGELOG.md').indexOf('## [Unreleased]')).to.be.greaterThan(0);
  });
});

/** Returns the first group of each match. */
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found ?? '');

describe('The images', () => {
  it('that the Dockerfile and compose.yaml use can all be built without a registry', () => {
    const script = read('scripts/containers/public-images.sh');
    const [suite = ''] = all(script, /^suite=(\S+)$/gm);
    const made = all(script, /^(?:debian|node|postgres)=(\S+)$/gm).map((name) => name.replace('$suite', suite));
    const used = [...all(read('Dockerfile'), /^FROM (\S+)/gm), ...all(read('compose.yaml'), /^ +image: ([^$\s]+)$/gm)];
    expect(made).to.have.members([...new Set(used)]);
  });

  it('that the tests use are provided too', () => {
    const [name] = all(read('scripts/containers/public-images.sh'), /^postgres_of_tests=(\S+)$/gm);
    expect(read('test-support/database.ts')).to.contain(`'${name}'`);
  });

  it('of the service contain every package', () => {
    const copied = all(read('Dockerfile'), /^COPY packages\/(\S+)\/package\.json /gm);
    expect(copied).to.have.members(readdirSync('packages'));
  });
});
