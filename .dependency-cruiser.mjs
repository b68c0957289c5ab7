const outsidePackages = '^(bench|scripts|test|test-support)/';

// Where folders depend on each other in one direction. Add a package here once its folders do.
const foldersInOneDirection = ['packages/domain/src'];

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
      name: 'packages-meet-at-their-public-surface',
      comment: 'What another package may import is what its package.json exports.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/', pathNot: ['^packages/$1/', '^packages/[^/]+/src/(testing/)?index\\.ts$'] },
    },
    {
      name: 'in-memory-adapters-are-for-tests',
      comment: 'The in-memory adapters of the ports never end up in production.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/domain/src/testing/' },
      to: { path: '^packages/domain/src/testing/' },
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
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      comment: 'The folders of a package depend on each other in one direction.',
      severity: 'error',
      scope: 'folder',
      from: { path: foldersInOneDirection.map((folder) => `^${folder}(/|$)`) },
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
    exclude: { path: '/dist/' },
    // Imports of types count as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
