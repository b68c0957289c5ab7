const outsidePackages = '^(bench|examples|scripts|test|test-support)/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment: 'The domain imports nothing but itself: not Node, not a library, not another package.',
      severity: 'error',
      from: { path: '^packages/domain/src/' },
      to: { pathNot: '^packages/domain/src/' },
    },
    {
      name: 'adapters-know-the-domain-only',
      comment: 'An adapter package imports the domain, never another adapter and never the app.',
      severity: 'error',
      from: { path: '^packages/(adapters-[^/]+)/' },
      to: { path: '^packages/', pathNot: '^packages/($1|domain)/' },
    },
    {
      name: 'koa-is-replaceable',
      comment: 'The HTTP framework is known to two files, so that another takes its place without changing the rest.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/adapters-http/src/(server/koa|docs/swagger-ui)\\.ts$' },
      to: { path: '(^|node_modules/)(@types/)?(@koa/|koa)' },
    },
    {
      name: 'packages-meet-at-their-public-surface',
      comment: 'What another package may import is what its package.json exports.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/src/((api|ports|testing|database-url|names)/)?index\\.ts$'],
      },
    },
    {
      name: 'in-memory-adapters-are-for-tests',
      comment: 'The in-memory adapters of the ports never end up in production.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/domain/src/testing/' },
      to: { path: '^packages/domain/src/testing/' },
    },
    {
      name: 'postgres-folders-point-down',
      comment: 'In adapters-postgres, connection/ is below schema/, and schema/ is below the folders of the ports.',
      severity: 'error',
      from: { path: '^packages/adapters-postgres/src/(connection|schema)/' },
      to: {
        path: '^packages/adapters-postgres/src/(schema|users|divisions|sessions|audit|limits|lists|bulk|exports|personal-data|database)/',
        pathNot: '^packages/adapters-postgres/src/$1/',
      },
    },
    {
      name: 'source-does-not-import-tests',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: ['^packages/[^/]+/test/', outsidePackages] },
    },
    {
      name: 'source-uses-declared-dependencies',
      comment: 'What is published must not need a devDependency, or a package that its package.json does not name.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'tests-do-not-import-the-bench',
      comment: 'The bench may import test-support, so that test-support must not import the bench.',
      severity: 'error',
      from: { path: '^(test-support|test|packages/[^/]+/test)/' },
      to: { path: '^bench/' },
    },
    {
      name: 'tests-do-not-import-scripts',
      comment: 'Scripts run what test-support contains. Tests import it from there, or start the script.',
      severity: 'error',
      from: { path: '^(test-support|test|bench|packages/[^/]+/test)/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      comment: 'Folders depend on each other in one direction.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Not the dist folders of dependencies: their imports would be checked by no rule.
    exclude: { path: '^packages/[^/]+/dist/' },
    // Imports of types count as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
