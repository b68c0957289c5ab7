import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { readConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/reader.ts';
import { ensureKeyFile } from '../../src/tokens/key-file.ts';

/** Makes a temporary folder with a key file. */
export const useSettingFiles = () => {
  const dir = makeFolder();
  const production = {
    CHAPTER_ENV: 'PROD',
    DATABASE_URL: 'postgresql://chapter:secret@db/chapter',
    JWT_KEYS_FILE: join(dir, 'keys.json'),
    CORS_ORIGINS: 'https://members.example',
  };
  ensureKeyFile(production.JWT_KEYS_FILE);
  return {
    /** The settings that PROD requires. */
    production,
    /** The path of a file that does not exist. */
    missingFile: join(dir, 'none'),
    /** Writes a file and returns its path. The next call overwrites the file. */
    write: (text: string): string => {
      writeFileSync(join(dir, 'secret'), text);
      return join(dir, 'secret');
    },
  };
};

/** Returns the faults of the settings, each with the name of its setting. */
export const faultsOf = (
  variables: Record<string, string>,
  purpose?: 'command' | 'serve',
  openFiles?: number,
): string[] => {
  try {
    readConfig(variables, purpose, openFiles);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).to.equal(
      ['Invalid settings:', ...error.faults.map(({ setting, detail }) => `  ${setting} ${detail}`)].join('\n'),
    );
    return error.faults.map(({ setting, detail }) => `${setting} ${detail}`);
  }
  return [];
};
