import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';

/** The log on standard output: a line of JSON an event, or a line that people read. */
export const makeLog = async ({ level, format }: Config['log']): Promise<Logger> => {
  if (format === 'json') return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const { default: pretty } = await import('pino-pretty');
  return pino(
    { level, base: null },
    pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
  );
};
