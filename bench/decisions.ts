// Compares the CPU of a decision with that of release 0.1.0, in alternating turns in one process, and prints the results.
import * as domain from '../packages/domain/src/index.ts';
import { loadDomain, releaseCommit } from '../test-support/release.ts';
import { table } from './report/markdown.ts';
import { format, median } from './report/numbers.ts';
import { isShort } from './settings.ts';

const [TURNS, DECISIONS] = isShort() ? [1, 1000] : [15, 300_000];

type Decide = Pick<typeof domain, 'can' | 'actorFromClaims'>;
const builds = [(await loadDomain(releaseCommit('0.1.0'))) as Decide, domain];
const ids = ['a', 'b', 'c'].map((digit) => `0197f0aa-0000-7000-8000-00000000000${digit}`);
const [sub = '', other = '', division_id = ''] = ids;
const claims = { sub, username: 'ada', division_id, groups: ['Leader'], is_staff: false, is_superuser: false };
const user = { id: other, divisionId: division_id, isStaff: false, isSuperuser: false };

const rows: string[][] = [];
for (const action of ['getUser', 'updateUser', 'listUsers', 'listDivisions', 'listGroups'] as const) {
  const nanoseconds: number[][] = [[], []];
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const at of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      const { can, actorFromClaims } = builds[at] as Decide;
      const actor = actorFromClaims(claims);
      const { user: before } = process.cpuUsage();
      for (let time = 0; time < DECISIONS; time++) can(actor, action, user);
      if (turn > 0) nanoseconds[at]?.push((1000 * (process.cpuUsage().user - before)) / DECISIONS);
    }
  }
  const [release, now] = nanoseconds.map(median) as [number, number];
  rows.push([action, format(release), format(now), format(now / release)]);
}
console.log(table('decision for a known actor | 0.1.0, ns | this folder, ns | ratio (goal ≤ 2)', rows));
