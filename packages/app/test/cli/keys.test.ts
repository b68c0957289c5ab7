import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { execute } from '../../../../test-support/processes.ts';
import { generateKey, keySetText, parseKeySet } from '../../src/tokens/key-set.ts';
import { call } from './call.ts';

describe('The command line for keys', () => {
  const dir = makeFolder();

  it('generates a private JWK set for Ed25519 or P-256', async () => {
    const { out } = await call(['keys', 'generate']);
    expect(parseKeySet(out)[0].alg).to.equal('EdDSA');
    const json = await call(['keys', 'generate', '--algorithm', 'ES256', '--json']);
    expect(parseKeySet(json.out)[0].alg).to.equal('ES256');
  });

  it('rotates keys and reports the key that signs', async () => {
    const file = join(dir, 'keys.json');
    writeFileSync(file, (await call(['keys', 'generate'])).out);
    const before = parseKeySet(readFileSync(file, 'utf8'))[0].kid;
    const { out } = await call(['keys', 'rotate', '--file', file, '--json']);
    const { check, signs } = JSON.parse(out) as { check: string[]; signs: string };
    expect(check).to.deep.equal([before]);
    expect(parseKeySet(readFileSync(file, 'utf8')).map(({ kid }) => kid)).to.deep.equal([signs, before]);
    expect((await call(['keys', 'rotate', '--file', file])).out).to.match(
      /^New tokens are signed with key \S+; 2 older keys can still verify tokens\.\n$/,
    );
  });

  it('keeps the present keys if only a part of the next ones can be written', async () => {
    const file = join(dir, 'long.json');
    const before = keySetText([generateKey('ES256'), generateKey('ES256'), generateKey('ES256')]);
    writeFileSync(file, before);
    const words = [process.execPath, 'packages/app/src/cli/main.ts', 'keys', 'rotate', '--file', file];
    const limited = 'ulimit -f 1; NODE_V8_COVERAGE= NODE_DISABLE_COMPILE_CACHE=1 "$@" || true';
    const { stderr } = await execute('sh', ['-c', limited, 'sh', ...words]);
    expect(stderr).to.equal(`Cannot replace the signing keys in ${file}: EFBIG.\n`);
    expect(readFileSync(file, 'utf8')).to.equal(before);
  });
});
