#!/usr/bin/env node
import { once } from 'node:events';
import { enableCompileCache } from 'node:module';
import { buffer } from 'node:stream/consumers';

// The compile cache only covers modules that are imported after it is enabled.
enableCompileCache();
const [{ runCli }, { makeAsk, makeAskSecret, makeWritePrompt }, { fileErrorReason }] = await Promise.all([
  import('./run.ts'),
  import('./steps/ask.ts'),
  import('../errors/operator-error.ts'),
]);

// The reader of the output may stop early (chapter audit | head).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`The output cannot be written: ${fileErrorReason(error)}.\n`);
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const hasColours = (stream: NodeJS.WriteStream): boolean => stream.isTTY && stream.hasColors();

process.exitCode = await runCli(process.argv.slice(2), {
  variables: process.env,
  readInput: () => buffer(process.stdin),
  ask: process.stdin.isTTY && process.stderr.isTTY ? makeAsk(process.stdin, process.stderr) : null,
  askSecret: process.stdin.isTTY ? makeAskSecret(process.stdin, makeWritePrompt(process.stderr)) : null,
  write: (output) => process.stdout.write(output),
  drained: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  },
  writeError: (output) => process.stderr.write(output),
  terminal: process.stderr.isTTY ? process.stderr : null,
  colours: { out: hasColours(process.stdout), err: hasColours(process.stderr) },
});
