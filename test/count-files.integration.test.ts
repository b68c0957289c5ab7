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

  /** For each run, how many files it may visit, and some that it visits. The fewer, the easier a request is to follow. */
  const runs: Readonly<Record<string, readonly [most: number, ...files: string[]]>> = {
    'PATCH /api/users/{id}': [45, 'http/src/requests/request-input.ts', 'domain/src/use-cases/update-user.ts'],
    'POST /api/auth/login/': [37, 'domain/src/use-cases/log-in.ts'],
    'GET /api/users/': [35, 'http/src/routes/list-route.ts', 'domain/src/use-cases/users.ts'],
    'GET /api/users/?search=e&is_active=true&ordering=last_name&count=true': [
      41,
      'http/src/lists/filter-parameters.ts',
    ],
    'import --update': [60, 'app/src/bulk/row-rules.ts', 'domain/src/fields/field-check.ts'],
  };
  for (const [name, [most, ...files]] of Object.entries(runs)) {
    it(`lists at most ${most} files that run a function during ${name}, and no other`, () => {
      const paths = files.map((file) => `packages/${file.replace(/^http/, 'adapters-http')}`);
      expect(visited.get(name)).to.include.members(paths).and.have.length.within(20, most);
      expect(visited.get(name)).to.not.include('packages/adapters-http/src/routes/divisions.ts');
    });
  }
});
