import { readFileSync } from 'node:fs';
import { nearest } from '@chapter/adapters-http/names';
import { fileErrorReason, OperatorError } from '../errors/operator-error.ts';
import type { Parse } from './parsers.ts';

/** One invalid setting. `detail` continues a sentence that starts with the name; it never contains a secret's value. */
export interface SettingFault {
  readonly setting: string;
  readonly detail: string;
}

/** Reports all invalid settings in one message, one line each. Contract §9. */
export class ConfigError extends OperatorError {
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    const lines = faults.map(({ setting, detail }) => `  ${setting} ${detail}`);
    super(['Invalid settings:', ...lines].join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Makes a reader of the settings in `variables`. It collects their faults, so that all are reported together. */
export const makeSettingsReader = (variables: Variables) => {
  const faults: SettingFault[] = [];
  const read = new Set<string>();
  /** Adds a fault that depends on several settings. */
  const fault = (setting: string, detail: string): void => void faults.push({ setting, detail });

  /** Returns the value, or `absent` if the setting is not set or empty. */
  const get = <T, A>(setting: string, parse: Parse<T>, absent: A, text = variables[setting]): T | A => {
    read.add(setting);
    if (!text) return absent;
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    fault(setting, parsed.fault);
    return absent;
  };

  /** Does the same for a secret, which may instead be in a file that the setting `…_FILE` names. */
  const secret = <T, A>(setting: string, parse: Parse<T>, absent: A): T | A => {
    const file = variables[`${setting}_FILE`];
    if (!file) return get(setting, parse, absent);
    if (variables[setting]) {
      fault(setting, `is set twice, as ${setting} and as ${setting}_FILE; remove one`);
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

  /** Adds a fault for a required setting that is not set, and suggests a variable with a similar name. */
  const missing = (setting: string, why: string): void => {
    // An invalid value, or an unreadable file, of this setting has been reported already.
    if (faults.some((known) => known.setting.startsWith(setting))) return;
    const near = nearest(
      setting,
      Object.keys(variables).filter((name) => variables[name] && !read.has(name)),
    );
    fault(setting, near ? `${why}; ${near} is set: did you mean ${setting}?` : why);
  };

  return { get, secret, fault, missing, faults };
};
