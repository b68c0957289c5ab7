import {
  countedMonths,
  type Division,
  type DivisionStatistics,
  DORMANT_DAYS,
  GROUPS,
  readStatistics,
} from '@chapter/domain/api';
import { systemClock } from '../../system/clock-and-ids.ts';
import { defineListCommand, type MakeCommand } from '../steps/define-command.ts';
import { findDivision } from '../steps/find.ts';
import { countOption } from '../steps/options.ts';
import { withPorts } from '../steps/with-database.ts';
import { readAllDivisions } from './divisions.ts';

interface Options {
  readonly division?: string;
  readonly dormant: number;
}

interface Counted extends DivisionStatistics {
  readonly division: Pick<Division, 'id' | 'name'>;
}

/** The number of months that the table and the CSV show. The JSON has all. */
const SHOWN_MONTHS = 12;

const cellsOf = ({ active, division, dormant, groups, joined, members }: Counted) => [
  division,
  members,
  active,
  dormant.members,
  ...[...groups, ...joined.slice(-SHOWN_MONTHS)].map((counted) => counted.members),
];

/** The `statistics` command, which counts the members of each division. Contract §10. */
export const statisticsCommand: MakeCommand = (context) => {
  // The columns are those of the months that are counted.
  const now = systemClock.now();
  return defineListCommand({
    name: 'statistics',
    description:
      'count the members of each division: all, active, dormant, in each group, and those who joined in each month (UTC)',
    examples: [
      ['statistics --division North', 'Count the members of a division'],
      ['statistics --dormant 365 --format spreadsheet', 'Count in all divisions; dormant is who was away for a year'],
    ],
    options: (command) =>
      command
        .option('--division <division>', 'only this division, by name or id')
        .addOption(
          countOption(
            'dormant',
            'days without a login or refresh that make a member dormant',
            DORMANT_DAYS.default,
            DORMANT_DAYS.max,
          ),
        ),
    columns: [
      'division',
      'members',
      'active',
      'dormant',
      ...GROUPS.map((group) => group.toLowerCase()),
      ...countedMonths(now).slice(-SHOWN_MONTHS),
    ],
    cellsOf,
    jsonOf: ({ division: { id, name }, ...statistics }: Counted) => ({ division: { id, name }, ...statistics }),
    run: ({ division, dormant: dormantDays }: Options, print) =>
      withPorts(context, async (ports) => {
        const options = { now, dormantDays, limit: null };
        const divisions = division === undefined ? readAllDivisions(ports) : [await findDivision(ports, division)];
        const counted = await Array.fromAsync(divisions, async (one) => ({
          division: one,
          ...(await readStatistics(ports.directory, one.id, options)),
        }));
        await print(counted);
      }),
  })(context);
};
