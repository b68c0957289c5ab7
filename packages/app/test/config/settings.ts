import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/reader.ts';
import { ensureKeyFile } from '../../src/tokens/key-file.ts';

/** Makes a temporary folder, with a key file, before the tests of a group, and removes it after them. */
export const useSettingFiles = () => {
  let dir: string;
  const production = {
    CHAPTER_ENV: 'PROD',
    DATABASE_URL: 'postgresql://chapter:secret@db/chapter',
    JWT_KEYS_FILE: '',
    CORS_ORIGINS: 'https://members.example',
  };
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'chapter-config-'));
    production.JWT_KEYS_FILE = join(dir, 'keys.json');
    ensureKeyFile(production.JWT_KEYS_FILE);
  });
  after(() => rmSync(dir, { recursive: true }));
  return {
    /** The settings that PROD requires. */
    production,
    /** The path of a file that does not exist. */
    missingFile: (): string => join(dir, 'none'),
    /** Writes a file and returns its path. The next call overwrites the file. */
    write: (text: string): string => {
      writeFileSync(join(dir, 'secret'), text);
      return join(dir, 'secret');
    },
  };
};

/** Returns the faults of the settings, each with the name of its setting. */
export const faultsOf = (variables: Record<string, string>, purpose?: 'command'): string[] => {
  try {
    readConfig(variables, purpose);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).to.equal(
      ['Invalid settings:', ...error.faults.map(({ setting, detail }) => `  ${setting} ${detail}`)].join('\n'),
    );
    return error.faults.map(({ setting, detail }) => `${setting} ${detail}`);
  }
  return [];
};
