import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { packedPackages } from '../../../../test-support/packed.ts';

const compilers = { 'TypeScript 7': ['tsc', '--singleThreaded'], 'TypeScript 6': ['tsc6'] };
const resolutions = {
  NodeNext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};
const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  target: 'es2024',
  lib: ['es2024'],
  types: [],
};

describe('The packed domain, outside the workspace', () => {
  const project = makeFolder();
  const run = (command: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout;
  };

  before(() => {
    const { domain: tarball = '' } = packedPackages();
    copyFileSync(resolve(import.meta.dirname, 'consumer.ts'), join(project, 'consumer.ts'));
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
    run('npm', 'install', '--offline', '--no-audit', '--no-fund', tarball);
  });

  it('installs without network and dependencies', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).to.deep.equal([
      '@chapter',
    ]);
    expect(readdirSync(join(project, 'node_modules/@chapter'))).to.deep.equal(['domain']);
  });

  for (const [compiler, [bin = '', ...options]] of Object.entries(compilers)) {
    for (const [resolution, settings] of Object.entries(resolutions)) {
      it(`compiles in a strict project by ${compiler} with ${resolution} resolution`, () => {
        const compilerOptions = { ...strict, ...settings, outDir: `${bin}-${resolution}` };
        writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
        run(resolve('node_modules/.bin', bin), '-p', '.', ...options);
      });
    }
  }

  it('runs', async () => {
    const { default: found } = await import(pathToFileURL(join(project, 'tsc-NodeNext/consumer.js')).href);
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
    });
  });

  it('exports nothing but its public modules', () => {
    const attempt = "import('@chapter/domain/dist/policy/policy.js').catch((error) => console.log(error.code))";
    expect(run(process.execPath, '--input-type=module', '-e', attempt)).to.equal('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });
});
