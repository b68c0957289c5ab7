import { readFileSync } from 'node:fs';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { nearest } from '../text/did-you-mean.ts';
import { ConfigError, type SettingFault } from './config-error.ts';
import type { Parse } from './parsers.ts';

/** The variables of a process's environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads settings one by one, collects what is wrong with them, and reports it at the end. */
export interface SettingsReader {
  /** The value, or `absent` where the setting is not set; the empty string counts as not set. */
  readonly get: <T, A>(setting: string, parse: Parse<T>, absent: A) => T | A;
  /** The same for a secret, which may be in a file named by `…_FILE` instead. */
  readonly secret: <T, A>(setting: string, parse: Parse<T>, absent: A) => T | A;
  /** Reports what only several settings together can show. */
  readonly fault: (setting: string, detail: string) => void;
  /** Reports a setting that must be set and is not, with the variable that was perhaps meant to be it. */
  readonly missing: (setting: string, why: string) => void;
  /** @throws ConfigError with all faults, in the order in which they were found. */
  readonly settle: () => void;
}

/** Makes a reader of the settings in these variables. */
export const makeSettingsReader = (variables: Variables): SettingsReader => {
  const faults: SettingFault[] = [];
  const read = new Set<string>();
  const fault = (setting: string, detail: string): void => void faults.push({ setting, detail });

  const get = <T, A>(setting: string, parse: Parse<T>, absent: A, text = variables[setting]): T | A => {
    read.add(setting);
    if (!text) return absent;
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    fault(setting, parsed.fault);
    return absent;
  };

  const secret = <T, A>(setting: string, parse: Parse<T>, absent: A): T | A => {
    const file = variables[`${setting}_FILE`];
    if (!file) return get(setting, parse, absent);
    if (variables[setting]) {
      fault(setting, `is set twice, as ${setting} and as ${setting}_FILE`);
      return absent;
    }
    try {
      const text = readFileSync(file, 'utf8').trim();
      if (text) return get(setting, parse, absent, text);
      fault(`${setting}_FILE`, `names an empty file (${file})`);
    } catch (error) {
      fault(`${setting}_FILE`, `names a file that cannot be read (${file}): ${fileErrorReason(error)}`);
    }
    return absent;
  };

  const missing = (setting: string, why: string): void => {
    // A setting that is set wrongly has its own fault already.
    if (faults.some((known) => known.setting.startsWith(setting))) return;
    const near = nearest(
      setting,
      Object.keys(variables).filter((name) => variables[name] && !read.has(name)),
    );
    fault(setting, near ? `${why}; ${near} is set: is it meant to be ${setting}?` : why);
  };

  const settle = (): void => {
    if (faults.length > 0) throw new ConfigError(faults);
  };
  return { get, secret, fault, missing, settle };
};
