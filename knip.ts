import type { KnipConfig } from 'knip';

export default {
  ignoreDependencies: [
    // Run by scripts as commands.
    '@arethetypeswrong/cli',
    'c8',
    'oxlint',
    'oxlint-tsgolint',
    '@stryker-mutator/core',
    'publint',
    // Run by a test as a command, imported by what a test generates, and read as files.
    '@redocly/cli',
    'kubernetes-types',
    'openapi-fetch',
    'swagger-ui-dist',
    // Not a package: the runner in test-support/proof/mutation, by its name in stryker.config.json.
    '@stryker-mutator/mocha-in-process-runner',
  ],
  // Programs that tests and benchmarks use where they are installed.
  ignoreBinaries: [
    'faketime',
    'haproxy',
    'mkfifo',
    'mount',
    'openssl',
    'pg_dump',
    'pgbouncer',
    'strace',
    'systemd-analyze',
    'umount',
  ],
  workspaces: {
    '.': {
      entry: [
        '{bench,scripts}/*.{ts,mjs}',
        'examples/service/server.ts',
        'bench/corpus/preload.ts',
        '{test,bench/test}/**/*.test.ts',
        'test/fixtures/*.ts',
      ],
      project: ['{bench,examples,scripts,test,test-support}/**/*.{ts,mjs}'],
    },
    'packages/*': {
      entry: ['test/**/*.test.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    'packages/domain': {
      entry: ['test/**/*.test.ts', 'test/library/consumer.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    'packages/app': {
      // These programs are named by the files that start them, with those files' own extension.
      entry: [
        'src/main.ts',
        'src/serve/worker.ts',
        'src/embedded/stop-unused.ts',
        'test/**/*.test.ts',
        'test/library/second-application.ts',
      ],
      project: ['{src,test}/**/*.ts'],
    },
  },
} satisfies KnipConfig;
