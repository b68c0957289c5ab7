// What npm and pnpm run in the folder of a package before they pack it. It puts the public address of the repository into
// package.json. For npm, it also builds the package and puts the fields of `publishConfig` there, which pnpm does itself. With
// `restore`, which they run afterwards, it undoes the changes of package.json.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const original = 'package.json.original';

const readManifest = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The fields that lead to the repository; none without `repository` in the package.json of the root. */
const addressFields = () => {
  const { repository: address } = readManifest(resolve(root, 'package.json'));
  if (address === undefined) return undefined;
  const repository = { type: 'git', url: `git+${address}.git`, directory: `packages/${basename(process.cwd())}` };
  return { repository, homepage: `${address}#readme`, bugs: `${address}/issues` };
};

const replaceManifest = (manifest) => {
  renameSync('package.json', original);
  writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
};

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
  const { publishConfig, scripts: _, ...manifest } = readManifest('package.json');
  replaceManifest({ ...manifest, ...publishConfig, ...addressFields() });
  copyFileSync(resolve(root, 'LICENSE'), 'LICENSE');
};

// A run that was interrupted left the original.
restore();
if (process.argv[2] !== 'restore') {
  if (!process.env.npm_config_user_agent?.startsWith('pnpm/')) prepare();
  else if (addressFields()) replaceManifest({ ...readManifest('package.json'), ...addressFields() });
}
