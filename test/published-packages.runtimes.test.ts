import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';
import { useTestDatabase } from '../test-support/database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { packedPackages } from '../test-support/packed.ts';

interface Manifest {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Record<string, { readonly types: string }>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const folders = atLeast(4, readdirSync('packages'));

/** Compiler settings of an application that is at least as strict as the packages. */
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  target: 'es2024',
  lib: ['es2024'],
  types: ['node'],
  typeRoots: [resolve('node_modules/@types')],
  noEmit: true,
};
const COMPILERS = { 'TypeScript 7': ['tsc', '--singleThreaded'], 'TypeScript 6': ['tsc6'] };
const RESOLUTIONS = [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const;

/** Modules that a declaration file imports, as they are written there. */
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)].map(
    ([, specifier = '']) => specifier,
  );

/** Packages that an application's compiler reads for the declarations in `entries`, and for those they import. */
const typePackagesOf = (entries: readonly string[]): readonly string[] => {
  const files = new Set(entries);
  const packages = new Set<string>();
  for (const file of files) {
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) files.add(join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')));
      else if (!specifier.startsWith('node:')) packages.add(/^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '');
    }
  }
  return [...packages].toSorted();
};

describe('The packed packages, outside of the workspace,', () => {
  const project = makeFolder();
  const modules = join(project, 'node_modules');
  const manifests = new Map<string, Manifest>();
  const database = useTestDatabase();
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: project, encoding: 'utf8' });

  // Like an installation, except that dependencies are linked instead of downloaded.
  before(() => {
    for (const [folder, tarball] of Object.entries(packedPackages())) {
      const unpacked = join(modules, '@chapter', folder);
      mkdirSync(unpacked, { recursive: true });
      spawnSync('tar', ['-xzf', tarball, '--strip-components', '1', '-C', unpacked]);
      const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest;
      // Not a module.
      delete manifest.exports['./package.json'];
      manifests.set(folder, manifest);
      for (const name of Object.keys(manifest.dependencies ?? {}).filter((name) => !name.startsWith('@chapter/'))) {
        const link = join(unpacked, 'node_modules', name);
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(resolve('packages', folder, 'node_modules', name), link);
      }
    }
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    const exported = [...manifests.values()].flatMap(({ name, exports }, at) =>
      Object.keys(exports).map((path, of) => `export * as all${at}${of} from '${name}${path.slice(1)}';`),
    );
    writeFileSync(join(project, 'all.ts'), exported.join('\n'));
  });

  it('depend on exact versions, and on each other', () => {
    for (const { name, dependencies, peerDependencies } of manifests.values()) {
      for (const [dependency, version] of Object.entries({ ...dependencies, ...peerDependencies })) {
        expect(version, `${name} needs ${dependency}`).to.match(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      }
    }
  });

  it('let an application choose the one copy of the domain that all adapters use', () => {
    for (const folder of ['adapters-http', 'adapters-postgres']) {
      const { dependencies, peerDependencies } = manifests.get(folder) as Manifest;
      expect(dependencies).not.to.have.property('@chapter/domain');
      expect(peerDependencies).to.have.property('@chapter/domain');
    }
  });

  it('contain a licence and a description, and no sources, tests or settings', () => {
    for (const folder of folders) {
      const files = readdirSync(join(modules, '@chapter', folder)).filter((name) => name !== 'node_modules');
      const data = { app: ['data'], 'adapters-http': ['assets'] }[folder] ?? [];
      expect(files.toSorted()).to.deep.equal(['LICENSE', 'README.md', ...data, 'dist', 'package.json']);
    }
  });

  it('map every module to its source', () => {
    for (const folder of folders) {
      const dist = join(modules, '@chapter', folder, 'dist');
      const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
      const compiled = files.filter((file) => file.endsWith('.js'));
      for (const file of atLeast(10, compiled)) {
        // The sources are in the maps, because the packages contain no others.
        const map = JSON.parse(readFileSync(join(dist, `${file}.map`), 'utf8')) as { sourcesContent?: string[] };
        expect(map.sourcesContent?.[0], file).to.be.a('string');
      }
    }
  });

  for (const folder of folders) {
    it(`load with the dependencies that @chapter/${folder} declares`, () => {
      const { name, exports } = manifests.get(folder) as Manifest;
      const entries = Object.keys(exports).map((path) => name + path.slice(1));
      const program = entries.map((entry) => `await import('${entry}');`).join('\n');
      const { status, stderr } = run(process.execPath, '--input-type=module', '-e', program);
      expect(stderr).to.equal('');
      expect(status).to.equal(0);
    });
  }

  const compile = (
    settings: object,
    files: readonly string[],
    [compiler = '', ...args] = COMPILERS['TypeScript 7'],
  ) => {
    const config = { compilerOptions: { ...STRICT, ...settings }, files };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
    return run(resolve('node_modules/.bin', compiler), '-p', '.', ...args).stdout;
  };

  for (const [module, moduleResolution] of RESOLUTIONS) {
    it(`contain types for ${moduleResolution} resolution`, () => {
      expect(compile({ module, moduleResolution, skipLibCheck: true }, ['all.ts'])).to.equal('');
    });
  }

  describe('of which the domain', () => {
    before(() => writeFileSync(join(project, 'consumer.ts'), readFileSync('packages/domain/test/library/consumer.ts')));

    it('has no dependencies', () => {
      const { dependencies, peerDependencies } = manifests.get('domain') as Manifest;
      expect({ ...dependencies, ...peerDependencies }).to.deep.equal({});
    });

    for (const [title, compiler] of Object.entries(COMPILERS)) {
      for (const [module, moduleResolution] of RESOLUTIONS) {
        it(`compiles without types of Node by ${title} with ${moduleResolution} resolution`, () => {
          expect(compile({ module, moduleResolution, types: [] }, ['consumer.ts'], compiler)).to.equal('');
        });
      }
    }

    it('runs', async () => {
      const { default: found } = await import(pathToFileURL(join(project, 'consumer.ts')).href);
      expect(found).to.deep.equal({
        can: true,
        explain: 'only an Administrator may do this',
        denied: false,
        scope: '"p"."division_id" = $1',
        created: ['ada', true, ['Guest']],
        refused: 'not_found',
        fields: 0,
        usernames: 150,
        own: 'forbidden',
        ownScope: [false, true],
        matrix: 3,
        ownThings: [true, 2, true, 0],
        questions: ['a user; ownerId caller.id'],
      });
    });

    it('exports nothing but its public modules', () => {
      const attempt = "import('@chapter/domain/dist/policy/policy.js').catch((error) => console.log(error.code))";
      const { stdout } = run(process.execPath, '--input-type=module', '-e', attempt);
      expect(stdout).to.equal('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
    });
  });

  it('let a second application assemble the use cases on real adapters, under the strictest settings', () => {
    writeFileSync(join(project, 'second.ts'), readFileSync('packages/app/test/library/second-application.ts'));
    expect(compile({ module: 'nodenext', skipLibCheck: false }, ['all.ts', 'second.ts'])).to.equal('');
    const { stderr, stdout } = run(process.execPath, 'second.ts', database.url, 'keys.json');
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.deep.equal({
      refused: 'invalid_credentials',
      username: 'ada',
      divisionName: 'North',
      listed: ['ada'],
      count: 1,
    });
  });

  const typePackages = (folder: string): readonly string[] => {
    const { exports } = manifests.get(folder) as Manifest;
    return typePackagesOf(Object.values(exports).map(({ types }) => join(modules, '@chapter', folder, types)));
  };

  it('declare every package that their public types need', () => {
    for (const folder of folders) {
      const { name, dependencies, peerDependencies } = manifests.get(folder) as Manifest;
      const declared = Object.keys({ ...dependencies, ...peerDependencies });
      for (const needed of typePackages(folder)) expect(declared, `${name} needs ${needed}`).to.include(needed);
    }
  });

  it('expose no types of the ORM or of the driver', () => {
    expect(typePackages('adapters-postgres')).to.deep.equal(['@chapter/domain']);
  });

  it('contain the command line', () => {
    const { bin = {} } = manifests.get('app') as Manifest;
    expect(Object.keys(bin)).to.deep.equal(['chapter']);
    const path = join(modules, '@chapter/app', bin['chapter'] ?? '');
    expect(readFileSync(path, 'utf8')).to.match(/^#!\/usr\/bin\/env node\n/);
    const { status, stderr } = run(process.execPath, path, 'no-such-command');
    expect(stderr).not.to.match(/ERR_MODULE_NOT_FOUND|Error:/);
    expect(status, basename(path)).to.equal(2);
  });
});
