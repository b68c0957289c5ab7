import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';

/** A pipe takes this many bytes as a whole (PIPE_BUF of Linux), so that the lines of several workers do not mix. */
const MAX_WRITE_BYTES = 4096;

/** Returns a destination that gathers lines for 100 ms (contract §9), because each write wakes a thread. */
const gatherLines = () => {
  const output = pino.destination({ sync: false, maxWrite: MAX_WRITE_BYTES });
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    output.write(lines);
    lines = '';
  };
  // Before the listener of pino, which writes what `output` still has.
  process.prependListener('exit', flush);
  return {
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string) {
      if (lines.length + line.length > MAX_WRITE_BYTES) flush();
      lines += line;
      timer ??= setTimeout(flush, 100).unref();
      if (pino.levels.labels[this.lastLevel] === 'error') flush();
    },
  };
};

/** Makes the log on standard output: one line per event, as JSON or as readable text. */
export const makeLog = async ({ level, format }: Config['log']): Promise<Logger> => {
  if (format === 'json') return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, gatherLines());
  const { default: pretty } = await import('pino-pretty');
  return pino(
    { level, base: null },
    pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
  );
};
