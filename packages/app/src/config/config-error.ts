/** One invalid setting. `detail` continues a sentence that starts with the name; it never contains a secret's value. */
export interface SettingFault {
  readonly setting: string;
  readonly detail: string;
}

/** Reports all invalid settings in one message, one line each. Contract §9. */
export class ConfigError extends Error {
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    const lines = faults.map(({ setting, detail }) => `  ${setting} ${detail}`);
    super(['Invalid settings:', ...lines].join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
