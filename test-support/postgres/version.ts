import { query } from '../query.ts';

/** Returns the version of the server in a URL, such as `PostgreSQL 18.4`. */
export const versionOf = async (url: string): Promise<string> => {
  const [row] = await query(url, 'show server_version');
  return `PostgreSQL ${String(row?.['server_version']).split(' ')[0]}`;
};
