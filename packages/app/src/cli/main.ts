#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { buffer } from 'node:stream/consumers';

// Half of a command's time is compiling what it imports, so that is imported after the cache is there.
enableCompileCache();
const { runCli } = await import('./run.ts');

// Who reads the output may stop before its end (chapter audit | head).
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const hasColours = (stream: NodeJS.WriteStream): boolean => stream.isTTY && stream.hasColors();

process.exitCode = await runCli(process.argv.slice(2), {
  variables: process.env,
  readInput: () => buffer(process.stdin),
  write: (output) => process.stdout.write(output),
  writeError: (output) => process.stderr.write(output),
  terminal: process.stderr.isTTY ? process.stderr : null,
  colours: { out: hasColours(process.stdout), err: hasColours(process.stderr) },
});
