import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../test-support/folders.ts';
import { parts, proofTable, quickParts, runPart, testsOf } from '../test-support/proof/parts.ts';
import { compare, isProven, PROOF_COUNTS, readCounts, reportCount } from '../test-support/proof/report.ts';
import { run } from '../test-support/run.ts';

describe('A count of comparisons', () => {
  const path = join(makeFolder(), 'counts');
  const { [PROOF_COUNTS]: requested } = process.env;
  const { log } = console;
  let printed: unknown[];
  beforeEach(() => {
    rmSync(path, { force: true });
    process.env[PROOF_COUNTS] = path;
    printed = [];
    console.log = (line: unknown) => printed.push(line);
  });
  afterEach(() => {
    console.log = log;
    if (requested === undefined) delete process.env[PROOF_COUNTS];
    else process.env[PROOF_COUNTS] = requested;
  });

  it('is printed, and passed to the process that requested it', () => {
    reportCount(2, 'decisions', 1);
    reportCount(3, 'outcomes', 3);
    expect(printed).to.deep.equal(['      2 decisions', '      3 outcomes']);
    expect(readCounts(path)).to.deep.equal([
      { compared: 'decisions', count: 2, atLeast: 1, differences: 0 },
      { compared: 'outcomes', count: 3, atLeast: 3, differences: 0 },
    ]);
    process.env[PROOF_COUNTS] = '';
    reportCount(2, 'decisions', 1);
    expect(readCounts(path)).to.have.length(2);
  });

  const itFailsIf = (
    title: string,
    atLeast: number,
    [count, differences]: readonly [number, number],
    message: string,
    work: Parameters<typeof compare>[2],
  ): void => {
    it(`fails after it was reported if it ${title}`, async () => {
      expect(await compare('x', atLeast, work).then(() => 'proven', String)).to.include(message);
      expect(readCounts(path)).to.deep.equal([{ compared: 'x', count, atLeast, differences }]);
    });
  };
  itFailsIf('is below its minimum', 3, [2, 0], 'only 2 x; expected at least 3', ({ same, add }) => {
    same(1, 1);
    add(1);
  });
  itFailsIf('has a difference', 1, [2, 1], 'case: 7', ({ same }) => {
    same(1, 1);
    same([], {}, 7);
  });
  itFailsIf('has five, at once', 1, [5, 5], '5 differences', ({ same }) => {
    for (;;) same(1, 2);
  });
  itFailsIf('ends with an error, which counts as a difference', 1, [7, 1], 'not as expected', ({ add }) => {
    add(7);
    throw new Error('not as expected');
  });

  it('fails after it was reported if it is zero', () => {
    expect(() => reportCount(0, 'x', 1)).to.throw('only 0 x; expected at least 1');
    expect(readCounts(path)).to.have.length(1);
  });
});

describe('A part of the proof', () => {
  const report = (count: number, compared: string, differences = 0) =>
    `echo '${JSON.stringify({ count, compared, atLeast: 3, differences })}' >> "$PROOF_COUNTS"`;
  const rowsOf = async (command: string) =>
    (await runPart({ name: 'part', command })).map((row) => [row.compared, row.differences, isProven(row)]);

  it('has a row for each count that its run reported', async () => {
    expect(await rowsOf(`${report(3, 'decisions')}; ${report(4, 'fields')}; echo 2 passed, 0 failed`)).to.deep.equal([
      ['decisions', 0, true],
      ['fields', 0, true],
    ]);
  });

  it('has its differences in the row that differs, and other failures in a row of their own', async () => {
    const failing = `${report(3, 'decisions')}; ${report(4, 'fields', 2)}; echo 2 passed, 5 failed; exit 1`;
    expect(await rowsOf(failing)).to.deep.equal([
      ['decisions', 0, true],
      ['fields', 2, false],
      ['other tests that failed', 4, false],
    ]);
  });

  it('fails if its run ends without counting its failures, or compares too little or nothing', async () => {
    for (const command of [`${report(3, 'x')}; exit 1`, report(2, 'x'), 'echo 2 passed, 0 failed']) {
      expect((await rowsOf(command)).at(-1)?.[2], command).to.equal(false);
    }
  });
});

describe('npm run prove', () => {
  it('runs every test that reports a count, and a share with `quick`', () => {
    const tested = parts.flatMap(({ command }) => command.split(' ').filter((word) => word.endsWith('.test.ts')));
    const reporting = globSync('packages/*/test/**/*.test.ts').filter((path) =>
      readFileSync(path, 'utf8').includes('/proof/report.ts'),
    );
    expect(tested).to.include.members(reporting);
    expect(quickParts.map(({ name }) => name)).to.include.members(['walk', 'simulation']);
    for (const { command, variables } of quickParts) {
      expect(variables).to.equal(undefined);
      expect(command).to.match(/--histories 10000$|\.test\.ts$/);
    }
  });

  it('refuses a pattern that no test file matches', () => {
    expect(() => testsOf('part', 'test/{absent,missing}.test.ts')).to.throw('no test file matches test/{absent');
  });

  it('prints a table of the counts', () => {
    const row = { part: 'walk', compared: 'states walked', count: 2, atLeast: 3, differences: 1 };
    expect(proofTable([row])).to.match(/^\| walk \| states walked \| 2 of at least 3 \| 1 +\|$/m);
  });
});

describe('npm run simulate', () => {
  const simulate = (options: string) =>
    run(`node scripts/simulate.ts ${options}`, { variables: { [PROOF_COUNTS]: '' } });

  it('runs histories in threads and counts them', async () => {
    const { ok, output } = await simulate('--histories 5 --seed 3');
    expect(ok, output).to.equal(true);
    expect(output).to.match(
      / 5 histories of concurrent clients compared with a sequential model$[^]*^5 passed, 0 failed$/m,
    );
  });

  it('prints every step of one history', async () => {
    const { ok, output } = await simulate('--seed 3');
    expect(ok, output).to.equal(true);
    expect(output).to.match(
      /^client 0 begins [^]*^ {2}client 0: sessions\.start: [^]*The service and the model agree\.$/m,
    );
  });
});
