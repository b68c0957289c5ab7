/**
 * File descriptors that each process keeps for everything but the connections of the API and of the database pools: what
 * Node.js itself opens (about 30), the internal port and its connections, files.
 */
const RESERVED_FILES = 64;

/** Connections to the database for `/readyz` alone, beside the pools. */
export const HEALTH_CONNECTIONS = 1;

/** Below this, the limit of open files is a mistake: a browser alone opens up to six connections. */
const MIN_CONNECTIONS = 16;

/** The most that `MAX_CONNECTIONS` can be, and its default where the number of open files is not limited. */
export const HIGHEST_MAX_CONNECTIONS = 1_000_000;

interface LimitsReport {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
}

/** Returns the soft limit of open files from a diagnostic report of Node.js; infinity where there is none (Windows). */
export const parseOpenFiles = (report: LimitsReport): number => {
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
};

/** Returns how many files this process may have open (soft `RLIMIT_NOFILE`, which Node.js raises to the hard one). */
export const readOpenFiles = (): number => {
  // Without it, the report resolves the names of all connected hosts.
  const report = Object.assign(process.report, { excludeNetwork: true }).getReport();
  return parseOpenFiles(report);
};

/** Returns how many connections of the API fit into a limit of open files beside the connections to databases. */
export const connectionRoom = (openFiles: number, databaseConnections: number): number =>
  Math.min(openFiles - databaseConnections - RESERVED_FILES, HIGHEST_MAX_CONNECTIONS);

/** Says what is wrong with a number of connections for which there is this much room, as a part of a sentence. */
export const connectionLimitFault = (maxConnections: number, room: number, openFiles: number): string | undefined => {
  if (room < MIN_CONNECTIONS) {
    const needed = openFiles - room + MIN_CONNECTIONS;
    return `has no room within the limit of ${openFiles} open files; raise that to at least ${needed} (ulimit -n)`;
  }
  if (maxConnections <= room) return undefined;
  const limit = `at most ${room} within the limit of ${openFiles} open files`;
  return `must be ${limit}, and is ${maxConnections}; lower it or raise that limit (ulimit -n)`;
};
