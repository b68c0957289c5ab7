import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { parseKeySet } from '../../src/tokens/key-set.ts';
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

  it('refuses with one sentence to rotate a missing file', async () => {
    expect(await call(['keys', 'rotate', '--file', join(dir, 'none')])).to.deep.equal({
      status: 1,
      out: '',
      err: `Cannot replace the signing keys in ${dir}/none: no such file or directory.\n`,
    });
  });
});
