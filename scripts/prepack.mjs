// What `npm pack` and `npm publish` run in the folder of a package: builds the package and puts the fields of `publishConfig`
// into package.json, which npm, unlike pnpm, does not do. With `restore`, which they run afterwards, undoes the latter.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const original = 'package.json.original';

const restore = () => {
  if (!existsSync(original)) return;
  renameSync(original, 'package.json');
  rmSync('LICENSE', { force: true });
};

const prepare = () => {
  const env = { ...process.env, PATH: resolve(root, 'node_modules/.bin') + delimiter + process.env.PATH };
  rmSync('dist', { recursive: true, force: true });
  const { status } = spawnSync('tsc', ['-b', '--force', 'tsconfig.build.json'], { env, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  const { publishConfig, scripts: _, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'));
  renameSync('package.json', original);
  writeFileSync('package.json', `${JSON.stringify({ ...manifest, ...publishConfig }, null, 2)}\n`);
  copyFileSync(resolve(root, 'LICENSE'), 'LICENSE');
};

// pnpm publishes these fields itself.
if (!process.env.npm_config_user_agent?.startsWith('pnpm/')) {
  // A run that was interrupted left the original.
  restore();
  if (process.argv[2] !== 'restore') prepare();
}
