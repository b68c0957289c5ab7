import type { BulkPlan } from '@chapter/adapters-postgres';
import { badLinesText, type LineFault, MAX_REPORTED_LINES } from '../bulk/bad-lines.ts';
import type { BadLinesError, ImportFiles, ImportOptions } from '../bulk/import-files.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { formatCount } from '../text/format-count.ts';
import type { Result } from './make-command.ts';

const UPDATE_HINT = ' To change users and divisions that are already stored, add --update.';

/** Describes the bad lines of an import that has stored nothing. */
export const describeBadLines = ({ files }: BadLinesError): Result => {
  const all = files.flatMap(({ faults }) => faults);
  const places = [...new Set(all.map(({ file, line }) => `${file} ${line}`))].slice(0, MAX_REPORTED_LINES);
  const faults = all.filter(({ file, line }: LineFault) => places.includes(`${file} ${line}`));
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const more = lines > places.length ? ` The first ${places.length} are listed above.` : '';
  const hint = files.some(({ needUpdate }) => needUpdate) ? UPDATE_HINT : '';
  const sentence = `${formatCount(lines, 'bad line')}; nothing was imported.${more}${hint}`;
  return {
    value: { imported: false, bad_lines: lines, faults },
    text: '',
    failure: new OperatorError(`${badLinesText(faults)}${sentence}`),
  };
};

const countsText = (subject: string, { changed, created, unchanged }: BulkPlan['users'], isDone: boolean): string => {
  const [first, ...others] = [
    [created, isDone ? 'created' : 'would be created'],
    [changed, 'changed'],
    [unchanged, isDone ? 'unchanged' : 'left unchanged'],
  ].map(([count, what]) => `${Number(count).toLocaleString('en-US')} ${what}`);
  return `${subject}: ${first}, ${others.join(', ')}\n`;
};

/** Describes what an import has done or, for a dry run, would do. Without options, it has the format of release 0.1.0. */
export const describePlan = (
  { divisions, users }: BulkPlan,
  files: ImportFiles,
  { dryRun = false, update = false }: ImportOptions,
): Result => {
  if (!dryRun && !update) {
    const text = `Imported ${formatCount(divisions.created, 'division')} and ${formatCount(users.created, 'user')}.\n`;
    return { value: { imported: true, divisions: divisions.created, users: users.created }, text };
  }
  const text = [
    files.divisions ? countsText('Divisions', divisions, !dryRun) : '',
    files.users ? countsText('Users', users, !dryRun) : '',
  ].join('');
  return { value: { imported: !dryRun, divisions, users }, text: dryRun ? `${text}Nothing was imported.\n` : text };
};
