import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDomainError, MS_PER_DAY } from '@chapter/domain/ports';
import { type Config, examineSettings } from '../../config/config.ts';
import type { Variables } from '../../config/reader.ts';
import { type Checks, DATABASE_CHECKS, messageIf, NEED_SCHEMA, OWNER_CHECKS } from '../../database/database-checks.ts';
import { databaseFault, openDatabase, openOwnerDatabase } from '../../database/open-database.ts';
import { codeOf, OperatorError } from '../../errors/operator-error.ts';
import { formatCount } from '../../text/text.ts';
import { keyFileFault, signingSince } from '../../tokens/key-file.ts';
import { errorText, sentence } from '../error-text.ts';
import { defineListCommand } from '../steps/define-command.ts';
import { withOpened } from '../steps/with-database.ts';

/** Something that is wrong, and what the operator can do; both are sentences. */
interface Finding {
  readonly check: string;
  readonly problem: string;
  readonly action: string;
}

/** Makes a finding of a message whose last clause, after a semicolon, says what to do. */
const asFinding = (check: string, message: string): Finding => {
  const [, problem = message, action = 'run "chapter doctor" again'] = /^(.*); (.*)$/s.exec(message) ?? [];
  return { check, problem: sentence(problem), action: sentence(action) };
};

const MAX_KEY_AGE_DAYS = 365;
const CHECK_DEADLINE_MS = 5000;

const checkKeyAge = ({ tokens: { keysFile } }: Config): readonly string[] => {
  if (keysFile === null || keyFileFault(keysFile) !== undefined) return [];
  const days = Math.floor((Date.now() - signingSince(keysFile)) / MS_PER_DAY);
  const action = `run "chapter keys rotate --file ${keysFile}"`;
  return messageIf(days > MAX_KEY_AGE_DAYS, `the key that signs tokens is ${days} days old; ${action}`);
};

/** Opens a database and checks it. A failure is a finding; after it, the checks go on while the database responds. */
const runChecks = async (config: Config, open: typeof openDatabase, checks: Checks, found: Finding[]) => {
  try {
    await withOpened(config, open, async (database) => {
      for (const [check, run] of Object.entries(checks)) {
        if (NEED_SCHEMA.has(check) && found.some((finding) => finding.check === 'schema')) continue;
        try {
          found.push(...(await run(database)).map((message) => asFinding(check, message)));
        } catch (error) {
          await database.ping();
          const why = databaseFault(error) ?? errorText(error);
          found.push(asFinding(check, `this cannot be checked: ${why}`));
        }
      }
    });
  } catch (error) {
    if (!isDomainError(error) && !(error instanceof OperatorError)) throw error;
    const message = isDomainError(error) ? 'the database does not respond any more; read its log' : error.message;
    found.push(asFinding(message.includes('a pooler') ? 'pooler' : 'database', message));
  }
};

const findAll = async (variables: Variables): Promise<readonly Finding[]> => {
  const { config, faults } = examineSettings(variables);
  // Loads the adapters, which other commands load when they need them.
  const { warningsOf } = await import('../../config/warnings.ts');
  const found = [
    ...faults.map(({ detail, setting }) => `${setting} ${detail}; see docs/settings.md`),
    ...warningsOf(config),
    ...checkKeyAge(config),
  ].map((message) => asFinding(/^JWT_KEYS|the key /.test(message) ? 'keys' : 'settings', message));
  // With the default of an invalid setting, this would be another database; the first start creates the embedded one.
  if (faults.some(({ setting }) => /^(?:(?:OWNER_)?DATABASE_URL|CHAPTER_ENV|DATA_DIR)/.test(setting))) return found;
  const cluster = await stat(join(config.dataDir, 'postgres', 'PG_VERSION')).catch(codeOf);
  if (config.database.url === null && cluster === 'ENOENT') return found;
  const limited = { ...config, database: { ...config.database, requestDeadlineMs: CHECK_DEADLINE_MS } };
  await runChecks(limited, openDatabase, DATABASE_CHECKS, found);
  if (config.database.ownerUrl !== null) await runChecks(limited, openOwnerDatabase, OWNER_CHECKS, found);
  return found;
};

/** The `doctor` command, which says what is wrong and what to do, and changes nothing. Contract §10. */
export const doctor = defineListCommand({
  name: 'doctor',
  description: 'check settings, keys, database and replicas; say what is wrong and what to do, and change nothing',
  examples: [['doctor', 'Check with the settings of the service; the exit status is 1 if something is wrong']],
  columns: ['check', 'problem', 'action'],
  cellsOf: ({ action, check, problem }: Finding) => [check, problem, action],
  jsonOf: (finding) => finding,
  run: async (_, print, { variables, writeError }) => {
    const found = await findAll(variables);
    await print(found);
    if (found.length > 0) return new OperatorError(`${formatCount(found.length, 'finding')}.`);
    writeError('No findings.\n');
    return undefined;
  },
});
