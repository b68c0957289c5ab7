import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';

/** Makes the log on standard output: one line per event, as JSON or as readable text. */
export const makeLog = async ({ level, format }: Config['log']): Promise<Logger> => {
  if (format === 'json') return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const { default: pretty } = await import('pino-pretty');
  return pino(
    { level, base: null },
    pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
  );
};
