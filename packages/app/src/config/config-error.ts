/** One wrong setting: its name, and what is wrong with it as a part of a sentence. Never has a secret's value. */
export interface SettingFault {
  readonly setting: string;
  readonly detail: string;
}

/** Settings that the service cannot start with: all of them in one message, a line each. Contract §9. */
export class ConfigError extends Error {
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    const lines = faults.map(({ setting, detail }) => `  ${setting} ${detail}`);
    super(['Wrong settings:', ...lines].join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
