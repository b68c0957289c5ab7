import { expect } from 'chai';
import { useTestDatabase } from '../test-support/database.ts';
import { prepareDemo } from '../test-support/demo-database.ts';
import { execute } from '../test-support/processes.ts';

describe('npm run count:files', () => {
  const database = useTestDatabase(prepareDemo);
  const visited = new Map<string, readonly string[]>();
  before(async () => {
    const env = { ...process.env, DATABASE_URL: database.url };
    const { stdout } = await execute('node', ['scripts/count-files.ts'], { env });
    for (const [, name = '', count, list = ''] of stdout.matchAll(/^(\S.*): (\d+) files\n((?: {2}.*\n)*)/gm)) {
      const files = list.trim().split(/\n {2}/);
      expect(files).to.have.length(Number(count));
      visited.set(name, files);
    }
  });

  const runs: readonly [name: string, files: readonly string[]][] = [
    [
      'PATCH /api/users/{id}',
      [
        'packages/adapters-http/src/requests/request-input.ts',
        'packages/adapters-http/src/routes/users.ts',
        'packages/domain/src/use-cases/update-user.ts',
      ],
    ],
    [
      'GET /api/users/',
      [
        'packages/adapters-http/src/routes/list-route.ts',
        'packages/adapters-http/src/routes/users.ts',
        'packages/domain/src/use-cases/list-users.ts',
      ],
    ],
    ['POST /api/auth/login/', ['packages/domain/src/use-cases/log-in.ts']],
    [
      'GET /api/users/?search=e&is_active=true&ordering=last_name&count=true',
      ['packages/adapters-http/src/lists/filter-parameters.ts', 'packages/domain/src/use-cases/list-users.ts'],
    ],
    ['import --update', ['packages/app/src/bulk/row-rules.ts', 'packages/domain/src/fields/field-check.ts']],
  ];
  for (const [name, files] of runs) {
    it(`lists the files that run a function during ${name}, and no other`, () => {
      expect(visited.get(name)).to.include.members(files);
      expect(visited.get(name)).to.not.include('packages/adapters-http/src/routes/divisions.ts');
    });
  }

  // The fewer, the easier a request is to follow: a change that needs another file joins two others.
  const most = {
    'PATCH /api/users/{id}': 38,
    'POST /api/auth/login/': 37,
    'GET /api/users/': 30,
    'GET /api/users/?search=e&is_active=true&ordering=last_name&count=true': 36,
    'import --update': 60,
  };
  for (const [name, count] of Object.entries(most)) {
    it(`counts at most ${count} files for ${name}`, () => {
      expect(visited.get(name)).to.have.length.within(20, count);
    });
  }
});
