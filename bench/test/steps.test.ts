import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { steps } from '../steps/steps.ts';

const load = async (options: readonly string[], modules: readonly string[]): Promise<string> => {
  const text = modules.map((path) => `await import('./${path}');`).join(' ');
  const args = [...options, '--input-type=module', '--eval', text];
  try {
    const { stderr } = await promisify(execFile)(process.execPath, args);
    return stderr;
  } catch (error) {
    return (error as { readonly stderr: string }).stderr;
  }
};

const PRELOADS = steps.flatMap(({ without }) => without.filter((option) => option.startsWith('--import=')));
const SERVICE = [
  'packages/app/src/compose.ts',
  'packages/adapters-postgres/src/index.ts',
  'packages/adapters-http/src/index.ts',
];

describe('the steps of the bench', () => {
  for (const preload of PRELOADS) {
    const name = preload.split('?')[1];
    it(`can be taken back: the service loads ${name} in the place of its own`, async function () {
      this.timeout(10_000);
      expect(await load([preload], SERVICE)).to.equal('');
    });
  }

  it('are not taken back by what nothing loads', async function () {
    this.timeout(10_000);
    const [names = ''] = PRELOADS;
    const said = await load([names], ['packages/domain/src/index.ts']);
    expect(said).to.match(/nothing was loaded in the place of \S+adapters-postgres\/src\/statement\.ts/);
  });
});
