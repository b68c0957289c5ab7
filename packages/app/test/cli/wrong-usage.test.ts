import { expect } from 'chai';
import { call } from './call.ts';

describe('The command line', () => {
  const wrong: [string, string | string[], RegExp][] = [
    ['no command', [], /^Usage: chapter/],
    ['an unknown command', 'kyes', /unknown command 'kyes'\n\(Did you mean keys\?\)/],
    ['an unknown subcommand', 'users creat', /\(Did you mean create\?\)/],
    ['an unknown command that resembles none', 'listen', /^error: unknown command 'listen'\n$/],
    ['an unknown subcommand of a command that also runs alone', 'policy explian', /too many arguments for 'policy'/],
    ['a command group without a subcommand', 'divisions', /^Usage: chapter divisions/],
    ['an unknown option', 'keys generate --algoritm x', /\(Did you mean --algorithm\?\)/],
    ['a required option misspelt', 'users set --usr ada', /^error: unknown option '--usr'\n\(Did you mean --user\?\)/],
    [
      'neither a password nor a link',
      'users create --division a --username b',
      /give either --password-stdin or --link/,
    ],
    ['no change of a user', 'users set --username a --force', /^error: give --email, .* or --password-stdin\n$/],
    ['a prune of the future', 'audit prune --before 2999-01-01', /^error: --before must not be in the future\n$/],
    ['a user left out', 'users set --staff true', /required option '--user <user>' not specified/],
    ['a deletion without --yes and a terminal', 'users delete --user a', /confirm with --yes/],
    ['an erasure without --yes and a terminal', 'users erase --user a', /confirm with --yes/],
    ['no number of dormant days', 'users list --dormant 0', /from 1 to 36525/],
    ['more hours than a link may have', 'users link --user a --hours 721', /from 1 to 720/],
    ['neither of two options', 'sessions end', /give either --session or --user/],
    ['both of two options', 'sessions end --session a --user b', /give either --session or --user/],
    ['a required option left out', 'keys rotate', /required option '--file <path>'/],
    ['an extra argument', 'keys generate x', /too many arguments/],
    ['an invalid choice', 'keys generate --algorithm RS256', /Allowed choices are EdDSA, ES256/],
    ['a flag that is neither true nor false', 'users set --username a --staff yes', /It must be true or false/],
    ['an unknown group', 'users set --username a --group Admin', /one of Leader, Guest, User/],
    ['a day that does not exist', 'audit --since 2026-02-30', /It must be a date such as/],
    ['a number out of range', 'audit --limit 0', /from 1 to/],
    ['two formats', 'audit --json --format csv', /give either --json or --format/],
    ['a misspelt action', 'policy explain --as a --action updat-user', /Did you mean updateUser\?/],
    ['a missing action', 'policy who-can --user a', /required option '--action <action>'/],
    ['no number of demo members', 'seed', /required option '--members <n>'/],
    ['more demo members than the limit', 'seed --members 100001', /from 1 to 100000/],
    ['--json for a command without a result', 'serve --json', /^error: unknown option '--json'\n$/],
    ['--json before a command without a result', '--json serve', /^error: unknown option '--json'\n$/],
    ['the state and a change of the schema', 'migrate --status --to 0001', /give either --status or --to/],
    ['--force without --update', 'import --users a.csv --force', /^error: --force needs --update\n$/],
    [
      '--force for an import without users',
      'import --divisions a.csv --update --force',
      /^error: --force needs --users\n$/,
    ],
    [
      '--with-hashes for an export without users',
      'export --divisions a.csv --with-hashes',
      /^error: --with-hashes needs --users\n$/,
    ],
    ['an unknown action', 'policy explain --as a --action fly', /one of listUsers,/],
  ];
  for (const [title, args, complaint] of wrong) {
    it(`reports ${title} as wrong usage`, async () => {
      const { err, out, status } = await call(typeof args === 'string' ? args.split(' ') : args);
      expect([status, out]).to.deep.equal([2, '']);
      expect(err).to.match(complaint);
    });
  }

  const targets: Readonly<Record<string, string>> = {
    'who-can --action getUser --user a --division b': 'getUser concerns a user; remove --division',
    'who-can --action listDivisions --user a': 'listDivisions concerns neither a user nor a division; remove --user',
    'explain --as a --action listDivisions --user a --division b':
      'listDivisions concerns neither a user nor a division; remove --user and --division',
    'explain --as a --action getDivision --username a': 'getDivision concerns a division; remove --user',
    'who-can --action getUser --division b': 'getUser concerns a user; name one with --user',
    'who-can --action get-division --user a': 'getDivision concerns a division; name one with --division',
  };
  for (const [args, complaint] of Object.entries(targets)) {
    it(`reports the target of policy ${args} as wrong usage`, async () => {
      const { err, out, status } = await call(`policy ${args}`.split(' '));
      expect([status, out]).to.deep.equal([2, '']);
      expect(err).to.include(complaint);
    });
  }
});
