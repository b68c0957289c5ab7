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
    for (const [, request = '', count, list = ''] of stdout.matchAll(/^(\w+ \S+): (\d+) files\n((?: {2}.*\n)*)/gm)) {
      const files = list.trim().split(/\n {2}/);
      expect(files).to.have.length(Number(count));
      visited.set(request, files);
    }
  });

  const requests: readonly [string, readonly string[]][] = [
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
  ];
  for (const [request, files] of requests) {
    it(`lists the files that run a function during ${request}, and no other`, () => {
      expect(visited.get(request)).to.include.members(files);
      expect(visited.get(request)).to.not.include('packages/adapters-http/src/routes/divisions.ts');
    });

    it(`counts at most 30 files for ${request}`, () => {
      expect(visited.get(request)).to.have.length.within(20, 30);
    });
  }
});
