import { expect } from 'chai';
import { run } from '../scripts/run.ts';

const simulate = (options: string) => run(`node scripts/simulate.ts ${options}`, { variables: { PROOF_COUNTS: '' } });

describe('npm run simulate', () => {
  it('runs histories in threads and counts them', async () => {
    const { ok, output } = await simulate('--histories 5 --seed 3');
    expect(ok, output).to.equal(true);
    expect(output).to.match(/ 5 histories of concurrent clients compared with a sequential model$/m);
    expect(output).to.match(/^5 passed, 0 failed$/m);
  });

  it('prints every step of one history', async () => {
    const { ok, output } = await simulate('--seed 3');
    expect(ok, output).to.equal(true);
    expect(output).to.match(/^client 0 begins \{"kind":"logIn"/m);
    expect(output).to.match(/^ {2}client 0: sessions\.start: /m);
    expect(output).to.match(/The service and the model agree\.$/);
  });

  it('rejects a seed that is not a whole number', async () => {
    const { ok, output } = await simulate('--seed 1.5');
    expect([ok, output]).to.deep.equal([false, '--seed must be a whole number, at least 1']);
  });
});
